"""What agents found goes on record, and nothing else happens."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from msgspec import structs

from hive.decisions.findings import clean_path
from hive.decisions.requests import Caller, NotUnderstood, Operation, Request, jsonbody
from hive.errors import HiveError, Refused
from hive.facts.autonomy import Action
from hive.facts.events import FindingRecorded
from hive.facts.findings import Finding, FindingState
from hive.gateway import answers, rulings
from hive.gateway.upstream import Upstream
from hive.gateway.wire import Response
from hive.ports.authority import Authority, Identity

_LONGEST_TITLE = 256
_LONGEST_BODY = 65_536
_LONGEST_PATH = 1024
_LONGEST_RULE = 128
_FIELDS = ("path", "rule", "subject")


class Findings:
    """``POST /v1/findings`` with ``{"repo", "issue", "title", "body", "path", "rule", "subject"}``.

    All but the title may be left out. The answer is ``{"id": "F1"}``, the same for a finding about the same
    whoever makes it and whichever gateway has it; with ``"state"`` where a person rejected it, or where there
    is an issue of it (``"filed": 12``).
    """

    def __init__(self, authority: Authority, upstream: Upstream | None = None) -> None:
        self._authority = authority
        self._upstream = upstream

    def answer(self, identity: Identity, caller: Caller, request: Request, request_id: str) -> Response:
        """Raises `JournalError`."""
        try:
            finding = _read(identity, caller, request)
        except NotUnderstood as reason:
            return answers.problem(422, f"the finding cannot be recorded: {reason}")
        target = f"{finding.repo}#{finding.issue}" if finding.issue else finding.repo
        text = f"{finding.title}\n{finding.body}"
        operation = Operation(Action.RECORD_FINDING, target, text=text)
        ruled = rulings.rule(
            self._authority,
            identity,
            [operation],
            request_id=request_id,
            route="hive",
            content=request.body,
        )
        if ruled.refusal is not None:
            return answers.problem(403, ruled.refusal)
        try:
            known = self._authority.report(structs.replace(finding, blob=self._blob(finding)))
        except Refused as error:
            return answers.problem(429, error.message)
        return answers.as_json(201, _told(known))

    def _blob(self, finding: FindingRecorded) -> str:
        """What git calls the file's content on the default branch; empty where it cannot be told."""
        if self._upstream is None or not finding.path:
            return ""
        try:
            reply = self._upstream.rest("GET", f"/repos/{finding.repo}/contents/{quote(finding.path)}")
            told = reply.json() if reply.status == 200 else None
        except (HiveError, ValueError):
            return ""
        if not isinstance(told, dict) or told.get("type") != "file":
            return ""
        return str(told.get("sha") or "")


def _told(known: Finding) -> dict[str, Any]:
    told: dict[str, Any] = {"id": known.id}
    if known.state is FindingState.REJECTED:
        told |= {"state": "rejected", "because": known.why or "a person rejected it"}
    elif known.state is FindingState.FILED:
        told |= {"state": "filed", "filed": known.filed}
    return told


def _read(identity: Identity, caller: Caller, request: Request) -> FindingRecorded:
    fields = jsonbody.parse_object(request.body)
    named = jsonbody.text(fields, "repo") or (caller.repos[0] if len(caller.repos) == 1 else "")
    repo = caller.repo(named)
    if repo is None:
        raise NotUnderstood(f"{named or 'no repository'} is not one of {', '.join(caller.repos)}")
    issue = fields.get("issue")
    if issue is not None and (not isinstance(issue, int) or isinstance(issue, bool) or issue < 1):
        raise NotUnderstood("issue is not the number of an issue")
    title = jsonbody.text(fields, "title").strip()
    if not title:
        raise NotUnderstood("it has no title")
    path, rule, subject = (jsonbody.text(fields, name).strip() for name in _FIELDS)
    if path and (len(path) > _LONGEST_PATH or not clean_path(path)):
        raise NotUnderstood("path is no file of the repository")
    return FindingRecorded(
        agent=caller.agent,
        finding_id="",
        repo=repo,
        issue=issue,
        title=title[:_LONGEST_TITLE],
        body=jsonbody.text(fields, "body")[:_LONGEST_BODY],
        task=_task(identity),
        path=clean_path(path),
        rule=rule[:_LONGEST_RULE],
        about=subject[:_LONGEST_TITLE],
    )


def _task(identity: Identity) -> str:
    return identity.task.id if identity.task is not None else ""
