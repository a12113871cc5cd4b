"""Looks at agents: what is captured, and what is remembered of screens that did not change."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from hive.contracts.backend import Process
from hive.errors import Unreachable
from hive.facts.agents import AgentSighting, session_name
from hive.facts.screens import ScreenState
from hive.kernel.look_at_agents import AgentWatcher
from hive.ports.terminal import SessionOrder
from hive.shells.system.transcripts import FileTranscripts
from tests.decisions.worlds import NOW, spec
from tests.fakes.clock import FakeClock
from tests.fakes.terminal import FakePane, FakeTerminal, Silent
from tests.kernel.house import BACKENDS

A = "quality-1"


@dataclass
class Looks:
    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW))

    def __post_init__(self) -> None:
        self.terminal = FakeTerminal(lambda order: Silent(), now=self.clock.now)
        self.watcher = AgentWatcher(
            self.terminal,
            self.terminal,
            FileTranscripts(Path("/nowhere")),
            BACKENDS,
            lambda agent: f"/nowhere/{agent}",
            self.clock.now,
        )

    def start(self, agent: str = A, argv: tuple[str, ...] = ("agent",)) -> FakePane:
        self.terminal.create(
            SessionOrder(session_name(agent), argv, {}, "/", marks={"agent": agent, "generation": "1"})
        )
        return self.terminal.panes[session_name(agent)]

    def look(self, command: tuple[str, ...] = ()) -> AgentSighting:
        (seen,) = self.watcher.look({A: spec(A, command=command)})
        return seen

    def captures(self) -> int:
        return sum(what == "capture" for what, _ in self.terminal.calls)


def test_a_screen_is_read_again_until_it_was_quiet_for_two_seconds() -> None:
    looks = Looks()
    pane = looks.start()
    pane.show("working")
    for expected in (1, 2, 3, 3, 3):
        looks.look()
        assert looks.captures() == expected
        looks.clock.advance(1)
    pane.screen = "ready"  # a frame that came within tmux's second of activity is not missed before that
    assert looks.look().screen.state is ScreenState.WORKING
    pane.show("ready")
    assert (looks.look().screen.state, looks.captures()) == (ScreenState.READY, 4)


def test_the_rest_of_a_frame_that_came_in_the_same_second_is_read() -> None:
    looks = Looks()
    pane = looks.start()
    pane.show("half a frame")
    assert looks.look().screen.state is ScreenState.UNKNOWN
    looks.clock.advance(1)
    pane.screen = "ready"
    assert looks.look().screen.state is ScreenState.READY


def test_a_state_is_as_old_as_its_first_reading() -> None:
    looks = Looks()
    pane = looks.start()
    pane.show("working 1s")
    assert looks.look().screen_since == NOW
    later = looks.clock.advance(30)
    pane.show("working 31s")
    assert looks.look().screen_since == NOW
    pane.show("ready")
    assert looks.look().screen_since == later


def test_a_screen_that_stood_before_hives_own_start_is_as_old_as_the_terminal_says() -> None:
    looks = Looks()
    pane = looks.start()
    pane.show("what is this?")
    pane.quiet = timedelta(seconds=40)
    assert looks.look().screen_since == NOW - timedelta(seconds=40)
    pane.quiet = timedelta()
    later = looks.clock.advance(30)
    pane.show("ready")
    assert looks.look().screen_since == later


@pytest.mark.parametrize(("quiet", "age"), [(0, 0), (2, 2), (60, 5)])
def test_a_screen_read_late_is_as_old_as_it_has_stood_and_never_older_than_the_one_before(
    quiet: int, age: int
) -> None:
    looks = Looks()
    pane = looks.start()
    pane.show("working")
    looks.look()
    now = looks.clock.advance(5)
    pane.show("what is this?")
    pane.quiet = timedelta(seconds=quiet)
    assert looks.look().screen_since == now - timedelta(seconds=age)


def test_liveness_is_of_the_agents_own_process_and_not_of_a_shell_around_it() -> None:
    looks = Looks()
    pane = looks.start(argv=("bash", "-c", "agent"))
    assert looks.look().alive is False
    pane.processes = [Process(7, pane.pid, ("agent",))]
    assert looks.look().alive is True
    pane.processes = [Process(7, pane.pid, ("git", "push"))]
    assert looks.look().alive is False
    pane.exit(1)
    assert (looks.look().alive, looks.look().pane.exit_status) == (False, 1)


def test_an_operators_own_command_is_alive_by_its_program_or_by_what_it_runs() -> None:
    looks = Looks()
    pane = looks.start(argv=("/opt/wrapper", "--fast"))
    assert looks.look(("wrapper",)).alive is True
    pane.order = SessionOrder(pane.order.name, ("bash",), {}, "/")
    assert looks.look(("wrapper",)).alive is False
    pane.processes = [Process(7, pane.pid, ("node", "cli.js"))]
    assert looks.look(("wrapper",)).alive is True


def test_a_session_of_an_agent_that_is_not_configured_is_seen_and_not_guessed_at() -> None:
    looks = Looks()
    looks.start("stranger").show("ready")
    (seen,) = looks.watcher.look({})
    assert (seen.agent, seen.alive, seen.screen.state, seen.screen.detail) == (
        "stranger",
        False,
        ScreenState.UNKNOWN,
        "its backend is not configured",
    )


def test_sessions_that_bear_no_agents_mark_are_none_of_hives() -> None:
    looks = Looks()
    looks.terminal.create(SessionOrder("somebody", ("vim",), {}, "/"))
    assert looks.watcher.look({}) == ()


def test_a_session_that_was_started_anew_is_read_anew() -> None:
    looks = Looks()
    looks.start().show("ready")
    for _ in range(4):
        looks.look()
        looks.clock.advance(1)
    looks.terminal.stop(session_name(A))
    assert looks.watcher.look({A: spec(A)}) == ()
    looks.start().show("working")
    assert looks.look().screen.state is ScreenState.WORKING


def test_a_terminal_that_does_not_answer_is_told() -> None:
    looks = Looks()
    looks.terminal.failure = Unreachable("terminal", "no answer")
    with pytest.raises(Unreachable):
        looks.look()


def test_an_agent_whose_child_burns_the_cpu_gives_signs_of_work_and_one_that_only_spins_does_not() -> None:
    looks = Looks()
    pane = looks.start()
    pane.show("working ✻ 1s")
    own = Process(7, pane.pid, ("agent",), cpu_s=1.0)
    pane.processes = [own, Process(8, 7, ("make",), cpu_s=1.0)]
    assert looks.look().working_since == NOW
    looks.clock.advance(60)
    pane.show("working ✢ 61s")
    assert looks.look().working_since == NOW
    pane.processes = [own, Process(8, 7, ("make",), cpu_s=30.0)]
    later = looks.clock.advance(60)
    assert looks.look().working_since == later


def test_what_the_machine_ended_an_agent_for_is_asked_only_once_its_program_is_gone() -> None:
    looks = Looks()
    asked: list[str] = []

    def killed_by(agent: str) -> str:
        asked.append(agent)
        return "out of memory"

    looks.watcher = AgentWatcher(
        looks.terminal,
        looks.terminal,
        FileTranscripts(Path("/nowhere")),
        BACKENDS,
        lambda agent: f"/nowhere/{agent}",
        looks.clock.now,
        killed_by=killed_by,
    )
    pane = looks.start()
    assert (looks.look().killed_by, asked) == ("", [])
    pane.exit(137)
    assert (looks.look().killed_by, asked) == ("out of memory", [A])


def test_compactions_are_seen_one_by_one_and_a_new_session_has_had_none() -> None:
    looks = Looks()
    pane = looks.start()
    for shown in ("compacting", "working", "compacting 2s", "compacting 3s", "ready"):
        pane.show(shown)
        seen = looks.look()
        looks.clock.advance(3)
    assert seen.compacted == (NOW, NOW + timedelta(seconds=6))
    looks.terminal.stop(session_name(A))
    looks.start().show("ready")
    assert looks.look().compacted == ()
