"""What waits for a person now, out of what hive remembers; level-triggered like everything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from hive.decisions import holds
from hive.decisions.budgets import Accounts
from hive.decisions.counting import counted
from hive.decisions.lifecycle import is_parked
from hive.decisions.lookup import split_key
from hive.decisions.notices.refusals import refusals
from hive.decisions.policy import Policy
from hive.decisions.reconcile import open_incidents
from hive.facts.agents import AgentState
from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.memory import AgentMemory, Memory, RoundMemory
from hive.facts.need_events import NeedCleared, NeedRaised
from hive.facts.needs import Need, NeedKind, NeedMemory
from hive.facts.work import TaskKind, TaskState

_ASKS = {
    AgentState.ASKING: NeedKind.ASKING,
    AgentState.BLOCKED: NeedKind.BLOCKED,
    AgentState.LOGGED_OUT: NeedKind.LOGGED_OUT,
    AgentState.OUT_OF_CREDIT: NeedKind.OUT_OF_CREDIT,
}
_STILL = {
    TaskKind.FIX_CI: ("check-failed", "its checks fail still"),
    TaskKind.ANSWER_REVIEW: ("changes-requested", "its reviewers ask for changes still"),
    TaskKind.REVIEW: ("review-missing", "no other agent's review finds its head fine"),
    TaskKind.REBASE: ("conflict", "it conflicts with its base still"),
}
"""By what obstacle of the merge gate a pull request shows that it needs the same still."""
_GIVEN_UP = frozenset({"failed", "quarantined"})
"""Outcomes after which hive leaves an issue to a person."""


def outstanding(memory: Memory, policy: Policy, now: datetime) -> tuple[Need, ...]:
    """Every need of now, by key."""
    found = (
        *_approvals(memory, now),
        *_pulls(memory),
        *_rounds(memory, policy),
        *_agents(memory, policy, now),
        *_issues(memory),
        *_ports(memory),
        *_budgets(memory, policy, now),
        *_merging(memory),
        *_configuration(memory),
        *_incidents(memory),
        *refusals(memory, now),
    )
    return tuple(sorted(found, key=lambda need: need.key))


def changes(memory: Memory, needs: Iterable[Need]) -> Iterator[NeedRaised | NeedCleared]:
    """What of `needs` the journal does not know yet."""
    seen = {need.key: need for need in needs}
    for key, need in seen.items():
        known = memory.needs.get(key)
        if known is None or known.cleared_at is not None or known.need != need:
            yield NeedRaised(
                key=key,
                need=need.kind,
                about=need.about,
                text=need.text,
                command=need.command,
                agent=need.agent,
                repo=need.repo,
            )
    for key, known in memory.needs.items():
        if key not in seen and known.cleared_at is None:
            yield NeedCleared(key=key, about=known.need.about)


def _approvals(memory: Memory, now: datetime) -> Iterator[Need]:
    for hold in holds.waiting(memory.holds, now):
        yield Need(
            key=f"approval/{hold.id}",
            kind=NeedKind.APPROVAL,
            about=hold.id,
            text=f"{hold.agent} wants to {hold.action} {hold.target}: {hold.because}",
            command=f"hive approve {hold.id}",
            agent=hold.agent,
            repo=hold.target.partition("#")[0].partition("@")[0].partition(":")[0],
        )


def _pulls(memory: Memory) -> Iterator[Need]:
    """Pull requests that wait for nothing but a person's release of hive's hold."""
    for key, known in memory.pulls.items():
        codes = {code for code, _, _ in known.judged}
        if known.state == "open" and known.held_head and codes == {"hold"}:
            repo, number = split_key(key)
            yield Need(
                key=f"held/{key}",
                kind=NeedKind.HELD,
                about=key,
                text=f"{known.agent} opened it and nothing else is in its way",
                command=f"gh pr view {number} -R {repo}",
                agent=known.agent,
                repo=repo,
            )


def _agents(memory: Memory, policy: Policy, now: datetime) -> Iterator[Need]:
    for spec in policy.agents:
        known = memory.agents.get(spec.name, AgentMemory())
        if known.pause is None:
            yield from _agent(spec.name, known, policy, now)
        sandbox = known.sandbox
        if sandbox is not None and sandbox.phase in (SandboxPhase.PENDING, SandboxPhase.FAILED):
            yield _of_agent(NeedKind.SANDBOX, spec.name, sandbox.message, f"hive explain {spec.name}")


def _agent(name: str, known: AgentMemory, policy: Policy, now: datetime) -> Iterator[Need]:
    state = AgentState(known.state)
    if state in _ASKS:
        asks = state is AgentState.ASKING
        command = f"hive send {name} ..." if asks else f"hive attach {name}"
        yield _of_agent(_ASKS[state], name, known.detail, command)
    elif is_parked(policy.lifecycle, known) or (known.not_installed and state in _FAILED):
        yield _of_agent(NeedKind.STUCK, name, known.detail, f"hive restart {name}")
    elif state is AgentState.LIMITED and _is_long(known.since, now, policy.notices.limited_after):
        yield _of_agent(NeedKind.LIMITED, name, known.detail, f"hive explain {name}")


_FAILED = frozenset({AgentState.CRASHED, AgentState.FAILED_TO_START})


def _is_long(since: datetime | None, now: datetime, span: timedelta) -> bool:
    return since is not None and now - since >= span


def _of_agent(kind: NeedKind, name: str, text: str, command: str) -> Need:
    return Need(key=f"{kind}/{name}", kind=kind, about=name, text=text, command=command, agent=name)


def _issues(memory: Memory) -> Iterator[Need]:
    """Issues that were tried and given up, as long as their last task says so."""
    newest = {
        f"{task.repo}#{task.issue}": task
        for task in memory.tasks.values()
        if task.state is TaskState.FINISHED and task.outcome in _GIVEN_UP
    }
    for key, task in newest.items():
        if memory.issues[key].last_outcome == task.outcome:
            text = f"{task.outcome} after {task.attempt} attempts: {task.detail}"
            command = f"hive explain {key}"
            yield Need(f"stuck/{key}", NeedKind.STUCK, key, text, command, agent=task.agent, repo=task.repo)


def _rounds(memory: Memory, policy: Policy) -> Iterator[Need]:
    """Open pull requests that their agents go on with no more."""
    for key, pull in memory.pulls.items():
        if pull.state != "open":
            continue
        codes = {code for code, _, _ in pull.judged}
        given_up = [
            f"{told} after {counted(known.count, 'task')} for that"
            for kind, (code, told) in _STILL.items()
            for known in (pull.rounds.get(kind, RoundMemory()),)
            if code in codes and known.ended_at is not None and known.count >= policy.rounds.limit(kind)
        ]
        because = pull.left or "; ".join(given_up)
        if because:
            text = f"{pull.agent} does not go on with it: {because}"
            command = f"hive work take-up {key}"
            repo = key.rpartition("#")[0]
            yield Need(f"left/{key}", NeedKind.STUCK, key, text, command, agent=pull.agent, repo=repo)


def _ports(memory: Memory) -> Iterator[Need]:
    for port, message in memory.ports.items():
        kind = NeedKind.ISOLATION if port == "isolation" else NeedKind.UNREACHABLE
        yield Need(f"{kind}/{port}", kind, port, message, "hive doctor")


def _budgets(memory: Memory, policy: Policy, now: datetime) -> Iterator[Need]:
    """Budgets that stop work; one that only warns is in the journal."""
    for standing in Accounts(memory.spending, policy.budgets, now).standings():
        if standing.limit == "hard":
            about = f"{standing.budget.name} ({standing.covers})"
            text = f"{standing.why}: {standing.figures(standing.budget.hard)}"
            yield Need(f"budget/{about}/{standing.window}", NeedKind.BUDGET, about, text, "hive costs")


def _merging(memory: Memory) -> Iterator[Need]:
    """Where hive itself stopped merging; a person who did it knows."""
    for repo, hold in memory.merging.items():
        if not hold.by:
            command = f"hive merging release {repo} --why '...'"
            yield Need(f"merging/{repo}", NeedKind.MERGING, repo, hold.because, command, repo=repo)


def _configuration(memory: Memory) -> Iterator[Need]:
    if memory.rejected_configuration:
        kind, text = NeedKind.CONFIGURATION, memory.rejected_configuration
        yield Need("configuration", kind, "the configuration", text, "hive check")


def _incidents(memory: Memory) -> Iterator[Need]:
    for one in open_incidents(memory):
        yield Need(
            key=f"incident/{one.id}",
            kind=NeedKind.INCIDENT,
            about=one.id,
            text=f"{one.what}, at {one.where}: {one.evidence}",
            command=f"hive incidents close {one.id} --why ...",
            agent=one.agent,
            repo=one.repo,
        )


def still_waiting(needs: Mapping[str, NeedMemory]) -> tuple[NeedMemory, ...]:
    """Those that still wait, the oldest first."""
    waiting = [one for one in needs.values() if one.cleared_at is None]
    return tuple(sorted(waiting, key=lambda one: (one.since, one.need.key)))
