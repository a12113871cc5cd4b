"""Triage: which issues become work, for whom, in which order.

Only what a trusted person wrote or released becomes work, and only as it was then.
"""

from hive.decisions.triage.triage import TriageItem, triage, triage_of
from hive.decisions.triage.trust import approved_at, comments_that_count
from hive.decisions.triage_policy import Lane, TriagePolicy

__all__ = ["Lane", "TriageItem", "TriagePolicy", "approved_at", "comments_that_count", "triage", "triage_of"]
