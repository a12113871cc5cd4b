"""An export of the journal proves itself: nothing in it can be changed, taken out or put in unseen."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.audit import Check, check, lines
from hive.facts import events as e

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
EVENTS: tuple[e.Event, ...] = (
    e.SupervisorStarted(pid=7, version="1"),
    e.AgentPaused(agent="q", by="ann", why='says "no",\n"hash":"' + "0" * 64 + '"}'),
    e.LevelChanged(scope="hive", level=6, by="mallory"),
    e.AgentResumed(agent="q", by="ann"),
)
RECORDS = [e.Record(n, NOW + timedelta(seconds=n), n // 2, event) for n, event in enumerate(EVENTS, 1)]
EXPORT = [*lines(RECORDS)]


def head_of(line: bytes) -> str:
    return str(json.loads(line)["hash"])


def test_an_export_is_json_lines_with_every_record() -> None:
    read = [json.loads(line) for line in EXPORT]
    assert [(line["seq"], line["event"]["kind"]) for line in read[1:-1]] == [
        (1, "supervisor-started"),
        (2, "agent-paused"),
        (3, "level-changed"),
        (4, "agent-resumed"),
    ]
    assert read[3]["at"] == "2026-11-30T09:00:03.000000Z"
    assert (read[0]["audit"], read[-1]["records"]) == (1, 4)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in EXPORT)


def test_the_same_journal_gives_the_same_lines_and_they_are_good() -> None:
    assert [*lines(RECORDS)] == EXPORT
    assert check(EXPORT) == check(EXPORT, RECORDS) == Check(4, head_of(EXPORT[-1]))
    assert check(lines([])) == Check(0, head_of([*lines([])][-1]))


def test_what_was_recorded_since_does_not_matter() -> None:
    later = e.Record(5, NOW, 3, e.AgentPaused(agent="q", by="ann"))
    assert check(EXPORT, [*RECORDS, later]).problem is None


@pytest.mark.parametrize(
    ("changed", "bad", "problem"),
    [
        ([*EXPORT[:3], EXPORT[3].replace(b"mallory", b"annabel"), *EXPORT[4:]], 4, "it was changed"),
        ([*EXPORT[:3], *EXPORT[4:]], 4, "it was changed, or one before it was taken out or put in"),
        ([*EXPORT[:3], EXPORT[4], EXPORT[3], *EXPORT[5:]], 4, "it was changed, or one before it was"),
        ([*EXPORT[:3], EXPORT[2], *EXPORT[3:]], 4, "it was changed, or one before it was"),
        (EXPORT[:-1], 6, "it is missing: the export was cut off"),
        (EXPORT[:-3], 4, "it is missing: the export was cut off"),
        ([*EXPORT, EXPORT[-1]], 7, "it stands after the end of the export"),
        (EXPORT[1:], 1, "it does not begin an export"),
        ([], 1, "it is missing: the export was cut off"),
        ([b"\n", *EXPORT], 1, "it is no line of an export"),
        ([*EXPORT[:2], b"{}\n", *EXPORT[2:]], 3, "it is no line of an export"),
        ([*EXPORT[:2], EXPORT[2][:-9] + b"\n", *EXPORT[3:]], 3, "it is no line of an export"),
    ],
)
def test_the_first_bad_line_is_named(changed: list[bytes], bad: int, problem: str) -> None:
    found = check(changed)
    assert found.line == bad
    assert (found.problem or "").startswith(problem)


def test_a_chain_made_anew_without_a_record_shows_the_gap() -> None:
    found = check([*lines([RECORDS[0], *RECORDS[2:]])])
    assert (found.line, found.problem, found.records) == (3, "record 2 is missing before it", 1)


def test_a_chain_made_anew_with_another_record_is_not_the_journals() -> None:
    forged = [*RECORDS[:2], e.Record(3, RECORDS[2].at, 1, e.LevelChanged(scope="hive", level=6, by="ann"))]
    forged.append(RECORDS[3])
    assert check(lines(forged)).problem is None
    assert check(lines(forged)).head != head_of(EXPORT[-1]), "by which it shows where the head was kept"
    assert check(lines(forged), RECORDS).problem == "record 3 is another one in the journal"
    assert check(EXPORT, RECORDS[:2]).problem == "the journal has no record 3 any more"


@given(st.integers(0, len(b"".join(EXPORT)) - 1), st.binary(min_size=1, max_size=1))
def test_no_byte_can_be_changed_unseen(at: int, other: bytes) -> None:
    whole = b"".join(EXPORT)
    changed = whole[:at] + other + whole[at + 1 :]
    found = check(io.BytesIO(changed))
    assert (found.problem is None) == (changed == whole)
