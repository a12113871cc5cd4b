"""Notices of tmux become wake-ups: few of them, and none too few."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from hive.shells.tmux.language import CommandList
from hive.shells.tmux.watching import Watcher

_INTERVAL = 0.02
ACTIVE, DIED = (b"%unlinked-window-renamed @" + words for words in (b"7 active", b"8 died"))


@dataclass
class Watched:
    """A watcher, and what it did, in order."""

    calm: float = 0.0
    did: list[str] = field(default_factory=list)
    at: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.watcher = Watcher(lambda: self._note("poke"), self._clear, _INTERVAL, stir=self._stir)

    def _note(self, what: str) -> None:
        self.at.append(time.monotonic())
        self.did.append(what)

    def _stir(self) -> float:
        self._note("stir")
        return self.calm

    def _clear(self, lists: list[CommandList]) -> None:
        self._note(f"clear {len(lists)}")

    def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, self.did
            time.sleep(0.005)


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    made.watcher.stop()


def test_what_is_drawn_after_a_look_and_before_the_window_may_tell_again_is_looked_at_as_well(
    watched: Watched,
) -> None:
    watched.watcher.hear(ACTIVE)
    watched.until(lambda: len(watched.did) >= 3)
    time.sleep(10 * _INTERVAL)
    assert watched.did == ["stir", "clear 1", "stir"]


def test_a_window_may_tell_again_only_after_the_calm_that_the_looker_asked_for(watched: Watched) -> None:
    watched.calm = 0.4
    watched.watcher.hear(ACTIVE)
    watched.until(lambda: "clear 1" in watched.did)
    assert watched.at[1] - watched.at[0] >= 0.4


def test_a_death_within_the_calm_wakes_at_once(watched: Watched) -> None:
    watched.calm = 30.0
    watched.watcher.hear(ACTIVE)
    watched.until(lambda: watched.did == ["stir"])
    watched.watcher.hear(DIED)
    watched.until(lambda: watched.did == ["stir", "poke"])
