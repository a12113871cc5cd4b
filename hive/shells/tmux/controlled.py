"""`ControlledTerminal`: hive's sessions in a tmux server of its own, spoken to in control mode."""

from __future__ import annotations

import contextlib
import itertools
import secrets
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from hive.errors import InDoubt, Missing, Refused, Unreachable, WorldError
from hive.facts.agents import PaneSighting
from hive.ports.terminal import SessionOrder
from hive.shells.tmux.control import PORT
from hive.shells.tmux.host import Host
from hive.shells.tmux.keys import CLIENT_FORMAT, read_keys
from hive.shells.tmux.language import CommandList, commands, session_target
from hive.shells.tmux.link import ControlLink
from hive.shells.tmux.replies import Reply
from hive.shells.tmux.server import CONTROL
from hive.shells.tmux.sighting import (
    FORMAT,
    IDENTITY,
    MARKS,
    identity_of,
    marks_entry,
    read_marks,
    read_sighting,
)
from hive.shells.tmux.stopping import Pane, Sight, end_processes
from hive.shells.tmux.watching import Watcher, clear_activity, watch_settings

Once: TypeAlias = Callable[[Sequence[tuple[str, ...]]], CommandList]
"""Makes a question that must not be carried out twice, with more commands to carry out in the same step."""

_LIST_SESSIONS = commands(("list-sessions", "-F", FORMAT))
_LIST_CLIENTS = commands(("list-clients", "-F", CLIENT_FORMAT))
# Entries of marks are appended; beyond so many characters or entries the whole is written anew.
_LONG_MARKS = 4096
_MANY_MARKS = 100
# No buffer has this name: a command on it fails, and says so.
_ENDED = "hive-program-has-ended"
# Seconds that a stop leaves tmux to kill the session, whatever went wrong before.
_LAST_TRY = 2.0
_NOT_THERE = (b"can't find", b"no such session", b"no server running", b"session not found")


