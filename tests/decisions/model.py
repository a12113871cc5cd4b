"""A small world that intents change, and the tick that records what it does, without a machine below.

It records what `kernel.tick.Ticker` records, in its order. A tick may be cut short after any record, as
SIGKILL does, and then its intents are in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum

from hive.decisions.doubt import settle
from hive.decisions.gate import rule_intent
from hive.decisions.merge_gate import MergeVerdict, judge
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.policy import Policy, mode_of
from hive.decisions.ports_seen import port_events
from hive.decisions.recall import recall
from hive.decisions.settled import is_settled
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import LOST_TURN, AgentSighting, ContextPolicy, Conversation, Turn
from hive.facts.autonomy import Mode
from hive.facts.forge import Issue, Label, PullRequest, RepositorySnapshot
from hive.facts.memory import AgentMemory, Memory
from hive.facts.screens import Screen, ScreenState
from hive.facts.verdicts import Ruling
from hive.facts.work import Task
from hive.facts.world import Seen, Unseen, World
from tests.decisions.worlds import ADA, HIVE, NEW_HEAD, NOW, pane, pull

START_TAKES = timedelta(seconds=3)


class Fate(Enum):
    """What becomes of an intent that was started."""

    DONE = "done"
    KILLED_BEFORE = "hive ends before it acts"
    KILLED_AFTER = "hive ends before it records the outcome"
    SLOW = "it is carried out when the next tick has decided already"


@dataclass
class Session:
    agent: str
    created_at: datetime
    marks: dict[str, str]
    has_transcript: bool
    busy: bool = False
    dead: bool = False
    exit_status: int = 1
    deaf: bool = False
    full: bool = False
    """Its conversation takes no more."""
    conversation: str = ""
    """What its program tells; empty where it tells none."""
    turns: list[Turn] = field(default_factory=list)
    since: datetime = NOW
    seen_busy: bool = False
    """Whether hive has looked since the turn began: no turn is shorter than a look."""

    def sighting(self, now: datetime) -> AgentSighting:
        self.seen_busy = self.busy
        state = ScreenState.WORKING if self.busy else ScreenState.READY
        if self.full:
            state = ScreenState.CONTEXT_FULL
        if now - self.created_at < START_TAKES:
            state = ScreenState.STARTING
        return AgentSighting(
            agent=self.agent,
            pane=pane(
                self.agent,
                created_at=self.created_at,
                dead=self.dead,
                exit_status=self.exit_status,
                marks=dict(self.marks),
            ),
            alive=not self.dead,
            screen=Screen(state),
            screen_since=self.since,
            working_since=self.since,
            turns=tuple(self.turns) if self.has_transcript else None,
            conversation=Conversation(self.conversation, int(self.marks["generation"]))
            if self.conversation
            else None,
        )


@dataclass(repr=False)
class Model:
    """Everything that is, and the journal. `problems` are laws that were broken."""

    policy: Policy
    issues: dict[str, dict[int, Issue]]
    now: datetime = NOW
    without_transcript: frozenset[str] = frozenset()
    sessions: dict[str, Session] = field(default_factory=dict)
    pulls: dict[tuple[str, int], PullRequest] = field(default_factory=dict)
    terminal_down: bool = False
    repos_down: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    """Agents whose own terminal does not answer."""
    journal: list[e.Record] = field(default_factory=list)
    memory: Memory = field(default_factory=Memory)
    typed: Counter[tuple[str, int]] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    deaf: frozenset[str] = frozenset()
    """Agents that take no prompt."""
    stillborn: frozenset[str] = frozenset()
    """Agents that end as soon as they are started."""
    stubborn: frozenset[str] = frozenset()
    """Agents whom no interrupt ends."""
    interrupts: Counter[str] = field(default_factory=Counter)
    exit_status: int = 1
    with_conversations: frozenset[str] = frozenset()
    """Agents that tell their conversation, and resume it."""
    forgetful: bool = False
    """Conversations are gone when they are to be resumed: the program ends."""
    told: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often the whole prompt of a task was typed into a conversation."""
    acting: dict[str, i.Intent] = field(default_factory=dict)

    # What is seen.

    def world(self) -> World:
        agents: Seen[tuple[AgentSighting, ...]] | Unseen = Seen(
            tuple(one.sighting(self.now) for one in self.sessions.values() if one.agent not in self.hidden),
            self.now,
        )
        if self.terminal_down:
            agents = Unseen("tmux does not answer", self.now)
        repos = {repo: self._look(repo) for repo in self.policy.merge}
        return World(self.now, agents, repos, hidden=dict.fromkeys(self.hidden, "its pod does not answer"))

    def _look(self, repo: str) -> Seen[RepositorySnapshot] | Unseen:
        if repo in self.repos_down:
            return Unseen("the forge does not answer", self.now)
        pulls = [one for (where, _), one in self.pulls.items() if where == repo]
        return Seen(
            RepositorySnapshot(
                repo,
                "main",
                tuple(self.issues.get(repo, {}).values()),
                tuple(one for one in pulls if one.state == "open"),
                tuple(one for one in pulls if one.state != "open"),
            ),
            self.now,
        )

    # What hive does.

    def record(self, events: Sequence[e.Event]) -> None:
        first = len(self.journal) + 1
        records = [e.Record(first + n, self.now, 1, event) for n, event in enumerate(events)]
        self.journal.extend(records)
        self.memory = recall(self.memory, records)
        self._check_claims()

    def tick(
        self,
        *,
        passes: timedelta = timedelta(seconds=2),
        fate: Callable[[i.Intent], Fate] = lambda intent: Fate.DONE,
    ) -> tuple[i.Intent, ...]:
        """One tick; the intents that were allowed."""
        world = self.world()
        self.record(port_events(world, self.memory))
        self.record(settle(world, self.memory, self.acting))
        self.record(notice(world, self.memory, self.policy))
        memory = self.memory
        intents = plan(world, memory, self.policy).intents
        self._check_plan(intents, world, memory)
        allowed = [
            one for one in intents if rule_intent(one, world, memory, self.policy).ruling is Ruling.ALLOW
        ]
        events: list[e.Event] = []
        for intent in allowed:
            events.append(e.IntentStarted(intent_id=intent.id, body=intent))
            if isinstance(intent, i.JOURNAL_ONLY):
                events.append(_finished(intent))
        self.record(events)
        self._finish_slow()
        for intent in allowed:
            if not isinstance(intent, i.JOURNAL_ONLY):
                self._carry_out(intent, fate(intent))
        self.now += passes
        return tuple(allowed)

    def __repr__(self) -> str:
        agents = [(one.name, one.role, one.level, one.repos, one.lanes) for one in self.policy.agents]
        events = [(str(record.at.time()), record.event) for record in self.journal[-60:]]
        return f"level={self.policy.level} {agents} {self.policy.lifecycle} {events} {self.memory}"

    def settled(self) -> bool:
        return is_settled(self.world(), self.memory, self.policy)

    def _finish_slow(self) -> None:
        slow, self.acting = self.acting, {}
        for intent in slow.values():
            self._carry_out(intent, Fate.DONE)

    def _carry_out(self, intent: i.Intent, fate: Fate) -> None:
        if fate is Fate.SLOW:
            self.acting[intent.id] = intent
        if fate in (Fate.SLOW, Fate.KILLED_BEFORE):
            return
        problem = self._apply(intent)
        if fate is Fate.DONE:
            self.record([_finished(intent, *problem)])

    def _apply(self, intent: i.Intent) -> tuple[str, str]:
        match intent:
            case i.StartAgent():
                return self._start(intent)
            case i.StopAgent():
                self.sessions.pop(intent.agent, None)
            case i.DeliverPrompt():
                return self._deliver(intent)
            case i.PressSubmit():
                session = self.sessions.get(intent.agent)
                if session is None or session.dead:
                    return "missing", "no session"
                session.marks["presses"] = str(intent.attempt)
            case i.AnswerDialog():
                session = self.sessions.get(intent.agent)
                if session is None or session.dead:
                    return "missing", "no session"
                session.marks["answered"] = str(intent.number)
            case i.InterruptAgent():
                return self._interrupt(intent)
            case i.PrepareTree():
                self.record([_prepared(intent)])
            case i.RemoveTree():
                self._remove_tree(intent)
            case i.HoldPullRequest():
                self._change(intent, labels=(Label(intent.label, HIVE, self.now),))
            case i.LiftHold():
                self._change(intent, labels=())
            case i.MergePullRequest():
                self._change(intent, state="merged")
                self._close_issue(intent.repo, intent.number)
            case _:
                raise AssertionError(intent)
        return "done", ""

    def _start(self, intent: i.StartAgent) -> tuple[str, str]:
        self.record(
            [
                e.TokenIssued(
                    agent=intent.agent, digest=f"{intent.generation:064}", generation=intent.generation
                )
            ]
        )
        if intent.agent in self.sessions:
            return "refused", "duplicate session"
        conversation = intent.resume or f"{intent.agent}:{intent.generation}"
        self.sessions[intent.agent] = Session(
            agent=intent.agent,
            conversation=conversation if intent.agent in self.with_conversations else "",
            created_at=self.now,
            marks={"agent": intent.agent, "generation": str(intent.generation)},
            has_transcript=intent.agent not in self.without_transcript,
            deaf=intent.agent in self.deaf,
            dead=intent.agent in self.stillborn or (bool(intent.resume) and self.forgetful),
            exit_status=self.exit_status,
            since=self.now,
        )
        return "done", ""

    def _interrupt(self, intent: i.InterruptAgent) -> tuple[str, str]:
        session = self.sessions.get(intent.agent)
        if session is None or session.dead:
            return "missing", "no session"
        self.interrupts[intent.prompt_id] += 1
        if self.interrupts[intent.prompt_id] > 1:
            self.problems.append(f"{intent.prompt_id} was interrupted twice")
        session.marks["interrupted"] = intent.prompt_id
        if intent.agent not in self.stubborn:
            session.busy, session.since = False, self.now
        return "done", ""

    def _deliver(self, intent: i.DeliverPrompt) -> tuple[str, str]:
        session = self.sessions.get(intent.agent)
        if session is None or session.dead:
            return "missing", "no session"
        generation = int(session.marks["generation"])
        self.typed[intent.prompt_id, generation] += 1
        if self.typed[intent.prompt_id, generation] > 1:
            self.problems.append(f"{intent.prompt_id} was typed twice into generation {generation}")
        self._check_telling(intent, session)
        self._check_tree(intent)
        session.marks |= {"pasted": intent.prompt_id, "submitted": intent.prompt_id, "presses": ""}
        if not session.deaf:
            session.busy = True
            session.since = self.now
            session.turns.append(Turn(intent.prompt_id, ended=False))
        return "done", ""

    def _check_tree(self, intent: i.DeliverPrompt) -> None:
        """No prompt before its tree, where trees are made, and no tree for two tasks."""
        if not self.policy.trees:
            return
        tree = self.memory.trees.get(intent.task)
        if tree is None or tree.generation != intent.generation or not tree.folder:
            self.problems.append(f"{intent.id} came before its tree")
        folders = [one.folder for one in self.memory.trees.values() if one.folder]
        if len(folders) != len(set(folders)):
            self.problems.append(f"two tasks share a tree: {folders}")

    def _check_telling(self, intent: i.DeliverPrompt, session: Session) -> None:
        """The whole prompt goes into one conversation once; to go on is told only where that was."""
        key = (intent.task, session.conversation or f"{intent.agent}:{intent.generation}")
        if intent.goes_on and not self.told[key]:
            self.problems.append(f"{intent.id} goes on with what {key[1]} never heard of")
        self.told[key] += not intent.goes_on
        if self.told[key] > 1:
            self.problems.append(f"{intent.id} was told twice to {key[1]}")

    def _remove_tree(self, intent: i.RemoveTree) -> None:
        task = self.memory.tasks.get(intent.task)
        if task is not None and task.is_open:
            self.problems.append(f"the tree of {intent.task} was removed under it")
        removed = e.TreeRemoved(agent=intent.agent, task=intent.task, folder=intent.name)
        self.record([removed])

    def _change(self, intent: i.HoldPullRequest | i.LiftHold | i.MergePullRequest, **changes: object) -> None:
        key = (intent.repo, intent.number)
        self.pulls[key] = replace(self.pulls[key], **changes)  # type: ignore[arg-type]  # fields named here

    def _close_issue(self, repo: str, number: int) -> None:
        known = self.memory.pulls.get(f"{repo}#{number}")
        if known is not None and known.issue is not None:
            self.issues[repo].pop(known.issue, None)

    # What agents and people do.

    def agent_works(self, agent: str) -> None:
        """The agent's turn goes to its end, as far as its mode lets it come."""
        session = self.sessions.get(agent)
        task = self._task(agent)
        if session is None or session.dead or not session.seen_busy or task is None:
            return
        spec = self.policy.agent(agent)
        mode = mode_of(self.policy, self.memory, task.repo, spec) if spec else None
        if mode in (Mode.HOLDGATED, Mode.FULL):
            self.open_pull(task, held=mode is Mode.HOLDGATED)
        elif mode is not None:
            self.record([_found(task, len(self.memory.findings) + 1)])
        self.end_turn(agent, "done" if mode else "refused")

    def end_turn(self, agent: str, outcome: str) -> None:
        session = self.sessions.get(agent)
        if session is None or session.dead or not session.seen_busy:
            return
        session.busy, session.seen_busy, session.since = False, False, self.now
        session.turns[-1] = replace(session.turns[-1], ended=True, outcome=outcome)

    def crash(self, agent: str) -> None:
        session = self.sessions.get(agent)
        if session is None:
            return
        session.dead = True
        if session.busy:
            session.busy = session.seen_busy = False
            session.turns[-1] = replace(session.turns[-1], ended=True, outcome=LOST_TURN)

    def open_pull(self, task: Task, *, held: bool) -> None:
        number = 100 + len(self.pulls)
        labels = (Label("hold", HIVE, self.now),) if held else ()
        made = pull(number, repo=task.repo, head_ref=task.branch, labels=labels, head_repo=task.repo)
        self.pulls[task.repo, number] = made
        self.record(
            [
                e.PullRequestOpened(
                    repo=task.repo,
                    number=number,
                    agent=task.agent,
                    head_ref=task.branch,
                    head=made.head or "",
                    held=held,
                    issue=task.issue,
                    task=task.id,
                )
            ]
        )

    def push_to_all(self) -> None:
        for key, one in self.pulls.items():
            if one.state == "open":
                self.pulls[key] = replace(one, head=NEW_HEAD, checks=pull(head=NEW_HEAD).checks)

    def person_releases_all(self) -> None:
        self.pulls = {key: replace(one, labels=()) for key, one in self.pulls.items()}

    def person_holds_all(self) -> None:
        mine = (Label("hold", ADA, self.now),)
        self.pulls = {key: replace(one, labels=one.labels or mine) for key, one in self.pulls.items()}

    def _task(self, agent: str) -> Task | None:
        task = self.memory.tasks.get(self.memory.agents.get(agent, AgentMemory()).task)
        return task if task is not None and task.is_open else None

    # Laws that hold at every moment.

    def _check_claims(self) -> None:
        tasks = [task for task in self.memory.tasks.values() if task.is_open]
        issues = Counter((task.repo.casefold(), task.issue) for task in tasks)
        agents = Counter(task.agent for task in tasks)
        self.problems += [f"{what} is held {n} times" for what, n in issues.items() if n > 1]
        self.problems += [f"{what} holds {n} tasks" for what, n in agents.items() if n > 1]

    def _check_plan(self, intents: Sequence[i.Intent], world: World, memory: Memory) -> None:
        self.problems += broken(intents, world, memory, self.policy)


