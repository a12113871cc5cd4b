"""Agents: what was asked for (`AgentSpec`) and what was seen (`AgentSighting`); never one class with both."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from hive.facts.alternatives import Alternative
from hive.facts.autonomy import AcmmLevel
from hive.facts.fleet import SandboxRequest
from hive.facts.hooks import HookEvidence
from hive.facts.kubernetes import Manifest
from hive.facts.screens import Screen
from hive.facts.usage import Usage


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """The pod that an agent runs in.

    Attributes:
        request: What it asks of the fleet; named like the agent.
        spec: The same as the hub has it: the spec of the SandboxRequest.
    """

    request: SandboxRequest
    spec: Manifest

    @property
    def digest(self) -> str:
        """Changes with what is asked for."""
        return hashlib.sha256(json.dumps(self.spec, sort_keys=True).encode()).hexdigest()[:16]


class ContextPolicy(StrEnum):
    """What becomes of an agent's conversation between two tasks."""

    CLEAR = "clear"
    """Each task gets a fresh one."""
    KEEP = "keep"
    """It goes on until it is full."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """One agent as the operator wants it.

    Attributes:
        name: Unique in the hive; lower case letters, digits and inner hyphens, at most 39 characters
            (it becomes part of branch names, session names and file names).
        role: A role of the autonomy table, or any other word.
        repos: ``OWNER/NAME`` of the repositories it works on.
        lanes: Lanes of triage that it takes work from; empty means any.
        level: A cap of its own below the hive's level; `None` for none.
        command: Replaces the backend's program and arguments; empty for the backend's own.
        environment: Added to the agent's environment; never secrets of the forge.
        provider: Of `models` in the configuration, which hive's relay asks for it; empty where the agent's
            program reaches a model by its own login.
        sandbox: None for an agent that runs on hive's own machine.
        account: Agents of one account share its limits; empty: those of its provider or backend.
        choices: What it may run on, its own first; empty for an agent that falls back on nothing.
        choice: The place in `choices` of what the rest says: 0 but for one that fell back.
    """

    name: str
    role: str
    backend: str
    repos: tuple[str, ...] = ()
    lanes: tuple[str, ...] = ()
    model: str | None = None
    level: AcmmLevel | None = None
    command: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    sandbox: SandboxSpec | None = None
    account: str = ""
    context: ContextPolicy = ContextPolicy.CLEAR
    provider: str = ""
    choices: tuple[Alternative, ...] = ()
    choice: int = 0

    def taking(self, choice: int) -> AgentSpec:
        """The same agent on another of its choices; on its own where there is no such one."""
        if choice == self.choice or not self.choices:
            return self
        choice = choice if 0 <= choice < len(self.choices) else 0
        taken = self.choices[choice]
        return replace(
            self,
            backend=taken.backend,
            model=taken.model,
            provider=taken.provider,
            account=taken.account,
            command=taken.command,
            choice=choice,
        )

    @property
    def relayed(self) -> bool:
        """Its model is asked through hive, which counts there; what its program counts is not taken."""
        return bool(self.provider)

    @property
    def shares(self) -> str:
        """The account whose limits it shares: its own word, or its provider's or its backend's name."""
        return self.account or self.provider or self.backend


class AgentState(StrEnum):
    """What an agent is doing, as shown to people and kept in the journal.

    Each is an observation, never an echo of what was asked for.
    """

    ABSENT = "absent"
    """No session."""
    STARTING = "starting"
    READY = "ready"
    WORKING = "working"
    ASKING = "asking"
    BLOCKED = "blocked"
    """A dialog or screen that nobody knows."""
    LOGGED_OUT = "logged-out"
    LIMITED = "limited"
    OUT_OF_CREDIT = "out-of-credit"
    CONTEXT_FULL = "context-full"
    FAILED = "failed"
    """A turn ended in an error; the composer is free again."""
    HUNG = "hung"
    CRASHED = "crashed"
    """The agent's process is gone though its session stands."""
    FAILED_TO_START = "failed-to-start"
    PAUSED = "paused"
    NOT_STARTED = "not-started"
    """The autonomy table does not start this role at this level."""
    UNSEEN = "unseen"
    """The terminal could not be looked at."""


