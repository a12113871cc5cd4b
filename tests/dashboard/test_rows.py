"""What the tables say, and in which order."""

from __future__ import annotations

from datetime import UTC, timedelta

from hive.dashboard import rows
from hive.dashboard.cells import Row
from hive.dashboard.fleet import Fleet, read
from hive.dashboard.looks import Tone
from tests.dashboard import world

NOW = world.NOW


def texts(row: Row) -> list[str]:
    return [cell.text for cell in row.cells]


def test_who_needs_a_person_comes_first_and_who_is_paused_comes_late() -> None:
    shown = rows.AgentRows().of(read(world.document()), NOW)
    assert [row.key for row in shown] == [
        "quality-2",
        "scanner",
        "ci-maintainer",
        "quality-1",
        "sec-check",
        "supervisor",
        "guide",
        "outreach",
    ]


def test_an_agent_shows_its_state_since_when_on_what_and_where() -> None:
    first = rows.AgentRows().of(read(world.document()), NOW)[0]
    assert texts(first) == [
        "? asking",
        "quality-2",
        "48s",
        "#7 Unterminated strings hang the tokenizer",
        "parser",
        "holdgated",
        "wants to run: rm -rf build/",
        "claude",
        "2",
    ]
    assert first.cells[0].tone is Tone.ALARM


def test_a_pause_says_who_and_why_without_alarm() -> None:
    guide = next(row for row in rows.AgentRows().of(read(world.document()), NOW) if row.key == "guide")
    assert guide.cells[6].text == "by ann: until the docs freeze is over"
    assert {cell.tone for cell in guide.cells} == {Tone.MUTED}


def test_repositories_keep_their_owner_only_where_names_collide() -> None:
    repos = ("acme/web", "other/Web", "acme/ledger")
    fleet = read({"agents": [world.agent("a", "ready", repos=repos)]})
    assert rows.short_names(fleet) == {
        "acme/web": "acme/web",
        "other/Web": "other/Web",
        "acme/ledger": "ledger",
    }


def test_three_repositories_with_the_same_branch_names_are_told_apart() -> None:
    same = [
        world.agent(f"quality-{n}", "working", repos=[repo], task=world.task(repo, 7, "Fix it", "quality"))
        for n, repo in enumerate(("acme/one", "acme/two", "acme/three"))
    ]
    shown = rows.AgentRows().of(read({"agents": same}), NOW)
    assert [row.cells[4].text for row in shown] == ["one", "two", "three"]


def test_work_stands_in_the_order_of_rank_with_what_is_no_work_after_it() -> None:
    shown = rows.work_rows(read(world.document()))
    assert [row.key for row in shown] == [
        "acme/ledger#41",
        "acme/parser#7",
        "acme/web#112",
        "acme/web#115",
        "acme/ledger#44",
        "acme/parser#9",
    ]
    assert texts(shown[4])[0] == "   –"
    assert "no association" in texts(shown[4])[6]


def test_open_pull_requests_come_first_with_what_is_in_their_way() -> None:
    shown = rows.pull_rows(read(world.document()))
    assert [(row.key, texts(row)[0], texts(row)[6]) for row in shown] == [
        ("acme/ledger#52", "blocked", "hive holds it: at L4 a person releases what quality opens"),
        ("acme/parser#18", "blocked", "(3) the check failed"),
        ("acme/web#120", "wait", "the check is still running"),
        ("acme/ledger#50", "merged", ""),
    ]


def test_findings_and_refusals_have_an_age() -> None:
    fleet = read(world.document())
    assert texts(rows.finding_rows(fleet, NOW)[0]) == [
        "F3",
        "scanner",
        "acme/web#109",
        "Session cookie lacks SameSite",
        "50m",
    ]
    assert texts(rows.refusal_rows(fleet, NOW)[0]) == [
        "quality-2",
        "push-default-branch",
        "acme/parser@refs/heads/main",
        "acmm.never.push-default-branch",
        "2m",
    ]


def test_a_record_shows_its_time_and_stands_out_when_something_was_refused() -> None:
    shown = rows.journal_rows(world.journal().newest(2), UTC)
    assert [row.cells[0].text for row in shown] == ["14:30:07", "14:31:19"]
    assert [row.cells[1].tone for row in shown] == [Tone.WARN, Tone.ALARM]


def test_foreign_text_stays_in_its_cell() -> None:
    hostile = world.agent("a", "asking", detail="one\n\x1b[2Jtwo\u202e")
    row = rows.AgentRows().of(read({"agents": [hostile]}), NOW)[0]
    assert row.cells[6].text == "one [2Jtwo"


def test_an_empty_hive_has_no_rows() -> None:
    empty = Fleet()
    assert rows.AgentRows().of(empty, NOW) == rows.work_rows(empty) == rows.pull_rows(empty) == ()


def test_a_row_is_made_anew_only_when_something_of_its_agent_changed() -> None:
    made = rows.AgentRows()
    first = {row.key: row for row in made.of(read(world.document()), NOW)}
    later = {row.key: row for row in made.of(read(world.document()), NOW + timedelta(seconds=5))}
    assert {name for name in first if later[name] is not first[name]} == {"quality-2", "ci-maintainer"}
    assert later["ci-maintainer"].cells[2].text == "17s"
