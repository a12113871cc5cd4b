"""A real program whose provider refuses it for long: the fallback takes its task over, and hive says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive.facts.intents import StartAgent
from hive.standins.models.replies import Fail, Reply, run, say
from hive.standins.models.requests import Asked
from hive.standins.models.server import ModelServer
from tests.demo.models_world import programs_on_path, relayed_demo
from tests.demo.test_limits import command
from tests.demo.test_mishaps import agents
from tests.demo.test_models import started
from tests.demo.worlds import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

OWN, OTHER = "claude-sonnet-4-5", "claude-haiku-4-5"
LONG = {"retry-after": "3600"}


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def answer(asked: Asked) -> Reply:
    if asked.model.startswith(OWN):
        return Fail(429, "rate_limit_error", "Number of tokens has exceeded your limit", LONG)
    return say("Done.") if asked.results else run("printf %s-%s forty two")


def falls_back(settings: dict[str, Any]) -> None:
    (agent,) = settings["agents"]
    agent["environment"] = {"CLAUDE_CODE_MAX_RETRIES": "1"}
    agent |= {"model": OWN, "fallback": [{"backend": "claude", "model": OTHER}]}


def test_a_model_that_is_limited_for_long_gives_its_task_to_the_fallback_though_hive_is_killed(
    tmp_path: Path, models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", programs_on_path("claude"))
    models.otherwise = answer
    with relayed_demo(tmp_path, "claude", models, {"Count": "Say forty-two."}, falls_back) as hive:
        hive.start()
        until(hive.status, "an answer")
        until(lambda: any(one.choice == 1 for _, one in started(hive, StartAgent)), "the fallback's start")
        hive.kill()
        hive.start()
        until(lambda: [one for one in models.asked if one.results], "a tool's answer to the other model")
        shown = until(lambda: agents(hive), "the agents")[0]
        explained = command(hive, "explain", "a")
        begun = [one for _, one in started(hive, StartAgent)]

    said = f"claude ({OWN}, by provider) is limited until"
    assert {one.choice for one in begun} == {0, 1}
    assert next(one.choice for one in begun) == 0
    assert said in next(one.because for one in begun if one.choice == 1)
    assert said in shown["fallback"], json.dumps(shown)
    assert f"it fell back on claude ({OTHER}, by provider): {said}" in explained
    (worked,) = {one.model for one in models.asked if one.results}
    assert worked.startswith(OTHER)
