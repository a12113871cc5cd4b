"""The status document: what is, as `hive status`, the dashboard and the demo show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hive.decisions import holds
from hive.decisions.costs import budget_rows, by_agent
from hive.decisions.fallback import standing
from hive.decisions.findings.rows import finding_rows
from hive.decisions.forge_pace import pace_row
from hive.decisions.hands_off import why_hands_off
from hive.decisions.incident_rows import incident_rows
from hive.decisions.instants import iso
from hive.decisions.leases import held_by_others
from hive.decisions.limits import is_limited
from hive.decisions.lookup import sightings, snapshot
from hive.decisions.merging import judge_here
from hive.decisions.merging_rows import merging_rows
from hive.decisions.notice_load import load_row
from hive.decisions.notices.rows import need_rows
from hive.decisions.policy import Policy, is_started, level_of, mode_of
from hive.decisions.reconcile import open_incidents
from hive.decisions.rounds.rows import round_rows
from hive.decisions.settled import NEEDS_PERSON, is_settled
from hive.decisions.standing.rows import standing_rows
from hive.decisions.tree_rows import tree_rows
from hive.decisions.work_queue import why_there, work_queue
from hive.facts.agents import AgentSpec, AgentState, session_name
from hive.facts.autonomy import AcmmLevel
from hive.facts.forge import PullRequest
from hive.facts.isolation import ISOLATION
from hive.facts.memory import AgentMemory, IssueMemory, Memory
from hive.facts.world import Unseen, World


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the document tells besides world, memory and policy.

    Attributes:
        tick_seconds: How long the last tick took.
        attach: The command that attaches to a session, without its name.
        abandoned: How often each port's thread was given up.
        refused: The newest refusals, oldest first.
        deliveries: Where webhooks arrive, and how many were heard and refused; None for nowhere.
    """

    pid: int
    tick: int
    tick_seconds: float
    state: str
    attach: str
    abandoned: Mapping[str, int]
    refused: tuple[Mapping[str, Any], ...] = ()
    deliveries: Mapping[str, str | int] | None = None


def document(world: World, memory: Memory, policy: Policy, surroundings: Surroundings) -> dict[str, Any]:
    """The document, JSON-able. Times are ISO 8601 in UTC."""
    level = _level(memory, policy)
    used = by_agent(memory.spending)
    agents = [
        {**_agent(spec, world, memory, policy, surroundings), "usage": used.get(spec.name)}
        for spec in policy.agents
    ]
    work = _work(world, memory, policy)
    return {
        "at": _iso(world.now),
        "tick": surroundings.tick,
        "tick_seconds": surroundings.tick_seconds,
        "pid": surroundings.pid,
        "level": int(level),
        "level_name": level.label,
        "settled": is_settled(world, memory, policy),
        "state": surroundings.state,
        "verdict": _verdict(agents, work, memory, policy),
        "agents": agents,
        "work": work,
        "trees": list(tree_rows(memory)),
        "rounds": list(round_rows(world, memory, policy)),
        "pull_requests": _pull_requests(world, memory, policy),
        "budgets": list(budget_rows(memory.spending, policy.budgets, world.now)),
        "holds": list(holds.rows(memory.holds, world.now)),
        "incidents": list(incident_rows(memory)),
        "merging": list(merging_rows(memory)),
        "load": load_row(world, memory, policy),
        "needs": list(need_rows(memory)),
        "standing": list(standing_rows(world, memory, policy)),
        "findings": list(finding_rows(world, memory, policy)),
        "refused": list(surroundings.refused),
        "ports": _ports(world, memory, surroundings),
        "forge": pace_row(world.pace),
        "webhooks": surroundings.deliveries,
    }


def _level(memory: Memory, policy: Policy) -> AcmmLevel:
    return AcmmLevel(memory.level) if memory.level is not None else policy.level


