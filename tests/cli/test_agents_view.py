"""`hive agents`, as a person reads it."""

from __future__ import annotations

from hive.cli import views


def test_why_an_agent_waits_is_told_beside_its_task() -> None:
    waits = "ada types there: hive types nothing until 1m after the last key"
    known = {"role": "quality", "mode": "full", "state": "ready", "since": None, "detail": waits}
    busy = {"name": "a", "task": {"repo": "o/r", "issue": 7, "title": "Crash"}, **known}
    idle = {"name": "b", "task": None, **known}
    shown = views._agents({"agents": [busy, idle]})
    assert f"\n  a: {waits}" in shown
    assert f"\n  b: {waits}" not in shown, "the table says it already"
