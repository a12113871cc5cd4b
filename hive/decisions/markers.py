"""Hidden lines by which hive knows what its agents wrote: they all write under one account of the forge."""

from __future__ import annotations

import re

_MARKER = re.compile(r"<!-- hive:(?:task=(?P<task>[A-Za-z0-9._-]*) )?agent=(?P<agent>[a-z0-9-]+) -->")
_FORGED = re.compile(r"<!--(\s*)hive:", re.IGNORECASE)


def mark(body: str, agent: str, task: str = "") -> str:
    """`body` with the marker as its last line; whatever looks like one already is defused."""
    text = _FORGED.sub(r"<!--\1hive :", _MARKER.sub("", body)).rstrip()
    told = f"task={task} agent={agent}" if task else f"agent={agent}"
    return f"{text}\n\n<!-- hive:{told} -->".lstrip("\n")


def agent_of(body: str) -> str | None:
    """The agent that the last marker names. Proves something only where hive's account wrote `body`."""
    found = None
    for match in _MARKER.finditer(body):
        found = match["agent"]
    return found


def task_of(body: str) -> str:
    """The task that the last marker names; empty for none."""
    found = ""
    for match in _MARKER.finditer(body):
        found = match["task"] or ""
    return found
