"""However the stream to a pod breaks, what was asked happens once and in order."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hive.errors import InDoubt, Missing, Refused, Unreachable
from hive.shells.kubernetes.terminal import PodTerminal
from tests.shells.kubernetes.pod_here import Fate, PodHere, StreamHere, random_fates
from tests.shells.tmux.conftest import BEGIN, END, order
from tests.shells.waiting import eventually

NAME = "hive-agent"
READER = Path(__file__).parents[1] / "tmux" / "raw_reader.py"


@pytest.fixture
def pod(tmp_path: Path) -> Iterator[PodHere]:
    pod = PodHere(tmp_path / "pod")
    try:
        yield pod
    finally:
        pod.close()


@pytest.fixture
def terminal(pod: PodHere) -> Iterator[PodTerminal]:
    terminal = terminal_of(pod)
    try:
        yield terminal
    finally:
        terminal.close()


def terminal_of(pod: PodHere, *, timeout: float = 30.0, silence: float = 5.0) -> PodTerminal:
    return PodTerminal(pod.open, socket=str(pod.socket), timeout=timeout, silence=silence, stop_grace=0.5)


def start_reader(terminal: PodTerminal, log: Path) -> None:
    log.touch()
    terminal.create(order(NAME, sys.executable, "-S", str(READER), str(log)))
    eventually(lambda: "ready" in terminal.capture([NAME]).get(NAME, ""))


@pytest.mark.parametrize("seed", range(3))
def test_of_two_hundred_prompts_over_streams_cut_at_random_none_is_lost_or_doubled(
    pod: PodHere, terminal: PodTerminal, tmp_path: Path, seed: int
) -> None:
    log = tmp_path / "log"
    start_reader(terminal, log)
    dice = random.Random(seed)
    pod.fates = random_fates(dice)
    pod.cut()
    want = b""
    for number in range(200):
        if dice.random() < 0.3:
            terminal.press(NAME, [f"{number}"[-1], "Enter"], {"pressed": str(number)})
            want += f"{number}"[-1].encode() + b"\r"
        else:
            text = f"prompt {number} ü " + "x" * dice.choice([0, 10, 3_000])
            terminal.paste(NAME, text, {"prompt": str(number)})
            want += BEGIN + text.encode() + END
    pod.fates = Fate
    eventually(lambda: len(log.read_bytes()) >= len(want))
    assert log.read_bytes() == want
    assert len(pod.streams) > 30


def test_a_prompt_that_is_still_on_its_way_when_the_stream_breaks_arrives_once(
    pod: PodHere, terminal: PodTerminal, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    start_reader(terminal, log)
    for number in range(5):
        fates = iter([Fate(sent=2_500, late=0.2, linger=1.0)])
        pod.fates = lambda fates=fates: next(fates, Fate())  # type: ignore[misc]  # a default binds the loop's value
        pod.cut()
        terminal.paste(NAME, f"prompt {number} " + "x" * 3_000, {"prompt": str(number)})
    want = b"".join(BEGIN + b"prompt %d " % number + b"x" * 3_000 + END for number in range(5))
    eventually(lambda: len(log.read_bytes()) >= len(want))
    time.sleep(0.5)  # longer than anything is on its way
    assert log.read_bytes() == want
    assert terminal.look()[0].marks == {"prompt": "4"}


def test_a_session_is_started_once_though_the_answer_is_lost(pod: PodHere, terminal: PodTerminal) -> None:
    assert terminal.look() == ()
    pod.fates = random_fates(random.Random(7))
    pod.cut()
    for number in range(10):
        terminal.create(order(f"hive-{number}", "cat", marks={"intent": str(number)}))
        with pytest.raises(Refused, match="duplicate"):
            terminal.create(order(f"hive-{number}", "cat"))
    pod.fates = Fate
    assert {pane.name: pane.marks for pane in terminal.look()} == {
        f"hive-{number}": {"intent": str(number)} for number in range(10)
    }


def test_a_hundred_kilobytes_arrive_as_they_are(pod: PodHere, terminal: PodTerminal, tmp_path: Path) -> None:
    log = tmp_path / "log"
    start_reader(terminal, log)
    want = b""
    for text in ("é😀" * 17_000, 'line; of $x \\; ~ “text”\t"q"\n' * 3_500, "-x\r\n;" * 20_000):
        terminal.paste(NAME, text, {})
        want += BEGIN + text.encode() + END
    eventually(lambda: len(log.read_bytes()) >= len(want))
    assert log.read_bytes() == want


def test_a_pod_that_is_gone_is_unreachable_to_who_looks_and_missing_to_who_names_a_session(
    pod: PodHere,
) -> None:
    terminal = terminal_of(pod, timeout=1.0)
    terminal.create(order(NAME, "cat"))
    pod.gone = True
    pod.cut()
    with pytest.raises(Unreachable, match="not found"):
        terminal.look()
    with pytest.raises(Unreachable, match="not found"):
        terminal.capture([NAME])
    with pytest.raises(Unreachable, match="not found"):
        terminal.create(order("hive-b", "cat"))
    with pytest.raises(Missing, match="not found"):
        terminal.paste(NAME, "text", {})
    with pytest.raises(Missing, match="not found"):
        terminal.press(NAME, ["Enter"], {})
    terminal.stop(NAME)
    terminal.close()


def test_a_pod_out_of_reach_is_unreachable_in_time_and_found_again(pod: PodHere) -> None:
    terminal = terminal_of(pod, timeout=1.0)
    terminal.create(order(NAME, "cat"))
    pod.away = True
    pod.cut()
    for ask in (terminal.look, lambda: terminal.paste(NAME, "text", {}), lambda: terminal.stop(NAME)):
        start = time.monotonic()
        with pytest.raises(Unreachable):
            ask()
        assert time.monotonic() - start < 5
    pod.away = False
    assert [pane.name for pane in terminal.look()] == [NAME]
    terminal.close()


def test_a_stream_that_says_nothing_is_given_up_for_another(pod: PodHere, tmp_path: Path) -> None:
    terminal = terminal_of(pod, silence=0.5)
    log = tmp_path / "log"
    start_reader(terminal, log)
    pod.silent = True
    threading.Timer(1.0, lambda: setattr(pod, "silent", False)).start()
    terminal.paste(NAME, "once", {"prompt": "1"})
    eventually(log.read_bytes)
    assert log.read_bytes() == BEGIN + b"once" + END
    assert len(pod.streams) > 1
    terminal.close()


def test_what_another_hive_did_meanwhile_leaves_a_prompt_in_doubt(pod: PodHere, tmp_path: Path) -> None:
    first = terminal_of(pod)
    log = tmp_path / "log"
    start_reader(first, log)
    second = terminal_of(pod)

    def lose() -> Fate:
        pod.fates = Fate
        second.paste(NAME, "of the second", {"prompt": "2"})
        return Fate()

    pod.streams[-1].cut()
    fates = iter([Fate(sent=2_000)])
    pod.fates = lambda: next(fates, None) or lose()
    with pytest.raises(InDoubt, match="another hive"):
        first.paste(NAME, "of the first " + "x" * 5_000, {"prompt": "1"})
    eventually(log.read_bytes)
    assert log.read_bytes() == BEGIN + b"of the second" + END
    first.close()
    second.close()


def test_a_break_wakes_who_watches_and_output_is_told_again_afterwards(
    pod: PodHere, terminal: PodTerminal
) -> None:
    poked = threading.Event()
    terminal.watch(poked.set)
    terminal.create(order(NAME, "cat"))
    eventually(poked.is_set)
    for text in ("one", "two"):
        time.sleep(0.3)
        poked.clear()
        pod.cut()
        eventually(poked.is_set, what="a poke for the break")
        terminal.look()
        time.sleep(0.3)
        poked.clear()
        terminal.paste(NAME, text, {})
        eventually(poked.is_set, what="a poke for output")


def test_a_program_sees_what_was_ordered_and_nothing_of_the_container(
    pod: PodHere, terminal: PodTerminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    wanted = {"PATH": "/usr/bin:/bin", "ODD": "a=b; $HOME #{pid} \"'\\ \n\tü"}
    told = tmp_path / "told"
    terminal.create(order(NAME, "sh", "-c", f"cat /proc/$$/environ >{told}; exec cat", environment=wanted))
    eventually(lambda: told.exists() and told.read_bytes().endswith(b"\0"))
    found = dict(word.split("=", 1) for word in told.read_bytes().decode().split("\0") if word)
    assert found.keys() - wanted.keys() == {"TERM", "TMUX", "TMUX_PANE"}
    assert {name: found[name] for name in wanted} == wanted
    with pytest.raises(Refused, match="nowhere"):
        terminal.create(order("hive-b", "cat", workdir=str(tmp_path / "nowhere")))


def test_an_exec_that_does_not_come_about_keeps_nobody_waiting(pod: PodHere) -> None:
    comes = threading.Event()
    late: list[StreamHere] = []

    def slow(command: Sequence[str]) -> StreamHere:
        comes.wait(30)
        late.append(pod.open(command))
        return late[-1]

    terminal = PodTerminal(slow, socket=str(pod.socket), timeout=0.5)
    start = time.monotonic()
    with pytest.raises(Unreachable, match="no connection within"):
        terminal.look()
    assert time.monotonic() - start < 5
    comes.set()
    eventually(lambda: late and late[0].is_broken, what="the late stream let go of")
    eventually(lambda: reached(terminal))
    terminal.close()


def reached(terminal: PodTerminal) -> bool:
    try:
        return terminal.look() == ()
    except Unreachable:
        return False


@pytest.mark.parametrize("answer", ["%begin x y z", "nonsense", "%begin 1 2 1\\nnot a pid\\n%end 1 2 1"])
def test_a_pod_that_talks_nonsense_is_unreachable(pod: PodHere, tmp_path: Path, answer: str) -> None:
    def nonsense(_command: Sequence[str]) -> StreamHere:
        return pod.open(["sh", "-c", f"while read -r line; do printf '%b\\n' '{answer}'; done"])

    terminal = PodTerminal(nonsense, socket=str(pod.socket), timeout=0.5)
    with pytest.raises(Unreachable):
        terminal.look()
    with pytest.raises(Unreachable):
        terminal.paste(NAME, "text", {})
    terminal.close()


def test_a_pod_that_lets_nobody_in_is_unreachable_to_who_looks_and_says_why(pod: PodHere) -> None:
    def refuse(_command: Sequence[str]) -> StreamHere:
        raise Refused("kubernetes", "pods/exec is forbidden")

    terminal = PodTerminal(refuse, socket=str(pod.socket))
    with pytest.raises(Unreachable, match="forbidden"):
        terminal.look()
    with pytest.raises(Refused, match="forbidden"):
        terminal.paste(NAME, "text", {})


def test_an_image_without_tmux_says_so(pod: PodHere, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    (tmp_path / "env").symlink_to("/usr/bin/env")
    said: list[str] = []
    terminal = PodTerminal(pod.open, socket=str(pod.socket), timeout=1.0, on_notice=said.append)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unreachable, match=r"exit code 127: .*tmux"):
        terminal.look()
    monkeypatch.undo()
    terminal.close()
