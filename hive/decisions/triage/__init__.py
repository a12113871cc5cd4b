"""Triage: which issues become work, for whom, in which order.

Only what a trusted person wrote or released becomes work, and only as it was then.
"""

from hive.decisions.triage.across import rings_across
from hive.decisions.triage.blocking import names_of
from hive.decisions.triage.triage import TriageItem, triage, triage_of
from hive.decisions.triage.trust import approved_at, comments_that_count
from hive.decisions.triage.urgency import by_urgency, overdue, timely_words
from hive.decisions.triage_policy import Kind, Lane, Rule, TriagePolicy

__all__ = [
    "Kind",
    "Lane",
    "Rule",
    "TriageItem",
    "TriagePolicy",
    "approved_at",
    "by_urgency",
    "comments_that_count",
    "names_of",
    "overdue",
    "rings_across",
    "timely_words",
    "triage",
    "triage_of",
]