def _agent(
    spec: AgentSpec, world: World, memory: Memory, policy: Policy, surroundings: Surroundings
) -> dict[str, Any]:
    known = memory.agents.get(spec.name, AgentMemory())
    hidden = world.agents.because if isinstance(world.agents, Unseen) else world.hidden.get(spec.name)
    repo = spec.repos[0] if spec.repos else ""
    return {
        "name": spec.name,
        "role": spec.role,
        "backend": spec.backend,
        "mode": mode_of(policy, memory, repo, spec),
        "level": int(level_of(policy, memory, repo, spec)),
        "state": AgentState.UNSEEN if hidden is not None else known.state,
        "detail": _detail(spec, known, world, policy) if hidden is None else hidden,
        "options": list(known.options) if hidden is None else [],
        "since": _iso(known.since),
        "task": _task(known, world, memory),
        "fallback": standing(spec, memory),
        "limited_until": _limited_until(spec, memory, world.now),
        "paused": None
        if known.pause is None
        else {"by": known.pause.by, "why": known.pause.why, "at": _iso(known.pause.at)},
        "starts": known.generation,
        "version": known.version,
        "other_model": known.other_model,
        "repos": list(spec.repos),
        "session": session_name(spec.name),
        "sandbox": _sandbox(spec, known),
        "attach": f"{surroundings.attach} -t ={session_name(spec.name)}",
    }


def _detail(spec: AgentSpec, known: AgentMemory, world: World, policy: Policy) -> str:
    """What its state says of itself, and why hive leaves the session alone, if it does."""
    sighting = (sightings(world) or {}).get(spec.name)
    waits = why_hands_off(sighting, policy.lifecycle, world.now)
    return "; ".join(part for part in (waits, known.detail) if part)


def _limited_until(spec: AgentSpec, memory: Memory, now: datetime) -> str | None:
    """When the agent's account is tried again; None where it is not limited."""
    limit = memory.limits.get(spec.shares)
    return _iso(limit.retry_at) if limit is not None and is_limited(memory, spec.shares, now) else None


def _sandbox(spec: AgentSpec, known: AgentMemory) -> dict[str, Any] | None:
    """Where its pod is, and what placement says of each cluster; None for an agent on this machine."""
    if spec.sandbox is None:
        return None
    sandbox = known.sandbox
    request = spec.sandbox.request.key
    if sandbox is None:
        return {"request": request, "phase": None}
    return {
        "request": request,
        "phase": sandbox.phase,
        "since": _iso(sandbox.since),
        "cluster": sandbox.cluster or None,
        "node": sandbox.node or None,
        "pod": sandbox.pod or None,
        "message": sandbox.message,
        "why": dict(sandbox.why),
    }


def _task(known: AgentMemory, world: World, memory: Memory) -> dict[str, Any] | None:
    task = memory.tasks.get(known.task)
    if task is None or not task.is_open:
        return None
    return {
        "id": task.id,
        "repo": task.repo,
        "issue": task.issue or None,
        "title": "standing work" if task.is_standing else _title(world, task.repo, task.issue),
        "branch": task.branch,
    }


def _title(world: World, repo: str, number: int) -> str:
    look = snapshot(world, repo)
    issues = look.issues if look else ()
    return next((issue.title for issue in issues if issue.number == number), "")


def _work(world: World, memory: Memory, policy: Policy) -> list[dict[str, Any]]:
    holders = {(task.repo, task.issue): task for task in memory.tasks.values() if task.is_open}
    rows = []
    for repo in world.repos:
        look = snapshot(world, repo)
        issues = {issue.number: issue for issue in look.issues} if look else {}
        for item in work_queue(world, repo, policy):
            task = holders.get((repo, item.number))
            held = held_by_others(issues[item.number], policy, world.now) if item.eligible else ""
            known = memory.issues.get(f"{repo}#{item.number}", IssueMemory())
            rows.append(
                {
                    "repo": repo,
                    "number": item.number,
                    "title": issues[item.number].title,
                    "eligible": item.eligible,
                    "rank": item.rank,
                    "lane": item.lane,
                    "kind": item.kind,
                    "size": item.size,
                    "because": held or item.because,
                    "why": why_there(item, issues[item.number], policy, world),
                    "agent": task.agent if task else None,
                    "task": task.id if task else None,
                    "attempts": known.attempts,
                    "outcome": known.last_outcome or None,
                }
            )
    return rows


