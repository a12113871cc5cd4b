"""What open pull requests need of their agents, as tasks: one at a time, and so many of a kind at most."""

from hive.decisions.rounds.claims import round_claims
from hive.decisions.rounds.ends import round_end
from hive.decisions.rounds.needs import Wanted, details_wanted, wanted
from hive.decisions.rounds.review_claims import review_claims

__all__ = ["Wanted", "details_wanted", "review_claims", "round_claims", "round_end", "wanted"]
