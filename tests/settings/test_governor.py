from __future__ import annotations

from datetime import timedelta

import pytest

from hive.decisions.governor_policy import GovernorPolicy, Weights
from hive.errors import ConfigError
from hive.facts.governor import LoadMode
from tests.settings.conftest import GOOD, Loads


def test_without_a_section_nothing_is_limited(loads: Loads) -> None:
    assert loads().governor == GovernorPolicy()


def test_the_whole_section_is_read(loads: Loads) -> None:
    section = """\
governor:
  thresholds: {quiet: 2, busy: 4.5, surge: 9}
  weights: {issue: 1, pull: 0, red: 2, breach: 7}
  margin: 0.5
  dwell: 1m
  slots: {idle: 1, surge: 8}
  cadence: {quality: {idle: 1h}}
  sla: {bug: 2d, default: 14d}
  shares: {O/R: 2.5}
triage: {lanes: {bug: {labels: [bug]}}}
"""
    assert loads(GOOD + section).governor == GovernorPolicy(
        thresholds={LoadMode.QUIET: 2, LoadMode.BUSY: 4.5, LoadMode.SURGE: 9},
        margin=0.5,
        dwell=timedelta(minutes=1),
        weights=Weights(1, 0, 2, 7),
        slots={LoadMode.IDLE: 1, LoadMode.SURGE: 8},
        cadence={"quality": {LoadMode.IDLE: timedelta(hours=1)}},
        sla={"bug": timedelta(days=2), "": timedelta(days=14)},
        shares={"o/r": 2.5},
    )


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{thresholds: {busy: 30}}", "they have to grow: 0 < quiet <= busy <= surge"),
        ("{cadence: {qualty: {idle: 1h}}}", "'qualty' is not configured; did you mean 'quality'?"),
        ("{sla: {bug: 2d}}", "governor.sla: 'bug' is not configured; there are none"),
        ("{shares: {o/x: 2}}", "'o/x' is not configured; did you mean 'o/r'?"),
        ("{slots: {idle: 0}}", "governor.slots.idle"),
        ("{slots: {lazy: 1}}", "governor.slots"),
        ("{cadence: {quality: {idle: 2d}}}", "governor.cadence.quality.idle"),
        ("{margin: a}", "'a' is no number; write it like 0.5"),
    ],
)
def test_a_mode_in_which_nothing_can_work_and_a_misspelt_name_are_refused(
    loads: Loads, section: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        loads(f"{GOOD}governor: {section}\n")
    assert said in str(caught.value)
