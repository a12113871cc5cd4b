"""From the words of a command line to a command and its options.

argparse, not a richer library: `hive --help` may take three times bare Python, and no more. Only the
command that is asked for gets a parser: making all of them takes longer than all else that it does.
"""

from __future__ import annotations

import argparse
import os
import sys

from hive import __version__
from hive.cli.commands import COMMANDS

# Importing typing would take a fifth of the time of `hive --help`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from hive.cli.command import Command, Group

_DESCRIPTION = "Supervises fleets of coding agents, as far as the autonomy level allows."
_EXIT_CODES = (
    "Exit codes: 0 done, 1 the answer is no, 2 bad input or configuration, 3 a dependency is out of reach."
)


class _Parser(argparse.ArgumentParser):
    """Complains in hive's own form: one line, with the remedy."""

    def error(self, message: str) -> NoReturn:
        print(f"hive: {message}; see '{self.prog} --help'", file=sys.stderr)
        sys.exit(2)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read a command line (the process's own where None) into options; `handler` is "module:function".

    Prints help or the version and exits 0; exits 2 on what is no command of hive's.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    group, name = COMMANDS, "hive"
    while True:
        at = next((index for index, word in enumerate(words) if not word.startswith("-")), len(words))
        listing = _listing(name, group)
        listing.parse_args(words[:at])
        if at == len(words):
            listing.error("name a command")
        found = group.get(words[at])
        if found is None:
            listing.error(_unknown(words[at], group))
        name, words = f"{name} {words[at]}", words[at + 1 :]
        if found.commands is None:
            return _parser(name, found).parse_args(words)
        group = found.commands


def _parser(name: str, command: Command) -> argparse.ArgumentParser:
    parser = _Parser(prog=name, description=command.about, formatter_class=_formatter, allow_abbrev=False)
    parser.set_defaults(handler=command.handler)
    if command.as_json:
        parser.add_argument("--json", action="store_true", help="print one JSON document")
    if command.options is not None:
        command.options(parser)
    return parser


def _listing(name: str, group: Group) -> _Parser:
    """The parser of what stands before a command: its help lists the commands."""
    width = max(map(len, group))
    lines = "\n".join(f"  {one:{width}}  {command.about}" for one, command in group.items())
    parser = _Parser(
        prog=name,
        usage=f"{name} [-h] [--version] COMMAND ..." if name == "hive" else f"{name} [-h] COMMAND ...",
        description=_DESCRIPTION if name == "hive" else None,
        epilog=f"commands:\n{lines}\n\n{_EXIT_CODES}",
        formatter_class=_raw_formatter,
        allow_abbrev=False,
    )
    if name == "hive":
        parser.add_argument("--version", action="version", version=f"hive {__version__}")
    return parser


def _unknown(word: str, group: Group) -> str:
    from hive.decisions.spelling import near_miss

    near = near_miss(word, group)
    return f"there is no command '{word}'" + (f"; did you mean '{near}'?" if near else "")


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, width=_width())


def _raw_formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, width=_width())


def _width() -> int:
    """Columns for help. Left to itself, argparse imports shutil and with it three compressors."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns) - 2
    try:
        return (os.get_terminal_size().columns or 80) - 2
    except OSError:
        return 78
