"""The daemon as its operator meets it: over its socket, by signals, and when things are wedged."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hive.errors import ConfigError, HiveError, Refused, Unreachable
from hive.facts import events as e
from hive.facts.agents import session_name
from hive.kernel import tick as tick_module
from hive.kernel.supervisor import Supervisor
from hive.shells.operator.client import SocketOperator
from tests.decisions.worlds import REPO
from tests.kernel.house import House, until

A = "quality-1"
T = TypeVar("T")


class Running:
    """A supervisor at work, and its operator."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house = house
        self.path = folder / "hive.sock"
        self.supervisor = Supervisor(
            configuration=house.configuration,
            ledger=house.ledger,
            journal=house.journal,
            hands=house.hands,
            forge=house.forge,
            now=house.clock.now,
            socket=self.path,
            state=folder,
            attach="tmux attach",
        )
        self.operator = SocketOperator(self.path, timeout=10)
        self.task: asyncio.Task[None] | None = None

    async def ask(self, call: Callable[[SocketOperator], T]) -> T:
        return await asyncio.to_thread(call, self.operator)

    async def line(self, line: bytes) -> dict[str, Any]:
        reader, writer = await asyncio.open_unix_connection(self.path)
        writer.write(line + b"\n")
        answer = await asyncio.wait_for(reader.readline(), 10)
        writer.close()
        found: dict[str, Any] = json.loads(answer)
        return found


@asynccontextmanager
async def running(folder: Path, house: House | None = None) -> AsyncIterator[Running]:
    """Ends by SIGTERM, if the test has not ended it."""
    async with house or House() as below:
        daemon = Running(below, folder)
        daemon.task = asyncio.create_task(daemon.supervisor.run())
        try:
            await until(lambda: daemon.path.exists() and daemon.supervisor.world)
            yield daemon
        finally:
            if not daemon.task.done():
                os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(daemon.task, 10)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                asyncio.get_running_loop().remove_signal_handler(number)