class ControlledTerminal(ABC):
    """`ports.terminal.Terminal` over control mode, wherever the server runs. Thread-safe."""

    def __init__(
        self,
        host: Host,
        sight: Sight,
        *,
        timeout: float,
        stop_grace: float,
        poke_interval: float,
        on_notice: Callable[[str], None] | None,
    ) -> None:
        """Nothing is started yet; a running server is adopted at the first call. For the arguments see
        `TmuxTerminal`."""
        self._host = host
        self._sight = sight
        self._timeout = timeout
        self._stop_grace = stop_grace
        self._poke_interval = poke_interval
        self._link = ControlLink(
            host,
            timeout=timeout,
            settings=self._settings,
            on_notice=self._hear,
            say=on_notice or (lambda _text: None),
        )
        self._watcher: Watcher | None = None
        self._looks = itertools.count(1)
        self._long_marks: set[str] = set()
        self._appended: Counter[str] = Counter()
        self._flags_are_stale = True

    def look(self) -> tuple[PaneSighting, ...]:
        """All sessions but hive's own. Of a program that has just ended, how it ended is looked up twice.

        tmux 3.3a loses a child's end now and then: the pane is dead, its status unknown, the child a zombie
        until another child of the server ends (seen in up to 4 of 6 runs; a child that ends at once cured 32
        of 32).
        """
        seen = self._look()
        if any(pane.dead and pane.exit_status is None and pane.exit_signal is None for pane in seen):
            self._link.ask([commands(("run-shell", "true"))])
            seen = self._look()
        return seen

    def _look(self) -> tuple[PaneSighting, ...]:
        replies = self._link.ask([_LIST_SESSIONS, _LIST_CLIENTS])
        if replies is None:
            return ()
        reply, clients = replies[0][-1], replies[1][-1]
        if not reply.ok:
            raise Unreachable(PORT, f"list-sessions: {_words(reply)}")
        if not clients.ok:
            raise Unreachable(PORT, f"list-clients: {_words(clients)}")
        look = next(self._looks)
        keys = read_keys(clients.text.decode("utf-8", "replace").split("\n"))
        lines = reply.text.decode("utf-8", "replace").split("\n")
        sightings = [read_sighting(line, look=look, at=reply.at, keys=keys) for line in lines if line]
        self._long_marks = {line.rpartition(",")[2] for line in lines if len(line) > _LONG_MARKS}
        if self._watcher is not None and self._flags_are_stale:
            # Flags that were raised while nobody listened would keep their windows silent.
            self._flags_are_stale = False
            self._link.ask(clear_activity(session_target(sighting.name) for sighting in sightings))
        return tuple(sighting for sighting in sightings if sighting.name != CONTROL)

    @abstractmethod
    def create(self, order: SessionOrder) -> None:
        """See the port."""

    def stop(self, name: str, identity: str = "") -> None:
        """See the port. Whatever a look at the session says or fails to say, it is killed; its processes
        are ended first, with `stop_grace` seconds between TERM and KILL. Raises `InDoubt` when a process
        outlives KILL."""
        survivors: tuple[int, ...] = ()
        until = time.monotonic() + self._timeout
        try:
            pane = self._pane(name, identity)
            if pane is not None:
                survivors = end_processes(pane, self._sight, grace=self._stop_grace, patience=self._timeout)
        finally:
            until = max(until, time.monotonic() + _LAST_TRY)
            self._link.ask([commands(_kill(name, identity))], until=until)
        if survivors:
            raise InDoubt(PORT, f"processes of {name} outlive SIGKILL: {', '.join(map(str, survivors))}")

    def ending(self, name: str, identity: str = "") -> Callable[[], None]:
        """See the port. What outlives it is found, and told, by `stop`."""
        pane = self._pane(name, identity)

        def end() -> None:
            if pane is not None:
                end_processes(pane, self._sight, grace=self._stop_grace, patience=self._timeout)

        return end

    def paste(self, name: str, text: str, marks: Mapping[str, str]) -> None:
        """See the port. Raises `ValueError` for text with ESC or NUL: see `decisions.pasteable`."""
        if "\x1b" in text or "\0" in text:
            raise ValueError("a text with ESC or NUL must not be pasted: it could end the paste")
        if not text:
            return self.mark(name, marks)
        with self._host.holding(text) as (buffer, filling):
            self._do(
                name,
                # -r: line feeds stay line feeds. -p: only a program that asked for it gets the markers.
                ("paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", session_target(name)),
                marks,
                before=[filling],
                otherwise=[("delete-buffer", "-b", buffer)],
            )
        return None

    def press(self, name: str, keys: Sequence[str], marks: Mapping[str, str]) -> None:
        if not keys:
            return self.mark(name, marks)
        return self._do(name, ("send-keys", "-t", session_target(name), "--", *keys), marks)

    def mark(self, name: str, marks: Mapping[str, str]) -> None:
        reply = self._one([commands(*self._marking(name, marks))])
        _must_have_worked(name, reply)

    def capture(self, names: Sequence[str], *, history: int = 0) -> Mapping[str, str]:
        above = ("-S", str(-history)) if history else ()
        captures = [
            commands(("capture-pane", "-p", "-e", "-J", *above, "-t", session_target(name))) for name in names
        ]
        # A pane that forges the end of its own capture cannot know what has to come last.
        seal = secrets.token_hex(16)
        replies = self._link.ask([*captures, commands(("display-message", "-p", seal))]) if captures else None
        if replies is None:
            return {}
        if replies[-1][-1].text != seal.encode():
            self._link.drop()
            raise Unreachable(PORT, "the captures were not what was asked for")
        taken = zip(names, replies, strict=False)
        return {name: got[-1].text.decode("utf-8", "replace") for name, got in taken if got[-1].ok}

    def watch(
        self,
        poke: Callable[[], None],
        *,
        stir: Callable[[], float] | None = None,
        overhear: Callable[[str, str], None] | None = None,
    ) -> None:
        """See the port; for `stir` and `overhear` see `Watcher`."""
        if self._watcher is not None:
            self._watcher.stop()
        self._watcher = Watcher(poke, self._rearm, self._poke_interval, stir=stir, overhear=overhear)
        if self._is_worth_asking():
            self._link.ask(watch_settings())
            self._flags_are_stale = True
            self.look()

    def _is_worth_asking(self) -> bool:
        """Whether there is a server to be told at once; each new connection tells it anyway."""
        return self._link.connected()

    def close(self) -> None:
        """See the port. A server without any session of an agent is ended: it has no use."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()
        with contextlib.suppress(WorldError):
            if self._host.ends_idle_server and self._link.alive and not self.look():
                self._link.ask([commands(("kill-session", "-t", session_target(CONTROL)))])
        self._link.drop()

    def _settings(self) -> list[CommandList]:
        self._flags_are_stale = True
        watching = watch_settings() if self._watcher is not None else []
        return [*self._host.settings(), *watching]

    def _hear(self, line: bytes) -> None:
        if self._watcher is not None:
            self._watcher.hear(line)

    def _rearm(self, lists: list[CommandList]) -> None:
        self._link.ask(lists)

    def _do(
        self,
        name: str,
        step: tuple[str, ...],
        marks: Mapping[str, str],
        *,
        before: Sequence[tuple[str, ...]] = (),
        otherwise: Sequence[tuple[str, ...]] = (),
    ) -> None:
        """Carry out `step` and set `marks`, both or neither; `otherwise` where the pane's program has ended.

        Leaving copy mode comes first: it fails where there is no such pane, and keys would go astray in it.
        Pasting into a pane whose program has ended crashes tmux 3.3a (measured), and with it every agent:
        tmux tests for that itself, at a point where nothing can come between.
        """
        marking = self._marking(name, marks)
        ended = commands(*otherwise, ("delete-buffer", "-b", _ENDED)).text

        def question(also: Sequence[tuple[str, ...]]) -> CommandList:
            living = commands(step, *marking, *also)
            return commands(
                ("copy-mode", "-q", "-t", session_target(name)),
                *before,
                ("if-shell", "-F", "-t", session_target(name), "#{pane_dead}", ended, living.text),
            ).and_then(living.count)

        _must_have_worked(name, self._once(name, question))

    def _once(self, name: str, question: Once) -> Reply | None:
        """The last reply to what must not be carried out twice; None where no server runs."""
        replies = self._link.ask([question(())], again=False)
        return None if replies is None else replies[0][-1]

    def _marking(self, name: str, marks: Mapping[str, str]) -> list[tuple[str, ...]]:
        if not marks:
            return []
        entry = marks_entry(marks)
        self._appended[name] += 1
        if name in self._long_marks or self._appended[name] > _MANY_MARKS:
            self._long_marks.discard(name)
            self._appended[name] = 0
            entry = marks_entry(read_marks(self._marks_of(name) + entry))
            return [("set-option", "-t", session_target(name), MARKS, entry)]
        return [("set-option", "-a", "-t", session_target(name), MARKS, entry)]

    def _marks_of(self, name: str) -> str:
        reply = self._one([commands(("show-options", "-v", "-t", session_target(name), MARKS))])
        _must_have_worked(name, reply)
        assert reply is not None
        return reply.text.decode("ascii", "replace")

    def _pane(self, name: str, identity: str) -> Pane | None:
        """What is needed to end the session; None where it is not there, or another is in its place."""
        fields = "#{pane_pid},#{pane_dead},#{pid},#{session_id},#{session_created},#{socket_path}"
        reply = self._one([commands(("display-message", "-p", "-t", session_target(name), fields))])
        if reply is None or not reply.ok:
            return None
        words = reply.text.decode("utf-8", "surrogateescape").split(",", 5)
        pid, dead, server, session, created, socket_path = words
        if not session or identity not in ("", identity_of(session, server, created)):
            return None
        tmux = f"{socket_path},{server},{session.removeprefix('$')}"
        return Pane(0 if dead == "1" else int(pid or 0), int(server), tmux)

    def _one(self, question: list[CommandList]) -> Reply | None:
        replies = self._link.ask(question)
        return None if replies is None else replies[0][-1]


def _kill(name: str, identity: str) -> tuple[str, ...]:
    """Kills the session of that name; with an identity by one test and step of tmux's own, between which
    nothing can come."""
    kill = ("kill-session", "-t", session_target(name))
    if not identity:
        return kill
    is_it = f"#{{==:{IDENTITY},{identity}}}"
    return ("if-shell", "-F", "-t", session_target(name), is_it, commands(kill).text)


def no_folder(order: SessionOrder) -> Refused:
    return Refused(PORT, f"cannot start {order.name}: its folder {order.workdir} does not exist")


def not_started(name: str, reply: Reply) -> Refused:
    return Refused(PORT, f"cannot start {name}: {_words(reply)}")


def _words(reply: Reply) -> str:
    return reply.text.decode("utf-8", "replace").strip() or "tmux gave no reason"


def _must_have_worked(name: str, reply: Reply | None) -> None:
    if reply is None:
        raise Missing(PORT, f"no session {name}: no tmux server runs")
    if reply.ok:
        return
    if any(words in reply.text for words in _NOT_THERE):
        raise Missing(PORT, f"no session {name}")
    if _ENDED.encode() in reply.text:
        raise Refused(PORT, f"the program of {name} has ended")
    raise Refused(PORT, f"{name}: {_words(reply)}")