def broken(intents: Sequence[i.Intent], world: World, memory: Memory, policy: Policy) -> list[str]:
    """What in one plan no plan may hold."""
    return [
        *(f"{one.id} is in doubt and decided again" for one in intents if one.id in memory.in_doubt),
        *_unseen(intents, world),
        *_doubted_agents(intents, memory),
        *_interrupts(intents, memory),
        *_contexts(intents, memory, policy),
        *_merges(intents, world, memory, policy),
        *(f"{one.id} lifts a person's hold" for one in intents if _lifts_anothers(one, world, policy)),
        *(f"{name} is decided twice" for name, n in Counter(one.id for one in intents).items() if n > 1),
    ]


def _unseen(intents: Sequence[i.Intent], world: World) -> list[str]:
    said = []
    for intent in intents:
        if isinstance(
            intent,
            i.StartAgent | i.StopAgent | i.DeliverPrompt | i.PressSubmit | i.InterruptAgent | i.ReleaseTask,
        ):
            hidden = isinstance(world.agents, Unseen)
        elif isinstance(intent, i.MergePullRequest | i.LiftHold | i.HoldPullRequest | i.ClaimWork):
            hidden = isinstance(world.repos[intent.repo], Unseen)
        else:
            hidden = isinstance(world.agents, Unseen)
        if hidden:
            said.append(f"{intent.id} is about what was not seen")
    return said