def _pull_requests(world: World, memory: Memory, policy: Policy) -> list[dict[str, Any]]:
    rows = []
    for repo in world.repos:
        look = snapshot(world, repo)
        if look is None:
            continue
        rows += [
            _pull_request(pull, repo, world, memory, policy) for pull in (*look.pull_requests, *look.recent)
        ]
    return rows


def _pull_request(
    pull: PullRequest, repo: str, world: World, memory: Memory, policy: Policy
) -> dict[str, Any]:
    known = memory.pulls.get(f"{repo}#{pull.number}")
    labels = [label.name for label in pull.labels or ()]
    judgement = judge_here(pull, repo, memory, policy, world.now) if pull.state == "open" else None
    return {
        "repo": repo,
        "number": pull.number,
        "title": pull.title,
        "url": pull.url,
        "agent": known.agent if known else None,
        "issue": known.issue if known else None,
        "head": pull.head,
        "state": pull.state,
        "draft": bool(pull.draft),
        "held": policy.hold_label.casefold() in {label.casefold() for label in labels},
        "labels": labels,
        "verdict": judgement.verdict if judgement else pull.state,
        "obstacles": []
        if judgement is None
        else [
            {
                "code": one.code,
                "subject": one.subject,
                "because": one.because,
                "until": _iso(one.until),
            }
            for one in judgement.obstacles
        ],
    }


def _ports(world: World, memory: Memory, surroundings: Surroundings) -> list[dict[str, Any]]:
    fleet = ["fleet"] if world.fleet is not None else []
    apart = [ISOLATION] if ISOLATION in memory.ports else []
    names = ["terminal", *(f"forge {repo}" for repo in world.repos), *fleet, *apart]
    return [
        {
            "name": name,
            "state": "failing" if name in memory.ports else "ok",
            "message": memory.ports.get(name, ""),
            "abandoned": surroundings.abandoned.get(name.partition(" ")[0], 0),
        }
        for name in names
    ]


def _verdict(agents: list[dict[str, Any]], work: list[dict[str, Any]], memory: Memory, policy: Policy) -> str:
    """One sentence on the whole, with the real cause. A deliberate pause is no alarm."""
    if memory.ports:
        port, message = next(iter(memory.ports.items()))
        if port == ISOLATION:
            return f"{port}: {message}"
        return f"{port} cannot be reached: {message}"
    incidents = open_incidents(memory)
    if incidents:
        more = f" and {len(incidents) - 1} more" if len(incidents) > 1 else ""
        one = incidents[0]
        return f"incident {one.id}{more}: {one.what}, at {one.where}"
    waiting = [agent for agent in agents if agent["state"] in NEEDS_PERSON]
    if waiting:
        first = waiting[0]
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        return f"{first['name']} is {first['state']}{more}: {first['detail'] or 'have a look'}"
    if agents and all(agent["paused"] for agent in agents):
        return "all agents are paused on purpose"
    working = sum(agent["task"] is not None for agent in agents)
    if working:
        return f"{working} of {len(agents)} agents at work"
    if not any(is_started(policy, memory, spec) for spec in policy.agents):
        level = _level(memory, policy)
        return f"no agent is started at level {int(level)} ({level.label})"
    untaken = sum(one["eligible"] and one["outcome"] in (None, "released") for one in work)
    if untaken:
        return f"{untaken} eligible issue{'s wait' if untaken > 1 else ' waits'} for a free agent"
    return "nothing to do: no eligible issue is waiting"


def _iso(moment: datetime | None) -> str | None:
    return iso(moment) if moment is not None else None
