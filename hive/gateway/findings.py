"""What agents found goes on record, and nothing else happens."""

from __future__ import annotations

import threading

from hive.decisions.requests import Caller, NotUnderstood, Operation, Request, jsonbody
from hive.facts.autonomy import Action
from hive.facts.events import FindingRecorded
from hive.gateway import answers, rulings
from hive.gateway.wire import Response
from hive.ports.authority import Authority, Identity

_LONGEST_TITLE = 256
_LONGEST_BODY = 65_536


class Findings:
    """``POST /v1/findings`` with ``{"repo", "issue", "title", "body"}`` answers ``{"id": "F1"}``.

    A finding repeated within a task gets its first id, whichever gateway recorded it.
    """

    def __init__(self, authority: Authority) -> None:
        self._authority = authority
        self._lock = threading.Lock()

    def answer(self, identity: Identity, caller: Caller, request: Request, request_id: str) -> Response:
        """Raises `JournalError`."""
        try:
            finding = _read(caller, request)
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
        return answers.as_json(201, {"id": self._record(identity, finding)})

    def _record(self, identity: Identity, finding: FindingRecorded) -> str:
        known = (identity.agent, finding.repo, finding.issue, finding.title, _task(identity))
        with self._lock:
            found = self._authority.finding(*known)
            if found is None:
                found = self._authority.next_finding_id()
                self._authority.record(
                    [
                        FindingRecorded(
                            agent=identity.agent,
                            finding_id=found,
                            repo=finding.repo,
                            issue=finding.issue,
                            title=finding.title,
                            body=finding.body,
                            task=_task(identity),
                        )
                    ]
                )
            return found


def _read(caller: Caller, request: Request) -> FindingRecorded:
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
    body = jsonbody.text(fields, "body")[:_LONGEST_BODY]
    return FindingRecorded(
        agent=caller.agent, finding_id="", repo=repo, issue=issue, title=title[:_LONGEST_TITLE], body=body
    )


def _task(identity: Identity) -> str:
    return identity.task.id if identity.task is not None else ""
