"""After a merge: whether the base is still green, whom to blame where it is not, and when merging goes on.

A merge is blamed only for what did not fail before it. Merging is held in that repository until the base's
checks pass again or a person says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Literal

from hive.decisions.merge_gate.bases import broken, counts
from hive.decisions.merge_gate.checks import newest
from hive.decisions.merge_gate.conclusions import COMPLETED, Meaning, meaning
from hive.decisions.merge_policy import MergePolicy
from hive.facts.events import Event, MergeChecked, MergingHeld, MergingReleased
from hive.facts.forge import CommitSighting, RepositorySnapshot
from hive.facts.memory import Memory, MergeWatch, MergingHold

Outcome = Literal["green", "red", "pending"]


def watched(memory: Memory, repos: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """What looks have to read besides, by repository: merge commits that are waited for, and held bases."""
    found: dict[str, tuple[str, ...]] = {}
    for repo in repos:
        asked = [watch.commit for watch in memory.merges.values() if watch.repo == repo]
        hold = memory.merging.get(repo)
        if hold is not None and not hold.by and hold.base:
            asked.append(hold.base)
        if asked:
            found[repo] = tuple(dict.fromkeys(asked))
    return found


def outcome(seen: CommitSighting, policy: MergePolicy) -> tuple[Outcome, tuple[str, ...]]:
    """What the checks of a commit come to, and which say that it is broken. Without any it is pending."""
    failed = tuple(sorted({run.name for run in broken(seen.checks, seen.sha, None, policy)}))
    if failed:
        return "red", failed
    wanted = counts(None, policy)
    runs = [
        run
        for run in newest(run for run in seen.checks if run.head == seen.sha)
        if run.name not in policy.own_checks and (wanted is None or run.name in wanted)
    ]
    is_missing = bool((wanted or frozenset()) - {run.name for run in runs})
    if not runs or is_missing or any(run.status != COMPLETED for run in runs):
        return "pending", ()
    is_green = any(meaning(run, policy.accept) is Meaning.GREEN for run in runs)
    return ("green" if is_green else "pending"), ()


def merge_news(
    look: RepositorySnapshot, memory: Memory, policy: MergePolicy, now: datetime
) -> Iterator[Event]:
    """What the looked-at commits tell of merges that are waited for and of merging on hold."""
    held = memory.merging.get(look.repo)
    for watch in memory.merges.values():
        if watch.repo == look.repo:
            news = _checked(watch, look.commits.get(watch.commit), policy, now)
            if news is not None:
                yield news
                if news.outcome == "red" and held is None:
                    yield _hold(watch, news.failed)
                    return
    if held is not None and not held.by:
        yield from _released(held, look, policy)


def _checked(
    watch: MergeWatch, seen: CommitSighting | None, policy: MergePolicy, now: datetime
) -> MergeChecked | None:
    found, failed = outcome(seen, policy) if seen is not None else ("pending", ())
    if found == "pending":
        if now - watch.at < policy.missing_after:
            return None
        return _told(watch, "unknown", ())
    blamed = tuple(name for name in failed if name not in watch.red_before)
    if found == "red" and not blamed:
        return _told(watch, "red-before", failed)
    return _told(watch, found, blamed)


def _told(watch: MergeWatch, word: str, failed: tuple[str, ...]) -> MergeChecked:
    return MergeChecked(
        repo=watch.repo,
        number=watch.number,
        base=watch.base,
        commit=watch.commit,
        outcome=word,
        failed=failed,
    )


def _hold(watch: MergeWatch, failed: tuple[str, ...]) -> MergingHeld:
    names = ", ".join(failed)
    return MergingHeld(
        repo=watch.repo,
        base=watch.base,
        commit=watch.commit,
        number=watch.number,
        because=f"{watch.base} is broken since #{watch.number} was merged: {names} failed",
    )


def _released(hold: MergingHold, look: RepositorySnapshot, policy: MergePolicy) -> Iterator[Event]:
    tip = look.commits.get(hold.base)
    if tip is not None and outcome(tip, policy)[0] == "green":
        because = f"{hold.base} is green again at {tip.sha[:12]}"
        yield MergingReleased(repo=look.repo, because=because)
