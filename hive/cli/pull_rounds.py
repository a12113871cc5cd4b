"""What `hive work` has of pull requests: what they need, the prompt for one, going on with one."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from hive.cli.output import print_json, print_text, table
from hive.cli.state import places, user
from hive.errors import ConfigError
from hive.shells.operator import SocketOperator

_HEADS = ("PULL REQUEST", "NEEDS", "TRIES", "AGENT", "TITLE", "BECAUSE")


def rounds_table(rows: Sequence[Mapping[str, Any]], width: int) -> str:
    """A line for each need; empty where there is none."""
    return table(_HEADS, [_cells(row) for row in rows], width=width) if rows else ""


def _cells(row: Mapping[str, Any]) -> tuple[Any, ...]:
    number = f"{row['repo']}#{row['number']}"
    tries = f"{row['tasks']} of {row['most']}" if row["kind"] else ""
    working = f"{row['agent']} (at work)" if row["task"] else row["agent"]
    return number, row["kind"] or "a person", tries, working, row["title"], row["because"]


def show_prompt(options: Namespace) -> int:
    """The very text on stdout, and on stderr whom it is for."""
    found = _operator(options).prompt(_one(options))
    if options.json:
        print_json(found)
        return 0
    print_text(str(found["text"]))
    remark = f"; {found['remark']}" if found["remark"] else ""
    print(f"hive: for {found['agent']}{remark}", file=sys.stderr)
    return 0


def take_up(options: Namespace) -> int:
    which = _one(options)
    _operator(options).take_up(which, by=user(), why=options.why or "")
    print_text(f"its agent goes on with {which}")
    return 0


def _one(options: Namespace) -> str:
    if len(options.ids) != 1:
        raise ConfigError(f"which one? hive work {options.verb} OWNER/NAME#NUMBER, or the id of a task")
    return str(options.ids[0])


def _operator(options: Namespace) -> SocketOperator:
    return SocketOperator(places(options.config).operator_socket)
