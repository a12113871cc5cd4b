"""The server may die, hang, be left alone or be found again; an agent is never lost without being noticed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hive.errors import ConfigError, Missing, Unreachable
from hive.shells.tmux import TmuxTerminal
from tests.shells.tmux.conftest import END, Reader, end_all, order
from tests.shells.waiting import eventually


def server_pid(terminal: TmuxTerminal) -> int:
    return int(terminal.structure.cmd("display-message", "-p", "#{pid}").stdout[0])


def sessions(terminal: TmuxTerminal) -> list[str]:
    return [pane.name for pane in terminal.look()]


def test_a_look_starts_no_server(terminal: TmuxTerminal, tmp_path: Path) -> None:
    assert terminal.look() == ()
    assert list((tmp_path / "t").iterdir()) == []
    assert stat.S_IMODE((tmp_path / "t").stat().st_mode) == 0o700


def test_a_killed_server_shows_nothing_and_the_next_session_starts_another(terminal: TmuxTerminal) -> None:
    for number in range(5):
        terminal.create(order("hive-a", "cat", marks={"try": str(number)}))
        terminal.structure.cmd("kill-server")
        assert terminal.look() == ()
        with pytest.raises(Missing):
            terminal.paste("hive-a", "text", {})
        assert terminal.capture(["hive-a"]) == {}
        terminal.stop("hive-a")
    terminal.create(order("hive-b", "cat"))
    assert sessions(terminal) == ["hive-b"]


def test_a_create_right_after_the_kill_succeeds(terminal: TmuxTerminal) -> None:
    for number in range(10):
        terminal.create(order(f"hive-{number}", "cat"))
        terminal.structure.cmd("kill-server")
    terminal.create(order("hive-z", "cat"))
    assert sessions(terminal) == ["hive-z"]


def test_a_server_killed_by_sigkill_shows_nothing_and_its_stale_socket_is_taken_over(
    terminal: TmuxTerminal,
) -> None:
    terminal.create(order("hive-a", "cat"))
    os.kill(server_pid(terminal), signal.SIGKILL)
    assert eventually(lambda: terminal.look() == ())
    terminal.create(order("hive-b", "cat"))
    assert sessions(terminal) == ["hive-b"]


def test_a_server_that_hangs_is_unreachable_in_time_and_works_again_when_it_wakes(tmp_path: Path) -> None:
    terminal = TmuxTerminal(tmp_path / "s", timeout=0.5)
    terminal.create(order("hive-a", "cat"))
    pid = server_pid(terminal)
    os.kill(pid, signal.SIGSTOP)
    try:
        for _ in range(6):
            start = time.monotonic()
            with pytest.raises(Unreachable):
                terminal.look()
            assert time.monotonic() - start < 2
    finally:
        os.kill(pid, signal.SIGCONT)
    eventually(lambda: reached(terminal))
    assert sessions(terminal) == ["hive-a"]
    assert server_pid(terminal) == pid
    end_all(terminal)


def reached(terminal: TmuxTerminal) -> bool:
    try:
        terminal.look()
    except Unreachable:
        return False
    return True


def test_a_first_look_at_a_hanging_server_is_unreachable_too(tmp_path: Path) -> None:
    first = TmuxTerminal(tmp_path / "s")
    first.create(order("hive-a", "cat"))
    pid = server_pid(first)
    second = TmuxTerminal(tmp_path / "s", timeout=0.5)
    os.kill(pid, signal.SIGSTOP)
    try:
        for _ in range(6):
            with pytest.raises(Unreachable):
                second.look()
    finally:
        os.kill(pid, signal.SIGCONT)
    eventually(lambda: reached(second))
    assert sessions(second) == ["hive-a"]
    second.close()
    end_all(first)


def test_a_socket_that_may_not_be_opened_is_unreachable_not_empty(tmp_path: Path) -> None:
    terminal = TmuxTerminal(tmp_path / "s", timeout=2.0)
    (tmp_path / "s").symlink_to(tmp_path / "s")  # connect(2) fails, but not because nobody listens
    with pytest.raises(Unreachable):
        terminal.look()


def test_a_lost_connection_is_made_anew(tmp_path: Path) -> None:
    said: list[str] = []
    terminal = TmuxTerminal(tmp_path / "s", on_notice=said.append)
    terminal.create(order("hive-a", "cat"))
    for _ in range(3):
        client = int(terminal.structure.cmd("list-clients", "-F", "#{client_pid}").stdout[0])
        os.kill(client, signal.SIGKILL)
        assert eventually(lambda: sessions(terminal) == ["hive-a"] and clients(terminal))
    terminal.mark("hive-a", {"still": "here"})
    assert terminal.look()[0].marks == {"still": "here"}
    assert said
    end_all(terminal)


def test_hives_own_session_may_be_killed_and_comes_back(terminal: TmuxTerminal) -> None:
    terminal.create(order("hive-a", "cat"))
    terminal.structure.cmd("kill-session", "-t", "=hive-control:")
    assert eventually(lambda: sessions(terminal) == ["hive-a"])


def test_a_close_leaves_sessions_for_the_next_to_adopt(tmp_path: Path) -> None:
    first = TmuxTerminal(tmp_path / "s")
    first.create(order("hive-a", "cat", marks={"intent": "i-1"}))
    pid = first.look()[0].pid
    first.close()
    second = TmuxTerminal(tmp_path / "s")
    assert [(pane.name, pane.pid, pane.marks) for pane in second.look()] == [
        ("hive-a", pid, {"intent": "i-1"})
    ]
    end_all(second)


def test_a_close_ends_a_server_that_runs_no_agent(tmp_path: Path) -> None:
    terminal = TmuxTerminal(tmp_path / "s")
    terminal.create(order("hive-a", "cat"))
    pid = server_pid(terminal)
    terminal.stop("hive-a")
    terminal.close()
    eventually(lambda: not Path(f"/proc/{pid}").exists())


PASTES = """
import sys
from pathlib import Path
from hive.shells.tmux import TmuxTerminal
terminal = TmuxTerminal(Path(sys.argv[1]))
number = int(sys.argv[2])
print("ready", flush=True)
while True:
    number += 1
    terminal.paste("hive-reader", f"text {number} " + "x" * 50_000, {"pasted": str(number)})
