"""What agents' hooks tell hive, and ask of it before a tool is used.

The moment itself stands in the agent's own record already, which the next look reads: telling hive wakes that
look. What hive says of a tool is a courtesy that saves the agent a failure: what reaches the forge is ruled
on where it passes.
"""

from __future__ import annotations

from hive.decisions.requests import Caller, NotUnderstood, Request, jsonbody
from hive.decisions.tool_use import ToolUse, objection
from hive.facts.autonomy import Action
from hive.facts.events import RequestRuled
from hive.facts.hooks import HookMoment
from hive.facts.verdicts import Ruling, Verdict
from hive.gateway import advice, answers
from hive.gateway.wire import Response
from hive.ports.authority import Authority, Identity

_ASKS = (HookMoment.TOOL, HookMoment.PERMISSION)


class AgentEvents:
    """``POST /v1/events`` with ``{"moment", "tool", "input", …}`` answers ``{"decision", "reason"}``."""

    def __init__(self, authority: Authority) -> None:
        self._authority = authority

    def answer(self, identity: Identity, caller: Caller, request: Request, request_id: str) -> Response:
        """Raises `JournalError`."""
        try:
            fields = jsonbody.parse_object(request.body)
            moment = HookMoment(jsonbody.text(fields, "moment"))
            use = ToolUse(
                tool=jsonbody.text(fields, "tool"),
                given=_given(fields),
                folder=jsonbody.text(fields, "folder"),
                home=jsonbody.text(fields, "home"),
                unread=fields.get("unread") is True,
            )
        except (NotUnderstood, ValueError) as reason:
            return answers.problem(422, f"the event is not understood: {reason}")
        self._authority.wake(identity)
        refusal = self._refusal(identity, caller, use, request_id) if moment in _ASKS else ""
        return answers.as_json(200, {"decision": "deny" if refusal else "allow", "reason": refusal})

    def _refusal(self, identity: Identity, caller: Caller, use: ToolUse, request_id: str) -> str:
        def rule(action: Action, target: str, text: str) -> Verdict:
            repo = target.partition("#")[0].partition("@")[0]
            return self._authority.rule(identity, action, repo=repo, target=target, text=text)

        found = objection(use, caller, rule)
        if found is None:
            return ""
        self._authority.record(
            [
                RequestRuled(
                    agent=identity.agent,
                    request_id=request_id,
                    action=found.action.value,
                    target=found.target,
                    ruling=Ruling.DENY,
                    rule=found.verdict.rule,
                    because=found.verdict.because,
                    route="hook",
                    task=identity.task.id if identity.task is not None else "",
                )
            ]
        )
        said = found.instead or advice.instead(found.action, identity.agent)
        why = f"{found.verdict.because} (rule {found.verdict.rule})"
        line = f"hive refuses `{found.shown}` before it runs: {why}"
        return f"{line}: {said}" if said else line


def _given(fields: dict[str, object]) -> dict[str, str]:
    """The tool's arguments that are text; others name no command and no file."""
    given = fields.get("input")
    if not isinstance(given, dict):
        return {}
    return {str(name): value for name, value in given.items() if isinstance(value, str)}
