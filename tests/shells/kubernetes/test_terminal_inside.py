"""What is seen of a pod's processes and files, and what it costs to look again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hive.contracts.backend import Process
from hive.errors import Unreachable
from hive.shells.kubernetes import terminal_transcripts
from hive.shells.kubernetes.terminal import PodTerminal
from hive.shells.kubernetes.terminal_processes import PodProcesses
from hive.shells.kubernetes.terminal_sight import read_table
from hive.shells.kubernetes.terminal_transcripts import PodTranscripts
from hive.shells.system.processes import Entry, ProcProcesses, process_table
from tests.shells.kubernetes.pod_here import PodHere
from tests.shells.tmux.conftest import order
from tests.shells.tmux.test_stopping import FAMILY, NAMES, lives, pids
from tests.shells.waiting import eventually


@pytest.fixture
def pod(tmp_path: Path) -> Iterator[PodHere]:
    pod = PodHere(tmp_path / "pod")
    try:
        yield pod
    finally:
        pod.close()


@pytest.fixture
def terminal(pod: PodHere) -> Iterator[PodTerminal]:
    terminal = PodTerminal(pod.open, socket=str(pod.socket), timeout=20, silence=20, stop_grace=0.5)
    try:
        yield terminal
    finally:
        for pane in terminal.look():
            terminal.stop(pane.name)
        terminal.close()


class Counted:
    """Runs scripts and counts them."""

    def __init__(self, terminal: PodTerminal) -> None:
        self._terminal = terminal
        self.count = 0

    def __call__(self, text: str, *words: str) -> bytes:
        self.count += 1
        return self._terminal.run_script(text, *words)


def test_a_tree_is_what_this_machine_says_of_it(terminal: PodTerminal) -> None:
    odd = "a word\nwith a line, a tab\t, ü and \\"
    terminal.create(order("hive-a", "sh", "-c", 'sleep 1000 & sh -c "sleep 1001; :" & cat', odd, "", "end"))
    root = terminal.look()[0].pid
    programs = ["cat", "sh", "sh", "sleep", "sleep"]

    def started() -> tuple[Process, ...] | None:
        """All five, each as the program that it becomes."""
        found = ProcProcesses().tree([root])[root]
        return found if sorted(one.argv[0] for one in found) == programs else None

    want = eventually(started)
    seen = PodProcesses(terminal.run_script).tree([root, 4_000_000])
    assert seen[4_000_000] == ()
    assert sorted(map(idle, seen[root]), key=key) == sorted(map(idle, want), key=key)
    assert odd in seen[root][0].argv


def idle(process: Process) -> Process:
    """Without the time that it ran, which goes on."""
    return replace(process, cpu_s=0.0)


def key(process: Process) -> int:
    return process.pid


def test_what_has_not_changed_is_not_read_again_and_a_new_program_is(terminal: PodTerminal) -> None:
    terminal.create(order("hive-a", "sh", "-c", "read line; exec sleep 1000"))
    root = terminal.look()[0].pid
    run = Counted(terminal)
    processes = PodProcesses(run, fresh=0)
    eventually(lambda: processes.tree([root])[root][0].argv[:1] == ("sh",))
    run.count = 0
    assert processes.tree([root])[root][0].argv[0] == "sh"
    assert run.count == 1
    terminal.press("hive-a", ["Enter"], {})
    eventually(lambda: processes.tree([root])[root][0].argv == ("sleep", "1000"))
    lazy = PodProcesses(run, fresh=3600)
    run.count = 0
    for _ in range(10):
        assert lazy.tree([root])[root][0].argv == ("sleep", "1000")
    assert run.count == 2


def test_a_stopped_process_is_told(terminal: PodTerminal) -> None:
    terminal.create(order("hive-a", "sh", "-c", "sleep 1000; :"))
    root = terminal.look()[0].pid
    processes = PodProcesses(terminal.run_script, fresh=0)
    child = eventually(lambda: processes.tree([root])[root][1:])[0].pid  # tmux lets its own children go on
    terminal.run_script('kill -STOP "$1"', str(child))
    eventually(lambda: [one.stopped for one in processes.tree([root])[root]] == [False, True])


def test_a_name_with_line_ends_and_parentheses_hides_nobody() -> None:
    rest = b" ".join(b"%d" % number for number in range(4, 53))
    output = b"7 (a) S 1 (\n) Z) S " + rest + b"\n8 (b) Z " + rest + b"\n9 (c d) R " + rest + b"\n"
    entry = Entry(b"S", 4, 6, 22, (14 + 15 + 16 + 17) / 100)
    assert list(read_table(output)) == [
        (7, entry, b"a) S 1 (\n) Z 48"),
        (9, entry._replace(state=b"R"), b"c d 48"),
    ]


def test_the_table_read_is_that_of_this_machine() -> None:
    files = [Path(f"/proc/{pid}/stat") for pid in (os.getpid(), os.getppid(), 1)]
    table = process_table()
    seen = {pid: entry for pid, entry, _ in read_table(b"".join(file.read_bytes() for file in files))}
    for pid, entry in seen.items():
        assert entry[1:-1] == table[pid][1:-1]
        assert abs(entry[-1] - table[pid][-1]) < 10, "seconds of work, which go on"
    assert len(seen) == len({*files})


def test_a_stop_ends_all_that_was_started_from_the_pane(terminal: PodTerminal, tmp_path: Path) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    terminal.create(order("hive-a", sys.executable, "-S", "-c", FAMILY, str(folder)))
    terminal.create(order("hive-ab", "cat"))
    eventually(lambda: len(pids(folder)) == len(NAMES))
    family = pids(folder)
    neighbour = next(pane.pid for pane in terminal.look() if pane.name == "hive-ab")
    terminal.stop("hive-a")
    assert {name for name, pid in family.items() if lives(pid)} == set()
    assert [(pane.name, pane.dead) for pane in terminal.look()] == [("hive-ab", False)]
    assert lives(neighbour)


def test_a_script_gives_every_byte_back_and_fails_without_a_word(terminal: PodTerminal) -> None:
    odd = "#{pid} %H $HOME `x` \"'\\ ~\nü"
    script = r"""printf '%s|' "$@"; printf '\0\r\n\377'; exit 3"""
    assert terminal.run_script(script, odd, "", "-n") == f"{odd}||-n|".encode() + b"\0\r\n\xff"
    assert terminal.run_script("no-such-program") == b""
    assert [pane.name for pane in terminal.look()] == []


def test_a_pod_without_the_programs_of_scripts_is_unreachable_with_their_names(
    pod: PodHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "tmux", "env", "tr", "sleep"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip()
        (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    terminal = PodTerminal(pod.open, socket=str(pod.socket), timeout=20, silence=20)
    with pytest.raises(Unreachable, match="needs sh, base64 and tmux"):
        terminal.run_script("true")
    monkeypatch.undo()
    terminal.close()


def test_a_transcript_is_read_as_it_grows(
    terminal: PodTerminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal_transcripts, "_CHUNK", 1000)
    path = tmp_path / 'a transcript\'s "name".jsonl'
    transcripts = PodTranscripts(terminal.run_script)
    assert transcripts.lines(str(path)) == ()
    path.write_bytes("one ü\r\ntwo\0\nthr".encode())
    assert transcripts.lines(str(path)) == ("one ü\r", "two\0")
    with path.open("ab") as file:
        file.write(b"ee\nfour\n")
    assert transcripts.lines(str(path)) == ("one ü\r", "two\0", "three", "four")
    again = transcripts.lines(str(path))
    assert transcripts.lines(str(path)) is again
    with path.open("ab") as file:
        file.write(b"x" * 2_000 + b"\nlast\n")
    assert transcripts.lines(str(path)) == ("one ü\r", "two\0", "three", "four", "last")
    path.write_bytes(b"anew\n")
    assert transcripts.lines(str(path)) == ("anew",)
    path.unlink()
    assert transcripts.lines(str(path)) == ()


def test_neither_a_folder_nor_a_pipe_is_a_transcript(terminal: PodTerminal, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    transcripts = PodTranscripts(terminal.run_script)
    assert transcripts.lines(str(tmp_path / "pipe")) == ()
    assert transcripts.lines(str(tmp_path)) == ()


def test_a_pod_that_is_gone_hides_its_processes_and_transcripts(pod: PodHere) -> None:
    terminal = PodTerminal(pod.open, socket=str(pod.socket), timeout=1)
    pod.gone = True
    with pytest.raises(Unreachable, match="not found"):
        PodProcesses(terminal.run_script).tree([1])
    with pytest.raises(Unreachable, match="not found"):
        PodTranscripts(terminal.run_script).lines("/a")
    assert PodProcesses(terminal.run_script).tree([]) == {}
