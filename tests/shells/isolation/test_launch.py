"""The launcher: processes, exit codes and signals are those of the program, in places of either kind."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hive.facts.isolation import IsolationMode
from hive.shells.isolation.order import PlaceOrder, read, written
from hive.shells.isolation.place import is_launcher, launcher, run_in_place
from hive.shells.isolation.view import needed_paths
from hive.shells.system.processes import ProcProcesses, children_of, descendants, process_table
from tests.shells.isolation.places import AGENT_UID, need, need_root
from tests.shells.waiting import eventually

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def place(folder: Path, *argv: str, own_user: bool = True) -> PlaceOrder:
    home = folder / "hidden" / "home"
    home.mkdir(parents=True, mode=0o700, exist_ok=True)
    uid = AGENT_UID if own_user else os.geteuid()
    if own_user:
        os.chown(home, uid, uid)
    return PlaceOrder(
        argv=argv,
        uid=uid,
        gid=uid if own_user else os.getegid(),
        own_user=own_user,
        user="agent",
        home=str(home),
        workdir=str(home),
        hidden=(str(folder / "hidden"), str(folder)),
        masked=(),
        shown=needed_paths(),
    )


def start(folder: Path, order: PlaceOrder) -> subprocess.Popen[bytes]:
    file = folder / "order"
    file.write_bytes(written(order))
    return subprocess.Popen(launcher(file), env=PATH, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_an_order_is_read_as_it_was_written(tmp_path: Path) -> None:
    need_root()
    order = place(tmp_path, "a b", "\u00e9\n;$(x)", "-")
    assert read(written(order)) == order


@pytest.mark.parametrize("own_user", [True, False])
@pytest.mark.parametrize(
    ("script", "code"), [("exit 7", 7), ("kill -TERM $$", -signal.SIGTERM), ("kill -9 $$", -signal.SIGKILL)]
)
def test_it_ends_as_the_program_does(tmp_path: Path, script: str, code: int, own_user: bool) -> None:
    need(IsolationMode.UID if own_user else IsolationMode.USERNS)
    order = place(tmp_path, "sh", "-c", script, own_user=own_user)
    assert run_in_place(order, order.argv, tmp_path / "order", environment=PATH).code == code


def test_arguments_arrive_unchanged_and_no_shell_sees_them(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    words = ("a b", "'\"$(id)`id`;", "\u00e9\t\n", "", "-x")
    order = place(tmp_path, "/usr/bin/printf", "%s|", *words)
    done = run_in_place(order, order.argv, tmp_path / "order", environment=PATH)
    assert done.out == "".join(f"{word}|" for word in words)


def test_a_program_that_is_not_there_is_told_with_a_remedy(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    order = place(tmp_path, "/opt/nowhere/agent")
    done = run_in_place(order, order.argv, tmp_path / "order", environment=PATH)
    assert (done.code, done.err) == (
        127,
        "hive: cannot start /opt/nowhere/agent in the agent's place: No such file or directory; "
        "is its folder hidden there? name it under isolation.readable\n",
    )


def test_everything_in_a_place_ends_with_its_program(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    order = place(tmp_path, "sh", "-c", "setsid sleep 4711 & setsid sh -c 'sleep 4712' & sleep 0.3")
    running = start(tmp_path, order)
    assert running.wait(30) == 0
    eventually(lambda: not left("4711") and not left("4712"))
    running.communicate()


def test_everything_in_a_place_ends_when_the_launcher_is_killed(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    running = start(tmp_path, place(tmp_path, "sh", "-c", "trap '' TERM HUP; setsid sleep 4713 & sleep 4713"))
    eventually(lambda: len(left("4713")) == 2)
    running.kill()
    running.communicate()
    eventually(lambda: not left("4713"))


def left(word: str) -> list[int]:
    """Processes of this machine whose last argument is `word`."""
    found = []
    for pid in process_table():
        try:
            if Path(f"/proc/{pid}/cmdline").read_bytes().endswith(b"sleep\0" + word.encode() + b"\0"):
                found.append(pid)
        except OSError:
            continue
    return found


def test_hive_sees_the_program_below_the_pane_and_not_its_own_part(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    running = start(tmp_path, place(tmp_path, "sleep", "4714"))
    try:
        (pid,) = eventually(lambda: left("4714"))
        assert pid in descendants(running.pid, children_of(process_table()))
        tree = ProcProcesses().tree([running.pid])[running.pid]
        assert [(process.pid, process.argv) for process in tree] == [(pid, ("sleep", "4714"))]
    finally:
        running.kill()
        running.communicate()


def test_a_program_with_the_launchers_command_line_of_its_own_making_is_no_launcher() -> None:
    assert is_launcher(launcher(Path("/x/order")))
    assert not is_launcher((sys.executable, "-I", "-S", "/tmp/launch.py", "/x/order"))
    assert not is_launcher(("claude", "--continue"))


def test_a_terminals_interrupt_reaches_the_program_and_leaves_the_place(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    script = "trap 'echo got it' INT; echo ready; read x; read y; echo end; : > /dev/tty"
    order = place(tmp_path, "sh", "-c", script)
    file = tmp_path / "order"
    file.write_bytes(written(order))
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(launcher(file)[0], launcher(file), PATH)
    said = heard(terminal, b"ready")
    os.write(terminal, b"\x03")
    said = heard(terminal, b"got it")
    os.write(terminal, b"\n\n")
    said = heard(terminal, b"end")
    assert b"end" in said
    assert os.waitpid(pid, 0)[1] == 0
    os.close(terminal)


def heard(terminal: int, word: bytes) -> bytes:
    said, until = b"", time.monotonic() + 20
    while word not in said:
        assert time.monotonic() < until, said
        said += os.read(terminal, 4096)
    return said


def test_hives_own_user_in_a_namespace_sees_neither_hives_folders_nor_other_processes(tmp_path: Path) -> None:
    need(IsolationMode.USERNS)
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "journal").write_text("secret")
    script = (
        f"cat {tmp_path}/hidden/journal; kill -9 {os.getpid()}; ls /proc | grep -c '^[0-9]'; touch here /x"
    )
    order = place(tmp_path, "sh", "-c", script, own_user=False)
    done = run_in_place(order, order.argv, tmp_path / "order", environment=PATH)
    assert "secret" not in done.out
    assert int(done.out) < 10
    assert (Path(order.home) / "here").exists()
    assert "Read-only" in done.err
