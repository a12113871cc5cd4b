"""One look at all agents: sessions, processes, screens and transcripts.

Runs whole in the terminal's lane, as one call: it is a handful of round trips however many agents there
are. Screens that did not change since the last look are neither captured nor read again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from hive.contracts.backend import Backend, Process
from hive.contracts.hook_record import read_evidence
from hive.decisions.agents_words import fit_conversation, fit_hooks, fit_turns
from hive.facts.agents import AgentSighting, AgentSpec, Conversation, PaneSighting, Turn
from hive.facts.hooks import HookEvidence
from hive.facts.screens import Screen, ScreenState
from hive.facts.usage import Usage
from hive.kernel.signs_of_work import SignsOfWork
from hive.kernel.token_count import TokenCount
from hive.ports.processes import Processes
from hive.ports.seats import ReadySeat, Seats
from hive.ports.terminal import Terminal
from hive.ports.transcripts import Transcripts

_LOG = logging.getLogger(__name__)
_FRESH = timedelta(seconds=2)
"""Only a reading so long after the last change is the last one: tmux's clock of activity counts seconds,
and the rest of a frame may follow within one."""


@dataclass(frozen=True, slots=True)
class _Reading:
    activity: str
    changed_at: datetime
    read_at: datetime
    screen: Screen
    since: datetime


@dataclass(frozen=True, slots=True)
class _Transcript:
    lines: tuple[str, ...]
    turns: tuple[Turn, ...]
    conversation: Conversation | None
    hooks: HookEvidence | None


class AgentWatcher:
    """Owned by the terminal's lane. Remembers readings of screens that have not changed.

    `home` gives an agent's home folder, for its transcript; `seats` are where the terminal is one of a pod,
    which has them beside it. `zone` is the one that programs there tell the time in.
    `killed_by` says what the machine has ended processes of an agent for.
    """

    def __init__(
        self,
        terminal: Terminal,
        processes: Processes,
        transcripts: Transcripts,
        backends: Mapping[str, Backend],
        home: Callable[[str], str],
        now: Callable[[], datetime],
        *,
        seats: Seats | None = None,
        zone: str = "UTC",
        killed_by: Callable[[str], str] | None = None,
    ) -> None:
        self.terminal = terminal
        self._seats = seats
        self.zone = zone
        self._killed_by = killed_by
        self._processes = processes
        self._transcripts = transcripts
        self._backends = backends
        self._home = cache(home)
        self._now = now
        self._readings: dict[str, _Reading] = {}
        self._transcript_of: dict[str, _Transcript] = {}
        self._counts: dict[str, TokenCount] = {}
        self._signs: dict[tuple[str, str], SignsOfWork] = {}

    def seat(self, spec: AgentSpec, generation: int, resume: str = "") -> ReadySeat:
        """Make a seat beside this terminal ready. The pod has its token already, and no other is given."""
        assert self._seats is not None, "only terminals in pods have seats of their own"
        return self._seats.prepare(spec, generation=generation, token="", resume=resume)

    def look(self, specs: Mapping[str, AgentSpec]) -> tuple[AgentSighting, ...]:
        """Every session of hive's that belongs to an agent. Raises `Unreachable`."""
        panes = [pane for pane in self.terminal.look() if pane.marks.get("agent")]
        trees = self._processes.tree([pane.pid for pane in panes if pane.pid and not pane.dead])
        self._read_changed(panes, specs)
        gone = self._readings.keys() - {pane.name for pane in panes}
        for name in gone:
            del self._readings[name]
        for session in self._signs.keys() - {_session(pane) for pane in panes}:
            del self._signs[session]
        return tuple(self._sighting(pane, trees, specs) for pane in panes)

    def _read_changed(self, panes: Sequence[PaneSighting], specs: Mapping[str, AgentSpec]) -> None:
        now = self._now()
        changed = [pane for pane in panes if not pane.dead and self._is_stale(pane)]
        screens = self.terminal.capture([pane.name for pane in changed]) if changed else {}
        for pane in changed:
            if pane.name in screens:
                screen = self._classify(pane, screens[pane.name], specs, now)
                self._take(pane, screen, now)
                signs = self._signs_of(pane, now)
                signs.screen(screens[pane.name], now)
                signs.compacting(screen.state is ScreenState.COMPACTING, now)

    def _is_stale(self, pane: PaneSighting) -> bool:
        known = self._readings.get(pane.name)
        return known is None or known.activity != pane.activity or known.read_at - known.changed_at < _FRESH

    def _classify(
        self, pane: PaneSighting, text: str, specs: Mapping[str, AgentSpec], now: datetime
    ) -> Screen:
        backend = self._backend(pane, specs)
        if backend is None:
            return Screen(ScreenState.UNKNOWN, "its backend is not configured")
        try:
            return backend.read(text, now=now, zone=self.zone)
        except Exception:
            # What an agent put on its screen must keep nobody from seeing the others.
            _LOG.exception("the screen of %s cannot be read", pane.name)
            return Screen(ScreenState.UNKNOWN, "its backend failed on the screen")

    def _take(self, pane: PaneSighting, screen: Screen, now: datetime) -> None:
        known = self._readings.get(pane.name)
        # The terminal knows for how long the screen has stood; what was read before was another.
        began = now - pane.quiet if known is None else max(known.read_at, now - pane.quiet)
        same_state = known is not None and known.screen.state is screen.state
        self._readings[pane.name] = _Reading(
            activity=pane.activity,
            changed_at=now if known is None or known.activity != pane.activity else known.changed_at,
            read_at=now,
            screen=screen,
            since=known.since if known is not None and same_state else began,
        )

    def _signs_of(self, pane: PaneSighting, now: datetime) -> SignsOfWork:
        return self._signs.setdefault(_session(pane), SignsOfWork(now))

    def _backend(self, pane: PaneSighting, specs: Mapping[str, AgentSpec]) -> Backend | None:
        spec = specs.get(pane.marks["agent"])
        return self._backends.get(spec.backend) if spec is not None else None

    def _sighting(
        self,
        pane: PaneSighting,
        trees: Mapping[int, tuple[Process, ...]],
        specs: Mapping[str, AgentSpec],
    ) -> AgentSighting:
        backend = self._backend(pane, specs)
        reading = self._readings.get(pane.name)
        agent = pane.marks["agent"]
        spec = specs.get(agent)
        own = spec.command if spec is not None else ()
        read = self._read_transcript(agent, backend)
        tree = () if pane.dead else trees.get(pane.pid, ())
        own_processes = [
            process
            for process in tree
            if (_is_command(process, own) if own else backend is not None and backend.is_agent(process))
        ]
        usage = self._read_usage(spec, backend)
        now = self._now()
        signs = self._signs_of(pane, now)
        signs.transcript((read.lines if read is not None else None, usage), now)
        signs.processes(tree, [process.pid for process in own_processes], now)
        return AgentSighting(
            agent=agent,
            pane=pane,
            alive=bool(own_processes),
            stopped=bool(own_processes) and all(process.stopped for process in own_processes),
            screen=reading.screen if reading else Screen(ScreenState.STARTING),
            screen_since=reading.since if reading else None,
            turns=read.turns if read is not None else None,
            conversation=read.conversation if read is not None else None,
            hooks=read.hooks if read is not None else None,
            working_since=signs.since,
            killed_by="" if own_processes or self._killed_by is None else self._killed_by(agent),
            usage=usage,
            compacted=signs.compacted,
        )

    def _read_transcript(self, agent: str, backend: Backend | None) -> _Transcript | None:
        path = backend.transcript(self._home(agent)) if backend is not None else None
        if backend is None or path is None:
            return None
        lines = self._transcripts.lines(path)
        known = self._transcript_of.get(agent)
        if known is None or known.lines != lines:
            known = self._transcript_of[agent] = _read(agent, backend, lines)
        return known

    def _read_usage(self, spec: AgentSpec | None, backend: Backend | None) -> tuple[Usage, ...]:
        if spec is None or backend is None or spec.relayed:
            return ()
        count = self._counts.get(spec.name)
        if count is None or count.backend is not backend:
            patterns = backend.usage_logs(self._home(spec.name))
            count = self._counts[spec.name] = TokenCount(backend, patterns)
        return count.read(self._transcripts, self._now())


def _session(pane: PaneSighting) -> tuple[str, str]:
    return pane.name, pane.identity or str(pane.created_at)


def _read(agent: str, backend: Backend, lines: tuple[str, ...]) -> _Transcript:
    try:
        hooks = read_evidence(lines) if backend.traits.hooks else None
        return _Transcript(
            lines,
            fit_turns(backend.turns(lines)),
            fit_conversation(backend.conversation(lines)),
            fit_hooks(hooks),
        )
    except Exception:
        # What an agent wrote into its transcript must keep nobody from seeing the others.
        _LOG.exception("the transcript of %s cannot be read", agent)
        return _Transcript(lines, (), None, None)


def _is_command(process: Process, command: Sequence[str]) -> bool:
    """Whether `process` runs the configured command or anything below it that is no bare shell."""
    program = process.argv[0].rpartition("/")[2] if process.argv else ""
    return bool(program) and (
        program == command[0].rpartition("/")[2] or program not in ("sh", "bash", "dash", "zsh")
    )
