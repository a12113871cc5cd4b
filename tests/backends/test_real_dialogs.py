"""Boxes of the real programs are answered by hive's rules, by the text of an option."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.decisions.dialogs import box_of, choose
from hive.facts.screens import ScreenState
from hive.kernel.choosing import take_option
from hive.kernel.lane import Lane
from hive.kernel.look_at_agents import AgentWatcher
from hive.shells.system.processes import ProcProcesses
from hive.shells.system.transcripts import FileTranscripts
from hive.standins.models.server import ModelServer
from tests.backends.real_agent import NOW, RealAgent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
_TRUST = {
    "claude": (".claude/.claude.json", "hasTrustDialogAccepted", "hasTrustDialogNeeded"),
    "copilot": (".copilot/config.json", "trustedFolders", "otherFolders"),
    "gemini": (".gemini/trustedFolders.json", "/work", "/another"),
}


@pytest.fixture(params=tuple(_TRUST))
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RealAgent]:
    with ModelServer() as models:
        made = RealAgent(request.param, tmp_path, models)
        try:
            yield made
        finally:
            made.stop()


def test_the_box_about_trust_is_answered_and_the_program_gets_ready(agent: RealAgent) -> None:
    """Written before the start trust would never be asked for: a program that forgot it asks."""
    agent.spoil = _TRUST[agent.backend.name]
    agent.start(until=ScreenState.ASKING)
    lane = Lane(
        "terminal",
        lambda: AgentWatcher(
            agent.terminal,
            ProcProcesses(),
            FileTranscripts(agent.home.parent),
            {},
            lambda _: str(agent.home),
            lambda: NOW,
        ),
    )
    try:
        for _ in range(4):
            screen = agent.until(ScreenState.ASKING, ScreenState.READY)
            if screen.state is ScreenState.READY:
                break
            found = choose(agent.backend.traits.dialogs, screen, allowed=None)
            assert found is not None, screen
            asyncio.run(
                take_option(
                    lane,
                    agent.backend,
                    agent.session,
                    box=box_of(screen),
                    option=found[1],
                    marks={"answered": "1"},
                    now=lambda: NOW,
                )
            )
            agent.until_other(box_of(screen))
        agent.until(ScreenState.READY)
    finally:
        lane.close(1.0)
    (pane,) = agent.terminal.look()
    assert pane.marks["answered"] == "1"
