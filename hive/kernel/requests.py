"""What operators ask of the daemon. Each change is on record, with who and why, before it counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hive.contracts.backend import Backend, Submission
from hive.decisions import holds
from hive.decisions.dialogs import box_of, option_meant
from hive.decisions.pasteable import pasteable, submittable
from hive.decisions.trees import why_not_released
from hive.errors import ConfigError, Refused
from hive.facts import events as e
from hive.facts.agents import session_name
from hive.facts.findings import Finding, FindingState
from hive.facts.holds import Hold, HoldState
from hive.facts.incidents import Incident
from hive.facts.memory import Memory, MergingHold
from hive.facts.screens import Screen
from hive.kernel.act import record
from hive.kernel.choosing import read, take_option
from hive.kernel.configuration import Configuration
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_agents import AgentWatcher
from hive.kernel.operators import Answer, Handler

_DEADLINE = 5.0
_LONGEST_TEXT = 100_000
"""Characters that an operator may send at once."""


@dataclass(frozen=True, slots=True)
class OperatorRequests:
    configuration: Configuration
    terminal: Callable[[str], Lane[AgentWatcher]]
    journal: Lane[Ledger]
    status: Callable[[], Mapping[str, Any]]
    holds: Callable[[], Mapping[str, Hold]]
    incidents: Callable[[], Mapping[str, Incident]]
    merging: Callable[[], Mapping[str, MergingHold]]
    findings: Callable[[], Sequence[Finding]]
    memory: Callable[[], Memory]
    backends: Mapping[str, Backend]
    now: Callable[[], datetime]
    poke: Callable[[], None]

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "status": self._status,
            "screen": self._screen,
            "pause": self._pause,
            "resume": self._resume,
            "restart": self._restart,
            "send": self._send,
            "answer": self._answer,
            "attach": self._attach,
            "level": self._level,
            "approve": lambda request: self._decide(request, approved=True),
            "deny": lambda request: self._decide(request, approved=False),
            "close-incidents": self._close_incidents,
            "merging": self._merging,
            "finding": self._finding,
            "release-tree": self._release_tree,
            "look": self._look,
        }

    async def _status(self, request: Mapping[str, Any]) -> Answer:
        return {"status": self.status()}

    async def _look(self, request: Mapping[str, Any]) -> Answer:
        self.poke()
        return {}

    async def _screen(self, request: Mapping[str, Any]) -> Answer:
        agent = self._agent(request)
        name = session_name(agent)
        screens = await self.terminal(agent).call(
            "screen", lambda watcher: watcher.terminal.capture([name]), _DEADLINE
        )
        if name not in screens:
            raise Refused("terminal", f"{request['agent']} has no session now")
        return {"text": screens[name]}

    async def _pause(self, request: Mapping[str, Any]) -> Answer:
        return await self.recorded(
            e.AgentPaused(agent=self._agent(request), by=_by(request), why=_text(request, "why"))
        )

    async def _resume(self, request: Mapping[str, Any]) -> Answer:
        return await self.recorded(
            e.AgentResumed(agent=self._agent(request), by=_by(request), why=_text(request, "why"))
        )

    async def _restart(self, request: Mapping[str, Any]) -> Answer:
        return await self.recorded(
            e.RestartRequested(agent=self._agent(request), by=_by(request), why=_text(request, "why"))
        )

    async def _send(self, request: Mapping[str, Any]) -> Answer:
        """Type an operator's text into an agent's session and submit it."""
        agent = self._agent(request)
        text = pasteable(_text(request, "text")).text
        if not text.strip() or len(text) > _LONGEST_TEXT:
            raise ConfigError(f"the text must have 1 to {_LONGEST_TEXT} characters")
        name = session_name(agent)
        screen = await self._read(agent)
        if box_of(screen):
            raise Refused("terminal", f"{agent} shows a box, which takes no text: {_offered(screen)}")
        await self.recorded(e.TextSent(agent=agent, by=_by(request), text=text[:2000]))

        def type_it(watcher: AgentWatcher) -> None:
            watcher.terminal.paste(name, submittable(text), {})

        terminal = self.terminal(agent)
        await terminal.call("send", type_it, _DEADLINE)
        submission = submission_of(self.configuration, agent)
        await asyncio.sleep(submission.settle.total_seconds())
        await terminal.call(
            "send", lambda watcher: watcher.terminal.press(name, submission.keys, {}), _DEADLINE
        )
        return {}

    async def _answer(self, request: Mapping[str, Any]) -> Answer:
        """Take an option of the box on an agent's screen, for an operator."""
        agent = self._agent(request)
        screen = await self._read(agent)
        if not box_of(screen):
            raise Refused("terminal", f"{agent} shows no box to choose in; it is {screen.state}")
        option = option_meant(screen, _text(request, "option"))
        if option is None:
            raise ConfigError(f"which option? {_offered(screen)}")
        answered = e.DialogAnswered(
            agent=agent, by=_by(request), question=screen.detail[:2000], option=option[:2000]
        )
        await self.recorded(answered)
        await take_option(
            self.terminal(agent),
            self._backend(agent),
            session_name(agent),
            box=box_of(screen),
            option=option,
            marks={},
            now=self.now,
        )
        self.poke()
        return {"option": option}

    async def _attach(self, request: Mapping[str, Any]) -> Answer:
        return await self.recorded(e.AgentAttached(agent=self._agent(request), by=_by(request)))

    async def _read(self, agent: str) -> Screen:
        backend, name = self._backend(agent), session_name(agent)
        return await self.terminal(agent).call(
            "screen", lambda watcher: read(watcher, backend, name, self.now), _DEADLINE
        )

    def _backend(self, agent: str) -> Backend:
        return self.backends[self.configuration.specs[agent].backend]

    async def _decide(self, request: Mapping[str, Any], *, approved: bool) -> Answer:
        """A person's word on a held action; a second thought counts as long as nothing was done."""
        name = _text(request, "hold").upper()
        known, now = self.holds(), self.now()
        hold = known.get(name)
        if hold is None:
            open_ones = ", ".join(one.id for one in holds.waiting(known, now)) or "none"
            raise ConfigError(f"there is no held action '{name}'; waiting: {open_ones}")
        state = holds.state_of(hold, now)
        if state in (HoldState.DONE, HoldState.EXPIRED):
            raise Refused("holds", f"{name} is {state} already; the agent may ask anew")
        return await self.recorded(
            e.HoldDecided(hold_id=name, approved=approved, by=_by(request), why=_text(request, "why"))
        )

    async def _close_incidents(self, request: Mapping[str, Any]) -> Answer:
        """A person's word that incidents are dealt with: all of those named, or none."""
        why, named = _text(request, "why"), request.get("ids")
        if not why.strip():
            raise ConfigError("say how it was dealt with; it goes on record")
        if not isinstance(named, list) or not named or not all(isinstance(one, str) for one in named):
            raise ConfigError("name at least one incident")
        known = {one.id.casefold(): one for one in self.incidents().values()}
        is_open = ", ".join(one.id for one in known.values() if one.is_open) or "none"
        events: list[e.Event] = []
        for name in dict.fromkeys(named):
            found = known.get(name.casefold())
            if found is None:
                raise ConfigError(f"there is no incident '{name[:40]}'; open: {is_open}")
            if not found.is_open:
                raise Refused("incidents", f"{found.id} is not open; open: {is_open}")
            events.append(e.IncidentClosed(incident_id=found.id, by=_by(request), why=why))
        await record(self.journal, events)
        self.poke()
        return {}

    async def _merging(self, request: Mapping[str, Any]) -> Answer:
        """A person's word that nothing, or something again, is merged in a repository."""
        why, hold = _text(request, "why"), request.get("hold")
        if not why.strip() or type(hold) is not bool:
            raise ConfigError("say why, and whether to hold or to release; it goes on record")
        given = _text(request, "repo")
        known = {repo.casefold(): repo for repo in self.configuration.policy.merge}
        repo = known.get(given.casefold())
        if repo is None:
            raise ConfigError(f"'{given}' is not configured; there are {', '.join(known.values())}")
        if hold is (repo in self.merging()):
            raise Refused("merging", f"merging in {repo} is {'on hold' if hold else 'not on hold'} already")
        if hold:
            return await self.recorded(e.MergingHeld(repo=repo, because=why, by=_by(request)))
        return await self.recorded(e.MergingReleased(repo=repo, because=why, by=_by(request)))

    async def _finding(self, request: Mapping[str, Any]) -> Answer:
        """A person's word on something that was found."""
        why, accept, given = _text(request, "why"), request.get("accept"), _text(request, "id")
        known = next((one for one in self.findings() if one.id.casefold() == given.casefold()), None)
        if known is None:
            raise ConfigError(f"there is no finding '{given[:40]}'; see: hive findings")
        if type(accept) is not bool or not (accept or why.strip()):
            raise ConfigError("say whether to accept or to reject it, and why it is rejected")
        wanted = FindingState.ACCEPTED if accept else FindingState.REJECTED
        if known.state is FindingState.FILED:
            raise Refused("findings", f"{known.id} is issue #{known.filed} of {known.repo} already")
        if known.state is wanted:
            raise Refused("findings", f"{known.id} is {known.state} already")
        return await self.recorded(
            e.FindingDecided(finding_id=known.id, accepted=accept, by=_by(request), why=why)
        )

    async def _release_tree(self, request: Mapping[str, Any]) -> Answer:
        """A person's word that a kept working copy may go."""
        task, memory = _text(request, "task"), self.memory()
        if objection := why_not_released(task, memory, self.configuration.policy):
            raise Refused("trees", objection)
        return await self.recorded(
            e.TreeReleased(
                agent=memory.trees[task].agent, task=task, by=_by(request), why=_text(request, "why")
            )
        )

    async def _level(self, request: Mapping[str, Any]) -> Answer:
        level = request.get("level")
        if level is not None and (type(level) is not int or not 1 <= level <= 6):
            raise ConfigError("a level is a number from 1 to 6")
        scope = _text(request, "scope") or "hive"
        name = _text(request, "name")
        self._check_scope(scope, name)
        return await self.recorded(
            e.LevelChanged(scope=scope, name=name, level=level, by=_by(request), why=_text(request, "why"))
        )

    def _check_scope(self, scope: str, name: str) -> None:
        known = {
            "hive": ("",),
            "repo": tuple(self.configuration.policy.merge),
            "agent": tuple(self.configuration.specs),
        }
        if scope not in known:
            raise ConfigError(f"unknown scope '{scope}'; known: hive, repo, agent")
        if name not in known[scope]:
            raise ConfigError(f"unknown {scope} '{name}'; known: {', '.join(known[scope])}")

    def _agent(self, request: Mapping[str, Any]) -> str:
        name = _text(request, "agent")
        if name not in self.configuration.specs:
            known = ", ".join(self.configuration.specs)
            raise ConfigError(f"unknown agent '{name}'; known: {known}")
        return name

    async def recorded(self, event: e.Event) -> Answer:
        await record(self.journal, [event])
        self.poke()
        return {}


def _offered(screen: Screen) -> str:
    """What an operator can choose, and how."""
    options = ", ".join(f"{number}. {option}" for number, option in enumerate(screen.options, 1))
    return f"{screen.detail} [{options}]; choose with --option NUMBER or TEXT"


def submission_of(configuration: Configuration, agent: str) -> Submission:
    """How a text is submitted in the agent's program."""
    spec = configuration.specs[agent]
    return configuration.policy.traits[spec.backend].submission


def _by(request: Mapping[str, Any]) -> str:
    """Who asks. Only hive's own user can open the socket, so the name is that person's word."""
    return _text(request, "by") or "operator"


def _text(request: Mapping[str, Any], key: str) -> str:
    value = request.get(key) or ""
    if not isinstance(value, str):
        raise ConfigError(f"'{key}' must be text")
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ConfigError(f"'{key}' has half a character, which no record can hold")
    return value