async def test_only_the_owner_can_open_the_socket_and_it_is_gone_afterwards(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        assert stat.S_IMODE(daemon.path.stat().st_mode) == 0o600
    assert not daemon.path.exists()


async def test_what_a_dead_supervisor_left_there_goes_away(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(tmp_path / "hive.sock"))
    dead.close()
    async with running(tmp_path) as daemon:
        assert (await daemon.ask(lambda op: op.status()))["level"] == 5


@pytest.mark.parametrize(
    "line",
    [b"{", b"[1]", b'"status"', b"{}", b'{"op": "shout"}', b'{"op": ["status"]}', b"\xff\xfe", b"[" * 50_000],
    ids=lambda line: line[:20].decode(errors="replace"),
)
async def test_a_request_that_is_none_gets_one_clear_line_and_hive_goes_on(
    tmp_path: Path, line: bytes
) -> None:
    async with running(tmp_path) as daemon:
        answer = await daemon.line(line)
        assert (answer["ok"], answer["exit"]) == (False, 2)
        assert "\n" not in answer["error"]
        assert (await daemon.line(b'{"op": "look"}')) == {"ok": True}


async def test_every_request_is_answered_and_every_change_is_on_record(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        terminal = daemon.house.terminal
        await until(lambda: terminal.panes)
        assert (await daemon.ask(lambda op: op.status()))["agents"][0]["name"] == A
        assert (await daemon.ask(lambda op: op.screen(A))).startswith("ready")
        await daemon.ask(lambda op: op.send(A, "hello\x1b[201~", by="ada"))
        assert terminal.panes[session_name(A)].pasted == ["hello"]
        await daemon.ask(lambda op: op.set_level(2, scope="repo", name=REPO, by="ada", why="demo"))
        await daemon.ask(lambda op: op.pause(A, by="ada", why="lunch"))
        await daemon.ask(lambda op: op.resume(A, by="ada", why=""))
        await daemon.ask(lambda op: op.restart(A, by="ada", why=""))
        await daemon.ask(lambda op: op.look())
        changes = (e.TextSent, e.LevelChanged, e.AgentPaused, e.AgentResumed, e.RestartRequested)
        found = [one.event for one in daemon.house.journal.newest(1000) if isinstance(one.event, changes)]
        assert found == [
            e.TextSent(agent=A, by="ada", text="hello"),
            e.LevelChanged(scope="repo", name=REPO, level=2, by="ada", why="demo"),
            e.AgentPaused(agent=A, by="ada", why="lunch"),
            e.AgentResumed(agent=A, by="ada"),
            e.RestartRequested(agent=A, by="ada"),
        ]


async def test_a_person_stops_merging_in_a_repository_and_lets_it_go_on(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        ledger = daemon.house.ledger
        await daemon.ask(lambda op: op.hold_merging(REPO.upper(), hold=True, by="ada", why="a release"))
        assert (ledger.memory.merging[REPO].by, ledger.memory.merging[REPO].because) == ("ada", "a release")
        assert [one["repo"] for one in (await daemon.ask(lambda op: op.status()))["merging"]] == [REPO]
        with pytest.raises(Refused, match="on hold already"):
            await daemon.ask(lambda op: op.hold_merging(REPO, hold=True, by="ada", why="again"))
        await daemon.ask(lambda op: op.hold_merging(REPO, hold=False, by="bob", why="it is out"))
        assert ledger.memory.merging == {}
        with pytest.raises(ConfigError, match="'o/none' is not configured"):
            await daemon.ask(lambda op: op.hold_merging("o/none", hold=True, by="ada", why="x"))
        with pytest.raises(ConfigError, match="say why"):
            await daemon.ask(lambda op: op.hold_merging(REPO, hold=True, by="ada", why=" "))


async def test_a_persons_word_on_a_held_action_is_on_record_and_may_be_thought_over(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        held = e.ActionHeld(
            agent=A,
            hold_id="H1",
            action="comment",
            target=f"{REPO}#7",
            content="c" * 64,
            shown="hello",
            rule="guardrail.x",
            because="it is loud",
        )
        daemon.house.ledger.record([held])
        [row] = (await daemon.ask(lambda op: op.status()))["holds"]
        assert (row["id"], row["state"], row["shown"], row["by"]) == ("H1", "waiting", "hello", None)
        await daemon.ask(lambda op: op.decide("h1", approve=True, by="ada", why=""))
        await daemon.ask(lambda op: op.decide("H1", approve=False, by="ada", why="rude"))
        assert daemon.house.events(e.HoldDecided) == [
            e.HoldDecided(hold_id="H1", approved=True, by="ada"),
            e.HoldDecided(hold_id="H1", approved=False, by="ada", why="rude"),
        ]
        daemon.house.ledger.record([e.HoldUsed(agent=A, hold_id="H1", request_id="r")])
        with pytest.raises(Refused, match="H1 is done already; the agent may ask anew"):
            await daemon.ask(lambda op: op.decide("H1", approve=True, by="ada", why=""))
        with pytest.raises(ConfigError, match="there is no held action 'H9'; waiting: none"):
            await daemon.ask(lambda op: op.decide("H9", approve=True, by="ada", why=""))


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"op": "pause", "agent": "nobody"}, "unknown agent 'nobody'; known: quality-1"),
        ({"op": "pause", "agent": 7}, "'agent' must be text"),
        ({"op": "send", "agent": A, "text": " \n"}, "the text must have 1 to 100000 characters"),
        ({"op": "level", "level": 7}, "a level is a number from 1 to 6"),
        ({"op": "level", "level": True}, "a level is a number from 1 to 6"),
        ({"op": "level", "level": 2, "scope": "planet"}, "unknown scope 'planet'; known: hive, repo, agent"),
        ({"op": "level", "level": 2, "scope": "repo", "name": "o/x"}, "unknown repo 'o/x'; known: o/r"),
        (
            {"op": "pause", "agent": A, "why": "\ud800"},
            "'why' has half a character, which no record can hold",
        ),
    ],
)
async def test_bad_input_is_told_and_leaves_no_record(
    tmp_path: Path, request_: dict[str, object], said: str
) -> None:
    async with running(tmp_path) as daemon:
        answer = await daemon.line(json.dumps(request_).encode())
        assert answer == {"ok": False, "error": said, "exit": 2}
        assert (daemon.house.events(e.AgentPaused), daemon.house.events(e.LevelChanged)) == ([], [])


