from __future__ import annotations

import pytest

from hive.facts.autonomy import Action
from hive.facts.verdicts import Ruling, Verdict
from hive.gateway.advice import refusal

_ALWAYS_GRANTED = {Action.READ, Action.RECORD_FINDING}


@pytest.mark.parametrize("action", sorted(set(Action) - _ALWAYS_GRANTED))
def test_a_refusal_says_why_by_which_rule_and_what_to_do_instead(action: Action) -> None:
    verdict = Verdict(Ruling.DENY, f"acmm.full.{action}", "role x at L6 is full, which does not grant it")
    why, _, instead = refusal(action, verdict, "quality").partition(f" (rule acmm.full.{action}): ")
    assert why == "hive: role x at L6 is full, which does not grant it"
    assert len(instead.split()) > 4
    assert "{" not in instead
