"""The section `standing`."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hive.decisions.standing_policy import StandingDuty
from hive.errors import ConfigError
from hive.facts.governor import LoadMode
from tests.settings.conftest import GOOD, Loads


def test_a_duty_has_its_cadence_and_its_text(loads: Loads) -> None:
    assert loads().standing == ()
    section = "standing: {quality: {every: {idle: 1h, quiet: 1d}, what: look}}\n"
    every = {LoadMode.IDLE: timedelta(hours=1), LoadMode.QUIET: timedelta(days=1)}
    assert loads(GOOD + section).standing == (StandingDuty("quality", "look", every),)
    known = loads(GOOD + "standing: {quality: {every: {idle: 1h}}}\n").standing
    assert known[0].what.startswith("look over the tests")


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (
            "{qualty: {every: {idle: 1h}}}",
            "no agent has the role 'qualty'; did you mean 'quality'?",
        ),
        ("{quality: {every: {idle: 1s}}}", "standing.quality.every.idle"),
        ("{quality: {every: {}}}", "standing.quality.every"),
        ("{quality: {every: {lazy: 1h}}}", "standing.quality.every"),
    ],
)
def test_a_mistake_is_told_by_its_place(loads: Loads, section: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        loads(f"{GOOD}standing: {section}\n")
    assert said in str(error.value)