async def test_a_refusal_and_an_absent_daemon_are_told_apart(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        daemon.house.ledger.record([e.AgentPaused(agent=A, by="ada")])
        daemon.house.terminal.kill_server()
        with pytest.raises(Refused, match="has no session now"):
            await daemon.ask(lambda op: op.screen(A))
        with pytest.raises(ConfigError, match="unknown agent"):
            await daemon.ask(lambda op: op.screen("nobody"))
    with pytest.raises(Unreachable, match="start it with 'hive run'"):
        await daemon.ask(lambda op: op.status())


async def test_operators_are_answered_while_a_tick_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wedge = threading.Event()
    async with running(tmp_path) as daemon:
        monkeypatch.setattr(daemon.house.terminal, "look", lambda: wedge.wait(20))
        await daemon.ask(lambda op: op.look())
        await until(lambda: daemon.house.hands.terminals.is_looking)
        began = time.monotonic()
        await daemon.ask(lambda op: op.status())
        await daemon.ask(lambda op: op.pause(A, by="ada", why=""))
        assert time.monotonic() - began < 1.5
        wedge.set()


@pytest.mark.parametrize("wedged", ["nothing", "terminal", "forge", "journal"])
async def test_sigterm_ends_hive_within_two_seconds_whatever_is_wedged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wedged: str
) -> None:
    wedge = threading.Event()
    async with running(tmp_path) as daemon:
        house = daemon.house
        if wedged == "terminal":
            monkeypatch.setattr(house.terminal, "look", lambda: wedge.wait(20))
        elif wedged == "forge":
            house.github.hanging.add("look")
            house.forge.press([REPO])
            await until(lambda: house.github.asked("look") > 1)
        elif wedged == "journal":
            monkeypatch.setattr(house.journal, "append", lambda *_, **__: wedge.wait(20))
        if wedged in ("terminal", "journal"):
            house.configuration.news.append(e.ConfigurationRejected(message="x"))
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0.4)
        began = time.monotonic()
        os.kill(os.getpid(), signal.SIGTERM)
        assert daemon.task is not None
        await asyncio.wait_for(daemon.task, 5)
        assert time.monotonic() - began < 2
        wedge.set()
        if wedged != "journal":
            assert len(house.events(e.SupervisorStopped)) == 1
        assert list(house.terminal.panes) == [session_name(A)]


async def test_a_full_disk_is_told_to_operators_and_hive_acts_again_when_it_has_room(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        house = daemon.house
        await until(lambda: house.terminal.panes)
        house.journal.failure = "the disk is full"
        house.terminal.kill_server()
        await until(lambda: daemon.supervisor.trouble)
        status = await daemon.ask(lambda op: op.status())
        assert (status["verdict"], status["settled"]) == ("not acting: the disk is full", False)
        with pytest.raises(HiveError, match="the disk is full"):
            await daemon.ask(lambda op: op.pause(A, by="ada", why=""))
        assert not house.terminal.panes
        house.journal.failure = None
        await until(lambda: any(one.state == "crashed" for one in house.events(e.AgentChanged)))
        house.clock.advance(30)
        await daemon.ask(lambda op: op.look())
        await until(lambda: house.terminal.panes)
        assert daemon.supervisor.trouble == ""


async def test_sighup_reads_the_configuration_again_and_what_it_says_is_on_record(tmp_path: Path) -> None:
    async with running(tmp_path) as daemon:
        configuration = daemon.house.configuration
        assert configuration.refreshes[0] is True
        configuration.news.append(e.ConfigurationRejected(message="hive.yaml:3: no"))
        before = len(configuration.refreshes)
        os.kill(os.getpid(), signal.SIGHUP)
        await until(lambda: True in configuration.refreshes[before:])
        await until(lambda: daemon.house.events(e.ConfigurationRejected))


async def test_a_fault_of_hives_own_costs_a_tick_and_many_of_them_end_hive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise ZeroDivisionError("a bug")

    async with House() as house:
        daemon = Running(house, tmp_path)
        monkeypatch.setattr(tick_module, "plan", broken)
        house.configuration.tick = house.configuration.tick * 0
        daemon.task = asyncio.create_task(daemon.supervisor.run())
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(_poking(daemon), 20)
        assert len(house.events(e.SupervisorStopped)) == 1


async def _poking(daemon: Running) -> None:
    """Wake it until it ends."""
    assert daemon.task is not None
    while not daemon.task.done():
        if daemon.path.exists():
            await daemon.line(b'{"op": "look"}')
        await asyncio.sleep(0.05)
    daemon.task.result()
