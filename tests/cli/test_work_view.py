"""`hive work`, as a person reads it."""

from __future__ import annotations

from hive.cli import work

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
        "  o/r#7/1 of quality-1, on hive/quality-1/7-crash: 2 files, 1 stashes",
        "    /agents/quality-1/work/o/r/7-1",
        "    2 changed files; 1 stash",
        "  let one go, what only it has is kept in its agent's store: hive work release TASK --why ...",
    ]
    assert list(work._kept([])) == []
    (_, _, _, going, _) = work._kept([{**TREE, "released_by": "ann"}])
    assert going == "    2 changed files; 1 stash; released by ann"
