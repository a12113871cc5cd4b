"""The model that was configured, and the one that a program uses."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.model_pin import is_model
from hive.decisions.notice import notice
from hive.facts import events as e
from hive.facts.usage import TokenUsage, Usage, UsageSource
from tests.decisions.worlds import NOW, known_agent, memory, policy, sighting, spec, world

NAME = "quality-1"


@pytest.mark.parametrize(
    ("wanted", "used", "same"),
    [
        ("opus", "claude-opus-4-5-20251101", True),
        ("claude-opus-4-5", "claude-opus-4-5-20251101", True),
        ("claude-opus-4-5[1m]", "claude-opus-4-5", True),
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", True),
        ("gpt-4.1", "gpt-4.1-2025-04-14", True),
        ("opus", "claude-haiku-4-5", False),
        ("gpt-4.1", "gpt-4o", False),
        ("gpt-4", "gpt-4o", False),
        ("claude-opus-4-5", "claude-opus-4-1", False),
    ],
)
def test_a_model_is_known_by_its_alias_and_without_its_date(wanted: str, used: str, same: bool) -> None:
    assert is_model(wanted, used) is same


def usage(model: str, minutes: int) -> Usage:
    tokens = TokenUsage(input=1, output=1)
    return Usage(model, tokens, f"k{minutes}", UsageSource.TRANSCRIPT, NOW - timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("used", "before", "told"),
    [
        ((usage("claude-haiku-4-5", 2),), "", ["claude-haiku-4-5"]),
        ((usage("claude-haiku-4-5", 2),), "claude-haiku-4-5", []),
        ((usage("claude-haiku-4-5", 1), usage("claude-opus-4-5", 2)), "", []),
        ((usage("claude-opus-4-5", 1),), "claude-haiku-4-5", [""]),
        ((usage("claude-haiku-4-5", 11),), "", []),
    ],
    ids=["another", "told before", "a side call", "again as wanted", "of an earlier start"],
)
def test_another_model_than_the_configured_one_is_told_once_for_each_change(
    used: tuple[Usage, ...], before: str, told: list[str]
) -> None:
    wishes = policy(spec(model="opus"))
    seen = world(replace(sighting(), usage=used))
    events = notice(seen, memory({NAME: known_agent(other_model=before)}), wishes)
    assert [one.used for one in events if isinstance(one, e.ModelSeen)] == told


def test_an_agent_without_a_configured_model_may_use_any() -> None:
    seen = world(replace(sighting(), usage=(usage("any", 1),)))
    events = notice(seen, memory({NAME: known_agent()}), policy())
    assert [one for one in events if isinstance(one, e.ModelSeen)] == []
