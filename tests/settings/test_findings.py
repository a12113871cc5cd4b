"""The section `findings`."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hive.decisions.findings_policy import FindingsPolicy
from hive.errors import ConfigError
from tests.settings.conftest import GOOD, Loads


def test_without_the_section_findings_become_issues_where_the_level_lets_them(loads: Loads) -> None:
    assert loads().findings == FindingsPolicy()


def test_every_key_is_read(loads: Loads) -> None:
    section = """
findings:
  promote: false
  labels: [found]
  per_day: 2
  most_open: 3
  per_task: 4
  tracking: [O/R]
  tracking_every: 1h
"""
    assert loads(GOOD + section).findings == FindingsPolicy(
        promote=False,
        labels=("found",),
        per_day=2,
        most_open=3,
        per_task=4,
        tracking=frozenset({"o/r"}),
        tracking_every=timedelta(hours=1),
    )


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{tracking: [o/rr]}", "findings.tracking: 'o/rr' is not configured; did you mean 'o/r'?"),
        ("{per_day: 0}", "findings.per_day"),
        ("{promot: true}", "did you mean 'promote'"),
    ],
)
def test_a_mistake_is_told_by_its_place(loads: Loads, section: str, said: str) -> None:
    with pytest.raises(ConfigError, match=r".*") as error:
        loads(f"{GOOD}findings: {section}\n")
    assert said in str(error.value)
