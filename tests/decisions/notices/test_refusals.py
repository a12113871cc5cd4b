"""A gate that refuses everything is told of, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.notices import outstanding
from hive.facts.deeds import Deeds, Refused
from hive.facts.memory import Memory
from hive.facts.needs import Need, NeedKind
from tests.decisions.worlds import NOW, memory, policy

GATE = "request.unknown-target"
HOUR = timedelta(hours=1)


def needs(refused: Mapping[str, Refused | None]) -> tuple[Need, ...]:
    deeds = {agent: Deeds(refused=one) for agent, one in refused.items()}
    return outstanding(_with(deeds), policy(), NOW)


def _with(deeds: Mapping[str, Deeds]) -> Memory:
    return replace(memory(), deeds=deeds)


def refused(count: int = 3, rule: str = GATE, age: timedelta = timedelta(0)) -> Refused:
    return Refused(count, rule, "it is not known", NOW - age)


def test_a_gate_that_refuses_all_writes_of_all_agents_is_named_once() -> None:
    text = "hive, not the forge, refuses whatever a, b would write: it is not known"
    expected = (Need(f"refused/{GATE}", NeedKind.REFUSED, GATE, text, "hive audit"),)
    assert needs({"a": refused(), "b": refused(2), "c": None}) == expected


@pytest.mark.parametrize(
    "known",
    [
        {"a": refused(4)},
        {"a": refused(), "b": refused(rule="guardrail.secrets")},
        {"a": refused(9, age=HOUR)},
        {"a": refused(9, rule="acmm.advisory.comment")},
        {"a": None},
    ],
)
def test_few_refusals_old_ones_and_those_that_the_level_means_are_no_alarm(
    known: Mapping[str, Refused | None],
) -> None:
    assert needs(known) == ()