def _doubted_agents(intents: Sequence[i.Intent], memory: Memory) -> list[str]:
    doubted = {one.agent for one in memory.in_doubt.values() if isinstance(one, i.StartAgent | i.StopAgent)}
    return [
        f"{one.id} while a start or stop of {one.agent} is in doubt"
        for one in intents
        if isinstance(one, i.StartAgent) and one.agent in doubted
    ]


def _interrupts(intents: Sequence[i.Intent], memory: Memory) -> list[str]:
    return [
        f"{one.id} though its turn was interrupted before"
        for one in intents
        if isinstance(one, i.InterruptAgent) and memory.tasks[one.task].interrupted_at is not None
    ]


def _contexts(intents: Sequence[i.Intent], memory: Memory, policy: Policy) -> list[str]:
    """No prompt into a full conversation, and none of a second task into one that is to be cleared."""
    said = []
    for one in intents:
        known = memory.agents.get(one.agent, AgentMemory()) if isinstance(one, i.DeliverPrompt) else None
        if not isinstance(one, i.DeliverPrompt) or known is None:
            continue
        if known.context_full:
            said.append(f"{one.id} goes into a full context")
        spec = policy.agent(one.agent)
        clears = spec is not None and spec.context is ContextPolicy.CLEAR
        keeps = spec is not None and policy.traits[spec.backend].keeps_context
        if clears and keeps and known.prompted and not memory.tasks[one.task].prompt_id:
            said.append(f"{one.id} goes into another task's conversation")
    return said


