"""Text arrives byte for byte, whatever it is made of, with no client attached."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.decisions.pasteable import pasteable
from hive.ports.terminal import Terminal
from hive.shells.kubernetes.terminal import PodTerminal
from hive.shells.tmux import TmuxTerminal
from tests.shells.kubernetes.pod_here import PodHere
from tests.shells.tmux.conftest import BEGIN, END, Reader, end_all, order
from tests.shells.waiting import eventually

EMOJI = "👩‍👩‍👧‍👦 🇩🇪 👍🏽 é 日本語 ﷽ Z̴̧a̷l̶g̵o"

TEXTS = {
    "semicolon at the end": "run the tests;",
    "only a semicolon": ";",
    "two semicolons": "a;;b",
    "escaped semicolon at the end": "ls\\;",
    "find -exec": "find . -name '*.py' -exec rm {} \\;",
    "leading dash": "-rf everything",
    "double dash": "-- --help",
    "minus t": "ssh -t host",
    "single quotes": "it's 'so'",
    "double quotes": 'say "no"',
    "mixed quotes": "'\"'\"\\'\\\"",
    "command substitution": "$(touch /tmp/x) `id`",
    "variables": "$HOME ${PATH} $1 $$",
    "home": "~/file ~root",
    "formats": "#{pane_id} #S #(date) ##",
    "percent": "%end 1 2 3 %output %1 100%",
    "forged reply": "%begin 1796034830 260 1\n%end 1796034830 260 1\n%error 1 1 1",
    "time": "%Y-%m-%d %H",
    "backslashes": "\\n \\t \\\\ \\001 \\u00e9 \\",
    "braces": "{ } {a,b} }{",
    "comment": "# not a comment",
    "key names": "Enter C-c Escape Up",
    "tabs": "\tone\t\ttwo\t",
    "blank lines": "one\n\n\nfour",
    "line feed at the end": "one\n",
    "line feeds only": "\n\n",
    "spaces": "   a   b   ",
    "only a space": " ",
    "leading bang": "!ls",
    "slash": "/clear",
    "wide and combining": EMOJI,
    "no-break and zero-width": "a\u00a0b\u200bc\ufeffd\u2028e",
    "a line of 4095": "x" * 4095,
    "a line of 5000": "y" * 5000,
    "16,000 bytes": "a" * 16_000,
    "16,300 bytes": "b" * 16_300,
    "16,384 bytes": "c" * 16_384,
    "17,000 bytes": "d" * 17_000,
    "40 kB in two-byte characters": "ä" * 20_000,
    "100 kB in four-byte characters": "😀" * 25_000,
    "100 kB with lines": ("line; of $x \\; ~ “text”\n" * 4_000)[:100_000],
    "1 MB": "0123456789abcde\n" * 65_536,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytes")


@pytest.fixture(scope="module", params=["here", "pod"])
def shared(folder: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    if request.param == "pod":
        yield from in_a_pod(folder)
        return
    terminal = TmuxTerminal(folder / "s", timeout=30)
    try:
        yield terminal
    finally:
        end_all(terminal)


def in_a_pod(folder: Path) -> Iterator[Terminal]:
    pod = PodHere(folder / "pod")
    terminal = PodTerminal(pod.open, socket=str(pod.socket), timeout=30, silence=30)
    try:
        yield terminal
    finally:
        for pane in terminal.look():
            terminal.stop(pane.name)
        terminal.close()
        pod.close()


def tmux(terminal: Terminal, *words: str) -> list[str]:
    """Ask the server directly, as a person would."""
    socket = terminal.structure.socket_path if isinstance(terminal, TmuxTerminal) else socket_of(terminal)
    argv = ["tmux", "-S", str(socket), *words]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()


def socket_of(terminal: Terminal) -> str:
    assert isinstance(terminal, PodTerminal)
    return terminal.attach_command("any")[3]


@pytest.fixture(scope="module")
def reader(shared: Terminal, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(shared, "hive-reader", tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="module")
def narrow(shared: Terminal, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(shared, "hive-read", tmp_path_factory.mktemp("narrow"), columns=40)


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_a_pasted_text_arrives_as_it_is(shared: Terminal, reader: Reader, text: str) -> None:
    shared.paste(reader.name, text, {"prompt": "p"})
    assert reader.received(END) == BEGIN + text.encode() + END


@pytest.mark.parametrize("text", [TEXTS["100 kB with lines"], EMOJI * 100], ids=["lines", "emoji"])
def test_a_narrow_pane_gets_the_same_bytes(shared: Terminal, narrow: Reader, text: str) -> None:
    shared.paste(narrow.name, text, {})
    assert narrow.received(END) == BEGIN + text.encode() + END


def test_texts_of_two_sessions_never_mix(shared: Terminal, reader: Reader, narrow: Reader) -> None:
    for number in range(50):
        shared.paste(reader.name, f"wide {number}", {})
        shared.paste(narrow.name, f"narrow {number}", {})
    want = [
        b"".join(BEGIN + word + b" %d" % number + END for number in range(50))
        for word in (b"wide", b"narrow")
    ]
    eventually(lambda: len(reader.rest()) >= len(want[0]) and len(narrow.rest()) >= len(want[1]))
    assert [reader.received(END), narrow.received(END)] == want


def test_a_prompt_that_would_break_out_of_the_paste_stays_in_it(shared: Terminal, reader: Reader) -> None:
    hostile = "look\x1b[201~\x03rm -rf /\r\x9b201~\x07done"
    shared.paste(reader.name, pasteable(hostile).text, {})
    assert reader.received(END) == BEGIN + b"lookrm -rf /\ndone" + END


def test_keys_arrive_as_the_keys_they_name(shared: Terminal, reader: Reader) -> None:
    shared.press(reader.name, ["Escape", "C-c", "Up", ";", "-", "~", "Enter"], {})
    assert reader.received(b"\r") == b"\x1b\x03\x1b[A;-~\r"


def test_copy_mode_swallows_neither_text_nor_keys(shared: Terminal, reader: Reader) -> None:
    tmux(shared, "copy-mode", "-t", f"={reader.name}:")
    shared.press(reader.name, ["Enter"], {})
    assert reader.received(b"\r") == b"\r"
    tmux(shared, "copy-mode", "-t", f"={reader.name}:")
    shared.paste(reader.name, "text", {})
    assert reader.received(END) == BEGIN + b"text" + END


def test_a_paste_leaves_neither_file_nor_buffer(shared: Terminal, reader: Reader, folder: Path) -> None:
    shared.paste(reader.name, "text", {})
    reader.received(END)
    assert [path.name for path in folder.iterdir() if path.name.startswith("s.")] == []
    assert tmux(shared, "list-buffers") == []


def test_arguments_reach_the_program_as_they_are(shared: Terminal, tmp_path: Path) -> None:
    words = [text for text in TEXTS.values() if len(text) < 20_000]
    told = tmp_path / "arguments"
    script = "import os, sys; open(sys.argv[1], 'wb').write(b'\\0'.join(map(os.fsencode, sys.argv[2:])))"
    shared.create(order("hive-argv", sys.executable, "-S", "-c", script, str(told), *words))
    want = "\0".join(words).encode()
    eventually(lambda: told.exists() and told.stat().st_size >= len(want))
    assert told.read_bytes() == want


def test_a_wrapped_line_is_read_as_one(shared: Terminal) -> None:
    marker = "limit resets at 3pm (Europe/Berlin), please wait"
    shared.create(order("hive-wrap", "sh", "-c", 'printf "%s" "$1"; exec cat', "sh", marker, columns=40))
    eventually(lambda: marker in shared.capture(["hive-wrap"])["hive-wrap"])
