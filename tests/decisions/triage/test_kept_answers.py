"""Answers that are kept while a look stands, and no longer."""

from __future__ import annotations

import sys

from hive.decisions.triage import triage_of
from tests.decisions.worlds import issue, policy


def test_the_same_look_is_answered_once_and_a_newer_one_takes_its_place() -> None:
    rules = policy().triage
    older, newer = (issue(7), issue(8)), (issue(7), issue(8), issue(9))
    answer = triage_of(older, rules)
    assert triage_of(older, rules) is answer
    held = sys.getrefcount(older)
    assert len(triage_of(newer, rules)) == 3
    assert sys.getrefcount(older) == held - 1