"""


def test_a_supervisor_killed_while_pasting_leaves_text_and_mark_together(
    terminal: TmuxTerminal, tmp_path: Path
) -> None:
    reader = Reader(terminal, "hive-reader", tmp_path)
    socket = str(terminal.structure.socket_path)
    number = 0
    for attempt in range(8):
        argv = [sys.executable, "-c", PASTES, socket, str(number)]
        with subprocess.Popen(argv, stdout=subprocess.PIPE) as supervisor:
            assert supervisor.stdout is not None
            assert supervisor.stdout.readline() == b"ready\n"
            before = number
            eventually(lambda before=before: int(terminal.look()[0].marks.get("pasted", "0")) > before)  # type: ignore[misc]  # a default binds the loop's value
            time.sleep(attempt * 0.0007)  # each kill strikes at another point of a paste
            supervisor.kill()
        eventually(lambda: len(clients(terminal)) == 1, what=f"one client, not {clients(terminal)}")
        number = int(terminal.look()[0].marks["pasted"])
        eventually(lambda: reader.rest().endswith(END))
        received = reader.received(END)
        assert received.count(END) == number - before
        assert f"text {number} ".encode() in received


def clients(terminal: TmuxTerminal) -> list[str]:
    return list(terminal.structure.cmd("list-clients", "-F", "#{client_pid}").stdout)


def test_a_client_of_a_dead_supervisor_is_ended_before_the_next_looks(terminal: TmuxTerminal) -> None:
    terminal.create(order("hive-a", "cat"))
    gone = subprocess.Popen(["true"])
    gone.wait()
    argv = ["tmux", "-S", str(terminal.structure.socket_path), "-C", "attach-session", "-t", "=hive-control"]
    orphaned = {"PATH": os.environ["PATH"], "HIVE_SUPERVISOR": str(gone.pid)}
    with subprocess.Popen(argv, env=orphaned, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as orphan:
        eventually(lambda: str(orphan.pid) in clients(terminal))
        second = TmuxTerminal(Path(str(terminal.structure.socket_path)))
        assert sessions(second) == ["hive-a"]
        assert str(orphan.pid) not in clients(terminal)
        second.close()
        assert orphan.wait(10) != 0


def test_what_a_dead_supervisor_left_of_a_paste_is_removed(tmp_path: Path) -> None:
    first = TmuxTerminal(tmp_path / "s")
    first.create(order("hive-a", "cat"))
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = tmp_path / f"s.hive-{gone.pid}-3"
    left.write_text("a prompt")
    living = tmp_path / f"s.hive-{os.getppid()}-1"
    living.write_text("of another terminal")
    first.structure.cmd("set-buffer", "-b", f"hive-{gone.pid}-3", "a prompt")
    second = TmuxTerminal(tmp_path / "s")
    second.look()
    assert not left.exists()
    assert living.exists()
    assert first.structure.cmd("list-buffers").stdout == []
    second.close()
    end_all(first)


def test_a_hundred_deaths_at_once_are_all_seen_and_told(terminal: TmuxTerminal) -> None:
    for number in range(100):
        terminal.create(order(f"hive-{number}", "cat"))
    dead: set[str] = set()
    pokes = threading.Event()
    terminal.watch(pokes.set)
    pids = [pane.pid for pane in terminal.look()]
    pokes.clear()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    while len(dead) < 100:
        assert pokes.wait(10), f"no poke though only {len(dead)} deaths are known"
        pokes.clear()
        dead |= {pane.name for pane in terminal.look() if pane.dead}


def test_no_pane_falls_silent_after_many_spoke_at_once_or_the_connection_broke(
    terminal: TmuxTerminal,
) -> None:
    for number in range(30):
        terminal.create(order(f"hive-{number}", "cat"))
    heard: set[str] = set()
    terminal.watch(lambda: None, overhear=lambda _kind, window: heard.add(window))
    listed = terminal.structure.cmd("list-panes", "-a", "-F", "#{pane_tty} #{session_name}").stdout
    ttys = [Path(line.split()[0]) for line in listed if not line.endswith("hive-control")]
    for breaks in (False, False, True, False):
        if breaks:
            os.kill(int(clients(terminal)[0]), signal.SIGKILL)
            speak(ttys)
            eventually(lambda: reached(terminal) and clients(terminal))
        time.sleep(0.3)  # the flags of the round before are cleared a tenth of a second after its last poke
        heard.clear()
        speak(ttys)
        eventually(lambda: len(heard) == 30, what=f"30 windows heard, not {len(heard)}")


def speak(ttys: list[Path]) -> None:
    for tty in ttys:
        tty.write_bytes(b"line\r\n")


def test_a_flood_of_output_wakes_no_more_than_ten_times_a_second(terminal: TmuxTerminal) -> None:
    pokes: list[float] = []
    terminal.watch(lambda: pokes.append(time.monotonic()))
    loop = "i=0; while [ $i -lt 100000 ]; do printf '\\rprogress %d' $i; i=$((i+1)); done"
    script = f"{loop}; echo; echo over; exec cat"
    terminal.create(order("hive-a", "sh", "-c", script))
    eventually(lambda: "over" in terminal.capture(["hive-a"])["hive-a"], within=60)
    spent = pokes[-1] - pokes[0]
    assert len(pokes) <= 2 + spent / 0.1
    assert len(terminal.capture(["hive-a"], history=10_000)["hive-a"].split("\n")) <= 5_000 + 24


def test_marks_do_not_grow_for_ever_though_nobody_looks(terminal: TmuxTerminal) -> None:
    terminal.create(order("hive-a", "cat", marks={"kept": "1"}))
    for number in range(450):
        terminal.mark("hive-a", {"prompt": f"p-{number}"})
    stored = terminal.structure.cmd("show-options", "-v", "-t", "=hive-a:", "@hive_marks").stdout[0]
    assert len(stored) < 2_000
    assert terminal.look()[0].marks == {"kept": "1", "prompt": "p-449"}


def test_an_old_or_missing_tmux_is_named_with_the_remedy(tmp_path: Path) -> None:
    old = tmp_path / "old-tmux"
    old.write_text("#!/bin/sh\necho tmux 3.1c\n")
    old.chmod(0o755)
    with pytest.raises(ConfigError, match=r"needs tmux 3\.2 or later.*3\.1c"):
        TmuxTerminal(tmp_path / "s", program=str(old))
    with pytest.raises(ConfigError, match="install tmux"):
        TmuxTerminal(tmp_path / "s", program=str(tmp_path / "none"))


def test_a_path_too_long_for_a_socket_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="107 bytes"):
        TmuxTerminal(tmp_path / ("x" * 120) / "s")
