"""`hive incidents`: what hive's account did on the forge without hive, and closing it."""

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


def incidents(options: Namespace) -> int:
    if options.close:
        return _close(options)
    found = document(places(options.config)).get("incidents", [])
    if options.json:
        print_json(found)
    else:
        print_text("\n".join(line for one in found for line in _lines(one)) or "(no incidents)")
    return 0


def _lines(one: Mapping[str, Any]) -> Iterator[str]:
    """One incident; foreign text moves no cursor."""
    state = one["state"] if one["state"] != "closed" else f"closed by {one['by']}: {printable(one['why'])}"
    yield f"{one['id']}  {one['kind']} at {printable(one['where'])}, {state}"
    yield f"    {printable(one['evidence'])}"
    if one["state"] == "open":
        stopped = f"{one['agent']} is stopped, its token is void; " if one["agent"] else ""
        yield f"    {stopped}nothing is merged in {one['repo']} meanwhile"
        yield f"    look into it, renew hive's credential, then: hive incidents close {one['id']} --why ..."


def _close(options: Namespace) -> int:
    if not options.ids:
        raise ConfigError("name the incidents to close; see: hive incidents")
    if not (options.why or "").strip():
        raise ConfigError("--why is missing; say how it was dealt with, it goes on record")
    where = places(options.config)
    stopped = {one["agent"] for one in document(where).get("incidents", []) if one["id"] in options.ids}
    SocketOperator(where.operator_socket).close_incidents(options.ids, by=user(), why=options.why)
    closed = f"{', '.join(options.ids)} {'are' if len(options.ids) > 1 else 'is'} closed"
    resume = "".join(f"; let it go on with: hive resume {agent}" for agent in sorted(stopped - {None}))
    print_text(closed + resume)
    return 0
