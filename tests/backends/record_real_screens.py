"""Records screens of a real program in the states that a script can reach: run it for each new version.

``python -m tests.backends.record_real_screens NAME [VERSION]`` writes ``screens/NAME/STATE/SCENE.txt``.
A scene is recorded once the backend reads the state that it is to show; one that it does not read is printed,
for a person to look at: either the scene failed, or the program draws something new.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from hive.facts.screens import ScreenState
from hive.standins.models.replies import Fail, Say, run
from hive.standins.models.server import ModelServer
from tests.backends.clis import PACKAGES
from tests.backends.real_agent import RealAgent

SCREENS = Path(__file__).parent / "screens"
HOME = Path("/home/agent")
"""Shown on the screens, and so of no real machine; it is emptied for each scene."""
FAILURES = {
    "402": (ScreenState.OUT_OF_CREDIT, Fail(402, "billing_error", "Payment required")),
    "401": (ScreenState.LOGGED_OUT, Fail(401, "UNAUTHENTICATED", "API key not valid. Pass a valid API key.")),
    "400": (ScreenState.FAILED, Fail(400, "invalid_request_error", "something is wrong")),
}


class Recorder:
    def __init__(self, name: str, version: str) -> None:
        self.name = name
        self.version = version

    def record(self, agent: RealAgent, state: ScreenState, scene: str, seconds: float = 60) -> None:
        try:
            agent.until(state, seconds=seconds)
        except AssertionError as error:
            print(f"{self.name} {scene}: {error}")
            return
        place = SCREENS / self.name / state / f"{scene}-{self.version.replace('.', '-')}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(agent.capture(), encoding="utf-8")

    def play(self, scene: Callable[[Recorder, RealAgent, ModelServer], None]) -> None:
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir(parents=True)
        with ModelServer() as models:
            agent = RealAgent(self.name, HOME, models, version=self.version)
            try:
                agent.start()
                scene(self, agent, models)
            finally:
                agent.stop()


def composer(recorder: Recorder, agent: RealAgent, models: ModelServer) -> None:
    recorder.record(agent, ScreenState.READY, "fresh")
    agent.terminal.paste(agent.session, "a draft", {})
    recorder.record(agent, ScreenState.UNKNOWN, "draft")


def turn(recorder: Recorder, agent: RealAgent, models: ModelServer) -> None:
    models.play(Say(tuple(f"line {number}\n\n" for number in range(8)), gap=1, delay=2))
    agent.submit("Case 1: tell me.")
    recorder.record(agent, ScreenState.WORKING, "waiting")
    agent.until_asked(1)
    recorder.record(agent, ScreenState.READY, "after-turn")
    models.play(run("sleep 20"))
    agent.submit("Case 2: sleep.")
    recorder.record(agent, ScreenState.WORKING, "tool-running")


def failure(which: str) -> Callable[[Recorder, RealAgent, ModelServer], None]:
    state, fail = FAILURES[which]

    def scene(recorder: Recorder, agent: RealAgent, models: ModelServer) -> None:
        models.otherwise = lambda _: fail
        agent.submit("Case 1: go on.")
        recorder.record(agent, state, which)

    return scene


def main(name: str, version: str) -> None:
    recorder = Recorder(name, version)
    for scene in (composer, turn, *map(failure, FAILURES)):
        recorder.play(scene)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else PACKAGES[sys.argv[1]][1])
