"""A limit parks an agent with its task, is shown, and ends with one waking, however often hive dies."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from hive.facts.events import IntentStarted, LimitEnded, LimitSeen
from hive.facts.intents import DeliverPrompt
from tests.demo.worlds import demo, issues_file, prompts, pulls, records, starts, until, until_settled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

# It takes prompts again after 12 s, and its banner stands until then, as real programs' do.
LIMITED = {"A note": 'Write it down.\n\n@script slow 8\n@script limit "resets in 5s" 12 stays'}


def parked(hive: DemoDaemon) -> Mapping[str, Any] | None:
    status = hive.status()
    agents = status["agents"] if status else []
    return next((one for one in agents if one["state"] == "limited" and one["limited_until"]), None)


def command(hive: DemoDaemon, *arguments: str) -> str:
    run = [sys.executable, "-m", "hive.cli", *arguments, "-c", str(hive.world.config)]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout


def cost_rows(hive: DemoDaemon) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = json.loads(command(hive, "costs", "--by", "issue", "--json"))["rows"]
    return rows


def test_a_limited_agent_is_parked_shown_and_woken_once_though_hive_is_killed_meanwhile(
    tmp_path: Path,
) -> None:
    wishes = Wishes(level=5, agents=1, issues=issues_file(tmp_path, LIMITED))
    with demo(tmp_path / "demo", wishes) as hive:
        hive.start()
        agent = until(lambda: parked(hive), "an agent that is parked")
        shown = command(hive, "agents")
        explained = command(hive, "explain", agent["name"])
        hive.kill()
        hive.start()
        again = until(lambda: parked(hive), "the agent, parked as before")
        until(lambda: wakes(hive), "the waking")
        hive.kill()
        hive.start()
        until_settled(hive)
        costs = until(lambda: cost_rows(hive), "the cost")
        seen = [one.event for one in records(hive) if isinstance(one.event, LimitSeen | LimitEnded)]
        sent, begun, arrived, opened = wakes(hive), starts(hive.world), prompts(hive.world), pulls(hive.world)

    task = agent["task"]["id"]
    assert again["limited_until"] == agent["limited_until"]
    assert f"its account is limited until {agent['limited_until']}" in shown
    assert f"tried again at {agent['limited_until']}" in explained
    assert [type(one) for one in seen] == [LimitSeen, LimitEnded]
    # Killed before the waking was typed, hive begins another one; it arrives once all the same.
    assert [one.wakes for one in sent] == list(range(1, len(sent) + 1))
    assert begun == Counter({agent["name"]: 1})
    assert arrived == Counter({f"{task}/1": 1, f"{task}/1+{len(sent)}": 1})
    assert [pull["title"] for pull in opened] == ["A note"]
    (cost,) = costs
    assert (cost["issue"], cost["unpriced_tokens"]) == ("acme/tally#1", 0)
    assert cost["cost_usd"] > 0.0045


def wakes(hive: DemoDaemon) -> list[DeliverPrompt]:
    started = [one.event.body for one in records(hive) if isinstance(one.event, IntentStarted)]
    return [body for body in started if isinstance(body, DeliverPrompt) and body.wakes]
