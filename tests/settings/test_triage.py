from __future__ import annotations

from datetime import timedelta

import pytest

from hive.decisions.triage import Kind, Lane, Rule
from hive.errors import ConfigError
from tests.settings.conftest import GOOD, Loads

DAY = timedelta(days=1)


def test_lanes_kinds_and_sizes_are_read_in_their_order(loads: Loads) -> None:
    section = """\
triage:
  lanes: {docs: {labels: [docs], paths: [docs/]}}
  kinds:
    security: {labels: [security], paths: [auth/], sla: 1d}
    bug: {words: [crash]}
  sizes: {small: {labels: [easy], words: [typo], paths: ["*.md"]}}
  dependencies: false
  stale_after: 90d
"""
    triage = loads(GOOD + section).triage
    assert triage.lanes == (Lane("docs", ("docs",), paths=("docs/",)),)
    assert triage.kinds == (
        Kind("security", ("security",), paths=("auth/",), sla=DAY),
        Kind("bug", words=("crash",)),
    )
    assert triage.sizes == (Rule("small", ("easy",), ("typo",), ("*.md",)),)
    assert (triage.dependencies, triage.stale_after) == (False, 90 * DAY)


def test_without_a_section_texts_block_and_nothing_goes_stale(loads: Loads) -> None:
    triage = loads(GOOD).triage
    assert (triage.dependencies, triage.stale_after, triage.kinds, triage.sizes) == (True, None, (), ())


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{kinds: {bug: {label: [bug]}}}", "did you mean 'labels'"),
        ("{kinds: {bug: {sla: 0s}}}", "out of range"),
        ("{kinds: {bug: {paths: ['!']}}}", "triage.kinds.bug.paths"),
        ("{sizes: {small: {sla: 1d}}}", "sla"),
        ("{stale_after: soon}", "triage.stale_after"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(loads: Loads, section: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        loads(f"{GOOD}triage: {section}\n")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
