"""`hive findings`: what agents found, and a person's word on it."""

from __future__ import annotations

import shutil
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hive.cli.output import print_json, print_text, table
from hive.cli.state import places, user
from hive.cli.views import document
from hive.decisions.counting import often
from hive.decisions.one_line import printable
from hive.errors import ConfigError
from hive.shells.operator import SocketOperator

_STATES = ("open", "accepted", "filed", "rejected")


def findings(options: Namespace) -> int:
    match options.verb:
        case "accept" | "reject":
            return _decide(options)
        case "show":
            return _show(options)
        case _:
            return _listed(options)


def _listed(options: Namespace) -> int:
    found = sorted(
        document(places(options.config)).get("findings", []),
        key=lambda one: _STATES.index(one["state"]) if one.get("state") in _STATES else 0,
    )
    if options.json:
        print_json(found)
        return 0
    rows = [
        (one["id"], one.get("state", "open"), _about(one), one["agent"], one["title"], one.get("because", ""))
        for one in found
    ]
    width = shutil.get_terminal_size((120, 40)).columns
    header = ("ID", "STATE", "ABOUT", "AGENT", "TITLE", "BECAUSE")
    print_text(table(header, rows, width=width) if rows else "(nothing was found)")
    return 0


def _about(one: Mapping[str, Any]) -> str:
    where = f"{one['repo']}#{one['issue']}" if one["issue"] is not None else one["repo"]
    return f"{where} {one['path']}" if one.get("path") else str(where)


def _show(options: Namespace) -> int:
    here = places(options.config)
    one = _named(options.id, document(here).get("findings", []))
    from hive.cli.findings_history import history

    said, events = history(here, one["id"])
    if options.json:
        print_json({**one, "body": said, "events": events})
        return 0
    print_text("\n".join(_lines(one, said, events)))
    return 0


def _lines(one: Mapping[str, Any], said: str, events: list[Mapping[str, Any]]) -> Iterator[str]:
    """Foreign text moves no cursor."""
    yield f"{one['id']}  {one['state']}: {printable(one['because'])}"
    yield f"    {printable(one['title'])}"
    rule = f", rule {printable(one['rule'])}" if one["rule"] else ""
    yield f"    about {printable(_about(one))}{rule}; found {often(one['times'])}, last at {one['seen_at']}"
    yield from (f"  | {printable(line)}" for line in said.splitlines())
    yield from (f"  {event['at'][:19]}  {event['text']}" for event in events)
    if one["state"] in ("open", "rejected"):
        yield f"    to make an issue of it: hive findings accept {one['id']}"
    if one["state"] in ("open", "accepted"):
        yield f"    to have none made until its file changes: hive findings reject {one['id']} --why ..."


def _named(name: str | None, found: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    if not name:
        raise ConfigError("which finding? see: hive findings")
    for one in found:
        if one["id"].casefold() == name.casefold():
            return one
    raise ConfigError(f"there is no finding '{name[:40]}'; see: hive findings")


def _decide(options: Namespace) -> int:
    here = places(options.config)
    accept = options.verb == "accept"
    if not options.id:
        raise ConfigError(f"which finding? hive findings {options.verb} ID")
    if not accept and not (options.why or "").strip():
        raise ConfigError("--why is missing; it goes on record, and the agent that finds it again is told")
    SocketOperator(here.operator_socket).decide_finding(
        options.id, accept=accept, by=user(), why=options.why or ""
    )
    told = "accepted; an issue is made of it" if accept else "rejected, until its file changes"
    print_text(f"{options.id} is {told}")
    return 0
