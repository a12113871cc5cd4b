"""What changed: events for the journal out of one look. Nothing here intends anything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits
from hive.decisions.after_merge import merge_news
from hive.decisions.agent_state import is_not_installed, observed_state, takes_no_prompt
from hive.decisions.budgets import Accounts, purpose_of
from hive.decisions.dialogs import ASKS
from hive.decisions.durations import spell
from hive.decisions.hands_off import is_typed_in
from hive.decisions.lifecycle import is_parked
from hive.decisions.limits import PARKED, limit_news
from hive.decisions.lookup import sightings, snapshot
from hive.decisions.model_pin import pinned
from hive.decisions.notice_pulls import ended, judged, opened_unrecorded, pushed_by_others, reviewed
from hive.decisions.notice_usage import reached, used
from hive.decisions.plan_sandboxes import has_room, sandbox_of
from hive.decisions.policy import Policy, is_started
from hive.decisions.stalls import hung
from hive.decisions.triage_news import triage_answer
from hive.decisions.work_queue import work_queue
from hive.facts import events as e
from hive.facts.agents import LOST_TURN, AgentSighting, AgentSpec, AgentState
from hive.facts.forge import RepositorySnapshot
from hive.facts.memory import AgentMemory, Memory, SandboxMemory
from hive.facts.screens import ScreenState
from hive.facts.work import Task, TaskState, of_start
from hive.facts.world import Seen, World

_WITHOUT_SESSION = (AgentState.ABSENT, AgentState.NOT_STARTED, AgentState.PAUSED)
"""States in which a session may well be missing. In all others it was there, and hive did not stop it while
its token stands."""

_RESTING = timedelta(seconds=30)
"""Longer than any program was seen to wait between taking a prompt and showing that it works."""
_SESSION_GONE = "its session is gone"
_PARKED = "parked"
_RESTS = "it rests, and its transcript tells of no end"


def notice(world: World, memory: Memory, policy: Policy) -> tuple[e.Event, ...]:
    """Events that tell what of `world` the journal does not know yet; empty when nothing changed."""
    events: list[e.Event] = []
    seen = sightings(world)
    accounts = Accounts(memory.spending, policy.budgets, world.now)
    events.extend(_sandboxes(world, memory, policy))
    if seen is not None:
        for spec in policy.agents:
            if spec.name in world.hidden:
                continue
            events.extend(_agent(spec, seen.get(spec.name), world, memory, policy, accounts))
    events.extend(reached(accounts, memory))
    for repo in world.repos:
        look = snapshot(world, repo)
        if look is not None:
            events.extend(opened_unrecorded(look, memory, policy))
            events.extend(_triaged(look, world, memory, policy))
            events.extend(reviewed(look, memory, policy))
            events.extend(judged(look, world, memory, policy))
            events.extend(ended(look, memory))
            events.extend(pushed_by_others(look, memory))
            events.extend(merge_news(look, memory, policy.merge[repo], world.now))
    return tuple(events)


def _sandboxes(world: World, memory: Memory, policy: Policy) -> Iterator[e.Event]:
    if not isinstance(world.fleet, Seen):
        return
    for spec in policy.agents:
        known = memory.agents.get(spec.name, AgentMemory()).sandbox
        sandbox = world.fleet.value.of_agent(spec.name)
        if sandbox is None:
            if known is not None:
                yield e.SandboxChanged(agent=spec.name, phase="")
            continue
        event = e.SandboxChanged(
            agent=spec.name,
            phase=sandbox.phase,
            cluster=sandbox.cluster,
            node=sandbox.node,
            pod=sandbox.pod.name if sandbox.pod else "",
            message=sandbox.message,
            why=tuple(sandbox.why.items()),
        )
        if known is None or _told(known) != _told(event):
            yield event


def _told(sandbox: SandboxMemory | e.SandboxChanged) -> tuple[str, ...]:
    """Reasons alone are no news: they count what is free on every cluster."""
    return (sandbox.phase, sandbox.cluster, sandbox.node, sandbox.pod, sandbox.message)


def _agent(
    spec: AgentSpec,
    sighting: AgentSighting | None,
    world: World,
    memory: Memory,
    policy: Policy,
    accounts: Accounts,
) -> Iterator[e.Event]:
    known = memory.agents.get(spec.name, AgentMemory())
    state, detail = _state(spec, sighting, known, world, memory, policy)
    over = accounts.over(purpose_of(spec)) if state in (AgentState.READY, AgentState.FAILED) else None
    shown, why = (AgentState.PAUSED, over.why) if over is not None else (state, detail)
    options = sighting.screen.options if sighting is not None and state in ASKS else ()
    if (shown, why, options) != (known.state, known.detail, known.options):
        gone = why == _SESSION_GONE
        yield e.AgentChanged(
            agent=spec.name,
            state=shown,
            detail=why,
            with_terminal=gone,
            shared=gone and _all_are_gone(world, memory, policy),
            not_installed=is_not_installed(sighting),
            options=options,
        )
    if sighting is not None and sighting.alive and sighting.conversation is not None:
        told = sighting.conversation
        is_news = (told.id, told.generation) != (known.conversation, known.told_in)
        if told.generation == known.generation and is_news:
            yield e.ConversationSeen(agent=spec.name, conversation=told.id[:200], generation=told.generation)
    if sighting is not None:
        yield from pinned(spec, sighting, known)
        yield from used(spec, sighting, memory, policy, world.now)
        yield from limit_news(spec, sighting, state, known, memory, world.now)
    task = memory.tasks.get(known.task)
    if sighting is not None and task is not None and task.is_open and task.prompt_id:
        yield from _progress(spec, sighting, task, state, world.now)


def _all_are_gone(world: World, memory: Memory, policy: Policy) -> bool:
    """Whether this machine's terminal has lost several sessions and has none left: its server went down, or
    the machine. A single one may have ended its session itself."""
    here = {spec.name for spec in policy.agents if spec.sandbox is None} - world.hidden.keys()
    left = here & (sightings(world) or {}).keys()
    lost = [name for name in here if _had_session(memory.agents.get(name, AgentMemory()))]
    return not left and len(lost) > 1


def _had_session(known: AgentMemory) -> bool:
    return bool(known.token_digest) and known.state not in _WITHOUT_SESSION


def _state(
    spec: AgentSpec,
    sighting: AgentSighting | None,
    known: AgentMemory,
    world: World,
    memory: Memory,
    policy: Policy,
) -> tuple[AgentState, str]:
    if sighting is None:
        if known.pause is not None:
            return AgentState.PAUSED, _paused(known)
        if not is_started(policy, memory, spec):
            return AgentState.NOT_STARTED, f"role {spec.role} is not started at this level"
        if known.state in (AgentState.CRASHED, AgentState.FAILED_TO_START, AgentState.HUNG):
            return AgentState(known.state), _parked(known, policy)
        if _had_session(known):
            return AgentState.CRASHED, _SESSION_GONE
        return AgentState.ABSENT, _waits_for(spec, world)
    traits = policy.traits[spec.backend]
    state, detail = observed_state(sighting, known, traits, world.now)
    if is_not_installed(sighting):
        detail = _not_installed(spec, traits, detail)
    task = memory.tasks.get(known.task)
    # Where a person has a hand in it, its silence and its screen are that person's.
    is_judged = task is not None and task.is_open and not is_typed_in(sighting, policy.lifecycle, world.now)
    if task is not None and is_judged:
        if takes_no_prompt(task, sighting, known, traits, world.now):
            tries = traits.submission.tries + 1
            return AgentState.HUNG, f"it takes no prompt: submitted {tries} times without a sign"
        if of_start(task.prompt_id) == f"{task.id}/{known.generation}" and (
            why := hung(task, sighting, state, traits, policy.lifecycle, world.now)
        ):
            return AgentState.HUNG, why
    if known.pause is not None and state in (AgentState.READY, AgentState.FAILED):
        return AgentState.PAUSED, _paused(known)
    return state, detail


def _parked(known: AgentMemory, policy: Policy) -> str:
    """Its detail, and that it waits for a person where it does."""
    if not is_parked(policy.lifecycle, known) or _PARKED in known.detail:
        return known.detail
    window = spell(policy.lifecycle.window)
    return (
        f"{known.detail} ({_PARKED} after {policy.lifecycle.restarts} crashes within {window} without proven "
        "work; `hive restart` frees it)"
    ).strip()


def _not_installed(spec: AgentSpec, traits: BackendTraits, how: str) -> str:
    program = spec.command[0] if spec.command else next(iter(traits.programs), spec.backend)
    remedy = traits.install if traits.install and not spec.command else f"install {program}"
    return f"{program}, or what it runs on, is not installed ({how}): {remedy}"


def _waits_for(spec: AgentSpec, world: World) -> str:
    """What an agent without a session waits for, where it is its pod."""
    if spec.sandbox is None or has_room(spec, world):
        return ""
    sandbox = sandbox_of(world, spec.name)
    if sandbox is None:
        return "it has no sandbox yet"
    return f"its sandbox is {sandbox.phase}" + (f": {sandbox.message}" if sandbox.message else "")


def _paused(known: AgentMemory) -> str:
    assert known.pause is not None
    return f"by {known.pause.by}" + (f": {known.pause.why}" if known.pause.why else "")


def _progress(
    spec: AgentSpec, sighting: AgentSighting, task: Task, state: AgentState, now: datetime
) -> Iterator[e.Event]:
    """What became of the prompt: from the transcript where there is one, else from the screen."""
    arrived = e.PromptArrived(
        agent=spec.name,
        task=task.id,
        prompt_id=task.prompt_id,
        evidence="screen" if sighting.turns is None else "transcript",
    )
    if sighting.turns is None:
        if task.state is TaskState.PROMPTED and sighting.screen.state is ScreenState.WORKING:
            yield arrived
        if task.state is TaskState.WORKING and not task.turn and state is AgentState.READY:
            yield _turn_ended(spec, task, "done", "")
        return
    turn = next((turn for turn in sighting.turns if turn.prompt_id == task.prompt_id), None)
    if turn is None:
        return
    if turn.ended and turn.outcome == LOST_TURN:
        return  # it went down with its process: the new one gets the prompt anew
    if task.state is TaskState.PROMPTED:
        yield arrived
    if turn.ended and turn.outcome == "error" and state in PARKED:
        return  # the account is at fault: the task is kept, and goes on when the agent is woken
    if turn.ended and not task.turn:
        yield _turn_ended(spec, task, turn.outcome or "done", turn.detail)
    elif not task.turn and task.state is TaskState.WORKING and _rests(sighting, state, now):
        # The end was never written (a full disk, say): what rests for so long is not at work.
        rests = "it was interrupted: it gave no sign of work" if task.interrupted_at else _RESTS
        yield _turn_ended(spec, task, "error", rests)


def _rests(sighting: AgentSighting, state: AgentState, now: datetime) -> bool:
    """Whether the composer has been free for long."""
    since = sighting.screen_since
    return state in (AgentState.READY, AgentState.FAILED) and since is not None and now - since >= _RESTING


def _turn_ended(spec: AgentSpec, task: Task, outcome: str, detail: str) -> e.TurnEnded:
    return e.TurnEnded(
        agent=spec.name, task=task.id, prompt_id=task.prompt_id, outcome=outcome, detail=detail[:500]
    )


def _triaged(look: RepositorySnapshot, world: World, memory: Memory, policy: Policy) -> Iterator[e.Event]:
    for item in work_queue(world, look.repo, policy):
        known = memory.issues.get(f"{look.repo}#{item.number}")
        if known is None or known.triaged != triage_answer(item):
            yield e.IssueTriaged(
                repo=look.repo,
                number=item.number,
                eligible=item.eligible,
                rank=item.rank,
                lane=item.lane,
                because=item.because,
            )
