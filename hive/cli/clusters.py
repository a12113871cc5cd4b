"""`hive clusters`: the fleet as it is now. It looks by itself, daemon or not, and writes nothing."""

from __future__ import annotations

import os
import shutil
from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.cli.output import print_json, print_text, table

if TYPE_CHECKING:
    from hive.decisions.inventory.overview import Survey
    from hive.ports.kubernetes import Kubernetes
    from hive.settings.fleet import FleetSettings

_PATIENCE = 10.0
"""Seconds that a person waits for a cluster that does not answer."""


def clusters(options: Namespace) -> int:
    from hive.settings.fleet_section import read_fleet

    fleet = read_fleet(Path(options.config), os.environ)
    if fleet is None:
        return _none(options)
    from hive.decisions.inventory.overview import overview
    from hive.shells.system.clock import SystemClock

    now = SystemClock().now()
    survey = _survey(fleet, now)
    document = overview(survey, now, fleet.stale_after)
    if options.json:
        print_json(document)
    else:
        print_text(_text(document))
    return 3 if survey.is_blind else 0


def _none(options: Namespace) -> int:
    if options.json:
        print_json({"at": None, "hub": None, "clusters": [], "problems": []})
    else:
        print_text(f"no clusters: {options.config} has no section 'fleet'")
    return 0


def _survey(fleet: FleetSettings, now: Any) -> Survey:
    from hive.app.clusters import connect, inventory
    from hive.decisions.inventory.overview import Survey
    from hive.errors import ConfigError, WorldError
    from hive.facts.fleet import Cluster

    hub = connect(fleet, fleet.hub, timeout=_PATIENCE)
    known = inventory(fleet, hub, registers=False)
    found: tuple[Cluster, ...] = ()
    sandboxes: dict[str, int] | None = None
    failure = ""
    try:
        found = known.look(now)
        sandboxes = _sandboxes(hub)
    except (WorldError, ConfigError) as error:
        failure = error.message
    finally:
        known.close()
        hub.close()
    return Survey(
        hub=fleet.hub,
        contexts={each.name: each.context for each in fleet.members},
        clusters=found,
        looks=known.looks,
        away=known.away,
        problems=known.problems,
        hub_failure=failure,
        sandboxes=sandboxes,
    )


def _sandboxes(hub: Kubernetes) -> dict[str, int] | None:
    """How many requests are placed on each cluster."""
    from hive.errors import Missing
    from hive.facts.kubernetes import SANDBOX_REQUESTS

    try:
        requests = hub.list(SANDBOX_REQUESTS).items
    except Missing:
        return None
    places = Counter(str((each.get("status") or {}).get("cluster") or "") for each in requests)
    places.pop("", None)
    return dict(places)


def _text(document: dict[str, Any]) -> str:
    from hive.decisions.inventory.overview import HEADINGS, rows
    from hive.decisions.one_line import one_line

    hub = document["hub"]
    lines = [table(HEADINGS, rows(document), width=shutil.get_terminal_size((140, 40)).columns)]
    if not hub["reachable"]:
        lines.append(f"! hub {hub['context']}: {one_line(hub['message'])}")
    away = [each for each in document["clusters"] if each["message"]]
    lines += [f"! {each['name']}, away since {each['since']}: {one_line(each['message'])}" for each in away]
    said = {each["message"] for each in away}
    lines += [
        f"! {one_line(each['object'])}: {one_line(each['message'])}"
        for each in document["problems"]
        if each["message"] not in said
    ]
    return "\n".join(lines)
