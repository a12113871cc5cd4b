"""One hand on the world: each intent to one call of a port, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias, assert_never

from hive.contracts.backend import Backend
from hive.decisions.pasteable import pasteable
from hive.errors import (
    GivenUp,
    InDoubt,
    JournalError,
    Missing,
    Moved,
    Refused,
    Throttled,
    Unreachable,
    WorldError,
)
from hive.facts import intents as i
from hive.facts.agents import AgentSpec, session_name
from hive.facts.events import Event, IntentFinished, Noticed, ProgramSeen
from hive.facts.forge import PullRequest
from hive.facts.on_forge import OnForge
from hive.kernel.act_on_trees import TreeLanes, act_on_tree
from hive.kernel.choosing import take_option
from hive.kernel.endings import Endings
from hive.kernel.filing import carry_out_filing
from hive.kernel.lane import Lane
from hive.kernel.leasing import carry_out_lease
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_agents import AgentWatcher
from hive.kernel.merges import MergeRules, carry_out_merge
from hive.kernel.terminals import Terminals
from hive.kernel.tokens import issue
from hive.ports.fleet import SandboxRequests
from hive.ports.forge import Forge
from hive.ports.seats import LocalSeats, ReadySeat
from hive.ports.terminal import SessionOrder

_TERMINAL_DEADLINE = 15.0
_FORGE_DEADLINE = 30.0
_SEAT_DEADLINE = 30.0
_FLEET_DEADLINE = 20.0
_JOURNAL_DEADLINE = 20.0
"""Seconds. The journal's is long: a record must not be given up while the disk is merely busy."""


async def record(journal: Lane[Ledger], events: Sequence[Event], tick: int = 0) -> None:
    """Write events durably, without blocking the loop. Raises `JournalError` when that fails or hangs."""
    try:
        await journal.call("record", lambda ledger: ledger.record(events, tick=tick), _JOURNAL_DEADLINE)
    except Unreachable as error:
        raise JournalError(f"the journal does not answer: {error.message}") from error


_Plain: TypeAlias = (
    i.StartAgent
    | i.StopAgent
    | i.RequestSandbox
    | i.WithdrawSandbox
    | i.ClaimWork
    | i.DeliverPrompt
    | i.PressSubmit
    | i.AnswerDialog
    | i.InterruptAgent
    | i.FinishTask
    | i.ReleaseTask
    | OnForge
)
"""Intents whose outcome one sentence tells."""


@dataclass(slots=True)
class Hands:
    """What acting needs; the callables follow the configuration.

    Attributes:
        objections: What the merge gate has against a pull request now; empty where it may be merged.
    """

    terminals: Terminals
    forge: Lane[Forge]
    seats: Lane[LocalSeats]
    journal: Lane[Ledger]
    backends: Mapping[str, Backend]
    specs: Callable[[], Mapping[str, AgentSpec]]
    merge_method: Callable[[str], str]
    objections: Callable[[PullRequest], tuple[str, ...]]
    now: Callable[[], datetime]
    sandboxes: Lane[SandboxRequests] | None = None
    trees: TreeLanes | None = None
    endings: Endings = field(default_factory=Endings)

    def merge_rules(self) -> MergeRules:
        return MergeRules(self.merge_method, self.objections)

    def terminal(self, agent: str) -> Lane[AgentWatcher]:
        """The lane to the agent's terminal. Raises `Missing` for a sandbox that has no pod now."""
        return self.terminals.of(agent, self.specs().get(agent))


async def act(intent: i.Intent, hands: Hands) -> tuple[Event, ...]:
    """Carry `intent` out and return what to record. What is in doubt has no outcome yet."""
    try:
        if isinstance(intent, i.PrepareTree | i.RemoveTree):
            return await act_on_tree(intent, hands.trees, hands.specs())
        if isinstance(intent, i.FileFinding | i.UpdateTracking):
            filing = intent
            detail = await hands.forge.call(
                intent.id, lambda forge: carry_out_filing(filing, forge), _FORGE_DEADLINE
            )
        elif isinstance(intent, i.TakeLease | i.DropLease):
            lease = intent
            detail = await hands.forge.call(
                intent.id, lambda forge: carry_out_lease(lease, forge, hands.now()), _FORGE_DEADLINE
            )
        else:
            detail = await _carry_out(intent, hands)
    except InDoubt as error:
        return (Noticed(about=intent.subject, message=f"in doubt: {intent.id}: {error}"),)
    except (Unreachable, Throttled) as error:
        is_over = isinstance(intent, (*i.ON_FORGE, *i.FILING, *i.LEASING)) and not isinstance(error, GivenUp)
        if is_over or isinstance(intent, i.ON_DISK):
            return _finished(intent, "failed", str(error))
        # The call was given up while it may still be going on: its mark will tell.
        return (Noticed(about=intent.subject, message=f"in doubt: {intent.id}: {error}"),)
    except WorldError as error:
        return _finished(intent, _outcome(error), str(error))
    return _finished(intent, "done", detail)


