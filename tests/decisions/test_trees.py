"""A working copy before each prompt, and none that goes while its task, or anything in it, would miss it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.doubt import settle
from hive.decisions.plan import plan
from hive.decisions.recall import recall
from hive.decisions.tree_rows import tree_rows
from hive.decisions.trees import hindrances, losses, unsaved, why_not_released
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.memory import Memory
from hive.facts.trees import TreeMemory, TreeSighting, Unsaved
from hive.facts.work import Task, TaskState
from hive.facts.world import World
from tests.decisions.worlds import (
    NOW,
    REPO,
    issue,
    known_agent,
    look,
    memory,
    opened,
    policy,
    sighting,
    spec,
    task,
    world,
)

A = "quality-1"
WISHES = policy(trees=True)
SEEN = world(sighting(), repos={REPO: look([issue()])})
TASK = task()
FOLDER = "/agents/quality-1/work/o/r/7-1"
TREE = TreeMemory(A, REPO, 7, "7-1", TASK.branch, folder=FOLDER, generation=1)
PREPARE = i.PrepareTree(
    agent=A,
    task=TASK.id,
    repo=REPO,
    issue=7,
    name="7-1",
    branch=TASK.branch,
    base="main",
    generation=1,
    because="o/r#7, attempt 1",
)
OVER = replace(TASK, state=TaskState.FINISHED, outcome="finding")


def known(held: Task = TASK, tree: TreeMemory | None = None) -> Memory:
    return memory(None, held, trees={} if tree is None else {held.id: tree})


def removals(remembered: Memory, seen: World = SEEN) -> list[i.Intent]:
    return [one for one in plan(seen, remembered, WISHES).intents if isinstance(one, i.RemoveTree)]


def test_a_prompt_waits_for_its_tree_and_names_it() -> None:
    assert plan(SEEN, known(), WISHES).intents == (PREPARE,)
    notes = ("it has submodules, which are not checked out",)
    (prompt,) = plan(SEEN, known(tree=replace(TREE, notes=notes)), WISHES).intents
    assert isinstance(prompt, i.DeliverPrompt)
    assert f"\nfolder: {FOLDER}\nnotes: {notes[0]}\n" in prompt.text


def test_a_tree_is_seen_to_again_after_each_start_of_the_agent() -> None:
    (intent,) = plan(SEEN, known(tree=replace(TREE, generation=0)), WISHES).intents
    assert intent == PREPARE


def test_without_trees_and_in_pods_agents_are_told_where_to_clone_from() -> None:
    (prompt,) = plan(SEEN, known(), policy()).intents
    assert isinstance(prompt, i.DeliverPrompt)
    assert "folder:" not in prompt.text
    assert f"clone: https://github.com/{REPO}.git" in prompt.text


def test_a_tree_that_cannot_be_made_is_tried_again_later_and_later() -> None:
    remembered, at, waits = known(), NOW, []
    for seq in range(2, 12, 2):
        failed = e.IntentFinished(intent_id=PREPARE.id, about=A, outcome="refused", detail="no room")
        started = e.IntentStarted(intent_id=PREPARE.id, body=PREPARE)
        remembered = recall(remembered, [e.Record(seq, at, 1, started), e.Record(seq + 1, at, 1, failed)])
        tree = remembered.trees[TASK.id]
        assert tree.because == "no room"
        assert tree.rests_until is not None
        waits.append(int((tree.rests_until - at).total_seconds()))
        assert plan(replace(SEEN, now=at), remembered, WISHES).intents == ()
        at = tree.rests_until
        assert plan(replace(SEEN, now=at), remembered, WISHES).intents == (PREPARE,)
    assert waits == [10, 20, 40, 80, 160]


def test_what_was_interrupted_is_done_again_at_once() -> None:
    started = e.IntentStarted(intent_id=PREPARE.id, body=PREPARE)
    doubtful = recall(known(), [e.Record(2, NOW, 1, started)])
    assert plan(SEEN, doubtful, WISHES).intents == ()
    (settled,) = settle(SEEN, doubtful)
    assert settled.outcome == "undone"
    after = recall(doubtful, [e.Record(3, NOW, 1, settled)])
    assert plan(SEEN, after, WISHES).intents == (PREPARE,)
    assert settle(replace(SEEN, hidden={A: "away"}), doubtful) == ()


@pytest.mark.parametrize("state", list(TaskState))
def test_a_tree_goes_only_when_its_task_is_over(state: TaskState) -> None:
    over = state in (TaskState.FINISHED, TaskState.RELEASED)
    assert bool(removals(known(replace(TASK, state=state), tree=TREE))) is over


def test_a_tree_whose_task_is_forgotten_goes() -> None:
    assert [one.id for one in removals(memory(trees={TASK.id: TREE}))] == [f"untree/{TASK.id}"]


@pytest.mark.parametrize(("state", "pulls"), [("open", None), ("merged", (31,)), ("closed", (31,))])
def test_a_tree_stays_while_its_pull_request_is_open(state: str, pulls: tuple[int, ...] | None) -> None:
    pull = opened(A, head_ref=TASK.branch, state=state)
    found = removals(replace(known(OVER, tree=TREE), pulls={f"{REPO}#31": pull}))
    assert [one.pulls for one in found if isinstance(one, i.RemoveTree)] == ([] if pulls is None else [pulls])


def test_another_agents_pull_request_says_nothing_about_a_tree() -> None:
    pull = opened("quality-2", head_ref=TASK.branch, state="open")
    assert removals(replace(known(OVER, tree=TREE), pulls={f"{REPO}#31": pull}))


def test_nothing_goes_while_the_terminal_or_the_agent_is_unseen_or_unknown() -> None:
    remembered = known(OVER, tree=TREE)
    assert removals(remembered)
    assert removals(remembered, world(unseen="away")) == []
    assert removals(remembered, replace(SEEN, hidden={A: "away"})) == []
    stranger = policy(spec("other"), trees=True)
    assert [one for one in plan(SEEN, remembered, stranger).intents if isinstance(one, i.RemoveTree)] == []


def test_a_tree_that_is_kept_is_named_and_looked_at_again_later() -> None:
    kept = e.TreeKept(agent=A, task=TASK.id, folder=FOLDER, because="1 stash")
    after = recall(known(OVER, tree=TREE), [e.Record(2, NOW, 1, kept)])
    assert after.trees[TASK.id].because == "1 stash"
    assert removals(after) == []
    assert removals(after, replace(SEEN, now=NOW + timedelta(minutes=31)))


def test_a_kept_tree_is_removed_once_a_person_releases_it_whatever_it_has() -> None:
    kept = e.TreeKept(agent=A, task=TASK.id, folder=FOLDER, because="1 stash", unsaved=Unsaved(stashes=1))
    released = e.TreeReleased(agent=A, task=TASK.id, by="ann", why="superseded")
    remembered = known(OVER, tree=TREE)
    assert why_not_released("t9", remembered, policy()) == "there is no working copy of 't9'; kept are: none"
    assert "is not kept" in why_not_released(TASK.id, remembered, policy())
    after = recall(remembered, [e.Record(2, NOW, 1, kept)])
    assert why_not_released(TASK.id, after, policy()) == ""
    assert "no longer configured" in why_not_released(TASK.id, after, policy(spec("other")))
    working = replace(after, tasks={TASK.id: TASK})
    assert "still at" in why_not_released(TASK.id, working, policy())
    (row,) = tree_rows(after)
    assert (row["because"], row["unsaved"], row["released_by"]) == (
        "1 stash",
        {"files": 0, "commits": 0, "stashes": 1},
        None,
    )
    going = recall(after, [e.Record(3, NOW, 1, released)])
    pull = opened(A, head_ref=TASK.branch, state="open")
    (intent,) = removals(replace(going, pulls={f"{REPO}#31": pull}))
    assert isinstance(intent, i.RemoveTree)
    assert (intent.rescue, intent.because) == (True, "ann released it")
    refused = recall(going, [e.Record(4, NOW, 1, kept)])
    assert removals(refused) == []
    assert [one["released_by"] for one in tree_rows(refused)] == [None]


def test_only_what_a_removal_would_disturb_stands_against_one_that_a_person_asks_for() -> None:
    seen = replace(CLEAN, changed=1, untracked=2, unpushed=3, stashes=2, operation="rebase")
    assert hindrances(seen) == ()
    assert hindrances(replace(seen, processes=1)) == ("1 program is at work in it",)
    assert hindrances(replace(seen, linked=1)) == ("1 other working copy depends on it",)
    assert hindrances(replace(seen, fault="no")) == ("it cannot be looked at: no",)
    assert unsaved(seen) == Unsaved(files=3, commits=3, stashes=2)


def test_a_tree_that_is_gone_is_forgotten() -> None:
    removed = e.TreeRemoved(agent=A, task=TASK.id, folder=FOLDER)
    assert recall(known(OVER, tree=TREE), [e.Record(2, NOW, 1, removed)]).trees == {}


CLEAN = TreeSighting(exists=True, head="a" * 40, branch=TASK.branch)


def test_what_would_be_lost_is_named() -> None:
    seen = replace(
        CLEAN, changed=1, untracked=2, unpushed=3, stashes=2, linked=1, processes=1, operation="rebase"
    )
    assert losses(CLEAN) == ()
    assert losses(seen) == (
        "1 changed file",
        "2 untracked files",
        "3 commits that the forge does not have",
        "2 stashes",
        "1 other working copy depends on it",
        "1 program is at work in it",
        "it is in the midst of a rebase",
    )


@given(st.builds(TreeSighting, exists=st.just(True), branch=st.none() | st.text()))
def test_a_tree_goes_only_when_nothing_whatever_is_against_it(seen: TreeSighting) -> None:
    nothing = replace(seen, fault="", changed=0, untracked=0, unpushed=0, stashes=0, operation="", linked=0)
    assert (losses(seen) == ()) is (seen == replace(nothing, processes=0))


def test_known_agents_with_no_task_get_no_tree() -> None:
    assert plan(world(sighting()), memory({A: known_agent()}), WISHES).intents == ()
