"""Requests that wait for a person, kept whole, and made by hive itself once they are approved.

What was shown is what is kept and what is made: the kept request goes the way of every other one, is ruled
on anew, and is let through only by the word on exactly its content. The file goes when all is over, so that
a restart in the middle goes on where it was; a creation is never made twice (`gateway.repeats`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hive.decisions import holds
from hive.decisions.requests import Request
from hive.errors import JournalError
from hive.facts.holds import Hold, HoldState
from hive.facts.request_events import ApprovalCarriedOut
from hive.gateway.wire import Response
from hive.ports.authority import Authority, Identity
from hive.ports.clock import Clock

_LOG = logging.getLogger(__name__)
_LONGEST = 1024 * 1024
"""Bytes of a request that is kept; for a longer one the agent has to ask again."""
_PERIOD_S = 1.0
_HEADERS = frozenset({"host", "accept", "x-github-api-version", "content-type"})
Make = Callable[[Identity, Request, bool], Response]
"""Make a request of an agent's; the flag says that its approval is used already."""


@dataclass(frozen=True, slots=True)
class _Kept:
    agent: str
    request: Request
    contents: tuple[str, ...]


class HeldRequests:
    """Thread-safe."""

    def __init__(self, folder: Path, authority: Authority, clock: Clock) -> None:
        self._folder = folder
        self._authority = authority
        self._clock = clock
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def keep(self, agent: str, request: Request, contents: Sequence[str]) -> None:
        """Keep what waits. Where that fails, the agent has to ask again: nothing else is lost."""
        if len(request.body) > _LONGEST:
            return
        headers = [[name, value] for name, value in request.headers if name.lower() in _HEADERS]
        value = {
            "agent": agent,
            "method": request.method,
            "target": request.target,
            "headers": headers,
            "body": base64.b64encode(request.body).decode(),
            "contents": list(contents),
        }
        name = hashlib.sha256(json.dumps([agent, *contents]).encode()).hexdigest()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            fresh = self._folder / f"{name}.new"
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(value, file)
            fresh.replace(self._folder / f"{name}.json")
        except OSError as error:
            _LOG.warning("a held request of %s cannot be kept: %s", agent, error)

    def start(self, make: Make) -> None:
        """Carry out what is approved, from now on, in a thread."""
        self._thread = threading.Thread(target=self._run, args=(make,), name="held-requests", daemon=True)
        self._thread.start()

    def close(self, timeout: float) -> None:
        self._end.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self, make: Make) -> None:
        while not self._end.wait(_PERIOD_S):
            try:
                self.carry_out(make)
            except Exception:  # one bad request must not end the thread for all others
                _LOG.exception("a fault of hive's own while carrying out what was approved")

    def carry_out(self, make: Make) -> None:
        """Make each kept request that is approved by now; forget those that are over."""
        for path in sorted(self._folder.glob("*.json")):
            kept = _read(path)
            found = self._holds(kept) if kept is not None else ()
            states = {holds.state_of(one, self._clock.now()) for one in found}
            if kept is None or not found or states & {HoldState.DENIED, HoldState.EXPIRED}:
                path.unlink(missing_ok=True)
            elif HoldState.WAITING not in states:
                self._carry(path, kept, found, make, is_used=states == {HoldState.DONE})

    def _holds(self, kept: _Kept) -> tuple[Hold, ...]:
        """The newest hold about each content; none where one of them is not known."""
        known = {one.content: one for one in self._authority.holds().values() if one.agent == kept.agent}
        if any(content not in known for content in kept.contents):
            return ()
        return tuple({known[content].id: known[content] for content in kept.contents}.values())

    def _carry(self, path: Path, kept: _Kept, found: tuple[Hold, ...], make: Make, *, is_used: bool) -> None:
        identity = self._authority.identity_of(kept.agent)
        if identity is None:
            outcome, detail = "refused", "its agent is no longer configured"
        else:
            response = make(identity, kept.request, is_used)
            outcome, detail = _outcome(response)
            if outcome == "in-doubt":
                return  # looked for again at the next round, and never sent blindly
        try:
            self._authority.record(
                [
                    ApprovalCarriedOut(
                        agent=kept.agent,
                        holds=tuple(one.id for one in found),
                        outcome=outcome,
                        detail=detail[:300],
                    )
                ]
            )
        except JournalError:
            return
        path.unlink(missing_ok=True)


def _read(path: Path) -> _Kept | None:
    try:
        value = json.loads(path.read_bytes())
        request = Request(
            value["method"],
            value["target"],
            tuple((str(name), str(text)) for name, text in value["headers"]),
            base64.b64decode(value["body"]),
        )
        return _Kept(value["agent"], request, tuple(value["contents"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _outcome(response: Response) -> tuple[str, str]:
    try:
        value = json.loads(response.body) if isinstance(response.body, bytes) and response.body else {}
    except ValueError:
        value = {}
    said = value if isinstance(value, dict) else {}
    errors = said.get("errors")
    if response.status in (502, 503):
        return "in-doubt", str(said.get("message", ""))
    if response.status >= 400:
        return "refused", str(said.get("message", ""))
    if isinstance(errors, list) and errors:
        told = str(errors[0].get("message", "")) if isinstance(errors[0], dict) else ""
        return ("done" if "done already" in told else "refused"), told
    return "done", str(said.get("html_url", ""))
