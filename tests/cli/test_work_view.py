"""`hive work`, as a person reads it."""

from __future__ import annotations

import pytest

from hive.cli import explain, work

TREE = {
    "task": "o/r#7/1",
    "agent": "quality-1",
    "branch": "hive/quality-1/7-crash",
    "folder": "/agents/quality-1/work/o/r/7-1",
    "because": "2 changed files; 1 stash",
    "unsaved": {"files": 2, "commits": 0, "stashes": 1},
    "released_by": None,
}


def test_a_kept_working_copy_tells_what_it_has_where_and_how_to_let_it_go() -> None:
    assert list(work._kept([TREE])) == [
        "kept working copies: 1; hive removes none in which something would be lost",
        "  o/r#7/1 of quality-1, on hive/quality-1/7-crash: 2 files, 1 stash",
        "    /agents/quality-1/work/o/r/7-1",
        "    2 changed files; 1 stash",
        "  let one go, what only it has is kept in its agent's store: hive work release TASK --why ...",
    ]
    assert list(work._kept([])) == []
    (_, _, _, going, _) = work._kept([{**TREE, "released_by": "ann"}])
    assert going == "    2 changed files; 1 stash; released by ann"


ISSUE = {
    "repo": "o/r",
    "number": 7,
    "title": "Crash",
    "eligible": True,
    "rank": 1,
    "lane": None,
    "kind": "bug",
    "size": None,
    "because": "ada wrote it, MEMBER",
    "why": ["kind bug by word crash", "3d old"],
    "agent": None,
    "outcome": None,
}


def test_an_issue_tells_what_put_it_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert (
        work._queue([ISSUE])
        .splitlines()[-1]
        .endswith("Crash  ada wrote it, MEMBER; kind bug by word crash; 3d old")
    )


def test_explaining_an_issue_tells_its_rank_and_what_put_it_there() -> None:
    assert list(explain._now("O/R#7", {"work": [ISSUE]})) == [
        "it is work: ada wrote it, MEMBER",
        "rank 1: kind bug by word crash; 3d old",
    ]
    blocked = {**ISSUE, "eligible": False, "rank": None, "because": "it waits", "why": ["3d old"]}
    assert list(explain._now("o/r#7", {"work": [blocked]})) == [
        "it is no work: it waits",
        "3d old",
    ]
