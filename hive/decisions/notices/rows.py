"""Needs for the status document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.decisions.instants import iso
from hive.decisions.notices.needs import still_waiting
from hive.decisions.redaction import redact
from hive.facts.memory import Memory


def need_rows(memory: Memory) -> Iterator[dict[str, Any]]:
    """Those that stand, the oldest first; `told` has the channels that took a message on it."""
    for one in still_waiting(memory.needs):
        need = one.need
        yield {
            "key": need.key,
            "kind": need.kind.value,
            "about": need.about,
            "text": redact(need.text),
            "command": need.command,
            "agent": need.agent or None,
            "repo": need.repo or None,
            "since": iso(one.since),
            "told": sorted(one.told),
        }