LOST_TURN = "lost"
"""Outcome of a turn that ended with its program: nothing was said about the work."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One prompt and what became of it, read from a transcript: evidence before any screen.

    Attributes:
        prompt_id: As hive wrote it into the first line of the prompt; `None` for a person's own prompt.
        ended: Whether the turn is over.
        outcome: The agent's own word for how it ended: ``done``, ``asked``, ``refused``, ``error``;
            `LOST_TURN` when its program ended under it; empty while it runs.
    """

    prompt_id: str | None
    ended: bool
    outcome: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a program and its model have said so far: it outlives the program, which can go on with it.

    Attributes:
        id: The program's own name for it.
        generation: Of the start in which the program told it.
    """

    id: str
    generation: int


@dataclass(frozen=True, slots=True)
class PaneSighting:
    """One session of hive's tmux server as the terminal saw it.

    Attributes:
        name: The session's name as tmux reports it.
        pid: The pane's first process; 0 when there is none.
        dead: The first process has ended (`remain-on-exit` keeps the pane).
        exit_status, exit_signal: How it ended, where known.
        marks: Hive's own notes on the session (tmux user options, without ``@hive_``).
        created_at: UTC, tmux's clock, one-second resolution.
        activity: Changes whenever the pane's content may have changed.
        identity: Of this very session: another of the same name has another one. Empty where nothing tells.
        quiet: For how long at least its content has not changed, by the terminal's own clock.
        typed_at: UTC, tmux's clock, one-second resolution: the newest key of a person who is attached and may
            type; None where nobody has typed since attaching. Who detaches leaves none.
        typed_by: Whose key that was, as the machine names its users; empty where tmux does not tell.
    """

    name: str
    pid: int
    dead: bool
    created_at: datetime
    columns: int
    rows: int
    exit_status: int | None = None
    exit_signal: int | None = None
    marks: Mapping[str, str] = field(default_factory=dict)
    activity: str = ""
    attached: int = 0
    identity: str = ""
    quiet: timedelta = timedelta()
    typed_at: datetime | None = None
    typed_by: str = ""


@dataclass(frozen=True, slots=True)
class AgentSighting:
    """One agent as it was seen: its pane, whether its own process lives, its screen and its turns.

    Attributes:
        alive: A process of the agent itself (not merely a shell around it) is in the pane's process tree.
        stopped: Its processes are there and all of them are stopped (SIGSTOP).
        screen_since: When hive first saw this state of the screen without a change since.
        turns: From the transcript, oldest first; None where the backend keeps none.
        conversation: The last that its program told of; None where it tells of none.
        working_since: When hive last saw any sign of work: words on the screen that were not there before, a
            transcript that grew, processes that came or went, or their CPU time.
        killed_by: Why the machine ended processes of an agent whose program is gone; empty where it did not.
        hooks: What the program's own hooks say; None where it has none, or said nothing yet.
        usage: What its program counted lately, told before or not; empty where hive counts itself.
        compacted: When its program began to compact its conversation: the last few times in this session.
    """

    agent: str
    pane: PaneSighting
    alive: bool
    screen: Screen
    screen_since: datetime | None = None
    stopped: bool = False
    turns: tuple[Turn, ...] | None = None
    conversation: Conversation | None = None
    working_since: datetime | None = None
    killed_by: str = ""
    hooks: HookEvidence | None = None
    usage: tuple[Usage, ...] = ()
    compacted: tuple[datetime, ...] = ()


_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?")


def is_agent_name(text: str) -> bool:
    """Whether `text` may name an agent: it is part of branches, sessions and files."""
    return _NAME.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def session_name(agent: str) -> str:
    """The tmux session of `agent`: a slug for people and a hash that keeps it unique.

    tmux before 3.7 rewrites ``.`` and ``:`` in names and later look-ups fail (tmux issue 5299); the
    name is therefore hive's own from the start.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", agent.lower()).strip("-")[:40] or "agent"
    return f"hive-{slug}-{hashlib.sha256(agent.encode()).hexdigest()[:8]}"
