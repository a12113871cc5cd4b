"""`hive work`: issues, pull requests and kept working copies that wait, and a word on one of them."""

from __future__ import annotations

import shutil
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hive.cli.output import print_json, print_text, table
from hive.cli.pull_rounds import rounds_table, show_prompt, take_up
from hive.cli.state import places, user
from hive.cli.views import document
from hive.decisions.counting import counted
from hive.decisions.one_line import printable
from hive.errors import ConfigError
from hive.shells.operator import SocketOperator

_PARTS = {"issues": "work", "pull_requests": "rounds", "trees": "trees"}
"""What `--json` tells, by its name in the status document."""
_UNSAVED = {"files": "file", "commits": "commit", "stashes": "stash"}
"""What a kept working copy alone has, and one of it."""


def work(options: Namespace) -> int:
    if options.verb:
        return _about_one(options)
    found = document(places(options.config))
    if options.json:
        parts = {name: found.get(key, []) for name, key in _PARTS.items()}
        print_json(parts)
    else:
        shown = [_queue(found["work"]), rounds_table(found.get("rounds", []), _width())]
        kept = "\n".join(_kept(found.get("trees", [])))
        print_text("\n\n".join(part for part in (*shown, kept) if part))
    return 0


def _queue(issues: list[Mapping[str, Any]]) -> str:
    rows = [
        (
            row["rank"],
            f"{row['repo']}#{row['number']}",
            row["lane"],
            row["agent"] or row.get("outcome"),
            row["title"],
            "; ".join((row["because"], *row.get("why", ()))),
        )
        for row in issues
    ]
    return table(("RANK", "ISSUE", "LANE", "AGENT", "TITLE", "BECAUSE"), rows, width=_width())


def _width() -> int:
    return shutil.get_terminal_size((120, 40)).columns


def _kept(trees: list[Mapping[str, Any]]) -> Iterator[str]:
    """One working copy in three lines: what is needed to look into it and to let it go."""
    if trees:
        yield f"kept working copies: {len(trees)}; hive removes none in which something would be lost"
    for tree in trees:
        unsaved = tree["unsaved"]
        counts = ", ".join(
            counted(unsaved[many], one, many) for many, one in _UNSAVED.items() if unsaved[many]
        )
        going = f"; released by {printable(tree['released_by'])}" if tree["released_by"] else ""
        where = f"{tree['agent']}, on {printable(tree['branch'])}"
        yield f"  {tree['task']} of {where}: {counts or 'nothing unsaved'}"
        yield f"    {tree['folder']}"
        yield f"    {printable(tree['because'])}{going}"
    if trees:
        yield "  let one go, what only it has is kept in its agent's store: hive work release TASK --why ..."


def _about_one(options: Namespace) -> int:
    match options.verb:
        case "release":
            return _release(options)
        case "prompt":
            return show_prompt(options)
        case _:
            return take_up(options)


def _release(options: Namespace) -> int:
    if not options.ids:
        raise ConfigError("name the tasks whose working copies may go; see: hive work")
    if not (options.why or "").strip():
        raise ConfigError("--why is missing; it goes on record")
    operator = SocketOperator(places(options.config).operator_socket)
    for task in dict.fromkeys(options.ids):
        operator.release_tree(task, by=user(), why=options.why)
        print_text(f"the working copy of {task} goes; what came of it: hive explain {task}")
    return 0
