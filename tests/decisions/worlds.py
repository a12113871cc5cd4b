"""Worlds, memories and policies for tests: plain ones to spoil in one place, and any ones for properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from hive.contracts.backend import BackendTraits, Submission
from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.merge_gate import MergePolicy
from hive.decisions.policy import Policy
from hive.decisions.triage import Lane, TriagePolicy
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.agents import (
    AgentSighting,
    AgentSpec,
    AgentState,
    ContextPolicy,
    PaneSighting,
    Turn,
    session_name,
)
from hive.facts.autonomy import AcmmLevel
from hive.facts.forge import Check, Issue, Label, PullRequest, RepositorySnapshot
from hive.facts.intents import ClaimWork, DeliverPrompt, FinishTask, ReleaseTask
from hive.facts.memory import AgentMemory, IssueMemory, Memory, Pause, PullMemory
from hive.facts.screens import Screen, ScreenState
from hive.facts.work import Task, TaskState, branch_name, task_id
from hive.facts.world import Seen, Unseen, World
from hive.settings.acmm import load_table
from hive.settings.prompts import load_prompts

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
REPO, OTHER = "o/r", "o/other"
ACCOUNT = "hive-bot"
HIVE = Actor(ACCOUNT, ActorKind.APP)
ADA = Actor("ada", ActorKind.PERSON, Association.MEMBER)
EVE = Actor("eve", ActorKind.PERSON, Association.NONE)
HEAD, NEW_HEAD = "a" * 40, "b" * 40
TABLE = load_table()
PROMPTS = load_prompts()
TRAITS = BackendTraits(
    programs=("scripted",),
    submission=Submission(patience=timedelta(seconds=10), tries=3),
    start_patience=timedelta(seconds=60),
    resumes=True,
    keeps_context=False,
)


def spec(name: str = "quality-1", role: str = "quality", **changes: object) -> AgentSpec:
    made = AgentSpec(name=name, role=role, backend="scripted", repos=(REPO,))
    return replace(made, **changes)  # type: ignore[arg-type]  # the tests name fields


def policy(*agents: AgentSpec, level: int = 5, **changes: object) -> Policy:
    made = Policy(
        level=AcmmLevel(level),
        agents=agents or (spec(),),
        table=TABLE,
        traits={"scripted": TRAITS},
        account=ACCOUNT,
        merge={repo: MergePolicy(settle=timedelta()) for repo in (REPO, OTHER)},
        prompts=PROMPTS,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


def pane(agent: str = "quality-1", **changes: object) -> PaneSighting:
    made = PaneSighting(
        name=session_name(agent),
        pid=100,
        dead=False,
        created_at=NOW - timedelta(minutes=10),
        columns=120,
        rows=40,
        marks={"agent": agent, "generation": "1"},
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


def sighting(
    agent: str = "quality-1",
    state: ScreenState = ScreenState.READY,
    *,
    alive: bool = True,
    turns: tuple[Turn, ...] | None = (),
    since: timedelta = timedelta(seconds=30),
    screen: Screen | None = None,
    **pane_changes: object,
) -> AgentSighting:
    return AgentSighting(
        agent=agent,
        pane=pane(agent, **pane_changes),
        alive=alive,
        screen=screen or Screen(state),
        screen_since=NOW - since,
        turns=turns,
    )


def issue(number: int = 7, **changes: object) -> Issue:
    made = Issue(
        number=number,
        title=f"Crash number {number}",
        body="It crashes.",
        repo=REPO,
        author=ADA,
        created_at=NOW - timedelta(days=1) + number * SECOND,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


def pull(number: int = 31, **changes: object) -> PullRequest:
    """Green and ready: it merges."""
    head = str(changes.get("head") or HEAD)
    made = PullRequest(
        number=number,
        draft=False,
        author=HIVE,
        pushers=(ACCOUNT,),
        base="main",
        head=head,
        mergeable=True,
        pushed_at=NOW - timedelta(hours=1),
        labels=(),
        checks=(Check(1, "build", "check", head, "completed", "success"),),
        reviews=(),
        unresolved_threads=0,
        linked_issues=(),
        files=(),
        repo=REPO,
        title=f"Change {number}",
        head_ref=f"hive/quality-1/{number}",
        head_repo=REPO,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


def held(by: Actor | None = HIVE, name: str = "hold") -> tuple[Label, ...]:
    return (Label(name, by, NOW - timedelta(hours=1)),)


def look(
    issues: Sequence[Issue] = (),
    pulls: Sequence[PullRequest] = (),
    recent: Sequence[PullRequest] = (),
    repo: str = REPO,
) -> Seen[RepositorySnapshot]:
    return Seen(RepositorySnapshot(repo, "main", tuple(issues), tuple(pulls), tuple(recent)), NOW)


def world(
    *agents: AgentSighting,
    repos: Mapping[str, Seen[RepositorySnapshot] | Unseen] | None = None,
    now: datetime = NOW,
    unseen: str = "",
) -> World:
    section = Unseen(unseen, now) if unseen else Seen(agents, now)
    return World(now=now, agents=section, repos={REPO: look()} if repos is None else repos)


def known_agent(**changes: object) -> AgentMemory:
    made = AgentMemory(generation=1, started_at=NOW - timedelta(minutes=10), token_digest="d" * 64)
    return replace(made, state=AgentState.READY, **changes)  # type: ignore[arg-type]  # as above


def task(number: int = 7, agent: str = "quality-1", attempt: int = 1, **changes: object) -> Task:
    made = Task(
        id=task_id(REPO, number, attempt),
        repo=REPO,
        issue=number,
        agent=agent,
        branch=branch_name(agent, number, f"Crash number {number}"),
        attempt=attempt,
        state=TaskState.CLAIMED,
        claimed_at=NOW - timedelta(minutes=5),
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


def prompted(number: int = 7, **changes: object) -> Task:
    made = task(number)
    return replace(
        made,
        state=TaskState.PROMPTED,
        prompt_id=f"{made.id}/1",
        prompted_at=NOW - 2 * SECOND,
        **changes,  # type: ignore[arg-type]  # as above
    )


def memory(agents: Mapping[str, AgentMemory] | None = None, *tasks: Task, **changes: object) -> Memory:
    """A memory in which `tasks` are held by their agents."""
    known = dict(agents if agents is not None else {"quality-1": known_agent()})
    for one in tasks:
        if one.is_open:
            known[one.agent] = replace(known.get(one.agent, known_agent()), task=one.id)
    made = Memory(seq=1, agents=known, tasks={one.id: one for one in tasks})
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


def opened(agent: str = "quality-1", **changes: object) -> PullMemory:
    made = PullMemory(agent=agent, issue=None, task="", head_ref=f"hive/{agent}/31")
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


# What properties are tried on. Numbers are few, so that things meet.

NAMES = ("ann", "bob", "cyd")
ROLES = ("quality", "scanner", "sec-check", "guide", "outreach")
_NUMBERS = st.integers(1, 4)
_AGES = st.sampled_from([0, 1, 4, 20, 70, 8000]).map(lambda seconds: timedelta(seconds=seconds))
_TIMES = _AGES.map(lambda age: NOW - age)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
    lanes = st.sampled_from([(), (), ("bug",), ("docs",)])
    repos = st.sampled_from([(REPO,), (OTHER,), (REPO, OTHER)])
    levels = st.none() | st.sampled_from(AcmmLevel)
    agents = tuple(
        spec(
            name,
            draw(st.sampled_from(ROLES)),
            repos=draw(repos),
            lanes=draw(lanes),
            level=draw(levels),
            context=draw(st.sampled_from(ContextPolicy)),
        )
        for name in names
    )
    return policy(
        *agents,
        traits={"scripted": replace(TRAITS, keeps_context=draw(st.booleans()))},
        level=draw(st.sampled_from([6, 5, 4, 3, 2, 1])),
        repo_levels={
            repo: AcmmLevel(draw(st.integers(1, 6))) for repo in draw(st.sampled_from([(), (OTHER,)]))
        },
        triage=TriagePolicy(lanes=(Lane("bug", labels=("bug",)), Lane("docs", labels=("docs",)))),
        retired=frozenset(draw(st.sampled_from([(), ("bob",)]))) - {one.name for one in agents},
        lifecycle=LifecyclePolicy(attempts=draw(st.integers(1, 3))),
        trees=draw(st.booleans()),
    )


@st.composite
def issues_of(draw: st.DrawFn, repo: str) -> Issue:
    labels = draw(st.sampled_from([(), (), (Label("bug"),), (Label("docs"),), (Label("hold"),)]))
    author = draw(st.sampled_from([ADA, ADA, ADA, EVE]))
    return issue(draw(_NUMBERS), repo=repo, labels=labels, author=author)


@st.composite
def pulls_of(draw: st.DrawFn, repo: str) -> PullRequest:
    number = draw(st.integers(11, 14))
    head = draw(st.sampled_from([HEAD, NEW_HEAD, None]))
    made = pull(
        number,
        repo=repo,
        base=draw(st.sampled_from(["main", "main", "dev", None])),
        labels=draw(st.sampled_from([(), (), held(), held(ADA), held(None), held(HIVE, "HOLD"), None])),
        head_ref=f"hive/{draw(st.sampled_from(NAMES))}/{number}",
        mergeable=draw(st.sampled_from([True, True, False, None])),
    )
    return replace(made, head=head)


@st.composite
def looks(draw: st.DrawFn, repo: str) -> Seen[RepositorySnapshot] | Unseen:
    if draw(st.integers(0, 4)) == 0:
        return Unseen("it does not answer", NOW)
    issues = draw(st.lists(issues_of(repo), max_size=4, unique_by=lambda one: one.number))
    pulls = draw(st.lists(pulls_of(repo), max_size=4, unique_by=lambda one: one.number))
    cut = draw(st.integers(0, len(pulls)))
    ended = [replace(one, state=draw(st.sampled_from(["merged", "closed"]))) for one in pulls[cut:]]
    return look(issues, pulls[:cut], ended, repo)


@st.composite
def sightings_of(draw: st.DrawFn, name: str) -> AgentSighting:
    dead = draw(st.booleans()) and draw(st.booleans())
    marks = {
        "agent": name,
        "generation": str(draw(st.integers(1, 3))),
        "presses": draw(st.sampled_from(["", "1", "3"])),
    }
    made = sighting(
        name,
        draw(st.sampled_from([ScreenState.READY, ScreenState.WORKING, *ScreenState])),
        alive=not dead and draw(st.integers(0, 3)) > 0,
        turns=draw(st.sampled_from([None, ()])),
        since=draw(_AGES),
        dead=dead,
        created_at=draw(_TIMES),
        marks=marks,
        typed_at=draw(st.sampled_from([None, None, None, NOW - 30 * SECOND])),
    )
    return replace(made, working_since=draw(st.sampled_from([None, NOW, NOW - timedelta(hours=1)])))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    names = draw(st.lists(st.sampled_from([*NAMES, "stranger"]), unique=True))
    agents = tuple(draw(sightings_of(name)) for name in names)
    hidden = draw(st.integers(0, 4)) == 0
    return World(
        now=NOW,
        agents=Unseen("it does not answer", NOW) if hidden else Seen(agents, NOW),
        repos={repo: draw(looks(repo)) for repo in (REPO, OTHER)},
    )


@st.composite
def agent_memories(draw: st.DrawFn) -> AgentMemory:
    return AgentMemory(
        generation=draw(st.integers(0, 3)),
        started_at=draw(st.none() | _TIMES),
        token_digest=draw(st.sampled_from(["", "d" * 64])),
        crashes=draw(st.integers(0, 3)),
        crashed_at=draw(st.none() | _TIMES),
        pause=draw(st.sampled_from([None, None, None, Pause("ada", "lunch", NOW)])),
        restart_wanted=draw(st.integers(0, 5)) == 0,
        prompted=draw(st.booleans()),
        context_full=draw(st.integers(0, 5)) == 0,
        state=draw(st.sampled_from([AgentState.READY, AgentState.READY, *AgentState])),
    )


@st.composite
def tasks_of(draw: st.DrawFn, agent: str, known: AgentMemory, number: int) -> Task:
    state = draw(st.sampled_from(TaskState))
    made = task(
        number, agent, draw(st.integers(1, 3)), repo=draw(st.sampled_from([REPO, OTHER])), state=state
    )
    made = replace(made, id=task_id(made.repo, number, made.attempt), claimed_at=draw(_TIMES))
    if state is TaskState.CLAIMED:
        return made
    generation = draw(st.sampled_from([known.generation, known.generation, 0]))
    return replace(
        made,
        prompt_id=f"{made.id}/{generation}",
        prompted_at=draw(_TIMES),
        interrupted_at=draw(st.none() | _TIMES),
        setbacks=draw(st.integers(0, 2)),
        turn=draw(st.sampled_from(["", "", "done", "asked", "error"])),
    )


@st.composite
def pull_memories(draw: st.DrawFn) -> PullMemory:
    return opened(
        draw(st.sampled_from(NAMES)),
        issue=draw(st.none() | _NUMBERS),
        held_head=draw(st.sampled_from(["", HEAD, NEW_HEAD])),
        state=draw(st.sampled_from(["open", "open", "open", "merged"])),
    )


@st.composite
def plausible_memories(draw: st.DrawFn) -> Memory:
    """Memories that a journal could have led to: at most one open task for an agent and for an issue."""
    agents = {name: draw(agent_memories()) for name in draw(st.lists(st.sampled_from(NAMES), unique=True))}
    numbers = draw(st.permutations([1, 2, 3, 4]))
    tasks = []
    for number, name in zip(numbers, agents, strict=False):
        if draw(st.booleans()):
            tasks.append(draw(tasks_of(name, agents[name], number)))
    issue_keys = [f"{repo}#{number}" for repo in (REPO, OTHER) for number in range(1, 5)]
    issues = {
        key: IssueMemory(
            attempts=draw(st.integers(0, 3)),
            last_outcome=draw(st.sampled_from(["", "released", "finding", "failed"])),
            rests_until=draw(st.sampled_from([None, None, NOW + 30 * SECOND])),
            killed_agents=draw(st.integers(0, 2)),
        )
        for key in draw(st.lists(st.sampled_from(issue_keys), unique=True, max_size=3))
    }
    pull_keys = [f"{repo}#{number}" for repo in (REPO, OTHER) for number in range(11, 15)]
    pulls = {
        key: draw(pull_memories())
        for key in draw(st.lists(st.sampled_from(pull_keys), unique=True, max_size=6))
    }
    return memory(agents, *tasks, issues=issues, pulls=pulls, level=draw(st.none() | st.integers(1, 6)))


def prompts_typed(intents: Sequence[object]) -> list[tuple[str, int]]:
    return [(one.prompt_id, one.generation) for one in intents if isinstance(one, DeliverPrompt)]


def about_tasks(intents: Sequence[object]) -> list[object]:
    return [one for one in intents if isinstance(one, ClaimWork | FinishTask | ReleaseTask | DeliverPrompt)]
