"""What counts as a sign of work, and what a program shows of itself while it only waits."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hive.contracts.backend import Process
from hive.kernel.signs_of_work import SignsOfWork
from tests.decisions.worlds import NOW

LATER = NOW + timedelta(minutes=5)
FIRST = "\x1b[31m✻ Actualizing… (13m 23s · ↓ 47.5k tokens · esc to interrupt)\x1b[0m\n❯ \n"


def shown(text: str) -> SignsOfWork:
    signs = SignsOfWork(NOW)
    signs.screen(text, NOW)
    return signs


@pytest.mark.parametrize(
    ("text", "is_sign"),
    [
        ("\x1b[33m✢ Actualizing… (18m 23s · ↓ 47.9k tokens · esc to interrupt)\x1b[0m\n❯ \n", False),
        ("· Actualizing… (18m 24s · ↓ 47.9k tokens · esc to interrupt)\n\n\n❯ ", False),
        ("● Bash(make)\n✻ Actualizing… (18m 23s · ↓ 47.9k tokens · esc to interrupt)\n❯ \n", True),
        ("", False),
    ],
    ids=["glyph, clock and colour", "moved", "a new line", "cleared"],
)
def test_only_words_that_were_not_there_before_are_a_sign(text: str, is_sign: bool) -> None:
    signs = shown(FIRST)
    signs.screen(text, LATER)
    assert signs.since == (LATER if is_sign else NOW)


def test_a_word_that_comes_back_is_no_news() -> None:
    signs = shown("Pondering…")
    for minute, word in enumerate(("Musing…", "Pondering…", "Musing…", "Pondering…"), 1):
        signs.screen(word, NOW + timedelta(minutes=minute))
    assert signs.since == NOW + timedelta(minutes=1)


def test_each_beginning_of_a_compaction_is_remembered_and_the_last_ones_kept() -> None:
    signs = SignsOfWork(NOW)
    for second, is_so in enumerate((False, True, True, False, True, False)):
        signs.compacting(is_so, NOW + timedelta(seconds=second))
    assert signs.compacted == (NOW + timedelta(seconds=1), NOW + timedelta(seconds=4))
    for second in range(100):
        signs.compacting(second % 2 == 0, NOW + timedelta(seconds=second))
    assert len(signs.compacted) == 16
    assert signs.compacted[-1] == NOW + timedelta(seconds=98)


def test_a_transcript_that_grows_is_a_sign() -> None:
    signs = SignsOfWork(NOW)
    signs.transcript(("one",), NOW)
    signs.transcript(("one",), LATER)
    assert signs.since == NOW
    signs.transcript(("one", "two"), LATER)
    assert signs.since == LATER


AGENT, BUILD = Process(7, 1, ("agent",), cpu_s=1.0), Process(8, 7, ("make",), cpu_s=1.0)


@pytest.mark.parametrize(
    ("agent", "build", "is_sign"),
    [
        (1.0, 1.0, False),
        (1.0 + 0.24 * 300, 1.0, False),
        (1.0 + 0.25 * 300, 1.0, True),
        (1.0, 1.0 + 0.009 * 300, False),
        (1.0, 1.0 + 0.01 * 300, True),
    ],
    ids=["still", "a spinner", "it computes itself", "a child that waits", "a build"],
)
def test_cpu_time_is_a_sign_and_a_spinners_is_not(agent: float, build: float, is_sign: bool) -> None:
    signs = SignsOfWork(NOW)
    signs.processes([AGENT, BUILD], [7], NOW)
    used = [Process(7, 1, ("agent",), cpu_s=agent), Process(8, 7, ("make",), cpu_s=build)]
    signs.processes(used, [7], LATER)
    assert signs.since == (LATER if is_sign else NOW)


def test_processes_that_come_or_go_are_a_sign() -> None:
    signs = SignsOfWork(NOW)
    signs.processes([AGENT], [7], NOW)
    signs.processes([AGENT, BUILD], [7], LATER)
    assert signs.since == LATER
    signs.processes([AGENT], [7], LATER + timedelta(minutes=5))
    assert signs.since == LATER + timedelta(minutes=5)
