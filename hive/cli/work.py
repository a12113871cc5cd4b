"""`hive work`: the queue of issues, the working copies that are kept, and letting one of those go."""

from __future__ import annotations

import shutil
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hive.cli.output import print_json, print_text, table
from hive.cli.state import places, user
from hive.cli.views import document
from hive.decisions.one_line import printable
from hive.errors import ConfigError
from hive.shells.operator import SocketOperator


def work(options: Namespace) -> int:
    if options.release:
        return _release(options)
    if options.tasks:
        raise ConfigError("tasks go with release: hive work release TASK --why ...")
    found = document(places(options.config))
    if options.json:
        print_json({"issues": found["work"], "trees": found.get("trees", [])})
    else:
        kept = list(_kept(found.get("trees", [])))
        print_text("\n".join([_queue(found["work"]), *(["", *kept] if kept else [])]))
    return 0


def _queue(issues: list[Mapping[str, Any]]) -> str:
    rows = [
        (
            row["rank"],
            f"{row['repo']}#{row['number']}",
            row["lane"],
            row["agent"] or row.get("outcome"),
            row["title"],
            row["because"],
        )
        for row in issues
    ]
    width = shutil.get_terminal_size((120, 40)).columns
    return table(("RANK", "ISSUE", "LANE", "AGENT", "TITLE", "BECAUSE"), rows, width=width)


def _kept(trees: list[Mapping[str, Any]]) -> Iterator[str]:
    """One working copy in three lines: what is needed to look into it and to let it go."""
    if trees:
        yield f"kept working copies: {len(trees)}; hive removes none in which something would be lost"
    for tree in trees:
        unsaved = tree["unsaved"]
        counts = ", ".join(f"{count} {what}" for what, count in unsaved.items() if count)
        going = f"; released by {printable(tree['released_by'])}" if tree["released_by"] else ""
        where = f"{tree['agent']}, on {printable(tree['branch'])}"
        yield f"  {tree['task']} of {where}: {counts or 'nothing unsaved'}"
        yield f"    {tree['folder']}"
        yield f"    {printable(tree['because'])}{going}"
    if trees:
        yield "  let one go, what only it has is kept in its agent's store: hive work release TASK --why ..."


def _release(options: Namespace) -> int:
    if not options.tasks:
        raise ConfigError("name the tasks whose working copies may go; see: hive work")
    if not (options.why or "").strip():
        raise ConfigError("--why is missing; it goes on record")
    operator = SocketOperator(places(options.config).operator_socket)
    for task in dict.fromkeys(options.tasks):
        operator.release_tree(task, by=user(), why=options.why)
        print_text(f"the working copy of {task} goes; what came of it: hive explain {task}")
    return 0
