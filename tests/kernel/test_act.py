"""Each intent to one call, and what the failure of that call means for it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from hive.errors import InDoubt, Missing, Moved, Refused, Throttled, Unreachable, WorldError
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentSpec, session_name
from hive.kernel.act import act
from hive.kernel.triggers import Trigger, calm_after
from hive.ports.seats import ReadySeat
from hive.ports.terminal import SessionOrder
from tests.decisions.worlds import ADA, HEAD, NEW_HEAD, REPO, held, look, pull
from tests.kernel.house import House
from tests.kernel.shown_forge import ShownForge

A = "quality-1"
SESSION = session_name(A)
MERGE = i.MergePullRequest(repo=REPO, number=31, head=HEAD, base="main")
PROMPT = i.DeliverPrompt(task="t", agent=A, prompt_id="t/1", text="Do it\x1b[201~now", generation=1)


def outcome(events: tuple[e.Event, ...]) -> tuple[str, str]:
    """Outcome and detail; ``noticed`` where it stays in doubt."""
    (event,) = events
    if isinstance(event, e.Noticed):
        return "noticed", event.message
    assert isinstance(event, e.IntentFinished)
    return event.outcome, event.detail


def house() -> House:
    made = House(forge=ShownForge(look(pulls=[pull(31)]).value))
    made.terminal.create(SessionOrder(SESSION, ("agent",), {}, "/", marks={"agent": A, "generation": "1"}))
    return made


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Moved("forge", "another head"), "moved"),
        (Refused("forge", "no"), "refused"),
        (Missing("forge", "gone"), "missing"),
        (InDoubt("forge", "no answer"), "noticed"),
        (Throttled("forge", "slow"), "failed"),
        (Unreachable("forge", "502"), "failed"),
    ],
)
async def test_the_forges_failure_is_the_outcome_of_a_merge(error: WorldError, expected: str) -> None:
    async with house() as below:
        below.github.failures["merge"] = error
        assert outcome(await act(MERGE, below.hands))[0] == expected


async def test_a_hold_that_came_since_the_look_stops_the_merge() -> None:
    async with house() as below:
        below.github.snapshots[REPO] = look(pulls=[pull(31, labels=held(ADA))]).value
        ended, detail = outcome(await act(MERGE, below.hands))
        assert ended == "moved"
        assert detail == "forge: it changed since it was judged: label hold was put on by ada"
        assert ("merge", REPO) not in below.github.calls


async def test_a_merge_is_of_the_judged_head_only() -> None:
    async with house() as below:
        assert outcome(await act(MERGE, below.hands)) == ("done", "merged as cccccccccccc")
        below.github.snapshots[REPO] = look(pulls=[pull(31, head=NEW_HEAD)]).value
        assert outcome(await act(MERGE, below.hands))[0] == "moved"


async def test_holds_are_put_on_and_lifted_by_their_label() -> None:
    async with house() as below:
        hold = i.HoldPullRequest(repo=REPO, number=31, label="hold", head=HEAD)
        lift = i.LiftHold(repo=REPO, number=31, label="hold", head=HEAD)
        labels = []
        for intent in (hold, lift):
            assert outcome(await act(intent, below.hands))[0] == "done"
            labels.append([one.name for one in below.github.snapshots[REPO].pull_requests[0].labels or ()])
        assert labels == [["hold"], []]


async def test_a_prompt_is_pasted_without_what_steers_a_terminal_then_submitted_and_marked() -> None:
    async with house() as below:
        assert outcome(await act(PROMPT, below.hands)) == ("done", "8 bytes, 1 control characters removed")
        pane = below.terminal.panes[SESSION]
        assert (pane.pasted, pane.pressed) == (["Do itnow"], ["Enter"])
        assert (pane.marks["pasted"], pane.marks["submitted"]) == ("t/1", "t/1")


async def test_each_press_is_marked_with_its_number() -> None:
    async with house() as below:
        press = i.PressSubmit(agent=A, prompt_id="t/1", attempt=2)
        assert outcome(await act(press, below.hands)) == ("done", "")
        pane = below.terminal.panes[SESSION]
        assert (pane.pressed, pane.marks["presses"]) == (["Enter"], "2")


async def test_an_interrupt_presses_the_programs_own_keys_and_marks_the_prompt() -> None:
    async with house() as below:
        interrupt = i.InterruptAgent(agent=A, task="t", prompt_id="t/1")
        assert outcome(await act(interrupt, below.hands)) == ("done", "Escape")
        pane = below.terminal.panes[SESSION]
        assert (pane.pressed, pane.marks["interrupted"]) == (["Escape"], "t/1")


async def test_a_terminal_that_gives_no_answer_leaves_the_intent_in_doubt() -> None:
    async with house() as below:
        below.terminal.failure = Unreachable("terminal", "no answer")
        for intent in (PROMPT, i.StopAgent(agent=A, session=SESSION, generation=1)):
            assert outcome(await act(intent, below.hands))[0] == "noticed"


async def test_the_version_that_was_started_is_written_down_when_it_is_another_than_before() -> None:
    async with House() as below:
        versions = []
        for generation, says in enumerate(("1.0", "1.0", "", "1.1"), 1):
            below.seats.says = says
            start = i.StartAgent(agent=A, generation=generation)
            assert outcome(await act(start, below.hands))[0] == "done"
            below.terminal.panes.clear()
            told = [one.event for one in below.journal.records() if isinstance(one.event, e.ProgramSeen)]
            versions.append([one.version for one in told])
        assert versions == [["1.0"], ["1.0"], ["1.0"], ["1.0", "1.1"]]


async def test_a_start_that_has_a_seat_does_not_wait_for_the_seats_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with House() as below:
        loop, free = asyncio.get_running_loop(), threading.Event()
        others: list[asyncio.Task[bool]] = []
        prepare = below.seats.prepare

        def hold_up() -> None:
            others.append(asyncio.create_task(below.hands.seats.call("others", lambda _: free.wait(60), 60)))

        def prepare_before_others(spec: AgentSpec, *, generation: int, token: str, resume: str) -> ReadySeat:
            loop.call_soon_threadsafe(hold_up)
            return prepare(spec, generation=generation, token=token, resume=resume)

        monkeypatch.setattr(below.seats, "prepare", prepare_before_others)
        try:
            done = await asyncio.wait_for(act(i.StartAgent(agent=A, generation=1), below.hands), 30)
            assert outcome(done)[0] == "done"
            assert not others[0].done()
        finally:
            free.set()
            await asyncio.gather(*others)


async def test_a_start_whose_session_exists_is_refused() -> None:
    async with house() as below:
        start = i.StartAgent(agent=A, generation=2)
        assert outcome(await act(start, below.hands))[0] == "refused"


async def test_what_is_for_an_agent_that_left_the_configuration_is_missing() -> None:
    async with house() as below:
        for intent in (
            i.StartAgent(agent="gone", generation=1),
            i.PressSubmit(agent="gone", prompt_id="t/1", attempt=1),
            i.InterruptAgent(agent="gone", task="t", prompt_id="t/1"),
            i.DeliverPrompt(task="t", agent="gone", prompt_id="t/1", text="x", generation=1),
        ):
            assert outcome(await act(intent, below.hands)) == (
                "missing",
                "agents: gone is no longer configured",
            )


async def test_a_stop_is_content_with_a_session_that_is_gone() -> None:
    async with house() as below:
        stop = i.StopAgent(agent=A, session=SESSION, generation=1)
        for _ in range(2):
            assert outcome(await act(stop, below.hands)) == ("done", "")
        assert below.terminal.panes == {}


async def test_wake_ups_coalesce_and_each_repository_is_told_once() -> None:
    trigger = Trigger()
    assert await trigger.wait(0.01) is False
    await asyncio.to_thread(trigger.poke, "o/r")
    trigger.poke("o/r")
    trigger.poke("o/x")
    trigger.poke()
    assert await trigger.wait(5) is True
    assert trigger.take_repos() == {"o/r", "o/x"}
    assert trigger.take_repos() == set()
    assert await trigger.wait(0.01) is False


async def test_output_waits_for_the_end_of_the_calm_and_a_poke_does_not() -> None:
    trigger = Trigger()
    clock = asyncio.get_running_loop().time
    began = clock()
    trigger.stir()
    assert await trigger.wait(60, calm=0.3) is True
    assert clock() - began >= 0.29

    trigger.stir()
    asyncio.get_running_loop().call_later(0.05, trigger.poke)
    async with asyncio.timeout(30):
        assert await trigger.wait(60, calm=60) is True
    assert await trigger.wait(0.01, calm=60) is False


def test_the_calm_grows_with_what_ticks_cost_and_one_dear_tick_does_not_count() -> None:
    assert [calm_after(cost, cost) for cost in (0.0, 0.01, 0.025, 0.05, 2.0)] == [0.2, 0.2, 0.5, 1.0, 1.0]
    assert calm_after(0.01, 2.0) == calm_after(2.0, 0.01) == 0.2


def test_a_wake_up_after_the_end_is_nobodys() -> None:
    async def make() -> Trigger:
        return Trigger()

    asyncio.run(make()).poke("o/r")
