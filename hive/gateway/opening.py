"""Opening a pull request: once, and never for a moment open, ready and unheld where it is to be held.

The pull request is made by REST whichever way it was asked for, as a draft when it is to be held; then
the label goes on, the journal has it, and only then is it marked ready. Whatever step this process dies
in, a repeated request finds the pull request by its branch and marker and goes on from there. One that the
forge does not let hive hold stays a draft, or is closed where the forge made it none.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hive.decisions import markers
from hive.decisions.requests import NewPullRequest
from hive.errors import InDoubt, Refused, WorldError
from hive.facts.autonomy import Action
from hive.facts.events import PullRequestOpened
from hive.facts.verdicts import Ruling
from hive.gateway import unheld
from hive.gateway.published import words_of
from hive.gateway.resolver import Resolver
from hive.gateway.rulings import Ruled
from hive.gateway.unheld import NotHeld
from hive.gateway.upstream import Reply, Upstream
from hive.ports.authority import Authority, Identity

_READY = """mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) {
  clientMutationId } }"""


@dataclass(frozen=True, slots=True)
class OpenedPullRequest:
    """`reply` is set instead where the forge refused: it is the agent's answer."""

    number: int = 0
    node_id: str = ""
    reply: Reply | None = None


class Openings:
    """Thread-safe; one opening at a time for each branch."""

    def __init__(
        self, upstream: Upstream, resolver: Resolver, authority: Authority, *, web: str = "github.com"
    ) -> None:
        self._upstream = upstream
        self._web = web
        self._resolver = resolver
        self._authority = authority
        self._locks: dict[tuple[str, str], threading.Lock] = {}
        self._guard = threading.Lock()

    def open(self, identity: Identity, wanted: NewPullRequest, *, held: bool) -> OpenedPullRequest:
        """Open what is wanted, or find it already open.

        Raises `Unreachable`, `InDoubt`, `Refused` (made, but not held: it stays a draft or was closed),
        `JournalError` (made and held, but not recorded: it stays a draft).
        """
        with self._guard:
            lock = self._locks.setdefault((wanted.repo, wanted.head), threading.Lock())
        with lock:
            pull = self._find(identity, wanted)
            if pull is None:
                reply = self._create(identity, wanted, held)
                if reply.status != 201:
                    return OpenedPullRequest(reply=reply)
                value = reply.json()
                pull = value if isinstance(value, dict) else {}
            self._finish(identity, wanted, pull, held)
            return OpenedPullRequest(_number(pull), str(pull.get("node_id", "")))

    def _find(self, identity: Identity, wanted: NewPullRequest) -> Mapping[str, object] | None:
        """An open pull request of the agent's from that branch."""
        for number, pull in self._resolver.open_pulls(wanted.repo, wanted.head).items():
            opened = self._authority.opened(wanted.repo, number)
            if (opened.agent if opened is not None else self._marked(pull)) == identity.agent:
                return pull
        return None

    def _marked(self, pull: Mapping[str, object]) -> str | None:
        """The agent that the marker names, where hive's own account wrote it."""
        user = pull.get("user")
        login = user.get("login") if isinstance(user, dict) else None
        return markers.agent_of(str(pull.get("body") or "")) if login == self._resolver.account() else None

    def _create(self, identity: Identity, wanted: NewPullRequest, held: bool) -> Reply:
        words = words_of(identity, wanted.repo, self._web)
        value = {
            "title": words.line(wanted.title),
            "head": wanted.head,
            "base": wanted.base,
            "body": words.body(wanted.body),
            "draft": held or wanted.draft,
        }
        try:
            return self._upstream.rest("POST", f"/repos/{wanted.repo}/pulls", value)
        except InDoubt:
            pull = self._find(identity, wanted)
            if pull is None:
                raise
            made = self._upstream.rest("GET", f"/repos/{wanted.repo}/pulls/{_number(pull)}")
            return replace(made, status=201) if made.status == 200 else made

    def _finish(
        self, identity: Identity, wanted: NewPullRequest, pull: Mapping[str, object], held: bool
    ) -> None:
        """The steps after the creation that have not been taken yet.

        A recorded pull request had its label; if that is gone by now, a person has released it, unless it
        is a draft still: then hive may have ended before the label, and it goes on again first.
        """
        number = _number(pull)
        is_new = self._authority.opened(wanted.repo, number) is None
        is_draft = pull.get("draft") is True
        gets_ready = held and is_draft and not wanted.draft and not self._authority.keeps_draft()
        if held and (is_new or gets_ready):
            self._hold_or_withdraw(wanted.repo, number, is_draft=is_draft)
        if is_new:
            task = identity.task if identity.task and identity.task.repo == wanted.repo else None
            self._authority.record(
                [
                    PullRequestOpened(
                        repo=wanted.repo,
                        number=number,
                        agent=identity.agent,
                        head_ref=wanted.head,
                        head=_head(pull),
                        held=held,
                        issue=(task.about_issue or task.issue or None) if task else None,
                        task=task.id if task else "",
                    )
                ]
            )
        if gets_ready:
            self._ready(wanted.repo, pull)

    def _hold_or_withdraw(self, repo: str, number: int, *, is_draft: bool) -> None:
        """Put hive's hold on. Where the forge does not take it, nothing is left open, ready and unheld.

        Raises as `hold`; `JournalError` only after the pull request was taken care of.
        """
        try:
            self.hold(repo, number)
        except WorldError as error:
            if is_draft and not (isinstance(error, NotHeld) and error.is_for_good):
                raise
            what_now = unheld.kept_from_merging(self._upstream, repo, number, is_draft=is_draft)
            self._authority.record([unheld.told(repo, number, error.message, what_now)])
            raise Refused("github", f"{error.message}; {what_now}, and a person was told") from error

    def hold_targets(self, ruled: Ruled) -> None:
        """Put hive's hold on every pull request that an update is about to change while held.

        Raises as `hold`.
        """
        for operation, verdict in ruled.operations:
            if operation.action is Action.UPDATE_OWN_PR and verdict.ruling is Ruling.HOLD:
                repo, mark, number = operation.target.partition("#")
                if mark:
                    self.hold(repo, int(number))
                    continue
                repo, _, ref = operation.target.partition("@")
                for pull in self._resolver.open_pulls(repo, ref.removeprefix("refs/heads/")):
                    self.hold(repo, pull)

    def hold(self, repo: str, number: int) -> None:
        """Put hive's hold on. Raises `NotHeld` when the forge does not take it."""
        label = self._authority.hold_label()
        reply = self._upstream.rest("POST", f"/repos/{repo}/issues/{number}/labels", {"labels": [label]})
        if reply.status not in (200, 201):
            raise NotHeld(f"{repo}#{number}", label, reply)

    def _ready(self, repo: str, pull: Mapping[str, object]) -> None:
        query = {"query": _READY, "variables": {"id": pull.get("node_id")}}
        reply = self._upstream.graphql(query, writes=True, repo=repo)
        value = reply.json()
        if reply.status != 200 or (isinstance(value, dict) and value.get("errors")):
            raise Refused("github", f"pull request #{_number(pull)} is held, but could not be marked ready")


def _number(pull: Mapping[str, object]) -> int:
    number = pull.get("number")
    return number if isinstance(number, int) else 0


def _head(pull: Mapping[str, object]) -> str:
    head = pull.get("head")
    return str(head.get("sha") or "") if isinstance(head, dict) else ""