def _outcome(error: WorldError) -> str:
    match error:
        case Moved():
            return "moved"
        case Refused():
            return "refused"
        case Missing():
            return "missing"
        case _:
            return "failed"


def _finished(intent: i.Intent, outcome: str, detail: str) -> tuple[Event, ...]:
    return (IntentFinished(intent_id=intent.id, about=intent.subject, outcome=outcome, detail=detail),)


async def _carry_out(intent: _Plain, hands: Hands) -> str:
    match intent:
        case i.StartAgent():
            return await _start(intent, hands)
        case i.StopAgent():
            with hands.terminals.ending(intent.agent, hands.now):
                await hands.endings.stop(intent, hands.terminal(intent.agent))
            await hands.seats.call(intent.id, lambda seats: seats.vacate(intent.agent), _SEAT_DEADLINE)
            return ""
        case i.RequestSandbox() | i.WithdrawSandbox():
            return await _sandbox(intent, hands)
        case i.DeliverPrompt():
            return await _deliver(intent, hands)
        case i.PressSubmit():
            return await _press(intent, hands)
        case i.AnswerDialog():
            return await _answer(intent, hands)
        case i.InterruptAgent():
            return await _interrupt(intent, hands)
        case i.HoldPullRequest():
            await hands.forge.call(
                intent.id,
                lambda forge: forge.add_labels(intent.repo, intent.number, [intent.label]),
                _FORGE_DEADLINE,
            )
            return f"label {intent.label}"
        case i.LiftHold():
            await hands.forge.call(
                intent.id,
                lambda forge: forge.remove_label(intent.repo, intent.number, intent.label),
                _FORGE_DEADLINE,
            )
            return f"label {intent.label}"
        case (
            i.MergePullRequest()
            | i.EnqueuePullRequest()
            | i.DequeuePullRequest()
            | i.DeleteBranch()
            | i.OpenRevert()
            | i.UpdateBranch()
        ):
            return await hands.forge.call(
                intent.id, lambda forge: carry_out_merge(intent, forge, hands.merge_rules()), _FORGE_DEADLINE
            )
        case i.ClaimWork() | i.FinishTask() | i.ReleaseTask():
            return ""
        case _ as never:
            assert_never(never)


async def _sandbox(intent: i.RequestSandbox | i.WithdrawSandbox, hands: Hands) -> str:
    if hands.sandboxes is None:
        raise Missing("fleet", "no clusters are configured")
    if isinstance(intent, i.WithdrawSandbox):
        await hands.sandboxes.call(
            intent.id, lambda requests: requests.withdraw(intent.agent, intent.request), _FLEET_DEADLINE
        )
        return intent.request
    spec = hands.specs().get(intent.agent)
    sandbox = spec.sandbox if spec is not None else None
    if sandbox is None or sandbox.digest != intent.digest:
        raise Missing("agents", f"{intent.agent} is no longer configured with this sandbox")
    await hands.sandboxes.call(
        intent.id, lambda requests: requests.ask(intent.agent, sandbox), _FLEET_DEADLINE
    )
    return sandbox.request.key


