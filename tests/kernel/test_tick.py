"""One tick over fakes: what is recorded when, and what a port that fails or hangs costs."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from hive.errors import InDoubt, JournalError, Refused, Unreachable
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import PaneSighting, session_name
from hive.kernel import terminals as terminals_module
from hive.kernel import tick as tick_module
from hive.ports.terminal import SessionOrder
from tests.decisions.worlds import HEAD, OTHER, REPO, issue, look, policy, pull, spec
from tests.fakes.terminal import Exits
from tests.kernel.house import House, until
from tests.kernel.shown_forge import ShownForge

A = "quality-1"
SESSION = session_name(A)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tick_module, "_PATIENCE", 0.2)
    monkeypatch.setattr(terminals_module, "_PATIENCE", 0.2)


async def seen(house: House) -> None:
    """A look at every repository."""
    for repo in house.forge.sections(sorted(house.configuration.policy.merge)):
        await house.forge.look_at(repo)


def opened(number: int = 31) -> e.PullRequestOpened:
    return e.PullRequestOpened(repo=REPO, number=number, agent=A, head_ref="b", head=HEAD, held=False)


def outcomes(house: House) -> list[tuple[str, str]]:
    return [(one.intent_id, one.outcome) for one in house.events(e.IntentFinished)]


async def test_an_intent_is_on_record_before_it_is_acted_on_and_its_outcome_after() -> None:
    async with House() as house:
        at_creation: list[list[str]] = []

        def program(order: SessionOrder) -> Exits:
            at_creation.append([e.kind_of(one.event) for one in house.journal.newest(100)])
            return Exits()

        house.terminal._program = program
        await seen(house)
        await house.ticker.tick()
        (before,) = at_creation
        assert before[-2:] == ["intent-started", "token-issued"]
        assert e.kind_of(house.journal.newest(1)[0].event) == "intent-finished"
        assert outcomes(house) == [(f"start/{A}/1", "done")]


async def test_the_token_of_a_start_is_on_record_by_its_digest_only() -> None:
    async with House() as house:
        await seen(house)
        await house.ticker.tick()
        (token,) = house.seats.tokens
        text = b"".join(e.encode(one.event) for one in house.journal.newest(100))
        assert token.encode() not in text
        assert len(house.events(e.TokenIssued)) == 1


async def test_work_goes_from_an_issue_to_a_prompt_in_the_agents_session() -> None:
    forge = ShownForge(look([issue(7)]).value)
    async with House(forge=forge) as house:
        await seen(house)
        for _ in range(4):
            await house.ticker.tick()
            house.clock.advance(4)
        pane = house.terminal.panes[SESSION]
        pane.processes = []
        assert len(pane.pasted) == 1
        assert pane.pressed == ["Enter"]
        assert (
            pane.marks["submitted"]
            == house.ledger.memory.tasks[next(iter(house.ledger.memory.tasks))].prompt_id
        )
        await house.ticker.tick()
        assert [one.evidence for one in house.events(e.PromptArrived)] == ["screen"]


async def test_an_agent_gets_no_task_while_a_person_types_there_and_its_prompt_once_afterwards() -> None:
    async with House(forge=ShownForge(look([issue(7)]).value)) as house:
        await seen(house)
        await house.ticker.tick()
        pane = house.terminal.panes[SESSION]
        pane.typed_at, pane.typed_by = house.clock.now(), "ada"
        until_rest = house.clock.now() + policy().lifecycle.hands_off
        while house.clock.now() < until_rest:
            await house.ticker.tick()
            house.clock.advance(5)
        assert (pane.pasted, pane.pressed) == ([], [])
        assert house.ledger.memory.tasks == {}
        for _ in range(4):
            await house.ticker.tick()
            house.clock.advance(1)
        assert (len(pane.pasted), pane.pressed) == (1, ["Enter"])


async def test_a_journal_that_takes_no_record_stops_acting_and_hive_goes_on_when_it_is_back() -> None:
    async with House() as house:
        await seen(house)
        house.journal.failure = "the disk is full"
        for _ in range(3):
            with pytest.raises(JournalError, match="the disk is full"):
                await house.ticker.tick()
        assert (house.terminal.panes, house.seats.tokens) == ({}, [])
        house.journal.failure = None
        await house.ticker.tick()
        assert list(house.terminal.panes) == [SESSION]


async def test_a_disk_that_fills_up_amid_an_act_leaves_it_in_doubt_and_the_mark_tells() -> None:
    async with House() as house:
        await seen(house)

        def program(order: SessionOrder) -> Exits:
            house.journal.failure = "the disk is full"
            return Exits()

        house.terminal._program = program
        with pytest.raises(JournalError):
            await house.ticker.tick()
        assert list(house.ledger.memory.in_doubt) == [f"start/{A}/1"]
        house.journal.failure = None
        await house.ticker.tick()
        assert outcomes(house)[0] == (f"start/{A}/1", "done")
        assert house.terminal.calls.count(("create", SESSION)) == 1


async def test_a_terminal_that_fails_is_told_once_and_nothing_is_done_to_agents_meanwhile() -> None:
    async with House() as house:
        await seen(house)
        house.terminal.failure = Unreachable("terminal", "tmux does not answer")
        for _ in range(3):
            result = await house.ticker.tick()
            assert result.intents == ()
        assert [(one.port, one.message) for one in house.events(e.PortFailed)] == [
            ("terminal", "terminal: tmux does not answer")
        ]
        house.terminal.failure = None
        await house.ticker.tick()
        assert [one.port for one in house.events(e.PortRecovered)] == ["terminal"]
        assert list(house.terminal.panes) == [SESSION]


async def test_agents_are_supervised_while_the_forge_hangs() -> None:
    async with House() as house:
        house.github.hanging.add("look")
        house.forge.sections([REPO])
        looking = asyncio.create_task(house.forge.run(lambda: None))
        await until(lambda: house.github.asked("look"))
        await asyncio.wait_for(house.ticker.tick(), 5)
        assert list(house.terminal.panes) == [SESSION]
        looking.cancel()


async def test_merges_go_on_while_the_terminal_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    wedge = threading.Event()

    def hang() -> tuple[PaneSighting, ...]:
        wedge.wait(20)
        return ()

    forge = ShownForge(look(pulls=[pull(31)]).value)
    async with House(policy(level=6, merge={REPO: policy().merge[REPO]}), forge=forge) as house:
        house.ledger.record([opened()])
        await seen(house)
        monkeypatch.setattr(house.terminal, "look", hang)
        await asyncio.wait_for(house.ticker.tick(), 5)
        assert (f"merge/{REPO}#31@{HEAD[:12]}", "done") in outcomes(house)
        wedge.set()


async def test_a_wedged_terminal_is_abandoned_counted_and_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals_module, "_LOOK_DEADLINE", 0.05)
    wedge = threading.Event()
    async with House() as house:
        await seen(house)
        real = house.terminal.look
        monkeypatch.setattr(house.terminal, "look", lambda: wedge.wait(20))
        await house.ticker.tick()
        monkeypatch.setattr(house.terminal, "look", real)
        await house.ticker.tick()
        wedge.set()
        assert next(house.hands.terminals.lanes()).count == 1
        assert house.built.count("terminal") == 2
        assert list(house.terminal.panes) == [SESSION]


async def test_an_act_that_takes_long_goes_on_beside_the_next_ticks_and_is_done_once() -> None:
    forge = ShownForge(look(pulls=[pull(31)]).value)
    async with House(policy(level=6, merge={REPO: policy().merge[REPO]}), forge=forge) as house:
        house.ledger.record([opened()])
        await seen(house)
        forge.hanging.add("merge")
        await house.ticker.tick()
        await house.ticker.tick()
        assert [name for name, _ in outcomes(house) if name.startswith("merge")] == []
        forge.let_go()
        await until(lambda: any(name.startswith("merge") for name, _ in outcomes(house)))
        assert forge.asked("merge") == 1
        assert house.pokes


async def test_a_merge_whose_answer_was_lost_is_looked_for_with_fresh_eyes_before_it_is_asked_for_again() -> (
    None
):
    forge = ShownForge(look(pulls=[pull(31)]).value)
    async with House(policy(level=6, merge={REPO: policy().merge[REPO]}), forge=forge) as house:
        house.ledger.record([opened()])
        await seen(house)
        forge.failures["merge"] = InDoubt("forge", "no answer came")
        house.clock.advance(1)
        await house.ticker.tick()
        for _ in range(3):  # the look is still the one from before the merge
            house.clock.advance(1)
            await house.ticker.tick()
        assert forge.asked("merge") == 1
        assert list(house.ledger.memory.in_doubt) == [f"merge/{REPO}#31@{HEAD[:12]}"]
        done = replace(pull(31), state="merged")
        forge.snapshots[REPO] = look(recent=[done]).value
        await seen(house)
        await house.ticker.tick()
        assert (forge.asked("merge"), house.ledger.memory.in_doubt) == (1, {})


async def test_a_merge_that_is_refused_is_asked_for_once() -> None:
    forge = ShownForge(look(pulls=[pull(31)]).value)
    async with House(policy(level=6, merge={REPO: policy().merge[REPO]}), forge=forge) as house:
        house.ledger.record([opened()])
        forge.failures["merge"] = Refused("forge", "a review is missing")
        for _ in range(4):
            await seen(house)
            await house.ticker.tick()
            house.clock.advance(5)
        assert forge.asked("merge") == 1


async def test_a_denied_intent_is_recorded_once_and_never_started() -> None:
    forge = ShownForge(look(pulls=[pull(31)]).value)

    class Never:
        name = "never"

        def __call__(self, proposal: object) -> None:
            raise RuntimeError("bug")

    wishes = policy(level=6, merge={REPO: policy().merge[REPO]}, guardrails=(Never(),))
    async with House(wishes, forge=forge) as house:
        house.ledger.record([opened()])
        for _ in range(3):
            await seen(house)
            await house.ticker.tick()
        merges = [one for one in house.events(e.IntentRuled) if one.intent_id.startswith("merge")]
        assert [(one.ruling, one.rule) for one in merges] == [("deny", "guardrail.never")]
        assert forge.asked("merge") == 0


async def test_each_repository_fails_by_itself() -> None:
    wishes = policy(spec(repos=(REPO, OTHER)), level=5)
    forge = ShownForge(look([issue(7)]).value, look(repo=OTHER).value)
    forge.failures[OTHER] = Unreachable("forge", "502")
    async with House(wishes, forge=forge) as house:
        await seen(house)
        for _ in range(3):
            await house.ticker.tick()
            house.clock.advance(4)
        assert [one.port for one in house.events(e.PortFailed)] == [f"forge {OTHER}"]
        claims = [one.body for one in house.events(e.IntentStarted) if isinstance(one.body, i.ClaimWork)]
        assert [one.subject for one in claims] == [f"{REPO}#7"]
