"""A running hive whose agents are real programs without a key: it works for them, and holds them to money."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hive.demo.daemon import DemoDaemon
from hive.facts.events import (
    Event,
    IntentStarted,
    LimitEnded,
    LimitSeen,
    ModelRefused,
    UsageRecorded,
)
from hive.facts.intents import DeliverPrompt, StartAgent
from hive.facts.models import ModelProblem
from hive.standins.models.replies import Fail, run, say
from hive.standins.models.server import ModelServer
from tests.demo.models_world import DIALECTS, KEY, programs_on_path, relayed_demo
from tests.demo.test_mishaps import agents, descendants, pane_pids
from tests.demo.worlds import records, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.mark.parametrize("name", tuple(DIALECTS))
def test_a_task_is_done_with_a_tool_call_and_no_process_of_the_agent_has_the_key(
    name: str, tmp_path: Path, models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", programs_on_path(name))
    models.play(run("printf %s-%s forty two"), say("Done."))
    with relayed_demo(tmp_path, name, models, {"Count": "Say forty-two."}) as hive:
        hive.start()
        until(lambda: len(models.asked) >= 2, f"a tool's answer: {hive.status()}")
        assert "Count" in models.asked[0].prompt
        assert "forty-two" in "".join(models.asked[1].results)
        assert {key.removeprefix("Bearer ") for key in models.keys} == {KEY}
        assert holders(hive) == []
        until(lambda: used(hive), "the use on record")
        assert {event.agent for event in used(hive)} == {"a"}


Kind = TypeVar("Kind", bound=Event)


def of(hive: DemoDaemon, kind: type[Kind]) -> list[Kind]:
    if not hive.places.journal.exists():
        return []
    return [one.event for one in records(hive) if isinstance(one.event, kind)]


def used(hive: DemoDaemon) -> list[UsageRecorded]:
    return of(hive, UsageRecorded)


def started(hive: DemoDaemon, kind: type[Any]) -> list[tuple[Any, Any]]:
    """What hive began of that kind, and when."""
    found = [(one.at, one.event.body) for one in records(hive) if isinstance(one.event, IntentStarted)]
    return [(at, intent) for at, intent in found if isinstance(intent, kind)]


def wakings(hive: DemoDaemon) -> list[tuple[Any, Any]]:
    return [(at, intent) for at, intent in started(hive, DeliverPrompt) if intent.wakes]


def holders(hive: DemoDaemon) -> list[str]:
    """Processes of agents whose environment or arguments have the key, and files of theirs."""
    pids = descendants(set(pane_pids(hive).values()))
    assert pids
    looked_at = [Path(f"/proc/{pid}/{part}") for pid in pids for part in ("environ", "cmdline")]
    looked_at += [path for path in (hive.world.state / "agents").rglob("*") if path.is_file()]
    found = []
    for path in looked_at:
        try:
            if KEY.encode() in path.read_bytes():
                found.append(str(path))
        except OSError:
            continue  # it ended meanwhile
    return found


def test_an_agent_whose_provider_limits_it_waits_until_the_reset_and_is_woken_once(
    tmp_path: Path, models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", programs_on_path("claude"))
    limit = Fail(429, "rate_limit_error", "Number of tokens has exceeded your limit", {"retry-after": "20"})
    models.play(limit, limit, say("Done."))
    with relayed_demo(tmp_path, "claude", models, {"Count": "Say forty-two."}, _once_again) as hive:
        hive.start()
        until(hive.status, "an answer")
        seen = until(lambda: of(hive, LimitSeen), "the limit on record")[0]
        shown = agents(hive)[0]["state"]
        told = {refusal.until for refusal in of(hive, ModelRefused)}  # a busy machine sees the second one
        assert seen.limit == "limited"
        assert seen.until in told
        assert shown == "limited" or of(hive, LimitEnded)
        until(lambda: len(models.asked) >= 3, "another try", 120)
        assert seen.until is not None
        woken = until(lambda: wakings(hive), "the waking on record")
        assert [intent.agent for _, intent in woken] == ["a"]
        assert all(at >= seen.until for at, _ in woken)
        assert len(started(hive, StartAgent)) == 1


@pytest.mark.parametrize("why", ["payment", "budget"])
def test_an_agent_without_money_is_shown_as_such_and_not_started_again_and_again(
    why: str, tmp_path: Path, models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", programs_on_path("claude"))

    def change(settings: dict[str, Any]) -> None:
        if why == "budget":
            settings["budgets"] = [{"name": "tiny", "window": "1d", "hard_tokens": 150}]

    models.otherwise = lambda _: (
        run("printf %s-%s forty two") if why == "budget" else Fail(402, "billing_error", "Payment required")
    )
    with relayed_demo(tmp_path, "claude", models, {"Count": "Say forty-two."}, change) as hive:
        hive.start()
        until(lambda: agents(hive) and agents(hive)[0]["state"] == "out-of-credit", "the state shown")
        asked = len(models.asked)
        time.sleep(8)  # several ticks, in which a restart or another prompt would have begun
        assert agents(hive)[0]["state"] == "out-of-credit"
        assert len(models.asked) == asked
        assert len(started(hive, StartAgent)) == 1
        assert len(started(hive, DeliverPrompt)) == 1
        problem = ModelProblem.OVER_BUDGET if why == "budget" else ModelProblem.OUT_OF_CREDIT
        assert {event.problem for event in of(hive, ModelRefused)} == {problem}
        assert len(of(hive, LimitSeen)) == (0 if why == "budget" else 1)


def _once_again(settings: dict[str, Any]) -> None:
    settings["agents"][0]["environment"] = {"CLAUDE_CODE_MAX_RETRIES": "1"}
