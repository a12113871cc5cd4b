"""How a program is started: without a shell, with exactly the environment that was ordered."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hive.errors import Refused
from hive.shells.tmux import TmuxTerminal
from tests.shells.tmux.conftest import PATH, order
from tests.shells.waiting import eventually

# What tmux itself tells the program about its terminal.
OF_THE_TERMINAL = {"TERM", "TMUX", "TMUX_PANE"}


def environment_in(terminal: TmuxTerminal, name: str) -> dict[str, str]:
    pane = next(pane for pane in terminal.look() if pane.name == name)
    words = Path(f"/proc/{pane.pid}/environ").read_bytes().removesuffix(b"\0").split(b"\0")
    return dict(word.decode().split("=", 1) for word in words)


def runs(terminal: TmuxTerminal, name: str, program: str) -> bool:
    pane = next(pane for pane in terminal.look() if pane.name == name)
    return Path(f"/proc/{pane.pid}/cmdline").read_bytes().split(b"\0")[0] == program.encode()


def test_the_environment_is_what_was_ordered_and_nothing_else(
    terminal: TmuxTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE_TOKEN", "of-the-daemon")
    monkeypatch.setenv("DISPLAY", ":7")
    wanted = {"PATH": PATH, "ODD": "a=b; $HOME ~ #{pid} \"'\\ \n\tü", "EMPTY": "", "HOME": "~"}
    terminal.create(order("hive-a", "cat", environment=wanted))
    eventually(lambda: runs(terminal, "hive-a", "cat"))
    found = environment_in(terminal, "hive-a")
    assert {name: value for name, value in found.items() if name not in OF_THE_TERMINAL} == wanted
    assert found["TERM"] == "tmux-256color"


def test_an_empty_environment_stays_empty_and_one_may_name_shell_and_folder(terminal: TmuxTerminal) -> None:
    terminal.create(order("hive-a", "/bin/cat", environment={}))
    eventually(lambda: runs(terminal, "hive-a", "/bin/cat"))
    assert set(environment_in(terminal, "hive-a")) == OF_THE_TERMINAL
    own = {"SHELL": "/bin/none", "PWD": "/nowhere"}
    terminal.create(order("hive-b", "/bin/cat", environment=own))
    eventually(lambda: runs(terminal, "hive-b", "/bin/cat"))
    found = environment_in(terminal, "hive-b")
    assert {name: found[name] for name in own} == own


def test_a_secret_of_the_environment_is_on_no_command_line(terminal: TmuxTerminal) -> None:
    secret = "hive-secret-0123456789"
    terminal.create(order("hive-a", "cat", environment={"PATH": PATH, "HIVE_TOKEN": secret}))
    eventually(lambda: runs(terminal, "hive-a", "cat"))
    lines = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    assert str(terminal.structure.socket_path) in lines
    assert secret not in lines


def test_neither_server_nor_client_holds_the_daemons_environment(
    terminal: TmuxTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE_TOKEN", "of-the-daemon")
    terminal.create(order("hive-a", "cat"))
    listed = terminal.structure.cmd("list-clients", "-F", "#{client_pid}").stdout
    server = terminal.structure.cmd("display-message", "-p", "#{pid}").stdout
    for pid in (*listed, *server):
        assert b"FORGE_TOKEN" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert terminal.structure.cmd("show-environment", "-g").stdout == []


def test_a_single_word_is_started_without_a_shell(terminal: TmuxTerminal, tmp_path: Path) -> None:
    program = tmp_path / "odd name; touch $(x)=1"
    program.symlink_to("/bin/cat")
    terminal.create(order("hive-a", str(program)))
    eventually(lambda: runs(terminal, "hive-a", str(program)))


def test_the_program_starts_in_its_folder_whatever_that_is_called(
    terminal: TmuxTerminal, tmp_path: Path
) -> None:
    folder = tmp_path / "a #{pid} ~ $HOME; ü"
    folder.mkdir()
    terminal.create(order("hive-a", "cat", workdir=str(folder)))
    eventually(lambda: runs(terminal, "hive-a", "cat"))
    pane = terminal.look()[0]
    assert os.readlink(f"/proc/{pane.pid}/cwd") == str(folder)


def test_a_missing_folder_is_refused_with_its_name(terminal: TmuxTerminal, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="nowhere"):
        terminal.create(order("hive-a", "cat", workdir=str(tmp_path / "nowhere")))
    assert terminal.look() == ()


def test_a_program_that_does_not_exist_leaves_a_dead_pane_that_says_so(terminal: TmuxTerminal) -> None:
    terminal.create(order("hive-a", "no-such-program", columns=200))
    eventually(lambda: terminal.look()[0].dead)
    assert terminal.look()[0].exit_status == 127
    assert "no-such-program" in terminal.capture(["hive-a"])["hive-a"]


def test_the_size_stays_when_a_client_of_another_size_comes_and_is_counted(terminal: TmuxTerminal) -> None:
    terminal.create(order("hive-a", "cat", columns=123))
    argv = [word for word in terminal.attach_argv("hive-a") if word != "-u"]
    argv.insert(1, "-C")
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as person:
        eventually(lambda: terminal.look()[0].attached == 1)
        pane = terminal.look()[0]
        assert (pane.columns, pane.rows) == (123, 24)
        person.kill()
    eventually(lambda: terminal.look()[0].attached == 0)
