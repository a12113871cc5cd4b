"""`hive holds`, `approve`, `deny`: what waits for a person's word, and that word."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hive.cli.output import print_json, print_text
from hive.cli.state import places, user
from hive.cli.views import document
from hive.decisions.one_line import printable
from hive.errors import ConfigError
from hive.shells.operator import SocketOperator


def holds(options: Namespace) -> int:
    found = document(places(options.config)).get("holds", [])
    if options.json:
        print_json(found)
    else:
        print_text("\n".join(line for hold in found for line in _lines(hold)) or "(nothing waits)")
    return 0


def _lines(hold: Mapping[str, Any]) -> Iterator[str]:
    """One hold; foreign text moves no cursor."""
    state = hold["state"] if hold["state"] == "waiting" else f"{hold['state']} by {hold['by']}"
    yield f"{hold['id']}  {hold['agent']}: {hold['action']} on {printable(hold['target'])}, {state}"
    yield f"    held because {printable(hold['because'])} ({hold['rule']}), until {hold['until']}"
    yield from (f"    | {printable(line)}" for line in hold["shown"].splitlines())


def approve(options: Namespace) -> int:
    _decide(options, approve=True)
    print_text(f"{options.id.upper()} is approved: hive does it now, once; a push has to be asked for again")
    return 0


def deny(options: Namespace) -> int:
    if not options.why.strip():
        raise ConfigError("--why is empty; the agent is told the reason")
    _decide(options, approve=False)
    print_text(f"{options.id.upper()} is denied; the agent is told why when it asks again")
    return 0


def _decide(options: Namespace, *, approve: bool) -> None:
    operator = SocketOperator(places(options.config).operator_socket)
    operator.decide(options.id, approve=approve, by=user(), why=options.why)
