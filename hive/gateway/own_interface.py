"""Hive's own small interface for agents, by what is asked for."""

from __future__ import annotations

from hive.decisions.requests import Caller, Request
from hive.gateway import answers
from hive.gateway.agent_events import AgentEvents
from hive.gateway.findings import Findings
from hive.gateway.upstream import Upstream
from hive.gateway.wire import Response
from hive.ports.authority import Authority, Identity

HOST = "hive"
FINDINGS, EVENTS = "/v1/findings", "/v1/events"
TARGETS = (FINDINGS, EVENTS)


class OwnInterface:
    def __init__(self, authority: Authority, upstream: Upstream | None = None) -> None:
        self._findings = Findings(authority, upstream)
        self._events = AgentEvents(authority)

    def answer(self, identity: Identity, caller: Caller, request: Request, request_id: str) -> Response:
        """Raises `JournalError`."""
        if (request.method, request.target) == ("POST", EVENTS):
            return self._events.answer(identity, caller, request, request_id)
        if (request.method, request.target) == ("POST", FINDINGS):
            return self._findings.answer(identity, caller, request, request_id)
        return answers.problem(404, f"hive's own interface for agents is POST {FINDINGS} and POST {EVENTS}")
