"""`hive status`, `agents`, `explain`: what is, from the daemon or, without one, from the journal."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hive.app.places import Places
from hive.cli.output import print_json, print_text, table
from hive.cli.state import places
from hive.decisions.counting import counted
from hive.decisions.money import dollars, tokens
from hive.errors import Unreachable
from hive.shells.operator import SocketOperator


def status(options: Namespace) -> int:
    found = document(places(options.config))
    if options.json:
        print_json(found)
        return 0
    work = found["work"]
    lines = [
        f"L{found['level']} {found['level_name']}: {found['verdict']}",
        f"as of {found['at']}, {_running(found)}",
        "",
        _agents(found),
        "",
        f"{sum(row['eligible'] for row in work)} eligible of {counted(len(work), 'open issue')}"
        f" · {_pulls(found)} · {counted(len(found['findings']), 'finding')}"
        f" · {counted(len(found['refused']), 'refusal')}",
    ]
    load = found.get("load")
    if load:
        slots = f", {counted(load['slots'], 'task')} at once" if load["slots"] else ""
        lines.append(f"load {load['mode']}{slots}: {load['because']} ({load['changes']})")
    lines += [
        f"standing work of {one['role']} in {one['repo']}: next {one['next'] or 'never'}, {one['because']}"
        for one in found.get("standing", [])
    ]
    lines += [
        f"! {hold['id']}: {hold['agent']} waits for a person with {hold['action']} on {hold['target']}; "
        f"see: hive holds"
        for hold in found.get("holds", [])
        if hold["state"] == "waiting"
    ]
    lines += [
        f"! incident {one['id']} at {one['where']}: {one['kind']}; see: hive incidents"
        for one in found.get("incidents", [])
        if one["state"] == "open"
    ]
    lines += [
        f"! budget '{one['name']}' for {one['covers']}: its {one['limit']} limit is reached; see: hive costs"
        for one in found.get("budgets", [])
        if one["limit"]
    ]
    lines += [f"! {port['name']}: {port['message']}" for port in found["ports"] if port["state"] != "ok"]
    lines += _refused_deliveries(found.get("webhooks"))
    slower = found.get("forge", {}).get("because", "")
    lines += [f"! forge: {slower}"] if slower else []
    print_text("\n".join(lines))
    return 0


def _refused_deliveries(webhooks: Mapping[str, Any] | None) -> list[str]:
    if not webhooks or not webhooks["unsigned"] + webhooks["repeated"]:
        return []
    return [
        f"! webhooks at {webhooks['at']}: refused {webhooks['unsigned']} that github.webhooks.secret did not "
        f"sign and {webhooks['repeated']} delivered before; heard {webhooks['heard']}"
    ]


def agents(options: Namespace) -> int:
    found = document(places(options.config))
    if options.json:
        print_json(found["agents"])
    else:
        print_text(_agents(found))
    return 0


def explain(options: Namespace) -> int:
    from hive.cli.explain import explain_document, render

    here = places(options.config)
    explained = explain_document(options.id, here, _published(here))
    if options.json:
        print_json(explained)
    else:
        print_text(render(explained))
    return 0 if explained["events"] or explained["now"] else 1


def document(here: Places) -> Mapping[str, Any]:
    """The status document. Raises `Unreachable` when there is neither a daemon nor a journal."""
    try:
        return {**SocketOperator(here.operator_socket, timeout=2.0).status(), "running": True}
    except Unreachable:
        found = _published(here)
        if found is None:
            raise
        return {**found, "running": False}


def _published(here: Places) -> Mapping[str, Any] | None:
    if not here.journal.exists():
        return None
    from hive.shells.sqlite import SqliteJournal

    journal = SqliteJournal(here.journal, read_only=True)
    try:
        published = journal.published()
    finally:
        journal.close()
    return json.loads(published) if published else None


def _running(found: Mapping[str, Any]) -> str:
    return f"pid {found['pid']}" if found["running"] else "the daemon is not running"


def _agents(found: Mapping[str, Any]) -> str:
    rows = [
        (
            agent["name"],
            agent["role"],
            agent["mode"],
            agent["state"],
            agent["since"],
            _cost(agent.get("usage")),
            _about(agent["task"]) if agent["task"] else agent["detail"],
        )
        for agent in found["agents"]
    ]
    shown = table(("AGENT", "ROLE", "MODE", "STATE", "SINCE", "COST", "TASK"), rows, width=_width())
    notes = [f"  {agent['name']}: {note}" for agent in found["agents"] for note in _notes(agent)]
    return "\n".join([shown, *(["", *notes] if notes else [])])


def _about(task: Mapping[str, Any]) -> str:
    number = f"#{task['issue']}" if task["issue"] is not None else ""
    return f"{task['repo']}{number} {task['title']}"


def _notes(agent: Mapping[str, Any]) -> Iterator[str]:
    """What else keeps or moves it, or what its box offers; nothing of most agents."""
    if agent["task"] and agent["detail"]:
        yield agent["detail"]  # its place in the table is the task's
    if agent.get("fallback"):
        yield agent["fallback"]
    if agent.get("limited_until"):
        yield f"its account is limited until {agent['limited_until']}"
    options = agent.get("options") or ()
    if options:
        offered = ", ".join(f"{number} {option}" for number, option in enumerate(options, 1))
        yield f"its box offers {offered}"


def _cost(usage: Mapping[str, Any] | None) -> str:
    """Money, and tokens where they have no price; nothing where nothing is on record."""
    if usage is None:
        return ""
    priced = usage["tokens"]["total"] > usage["unpriced_tokens"]
    parts = [dollars(round(usage["cost_usd"] * 1_000_000))] if priced else []
    if usage["unpriced_tokens"]:
        parts.append(f"{tokens(usage['unpriced_tokens'])} tok")
    return " + ".join(parts)


def _pulls(found: Mapping[str, Any]) -> str:
    pulls = [pull for pull in found["pull_requests"] if pull["agent"]]
    is_open = [pull for pull in pulls if pull["state"] == "open"]
    held = sum(pull["held"] for pull in is_open)
    merged = sum(pull["state"] == "merged" for pull in pulls)
    return f"{counted(len(is_open), 'open pull request')}, {held} held, {merged} merged"


def _width() -> int:
    return shutil.get_terminal_size((120, 40)).columns
