"""The comparison itself: what counts as shown wrongly, and for how long."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from hive.facts.events import AgentChanged, Event, IntentFinished, IntentStarted, Record
from hive.facts.intents import StopAgent
from tests.demo.truth import Untruth, untruths

ALWAYS = [(0.0, 1000.0)]


def noted(folder: Path, *states: tuple[float, str]) -> Path:
    path = folder / "a" / ".scripted" / "states.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps({"at": at, "state": state}) + "\n" for at, state in states))
    return folder


def told(*events: tuple[float, Event]) -> list[Record]:
    return [
        Record(seq=number, at=datetime.fromtimestamp(at, UTC), tick=1, event=event)
        for number, (at, event) in enumerate(events, 1)
    ]


def shown(state: str) -> AgentChanged:
    return AgentChanged(agent="a", state=state)


def test_a_state_that_is_told_late_was_shown_wrongly_until_then(tmp_path: Path) -> None:
    homes = noted(tmp_path, (10, "ready"), (20, "working"))
    records = told((10, shown("ready")), (27, shown("working")))
    assert untruths(homes, records, ALWAYS, 5) == [Untruth("a", "working", "ready", 20, 7)]
    assert untruths(homes, records, ALWAYS, 8) == []


def test_the_time_without_a_daemon_does_not_count_and_the_rest_is_summed(tmp_path: Path) -> None:
    homes = noted(tmp_path, (10, "ready"), (20, "working"))
    records = told((10, shown("ready")), (40, shown("working")))
    assert untruths(homes, records, [(0, 23), (30, 34), (38, 100)], 5) == [
        Untruth("a", "working", "ready", 20, 9)
    ]


def test_one_wrong_word_after_another_is_one_stretch(tmp_path: Path) -> None:
    homes = noted(tmp_path, (10, "ready"), (20, "working"), (24, "asking"))
    records = told((10, shown("ready")), (28, shown("asking")))
    assert untruths(homes, records, ALWAYS, 5) == [Untruth("a", "asking", "ready", 20, 8)]


def test_an_agent_that_hive_stops_is_gone_from_then_on(tmp_path: Path) -> None:
    homes = noted(tmp_path, (10, "ready"))
    stop = IntentStarted(
        intent_id="i", body=StopAgent(agent="a", session="s", generation=1, identity="", because="")
    )
    done = IntentFinished(intent_id="i", about="a", outcome="done")
    records = told((10, shown("ready")), (20, stop), (27, done), (36, shown("absent")))
    assert untruths(homes, records, ALWAYS, 5) == [Untruth("a", "ended", "ready", 27, 9)]


def test_an_agent_that_was_not_stopped_after_all_is_still_what_it_was(tmp_path: Path) -> None:
    homes = noted(tmp_path, (10, "failed"))
    stop = IntentStarted(
        intent_id="i", body=StopAgent(agent="a", session="s", generation=1, identity="", because="")
    )
    undone = IntentFinished(intent_id="i", about="a", outcome="undone")
    assert untruths(homes, told((10, shown("failed")), (20, stop), (27, undone)), [(0.0, 99.0)], 5) == []
