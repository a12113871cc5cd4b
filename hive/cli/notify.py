"""`hive notify list` and `hive notify test`."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hive.cli.output import print_json, print_text
from hive.cli.state import places
from hive.cli.views import document
from hive.decisions.one_line import one_line
from hive.errors import ConfigError, WorldError
from hive.ports.notices import Notices

_TITLE = "hive: a test"
_BODY = "Messages about what waits for you come here. See what does: hive notify list"


def listed(options: Namespace) -> int:
    needs = document(places(options.config)).get("needs", [])
    if options.json:
        print_json(needs)
    else:
        print_text(
            "\n".join(line for need in needs for line in _lines(need)) or "(nothing waits for a person)"
        )
    return 0


def _lines(need: Mapping[str, Any]) -> Iterator[str]:
    told = f", told: {', '.join(need['told'])}" if need["told"] else ""
    yield f"{need['kind']}  {one_line(need['about'])}, since {need['since']}{told}"
    if need["text"]:
        yield f"    {one_line(need['text'])}"
    yield f"    {need['command']}"


def test(options: Namespace) -> int:
    """Exit code 1 where a channel did not take it."""
    from hive.kernel.plugins import backends, guardrails
    from hive.settings.loading import load
    from hive.shells.apprise import AppriseNotices

    settings = load(Path(options.config), environ=os.environ, backends=backends(), guardrails=guardrails())
    readers = settings.notify.readers()
    if not readers:
        raise ConfigError("there is no channel; add one below notify.channels", source=settings.source)
    if options.channel is not None and options.channel not in readers:
        known = ", ".join(readers)
        raise ConfigError(
            f"there is no channel '{options.channel}'; there are {known}", source=settings.source
        )
    port = AppriseNotices(lambda: readers)
    taken = [_try(port, name) for name in ([options.channel] if options.channel else readers)]
    return 0 if all(taken) else 1


def _try(port: Notices, name: str) -> bool:
    try:
        port.send(name, _TITLE, _BODY)
    except WorldError as error:
        print_text(f"{name}: {error}")
        return False
    print_text(f"{name}: sent")
    return True
