"""The first process of a sandbox: sessions outlive connections, orphans are reaped, and the end is clean."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.shells.kubernetes.first_process import FirstProcess, children, namespace, processes
from tests.shells.waiting import eventually

SHELLS = {
    "dash": ("dash",),
    "bash": ("bash", "--posix"),
    "busybox": ("busybox", "sh"),
}
Start = Callable[..., FirstProcess]


@pytest.fixture(params=[name for name, command in SHELLS.items() if shutil.which(command[0])])
def first(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FirstProcess]:
    own = namespace()
    if own is None:
        pytest.skip("this user cannot make a process namespace")
    made = FirstProcess(tmp_path, shell=SHELLS[request.param], own=own)
    yield made
    made.close()


def test_sessions_can_be_started_and_outlive_whoever_started_them(first: FirstProcess) -> None:
    first.start()
    first.until_ready()
    assert first.tmux("new-session", "-d", "-s", "a", "sleep", "1000").returncode == 0
    assert first.tmux("list-sessions", "-F", "#{session_name}").stdout == "a\n"
    assert first.tmux("kill-session", "-t", "a").returncode == 0
    assert first.tmux("list-sessions").returncode == 0, "without a session, the server stays"


def test_the_agents_folders_are_there_and_private(first: FirstProcess) -> None:
    first.start()
    first.until_ready()
    modes = {path.name: path.stat().st_mode & 0o777 for path in first.home.iterdir()}
    assert modes == {"work": 0o700, "tmp": 0o700, ".config": 0o700}


def test_sessions_know_nothing_of_the_pods_environment(first: FirstProcess) -> None:
    first.start(SECRET="shh")
    first.until_ready()
    first.tmux("new-session", "-d", "-s", "a", f"env >{first.home}/env; sleep 1000")
    held = eventually(lambda: _text(first.home / "env"), what="the environment")
    names = {line.partition("=")[0] for line in held.splitlines()}
    assert {"HOME", "PATH"} <= names
    assert not {"SECRET", "KUBERNETES_SERVICE_HOST", "HIVE_TMUX_SOCKET", "TMPDIR"} & names


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_orphans_are_reaped(first: FirstProcess) -> None:
    first.start()
    first.until_ready()
    script = f"(sleep 0.3 & echo $! >/dev/null; exec sleep 0.2) & touch {first.home}/done; sleep 0.1"
    for name in "abc":
        first.tmux("new-session", "-d", "-s", name, script)
    eventually(lambda: first.tmux("list-sessions").stdout == "", what="the end of the sessions")

    def only_the_server() -> bool:
        return len(children(first.pid)) == 1

    eventually(only_the_server, what="the end of their orphans")
    assert all(processes()[pid][1] != "Z" for pid in children(first.pid))


def test_it_ends_cleanly_and_soon_when_it_is_asked_to(first: FirstProcess) -> None:
    first.start()
    first.until_ready()
    stubborn = "trap '' HUP TERM; while :; do sleep 1000; done"
    for name, program in (("a", "sleep 1000"), ("b", "setsid sleep 1000 & sleep 1000"), ("c", stubborn)):
        first.tmux("new-session", "-d", "-s", name, program)
    inside = _below(first.pid)
    assert len(inside) >= 6
    began = time.monotonic()
    first.terminate()
    assert first.ended() == (0, f"hive-sandbox: tmux on {first.socket}\nhive-sandbox: asked to end\n")
    assert time.monotonic() - began < 5
    assert not inside & processes().keys()


def _below(pid: int) -> set[int]:
    found = {pid}
    for child in children(pid):
        found |= _below(child)
    return found


def test_it_ends_at_once_where_nothing_is_left_to_wait_for(first: FirstProcess) -> None:
    first.start()
    first.until_ready()
    first.tmux("new-session", "-d", "-s", "a", "sleep 1000")
    began = time.monotonic()
    first.terminate()
    assert first.ended()[0] == 0
    assert time.monotonic() - began < 2


def test_without_its_tmux_server_the_sandbox_ends_and_says_so(first: FirstProcess) -> None:
    first.start()
    first.until_ready()
    first.tmux("new-session", "-d", "-s", "a", "trap '' HUP TERM; while :; do sleep 1000; done")
    inside = _below(first.pid)
    first.tmux("kill-server")
    status, said = first.ended()
    assert (status, said.splitlines()[1]) == (
        1,
        "hive-sandbox: the tmux server ended (status 0); its sessions ended with it",
    )
    assert not inside & processes().keys()


def test_the_socket_of_an_earlier_container_is_no_hindrance(first: FirstProcess) -> None:
    first.socket.write_text("")
    first.start()
    first.until_ready()


def test_a_home_that_cannot_be_written_is_told(first: FirstProcess) -> None:
    shutil.rmtree(first.home)
    first.home.symlink_to("/proc/self")
    first.start()
    status, said = first.ended()
    user = os.getuid()
    assert (status, said) == (
        1,
        f"hive-sandbox: {first.home} is not writable for user {user}; "
        "mount a volume there that it may write to (fsGroup: 1000)\n",
    )


def test_an_image_without_tmux_is_told(first: FirstProcess, tmp_path: Path) -> None:
    first.path = str(tmp_path / "no-tools")
    (tmp_path / "no-tools").mkdir()
    for name in ("dash", "bash", "busybox", "unshare", "id", "mkdir"):
        found = shutil.which(name)
        if found:
            (tmp_path / "no-tools" / name).symlink_to(found)
    first.start()
    assert first.ended() == (
        1,
        "hive-sandbox: the image has no tmux; an agent image needs sh, tmux and git\n",
    )