async def _start(intent: i.StartAgent, hands: Hands) -> str:
    """Make the seat ready, start the program."""
    spec = hands.specs().get(intent.agent)
    if spec is None:
        raise Missing("agents", f"{intent.agent} is no longer configured")
    spec = spec.taking(intent.choice)
    lane = hands.terminal(spec.name)
    version = ""
    if spec.sandbox is None:
        seat, version = await _seat_here(spec, intent, hands)
    else:
        seat = await lane.call(
            intent.id, lambda watcher: watcher.seat(spec, intent.generation, intent.resume), _SEAT_DEADLINE
        )
    order = SessionOrder(
        name=session_name(spec.name),
        argv=seat.launch.argv,
        environment=seat.launch.environment,
        workdir=seat.workdir,
        marks={"agent": spec.name, "generation": str(intent.generation)},
    )
    await lane.call(intent.id, lambda watcher: watcher.terminal.create(order), _TERMINAL_DEADLINE)
    if version:
        await _note_version(spec, version, hands)
    resumed = f", resuming conversation {intent.resume}" if intent.resume else ""
    return f"generation {intent.generation}{resumed}"


async def _note_version(spec: AgentSpec, version: str, hands: Hands) -> None:
    """Write down which version was started, where it is another than before."""
    known = await hands.journal.call(
        "version", lambda ledger: ledger.memory.agents.get(spec.name), _JOURNAL_DEADLINE
    )
    if known is not None and version != known.version:
        await record(hands.journal, [ProgramSeen(agent=spec.name, version=version)])


async def _seat_here(spec: AgentSpec, intent: i.StartAgent, hands: Hands) -> tuple[ReadySeat, str]:
    """A seat on this machine, with a token whose digest is on record first; and the program's version, asked
    before the start: behind the seats of all others a start would end long after its agent runs."""
    token, issued = issue(spec, intent.generation)
    await record(hands.journal, [issued])
    return await hands.seats.call(
        intent.id,
        lambda seats: (
            seats.prepare(spec, generation=intent.generation, token=token, resume=intent.resume),
            seats.version(spec),
        ),
        _SEAT_DEADLINE,
    )


async def _deliver(intent: i.DeliverPrompt, hands: Hands) -> str:
    """Paste, wait as long as the program needs, press. The marks tell a later start how far it came."""
    spec = hands.specs().get(intent.agent)
    if spec is None:
        raise Missing("agents", f"{intent.agent} is no longer configured")
    submission = hands.backends[spec.backend].traits.submission
    name = session_name(intent.agent)
    clean = pasteable(intent.text)
    await hands.terminal(intent.agent).call(
        intent.id,
        lambda watcher: watcher.terminal.paste(name, clean.text, {"pasted": intent.prompt_id, "presses": ""}),
        _TERMINAL_DEADLINE,
    )
    await asyncio.sleep(submission.settle.total_seconds())
    await hands.terminal(intent.agent).call(
        intent.id,
        lambda watcher: watcher.terminal.press(name, submission.keys, {"submitted": intent.prompt_id}),
        _TERMINAL_DEADLINE,
    )
    size = len(clean.text.encode())
    removed = sum(count for _, count in clean.stripped)
    return f"{size} bytes" + (f", {removed} control characters removed" if removed else "")


async def _answer(intent: i.AnswerDialog, hands: Hands) -> str:
    spec = hands.specs().get(intent.agent)
    if spec is None:
        raise Missing("agents", f"{intent.agent} is no longer configured")
    await take_option(
        hands.terminal(intent.agent),
        hands.backends[spec.backend],
        session_name(intent.agent),
        box=intent.box,
        option=intent.option,
        marks={"answered": str(intent.number)},
        now=hands.now,
    )
    return intent.option


async def _press(intent: i.PressSubmit, hands: Hands) -> str:
    spec = hands.specs().get(intent.agent)
    if spec is None:
        raise Missing("agents", f"{intent.agent} is no longer configured")
    keys = hands.backends[spec.backend].traits.submission.keys
    name = session_name(intent.agent)
    await hands.terminal(intent.agent).call(
        intent.id,
        lambda watcher: watcher.terminal.press(
            name, keys, {"submitted": intent.prompt_id, "presses": str(intent.attempt)}
        ),
        _TERMINAL_DEADLINE,
    )
    return ""


async def _interrupt(intent: i.InterruptAgent, hands: Hands) -> str:
    spec = hands.specs().get(intent.agent)
    if spec is None:
        raise Missing("agents", f"{intent.agent} is no longer configured")
    keys = hands.backends[spec.backend].traits.interrupt
    name = session_name(intent.agent)
    await hands.terminal(intent.agent).call(
        intent.id,
        lambda watcher: watcher.terminal.press(name, keys, {"interrupted": intent.prompt_id}),
        _TERMINAL_DEADLINE,
    )
    return " ".join(keys)
