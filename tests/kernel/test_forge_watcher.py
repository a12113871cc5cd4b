"""Looks at repositories: when they are due, when they are pressed for, and what a failed one hides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from hive.decisions.instants import iso
from hive.errors import Throttled, Unreachable
from hive.facts.activity import Activity
from hive.facts.forge import RepositorySnapshot
from hive.facts.knowledge import KnowledgeFile
from hive.facts.quotas import Quota
from hive.facts.world import Seen, Unseen
from hive.kernel.lane import Lane
from hive.kernel.look_at_forge import ForgeWatcher
from hive.ports.forge import Forge
from tests.decisions.worlds import NOW, OTHER, REPO, SECOND, look, pull
from tests.fakes.clock import FakeClock
from tests.kernel.house import until
from tests.kernel.shown_forge import ShownForge


class Watch:
    def __init__(self) -> None:
        self.clock = FakeClock(NOW)
        self.forge = ShownForge(look().value, look(repo=OTHER).value)
        self.lane: Lane[Forge] = Lane("forge", lambda: self.forge)
        self.watcher = ForgeWatcher(self.lane, timedelta(seconds=60), self.clock.now)
        self.looks = 0

    def seen(self) -> None:
        self.looks += 1

    def looked_at(self) -> list[str]:
        return [repo for what, repo in self.forge.calls if what == "look"]


def seen(repo: str = REPO, at: datetime = NOW) -> Seen[RepositorySnapshot]:
    """A look at a repository in which nothing was done lately."""
    return Seen(replace(look(repo=repo).value, activity=Activity()), at)


@asynccontextmanager
async def watching(*repos: str) -> AsyncIterator[Watch]:
    """A watcher at work, all repositories looked at once."""
    watch = Watch()
    watch.watcher.sections(repos)
    running = asyncio.create_task(watch.watcher.run(watch.seen))
    try:
        await until(lambda: watch.looks == len(repos))
        yield watch
    finally:
        running.cancel()
        watch.forge.let_go()
        watch.lane.close()


async def test_what_was_not_looked_at_is_unseen_and_not_empty() -> None:
    watch = Watch()
    assert watch.watcher.sections([REPO]) == {REPO: Unseen("not looked at yet", NOW, is_early=True)}
    watch.lane.close()


async def test_a_repository_is_looked_at_again_when_it_is_due_and_not_before() -> None:
    async with watching(REPO, OTHER) as watch:
        watch.clock.advance(59)
        await asyncio.sleep(0.15)
        assert watch.looked_at() == [REPO, OTHER]
        watch.clock.advance(1)
        watch.watcher.press([])  # carries nothing: only the clock is looked at again
        watch.watcher._wake.set()
        await until(lambda: watch.looks == 4)
        assert watch.looked_at() == [REPO, OTHER, REPO, OTHER]
        assert watch.watcher.sections([REPO, OTHER])[REPO] == seen(at=NOW + 60 * SECOND)


async def test_a_repository_that_is_pressed_for_is_looked_at_at_once_and_alone() -> None:
    async with watching(REPO, OTHER) as watch:
        watch.watcher.press([OTHER])
        await until(lambda: watch.looks == 3)
        assert watch.looked_at() == [REPO, OTHER, OTHER]


async def test_a_failed_look_hides_the_repository_and_no_other() -> None:
    async with watching(REPO, OTHER) as watch:
        watch.forge.failures[REPO] = Unreachable("forge", "502")
        watch.watcher.press([REPO, OTHER])
        await until(lambda: watch.looks == 4)
        sections = watch.watcher.sections([REPO, OTHER])
        assert sections[REPO] == Unseen("forge: 502", NOW)
        assert sections[OTHER] == seen(OTHER)


async def test_a_forge_that_asks_for_patience_gets_it_whoever_presses() -> None:
    async with watching(REPO) as watch:
        watch.forge.failures[REPO] = Throttled("forge", "slow down", NOW + timedelta(minutes=10))
        watch.watcher.press([REPO])
        await until(lambda: watch.looks == 2)
        watch.clock.advance(120)
        watch.watcher.press([REPO])
        await asyncio.sleep(0.15)
        assert watch.looks == 2
        watch.forge.failures.clear()
        watch.clock.advance(480)
        watch.watcher.press([REPO])
        await until(lambda: watch.looks == 3)
        assert isinstance(watch.watcher.sections([REPO])[REPO], Seen)


def left(remaining: int) -> tuple[Quota, ...]:
    return (Quota("the token", "graphql", 5000, remaining, NOW + timedelta(minutes=30)),)


async def test_what_is_kept_for_acts_is_not_spent_on_looks_and_what_was_not_seen_says_why() -> None:
    watch = Watch()
    watch.forge.told_quotas = left(900)
    watch.watcher.sections([REPO, OTHER])
    running = asyncio.create_task(watch.watcher.run(watch.seen))
    await until(lambda: watch.looks == 2)
    why = (
        "900 of 5000 points of GraphQL are left to the token, which is kept for acts until "
        f"{iso(NOW + timedelta(minutes=30))}"
    )
    assert watch.watcher.sections([REPO, OTHER]) == {REPO: seen(), OTHER: Unseen(why, NOW)}
    assert watch.looked_at() == [REPO]
    watch.watcher.press([OTHER])
    watch.clock.advance(1799)
    watch.watcher.press([REPO])
    await asyncio.sleep(0.15)
    assert watch.looked_at() == [REPO]
    watch.clock.advance(1)
    watch.forge.told_quotas = left(5000)
    watch.watcher.press([])
    watch.watcher._wake.set()
    await until(lambda: len(watch.looked_at()) == 3)
    running.cancel()
    watch.forge.let_go()
    watch.lane.close()


async def test_a_repository_that_is_new_is_looked_at_and_one_that_left_is_forgotten() -> None:
    async with watching(REPO) as watch:
        watch.watcher.sections([OTHER])
        await until(lambda: watch.looks == 2)
        assert watch.looked_at() == [REPO, OTHER]
        assert watch.watcher.sections([REPO]) == {REPO: Unseen("not looked at yet", NOW, is_early=True)}


async def test_nobody_is_taken_for_hive_until_the_forge_has_told_its_account() -> None:
    watch = Watch()
    watch.forge.failures["account"] = Unreachable("forge", "502")
    await watch.watcher.look_at(REPO)
    assert watch.watcher.account == ""
    assert watch.watcher.sections([REPO])[REPO] == Unseen("forge: 502", NOW)
    watch.forge.failures.clear()
    await watch.watcher.look_at(REPO)
    await watch.watcher.look_at(REPO)
    assert (watch.watcher.account, watch.forge.asked("account")) == ("hive-bot", 2)
    watch.lane.close()


async def test_a_fault_of_hives_own_hides_the_repository_too() -> None:
    watch = Watch()
    await watch.watcher.look_at(REPO)
    watch.watcher.sections([REPO])

    def broken(repo: str) -> object:
        raise KeyError("number")

    watch.forge.look = broken  # type: ignore[method-assign, assignment]  # a shell with a bug
    with pytest.raises(KeyError):
        await watch.watcher.look_at(REPO)
    assert isinstance(watch.watcher.sections([REPO])[REPO], Unseen)
    watch.lane.close()


async def test_a_pull_request_that_left_the_newest_that_ended_is_asked_for_by_number() -> None:
    watch = Watch()
    ended, still_open = pull(31, state="merged", merge_commit="c" * 40), pull(32)
    watch.forge.snapshots[REPO] = look([], [still_open]).value
    watch.forge.ended = {31: ended}
    watch.watcher.sections([REPO])
    watch.watcher.awaited = {REPO: (30, 31, 32)}
    await watch.watcher.look_at(REPO)
    section = watch.watcher.sections([REPO])[REPO]
    assert isinstance(section, Seen)
    assert section.value.recent == (ended,)
    assert [what for what, _ in watch.forge.calls].count("pull_request") == 2
    watch.lane.close()


async def test_what_a_repository_says_to_those_who_work_on_it_is_read_where_it_is_wanted() -> None:
    words = (KnowledgeFile("AGENTS.md", "a", "Use tabs.\n"),)
    async with watching(REPO, OTHER) as watch:
        assert ("knowledge", REPO) not in watch.forge.calls
        watch.forge.known[REPO] = watch.forge.known[OTHER] = words
        watch.watcher.knows = lambda repo: repo == REPO
        watch.watcher.press([REPO, OTHER])
        await until(lambda: watch.looks == 4)
        told = [
            one.value.knowledge
            for one in watch.watcher.sections([REPO, OTHER]).values()
            if isinstance(one, Seen)
        ]
        assert told == [words, ()]
