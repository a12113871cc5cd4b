"""What became of an intent without an outcome: its mark tells, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.doubt import settle
from hive.facts import intents as i
from hive.facts.agents import session_name
from hive.facts.memory import Memory
from hive.facts.world import Unseen, World
from tests.decisions.worlds import HEAD, NOW, REPO, held, look, pull, sighting, world

AGENT = "quality-1"
START = i.StartAgent(agent=AGENT, generation=2)
STOP = i.StopAgent(agent=AGENT, session=session_name(AGENT), generation=2)
PROMPT = i.DeliverPrompt(task="t7", agent=AGENT, prompt_id="t7/2", text="Do it", generation=2)
PRESS = i.PressSubmit(agent=AGENT, prompt_id="t7/2", attempt=2)
INTERRUPT = i.InterruptAgent(agent=AGENT, task="t7", prompt_id="t7/2")
HOLD = i.HoldPullRequest(repo=REPO, number=31, label="hold", head=HEAD)
LIFT = i.LiftHold(repo=REPO, number=31, label="hold", head=HEAD)
MERGE = i.MergePullRequest(repo=REPO, number=31, head=HEAD, base="main")
RELEASE = i.ReleaseTask(task="t7", repo=REPO, issue=7, until=NOW)


def outcome(intent: i.Intent, seen: World) -> str | None:
    """None where it stays in doubt."""
    settled = settle(seen, Memory(in_doubt={intent.id: intent}))
    assert [(one.intent_id, one.about) for one in settled] in ([], [(intent.id, intent.subject)])
    return settled[0].outcome if settled else None


def marked(**marks: str) -> World:
    return world(sighting(marks={"agent": AGENT, "generation": "1", **marks}))


@pytest.mark.parametrize(
    ("intent", "seen", "expected"),
    [
        (START, marked(generation="2"), "done"),
        (START, marked(), "undone"),
        (START, world(), "undone"),
        (STOP, world(), "done"),
        (STOP, marked(), "undone"),
        (PROMPT, marked(pasted="t7/2"), "done"),
        (PROMPT, marked(submitted="t7/2"), "done"),
        (PROMPT, marked(pasted="t7/1", submitted="t7/1"), "undone"),
        (PROMPT, world(), "undone"),
        (PRESS, marked(presses="2"), "done"),
        (PRESS, marked(presses="1"), "undone"),
        (INTERRUPT, marked(interrupted="t7/2"), "done"),
        (INTERRUPT, marked(interrupted="t7/1"), "undone"),
        (RELEASE, world(), "undone"),
    ],
)
def test_what_was_done_in_the_terminal_is_told_by_its_mark(
    intent: i.Intent, seen: World, expected: str
) -> None:
    assert outcome(intent, seen) == expected


@pytest.mark.parametrize("intent", [START, STOP, PROMPT, PRESS, INTERRUPT])
def test_it_stays_in_doubt_while_the_terminal_is_unseen(intent: i.Intent) -> None:
    assert outcome(intent, world(unseen="tmux does not answer")) is None


def forge(**changes: object) -> World:
    return world(repos={REPO: look(pulls=[pull(31, **changes)])})


def ended(state: str) -> World:
    return world(repos={REPO: look(recent=[pull(31, state=state)])})


@pytest.mark.parametrize(
    ("intent", "seen", "expected"),
    [
        (HOLD, forge(labels=held(name="Hold")), "done"),
        (HOLD, forge(), "undone"),
        (LIFT, forge(), "done"),
        (LIFT, forge(labels=held()), "undone"),
        (MERGE, ended("merged"), "done"),
        (MERGE, forge(), "undone"),
        (MERGE, ended("closed"), "refused"),
    ],
)
def test_what_was_done_on_the_forge_is_told_by_the_pull_request(
    intent: i.Intent, seen: World, expected: str
) -> None:
    assert outcome(intent, seen) == expected


@pytest.mark.parametrize("intent", [HOLD, LIFT, MERGE])
@pytest.mark.parametrize(
    "seen", [world(repos={REPO: Unseen("away", NOW)}), world(repos={REPO: look()}), world(repos={})]
)
def test_it_stays_in_doubt_while_the_pull_request_was_not_seen(intent: i.Intent, seen: World) -> None:
    assert outcome(intent, seen) is None


@pytest.mark.parametrize("intent", [HOLD, LIFT])
def test_labels_that_are_not_known_leave_it_in_doubt(intent: i.Intent) -> None:
    unknown = world(repos={REPO: look(pulls=[replace(pull(31), labels=None)])})
    assert outcome(intent, unknown) is None


def test_nobody_doubts_what_is_being_carried_out_right_now() -> None:
    assert settle(world(), Memory(in_doubt={START.id: START}), {START.id}) == ()
