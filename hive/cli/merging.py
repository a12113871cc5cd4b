"""`hive merging`: where hive merges nothing now, and a person's word on it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from hive.cli.output import print_json, print_text
from hive.cli.state import places, user
from hive.cli.views import document
from hive.decisions.one_line import one_line
from hive.errors import ConfigError
from hive.shells.operator import SocketOperator


def merging(options: Namespace) -> int:
    if options.verb:
        return _say(options)
    found = document(places(options.config)).get("merging", [])
    if options.json:
        print_json(found)
    else:
        print_text(
            "\n".join(_line(one) for one in found)
            or "(hive merges in every repository, as far as its level goes)"
        )
    return 0


def _line(one: Mapping[str, Any]) -> str:
    who = f"held by {one['by']}" if one["by"] else "held by hive"
    return (
        f"{one['repo']}  {who} since {one['since']}: {one_line(one['because'])}\n"
        f"    to let it merge again: hive merging release {one['repo']} --why ..."
    )


def _say(options: Namespace) -> int:
    if not options.repo:
        raise ConfigError(f"which repository? hive merging {options.verb} OWNER/NAME --why ...")
    if not (options.why or "").strip():
        raise ConfigError("--why is missing; it goes on record")
    hold = options.verb == "hold"
    operator = SocketOperator(places(options.config).operator_socket)
    operator.hold_merging(options.repo, hold=hold, by=user(), why=options.why)
    print_text(f"hive merges {'nothing' if hold else 'again'} in {options.repo}")
    return 0
