"""What open pull requests need of their agents, as tasks: one at a time, and so many of a kind at most."""

from hive.decisions.rounds.claims import round_claims
from hive.decisions.rounds.ends import round_end
from hive.decisions.rounds.needs import Wanted, details_wanted, wanted

__all__ = ["Wanted", "details_wanted", "round_claims", "round_end", "wanted"]