def _merges(intents: Sequence[i.Intent], world: World, memory: Memory, policy: Policy) -> list[str]:
    merges = [one for one in intents if isinstance(one, i.MergePullRequest)]
    bases = Counter((one.repo, one.base) for one in merges)
    said = [f"{n} merges into {base}" for base, n in bases.items() if n > 1]
    for one in merges:
        known = memory.pulls.get(one.subject)
        spec = policy.agent(known.agent) if known else None
        if spec is None or mode_of(policy, memory, one.repo, spec) is not Mode.FULL:
            said.append(f"{one.id} though its agent's mode is not full")
        section = world.repos[one.repo]
        assert isinstance(section, Seen)
        judged = next(pull for pull in section.value.pull_requests if pull.number == one.number)
        if one.head != judged.head:
            said.append(f"{one.id} is not the judged head")
        if judge(judged, policy.merge[one.repo], world.now).verdict is not MergeVerdict.MERGE:
            said.append(f"{one.id} has obstacles")
    return said


def _lifts_anothers(intent: i.Intent, world: World, policy: Policy) -> bool:
    if not isinstance(intent, i.LiftHold):
        return False
    section = world.repos[intent.repo]
    assert isinstance(section, Seen)
    lifted = next(pull for pull in section.value.pull_requests if pull.number == intent.number)
    holds = [one for one in lifted.labels or () if one.name.casefold() == intent.label.casefold()]
    return any(one.by is None or one.by.login != policy.account for one in holds)


def _finished(intent: i.Intent, outcome: str = "done", detail: str = "") -> e.IntentFinished:
    return e.IntentFinished(intent_id=intent.id, about=intent.subject, outcome=outcome, detail=detail)


def _found(task: Task, number: int) -> e.FindingRecorded:
    return e.FindingRecorded(
        agent=task.agent,
        finding_id=f"F{number}",
        repo=task.repo,
        issue=task.issue,
        title="found",
        body="",
        task=task.id,
    )


def _prepared(intent: i.PrepareTree) -> e.TreePrepared:
    return e.TreePrepared(
        agent=intent.agent,
        task=intent.task,
        folder=f"/{intent.agent}/{intent.repo}/{intent.name}",
        branch=intent.branch,
        head="a" * 40,
        base="a" * 40,
        generation=intent.generation,
    )
