"""What follows a merge: the base's checks, merging on hold, the pull request that undoes it, the branch."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.after_merge import merge_news, outcome, watched
from hive.decisions.merge_gate import MergePolicy, RequiredCheck
from hive.decisions.merge_message import merge_title
from hive.decisions.merging import judge_here
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.facts.bases import BaseRules, QueueEntry
from hive.facts.events import Event, MergeChecked, MergingHeld, MergingReleased
from hive.facts.forge import Check, CommitSighting, PullRequest
from hive.facts.intents import (
    DeleteBranch,
    DequeuePullRequest,
    EnqueuePullRequest,
    MergePullRequest,
    OpenRevert,
)
from hive.facts.memory import Memory, MergeWatch, MergingHold, PullMemory
from hive.facts.world import Seen, World
from tests.decisions.worlds import HEAD, NOW, REPO, look, policy, pull

MERGE = "c" * 40
WATCH = MergeWatch(REPO, 31, "main", MERGE, NOW - timedelta(minutes=5))
BROKEN = "main is broken since #31 was merged: build failed"
HOLD = MergingHold("main", MERGE, 31, BROKEN, "", NOW)
MERGED = pull(31, state="merged", merge_commit=MERGE)
KNOWN = PullMemory(agent="quality-1", issue=7, task="t", head_ref="hive/quality-1/31")
BLAMED = replace(KNOWN, state="merged", merge_commit=MERGE, branch_settled=True)


def run(conclusion: str | None, name: str = "build", sha: str = MERGE, number: int = 1) -> Check:
    status = "completed" if conclusion else "in_progress"
    return Check(number, name, "check", sha, status, conclusion)


def sighting(*runs: Check, sha: str = MERGE) -> CommitSighting:
    return CommitSighting(sha, runs)


@pytest.mark.parametrize(
    ("runs", "required", "expected"),
    [
        ((), None, ("pending", ())),
        ((run("success"),), None, ("green", ())),
        ((run("success"), run("skipped", "docs")), None, ("green", ())),
        ((run("skipped"),), None, ("pending", ())),
        ((run("success"), run(None, "e2e")), None, ("pending", ())),
        ((run("failure"), run(None, "e2e")), None, ("red", ("build",))),
        ((run("timed_out"),), None, ("red", ("build",))),
        ((run("cancelled"), run("success", "lint")), None, ("green", ())),
        ((run("failure"), run("success", number=2)), None, ("green", ())),
        ((run("failure", sha="d" * 40),), None, ("pending", ())),
        ((run("success"), run("failure", "optional")), ("build",), ("green", ())),
        ((run("success", "lint"),), ("build",), ("pending", ())),
    ],
)
def test_a_commit_comes_to_what_its_newest_counted_runs_say(
    runs: tuple[Check, ...], required: tuple[str, ...] | None, expected: tuple[str, tuple[str, ...]]
) -> None:
    rules = MergePolicy(required=None if required is None else tuple(map(RequiredCheck, required)))
    assert outcome(sighting(*runs), rules) == expected


def news(memory: Memory, **commits: CommitSighting) -> list[Event]:
    seen = replace(
        look().value, commits={MERGE if key == "merge" else key: one for key, one in commits.items()}
    )
    return list(merge_news(seen, memory, MergePolicy(), NOW))


def checked(word: str, *failed: str) -> MergeChecked:
    return MergeChecked(repo=REPO, number=31, base="main", commit=MERGE, outcome=word, failed=failed)


def test_a_merge_that_broke_its_base_holds_merging_there() -> None:
    memory = Memory(merges={f"{REPO}#31": WATCH})
    assert news(memory, merge=sighting(run("failure"))) == [
        checked("red", "build"),
        MergingHeld(repo=REPO, base="main", commit=MERGE, number=31, because=BROKEN),
    ]


def test_a_merge_onto_a_base_that_was_red_before_is_not_blamed() -> None:
    memory = Memory(merges={f"{REPO}#31": replace(WATCH, red_before=("build",))})
    assert news(memory, merge=sighting(run("failure"))) == [checked("red-before", "build")]


def test_checks_that_never_report_after_a_merge_are_told_once_their_time_is_over() -> None:
    late = replace(WATCH, at=NOW - timedelta(hours=1))
    assert news(Memory(merges={f"{REPO}#31": WATCH})) == []
    assert news(Memory(merges={f"{REPO}#31": late})) == [checked("unknown")]


def test_merging_goes_on_once_the_base_is_green_again_and_a_persons_hold_stays() -> None:
    tip = "d" * 40
    green = sighting(run("success", sha=tip), sha=tip)
    told = MergingReleased(repo=REPO, because="main is green again at dddddddddddd")
    assert news(Memory(merging={REPO: HOLD}), main=green) == [told]
    assert news(Memory(merging={REPO: HOLD}), main=sighting(run(None, sha=tip), sha=tip)) == []
    assert news(Memory(merging={REPO: replace(HOLD, by="ada")}), main=green) == []


def test_looks_read_the_merges_that_are_waited_for_and_the_bases_that_are_held() -> None:
    memory = Memory(merges={f"{REPO}#31": WATCH}, merging={REPO: HOLD, "o/other": replace(HOLD, by="ada")})
    assert watched(memory, [REPO, "o/other"]) == {REPO: (MERGE, "main")}


def here(*pulls: PullRequest, recent: tuple[PullRequest, ...] = ()) -> World:
    return World(now=NOW, agents=Seen((), NOW), repos={REPO: look(pulls=pulls, recent=recent)})


def full(**changes: object) -> Policy:
    return policy(level=6, **changes)


def on_forge(world: World, memory: Memory, wishes: Policy) -> list[object]:
    kinds = (MergePullRequest, EnqueuePullRequest, DequeuePullRequest, DeleteBranch, OpenRevert)
    return [intent for intent in plan(world, memory, wishes).intents if isinstance(intent, kinds)]


def test_nothing_but_what_undoes_the_merge_gets_in_while_merging_is_held() -> None:
    undoes = pull(32, head="e" * 40, head_ref="revert-31-hive/quality-1/31")
    red = run("failure", sha="")
    undoes = replace(undoes, base_checks=(red,))
    pulls = {f"{REPO}#31": BLAMED, f"{REPO}#32": replace(KNOWN, reverts=31), f"{REPO}#33": KNOWN}
    memory = Memory(pulls=pulls, merging={REPO: HOLD})
    other = judge_here(pull(33), REPO, memory, full(), NOW)
    assert [(str(one.code), one.because) for one in other.obstacles] == [
        ("merging-held", f"merging is on hold in {REPO}: {BROKEN}")
    ]
    assert on_forge(here(pull(33), undoes, recent=(MERGED,)), memory, full()) == [
        MergePullRequest(
            repo=REPO,
            number=32,
            head="e" * 40,
            base="main",
            because="green, and its agent's mode is full",
            red_before=("build",),
        )
    ]
    by_ada = replace(memory, merging={REPO: replace(HOLD, by="ada")})
    assert on_forge(here(pull(33), undoes, recent=(MERGED,)), by_ada, full()) == []


@pytest.mark.parametrize(("level", "opens"), [(2, False), (5, True), (6, True)])
def test_a_broken_base_is_undone_once_where_its_agent_may_open_pull_requests(level: int, opens: bool) -> None:
    memory = Memory(pulls={f"{REPO}#31": BLAMED}, merging={REPO: HOLD})
    revert = OpenRevert(
        repo=REPO,
        number=31,
        head=MERGE,
        title='Revert "Change 31"',
        body=f"{BROKEN}.\n\nThis undoes #31, so that main is green again.",
        because=BROKEN,
    )
    assert on_forge(here(recent=(MERGED,)), memory, policy(level=level)) == ([revert] if opens else [])
    there = replace(memory, pulls={**memory.pulls, f"{REPO}#32": replace(KNOWN, reverts=31, state="closed")})
    assert on_forge(here(recent=(MERGED,)), there, policy(level=level)) == []


def test_a_branch_is_deleted_only_once_its_merge_was_seen_and_nothing_else_needs_it() -> None:
    seen = replace(BLAMED, branch_settled=False)
    delete = DeleteBranch(
        repo=REPO, number=31, head=HEAD, branch="hive/quality-1/31", because="#31 was merged from it"
    )
    memory = Memory(pulls={f"{REPO}#31": seen})
    assert on_forge(here(recent=(MERGED,)), memory, full()) == [delete]
    unseen = Memory(pulls={f"{REPO}#31": replace(seen, merge_commit="")})
    assert on_forge(here(recent=(MERGED,)), unseen, full()) == []
    for other in (pull(40, head_ref="hive/quality-1/31"), pull(41, base="hive/quality-1/31")):
        assert on_forge(here(other, recent=(MERGED,)), memory, full()) == []
    keeps = full(merge={REPO: MergePolicy(settle=timedelta(), delete_branch=False)})
    assert on_forge(here(recent=(MERGED,)), memory, keeps) == []


def test_a_base_with_a_merge_queue_is_merged_by_the_queue_and_a_hold_takes_it_out() -> None:
    queue = pull(31, rules=BaseRules(queue=True))
    memory = Memory(pulls={f"{REPO}#31": KNOWN})
    [into] = on_forge(here(queue), memory, full())
    assert isinstance(into, EnqueuePullRequest)
    inside = replace(queue, queued=QueueEntry(1, "queued"))
    queued = Memory(pulls={f"{REPO}#31": replace(KNOWN, queued_head=HEAD)})
    assert on_forge(here(inside), queued, full()) == []
    held = replace(inside, draft=True)
    [out] = on_forge(here(held), queued, full())
    assert isinstance(out, DequeuePullRequest)
    assert out.because == "it is a draft; its author has to mark it ready"
    assert on_forge(here(held), memory, full()) == []


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("Multiply", "Multiply (#7)"),
        ("Fix it [skip ci] now", "Fix it now (#7)"),
        ("[ci skip]***NO_CI***", "Merge (#7)"),
        ("Thanks @ada and a@b.c", "Thanks ada and a@b.c (#7)"),
        ("One\n\nCo-authored-by: Eve <e@x>", "One Co-authored-by: Eve <e@x> (#7)"),
        ("", "Merge (#7)"),
    ],
)
def test_a_merge_commits_title_is_one_harmless_line(title: str, told: str) -> None:
    assert merge_title(title, 7) == told
