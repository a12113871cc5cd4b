"""A real program that was killed in the midst of its task goes on with the same conversation."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hive.contracts.backend import Backend, Launch, Seat
from hive.facts.agents import Conversation
from hive.standins.models.replies import run, say
from hive.standins.models.server import ModelServer
from tests.backends.real_agent import RealAgent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
GONE = "00000000-1111-4222-8333-444444444444"


@dataclass
class Again:
    """The backend, asked to start the program as a later start of the same agent."""

    backend: Backend
    generation: int
    resume: str

    def __getattr__(self, name: str) -> object:
        return getattr(self.backend, name)

    def launch(self, seat: Seat) -> Launch:
        return self.backend.launch(replace(seat, generation=self.generation, resume=self.resume))


@pytest.fixture(params=("claude", "copilot", "codex"))
def agent(request: pytest.FixtureRequest, tmp_path: Path, models: ModelServer) -> Iterator[RealAgent]:
    made = RealAgent(request.param, tmp_path, models)
    try:
        yield made
    finally:
        made.stop()


def test_a_killed_program_resumes_its_conversation_by_id_and_none_other(
    agent: RealAgent, models: ModelServer
) -> None:
    backend = agent.backend
    assert backend.traits.resumes
    again(agent, backend, 1, "")
    running = agent.work / "running"
    models.play(run(f"touch {running}; sleep 300"))
    agent.submit("hive task t1/1: count the sheep of Uist.\n\nThat is all.")
    agent.until_holds(lambda: running.exists() and conversation(agent) is not None)
    told = conversation(agent)
    assert told is not None
    assert told.generation == 1

    kill(agent)
    again(agent, backend, 2, told.id)
    models.play(say("Seven."))
    agent.submit("hive task t1/2: go on with the task that you were given above.\n\nLook first.")
    agent.until_asked(2)
    agent.until_holds(lambda: conversation(agent) == Conversation(told.id, 2))
    said = [message.text for message in models.asked[-1].messages]
    assert sum("count the sheep of Uist" in text for text in said) == 1, "the conversation went on"
    ends = [("t1/1", "lost"), ("t1/2", "done")]
    agent.until_holds(lambda: outcomes(agent) == ends, otherwise=lambda: str(outcomes(agent)))

    kill(agent)
    launched(agent, backend, 3, GONE)
    agent.until_holds(lambda: any(pane.dead for pane in agent.terminal.look()))
    [pane] = agent.terminal.look()
    assert pane.exit_status not in (None, 0, 126, 127), "it begins no other conversation"


def again(agent: RealAgent, backend: Backend, generation: int, resume: str) -> None:
    agent.backend = Again(backend, generation, resume)  # type: ignore[assignment]  # passes the rest on
    agent.start()


def launched(agent: RealAgent, backend: Backend, generation: int, resume: str) -> None:
    """Start it without waiting for its composer."""
    agent.backend = Again(backend, generation, resume)  # type: ignore[assignment]  # as above
    agent.create()


def kill(agent: RealAgent) -> None:
    os.kill(agent.terminal.look()[0].pid, signal.SIGKILL)
    agent.until_holds(lambda: agent.terminal.look()[0].dead)
    agent.terminal.stop(agent.session)


def outcomes(agent: RealAgent) -> list[tuple[str | None, str]]:
    return [(turn.prompt_id, turn.outcome) for turn in agent.turns()]


def conversation(agent: RealAgent) -> Conversation | None:
    path = agent.backend.transcript(str(agent.home))
    if path is None or not Path(path).exists():
        return None
    return agent.backend.conversation(Path(path).read_text(encoding="utf-8").splitlines())
