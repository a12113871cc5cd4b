"""Standing work: what a role does by itself, again and again, in each of its repositories.

When it was begun last is in the journal, so that a restart begins nothing early.
"""

from hive.decisions.standing.ends import standing_end
from hive.decisions.standing.kicks import next_kick, standing_claims

__all__ = ["next_kick", "standing_claims", "standing_end"]
