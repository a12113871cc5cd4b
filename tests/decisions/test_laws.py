"""The laws of deciding (five of them, and what follows from them), over worlds that nobody thought of."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive.contracts.guardrail import Proposal
from hive.decisions.doubt import settle
from hive.decisions.gate import rule_action
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentSighting
from hive.facts.autonomy import Action
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict
from hive.facts.world import Seen, Unseen, World
from tests.decisions.model import Fate, Model, broken
from tests.decisions.worlds import (
    NAMES,
    NOW,
    OTHER,
    REPO,
    issues_of,
    plausible_memories,
    policies,
    worlds,
)
from tests.strategies import intents, memories, records

FEW = settings(max_examples=settings().max_examples // 4)
"""For whole histories, each of which is many examples of a plan."""


def journals() -> st.SearchStrategy[list[e.Record]]:
    """Any records, with rulings that are some."""
    return records().map(
        lambda drawn: [msgspec.structs.replace(one, event=_ruled(one.event)) for one in drawn]
    )


def _ruled(event: e.Event) -> e.Event:
    if not isinstance(event, e.IntentRuled):
        return event
    return msgspec.structs.replace(event, ruling=list(Ruling)[len(event.ruling) % 3])


class Guard:
    """A guardrail that always says the same; or fails, where it has nothing to say it with."""

    def __init__(self, says: Verdict | Exception | None) -> None:
        self.says = says

    @property
    def name(self) -> str:
        return "guard"

    def __call__(self, proposal: Proposal) -> Verdict | None:
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def guards() -> st.SearchStrategy[Guard]:
    verdicts = st.builds(Verdict, st.sampled_from(Ruling), st.just("guardrail.x"), st.just("because"))
    return st.builds(Guard, st.none() | verdicts | st.just(RuntimeError("bug")))


def levels() -> st.SearchStrategy[Memory]:
    """Memories in which an operator may have changed the level: all that a ruling asks of one."""
    return (st.none() | st.integers(1, 6)).map(lambda level: Memory(level=level))


# 1. Nothing is decided about what was not seen.


ON_A_REPOSITORY = (i.ClaimWork, i.DeliverPrompt, i.HoldPullRequest, i.LiftHold, i.MergePullRequest)


@given(worlds(), plausible_memories(), policies())
def test_a_plan_keeps_to_the_laws_whatever_is_hidden_or_in_doubt(
    world: World, memory: Memory, policy: Policy
) -> None:
    decided = plan(world, memory, policy).intents
    assert broken(decided, world, memory, policy) == []
    nothing_about_agents_and_tasks_while_the_terminal_is_unseen(world, memory, policy)
    nothing_about_an_agent_that_is_hidden(world, memory, policy)
    for repo in (REPO, OTHER):
        nothing_on_the_strength_of_a_repository_that_is_unseen(world, memory, policy, repo)
    nothing_again_that_was_started_and_has_no_outcome(decided, world, memory, policy)


def nothing_about_agents_and_tasks_while_the_terminal_is_unseen(
    world: World, memory: Memory, policy: Policy
) -> None:
    hidden = replace(world, agents=Unseen("tmux does not answer", NOW))
    assert [one for one in plan(hidden, memory, policy).intents if not isinstance(one, i.ON_FORGE)] == []


def nothing_about_an_agent_that_is_hidden(world: World, memory: Memory, policy: Policy) -> None:
    for name in NAMES:
        sessions = tuple(one for one in _seen(world) if one.agent != name)
        hidden = replace(world, agents=Seen(sessions, NOW), hidden={name: "its pod does not answer"})
        about = [one for one in plan(hidden, memory, policy).intents if not isinstance(one, i.ON_FORGE)]
        assert [one for one in about if _agent_of(one, memory) == name] == []


def _seen(world: World) -> tuple[AgentSighting, ...]:
    return world.agents.value if isinstance(world.agents, Seen) else ()


def _agent_of(intent: i.Intent, memory: Memory) -> str:
    task = memory.tasks.get(getattr(intent, "task", ""))
    return str(getattr(intent, "agent", task.agent if task else ""))


def nothing_on_the_strength_of_a_repository_that_is_unseen(
    world: World, memory: Memory, policy: Policy, repo: str
) -> None:
    hidden = replace(world, repos={**world.repos, repo: Unseen("the forge does not answer", NOW)})
    decided = [one for one in plan(hidden, memory, policy).intents if isinstance(one, ON_A_REPOSITORY)]
    assert [one for one in decided if _repo_of(one, memory) == repo] == []


def nothing_again_that_was_started_and_has_no_outcome(
    decided: tuple[i.Intent, ...], world: World, memory: Memory, policy: Policy
) -> None:
    doubting = replace(memory, in_doubt={one.id: one for one in decided})
    assert broken(plan(world, doubting, policy).intents, world, doubting, policy) == []


def _repo_of(intent: i.Intent, memory: Memory) -> str:
    if isinstance(intent, i.DeliverPrompt):
        return memory.tasks[intent.task].repo
    return str(getattr(intent, "repo", ""))


# 2. A guardrail can only tighten.


@given(policies(), levels(), st.sampled_from(Action), st.lists(guards(), max_size=3), guards())
def test_adding_a_guardrail_never_lowers_a_ruling(
    policy: Policy, memory: Memory, action: Action, some: list[Guard], added: Guard
) -> None:
    before = ruling(replace(policy, guardrails=tuple(some)), memory, action)
    after = ruling(replace(policy, guardrails=(*some, added)), memory, action)
    assert after.strictness >= before.strictness


@given(policies(), levels(), st.sampled_from(Action), st.lists(guards(), max_size=3))
def test_a_guardrail_that_fails_denies(
    policy: Policy, memory: Memory, action: Action, others: list[Guard]
) -> None:
    failing = Guard(RuntimeError("bug"))
    assert ruling(replace(policy, guardrails=(*others, failing)), memory, action) is Ruling.DENY


def ruling(policy: Policy, memory: Memory, action: Action) -> Ruling:
    spec = policy.agents[0]
    proposal = Proposal(agent=spec.name, role=spec.role, action=action, target=spec.repos[0], at=NOW)
    return rule_action(policy, memory, spec, proposal, spec.repos[0]).ruling


# 3. It converges.


@st.composite
def models(draw: st.DrawFn, *, deaf: bool = False) -> Model:
    policy = draw(policies())
    issues = {
        repo: {one.number: one for one in draw(st.lists(issues_of(repo), max_size=4))}
        for repo in (REPO, OTHER)
    }
    names = st.frozensets(st.sampled_from(NAMES))
    return Model(
        policy=policy,
        issues=issues,
        without_transcript=draw(names),
        deaf=draw(names) if deaf else frozenset(),
        with_conversations=draw(names),
        forgetful=draw(st.booleans()),
    )


@FEW
@given(models())
def test_a_plan_that_is_carried_out_leaves_nothing_to_do(model: Model) -> None:
    for _ in range(12):
        if not model.tick() and not model.tick(passes=timedelta(seconds=5)) and not model.tick():
            break
    assert (model.tick(), model.problems) == ((), [])


@FEW
@given(models())
def test_agents_that_work_bring_everything_to_rest(model: Model) -> None:
    for _ in range(40):
        model.tick(passes=timedelta(seconds=5))
        for name in NAMES:
            model.agent_works(name)
    assert model.problems == [], model.problems
    assert model.settled(), model.memory
    assert model.tick() == ()


@FEW
@given(models(deaf=True))
def test_agents_that_take_no_prompt_cannot_keep_hive_busy_for_ever(model: Model) -> None:
    for _ in range(60):
        model.tick(passes=timedelta(seconds=40))
        for name in NAMES:
            model.agent_works(name)
    assert model.problems == []
    assert model.settled(), model.memory


# 4. The journal is the memory.


@given(journals(), st.integers(0, 30), st.integers(0, 30))
def test_a_journal_gives_the_same_memory_whole_in_pieces_and_through_a_snapshot(
    journal: list[e.Record], first: int, second: int
) -> None:
    whole = recall(Memory(), journal)
    early, late = sorted((first, second))
    pieces = recall(recall(recall(Memory(), journal[:early]), journal[early:late]), journal[late:])
    assert pieces == whole
    stored = msgspec.msgpack.encode(recall(Memory(), journal[:late]))
    assert recall(msgspec.msgpack.decode(stored, type=Memory), journal[late:]) == whole


@given(memories(), journals())
def test_folding_leaves_the_memory_that_it_began_with_as_it_was(
    memory: Memory, journal: list[e.Record]
) -> None:
    before = msgspec.msgpack.encode(memory)
    recall(memory, journal)
    assert msgspec.msgpack.encode(memory) == before


# 5. What is in doubt is looked for before it is done again.


@given(intents())
def test_nothing_is_said_of_what_is_in_doubt_while_it_cannot_be_looked_for(intent: i.Intent) -> None:
    blind = World(NOW, Unseen("away", NOW), {REPO: Unseen("away", NOW), OTHER: Unseen("away", NOW)})
    settled = settle(blind, Memory(in_doubt={intent.id: intent}))
    assert bool(settled) is isinstance(intent, i.JOURNAL_ONLY)


# All of it together: whatever agents and people do and whenever hive is killed.

STEPS = (
    *("work", "crash", "fail", "ask", "vanish", "push", "release", "hold"),
    *("terminal", "pod", "forge", "level"),
)


@pytest.mark.parametrize("kills", [False, True], ids=["a hive that lives", "a hive that is killed"])
@FEW
@given(
    models(), st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(NAMES)), max_size=25), st.randoms()
)
def test_whatever_happens_no_law_is_broken(
    kills: bool, model: Model, steps: list[tuple[str, str]], chance: Random
) -> None:
    def fate(intent: i.Intent) -> Fate:
        kinds = [*Fate, Fate.DONE] if kills else [Fate.DONE, Fate.DONE, Fate.SLOW]
        return chance.choice(kinds)

    for what, name in steps:
        model.tick(passes=timedelta(seconds=5), fate=fate)
        happen(model, what, name)
    assert model.problems == [], model.problems
    assert recall(Memory(), model.journal) == model.memory
    model.terminal_down = False
    model.repos_down.clear()
    model.hidden.clear()
    for _ in range(40):
        model.tick(passes=timedelta(seconds=60))
        for name in NAMES:
            model.agent_works(name)
    assert model.problems == [], model.problems
    assert model.settled(), model.memory


def happen(model: Model, what: str, name: str) -> None:
    match what:
        case "work":
            model.agent_works(name)
        case "crash":
            model.crash(name)
        case "fail":
            model.end_turn(name, "error")
        case "ask":
            model.end_turn(name, "asked")
        case "vanish":
            model.sessions.pop(name, None)
        case "push":
            model.push_to_all()
        case "release":
            model.person_releases_all()
        case "hold":
            model.person_holds_all()
        case "terminal":
            model.terminal_down = not model.terminal_down
        case "pod":
            model.hidden ^= {name}
        case "forge":
            model.repos_down ^= {REPO if name == "ann" else OTHER}
        case "level":
            model.record([e.LevelChanged(scope="hive", level={"ann": 1, "bob": 4, "cyd": 6}[name], by="ada")])
