"""The real programs with their models behind hive's relay: they work, and hold no key of the provider's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hive.contracts.backend import ModelWay
from hive.facts.models import Dialect, ModelProblem
from hive.facts.screens import ScreenState
from hive.standins.models.replies import run, say, write_file
from hive.standins.models.server import ModelServer
from tests.backends.real_agent import RealAgent
from tests.backends.test_real_tasks import processes_of
from tests.gateway.relay_place import AGENT_KEY, KEY, RelayPlace, relay_place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
_DIALECTS = {
    "claude": Dialect.ANTHROPIC,
    "copilot": Dialect.OPENAI,
    "gemini": Dialect.GEMINI,
}


@pytest.fixture(params=tuple(_DIALECTS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(name: str, tmp_path: Path, models: ModelServer) -> Iterator[RelayPlace]:
    dialect = _DIALECTS[name]
    url = f"{models.url}/v1" if dialect is Dialect.OPENAI else models.url
    with relay_place(tmp_path / "hive", {"provider": (dialect, url)}) as made:
        caller = made.authority.callers[AGENT_KEY]
        made.authority.callers[AGENT_KEY] = replace(caller, agent="a")
        yield made


@pytest.fixture
def agent(name: str, tmp_path: Path, models: ModelServer, place: RelayPlace) -> Iterator[RealAgent]:
    way = ModelWay(_DIALECTS[name], place.url("provider"), AGENT_KEY)
    made = RealAgent(name, tmp_path, models, way=way)
    try:
        yield made
    finally:
        made.stop()


def test_a_task_with_tools_is_done_and_a_budget_spent_in_mid_task_ends_it(
    agent: RealAgent, place: RelayPlace, models: ModelServer
) -> None:
    agent.start()
    models.play(
        write_file(str(agent.work / "hello.txt"), "hello\n"), run("printf %s-%s forty two"), say("Done.")
    )
    agent.submit("hive task t1/1: write the file.\n\nThat is all.")
    agent.until_asked(3)
    assert (agent.work / "hello.txt").read_text() == "hello\n"
    assert "forty-two" in "".join(models.asked[2].results)

    assert models.unserved == []
    assert {key.removeprefix("Bearer ") for key in models.keys} == {KEY}
    assert holders_of(agent, KEY) == []
    place.settled("a")
    agent.until_holds(lambda: len(place.authority.used()) >= 3)
    used = place.authority.used()
    # Side calls (titles, summaries) are counted as well, so there may be more answers than turns.
    assert all((event.input, event.output) == (100, 5) for event in used)

    models.play(run("touch first"))
    limit = len(used) + 1
    place.authority.budget = lambda _, left: (
        "spent" if len(place.authority.used()) + len(left) >= limit else None
    )
    asked = len(models.asked)
    agent.submit("hive task t2/1: go on.\n\nThat is all.")
    screen = agent.until(ScreenState.OUT_OF_CREDIT)
    agent.until_holds(lambda: models.settled is not None)
    assert len(models.asked) <= asked + 1, "nothing is asked once the budget is spent"
    place.settled("a")
    assert {event.problem for event in place.authority.refused()} == {ModelProblem.OVER_BUDGET}
    agent.until_holds(lambda: "over budget" in agent.capture(), otherwise=lambda: str(screen))


def holders_of(agent: RealAgent, secret: str) -> list[str]:
    """Processes of the agent whose environment or arguments hold `secret`, and files of its home that do."""
    pids = processes_of(str(agent.home))
    assert pids, "the program runs"
    looked_at = [Path("/proc") / pid / part for pid in pids for part in ("environ", "cmdline")]
    looked_at += [file for file in agent.home.rglob("*") if file.is_file() and not file.is_symlink()]
    return [str(file) for file in looked_at if secret.encode() in file.read_bytes()]
