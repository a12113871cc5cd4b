"""A forge in this process that does nothing but note what it was made to do, and a gateway before it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from graphql import GraphQLResolveInfo, GraphQLSchema, build_schema, execute_sync, parse, validate
from graphql.validation import VariablesInAllowedPositionRule

from hive.decisions.requests import Request
from hive.facts.autonomy import AcmmLevel
from hive.facts.events import PullRequestOpened
from hive.gateway import GatewaySettings
from hive.gateway.carrying import HeldRequests
from hive.gateway.desk import Desk
from hive.gateway.doors import Arrival
from hive.gateway.ends import Ends
from hive.gateway.git_service import GitService
from hive.gateway.mirrors import Mirrors
from hive.gateway.opening import Openings
from hive.gateway.repeats import Repeats
from hive.gateway.resolver import Resolver
from hive.gateway.settings import Limits
from hive.gateway.upstream import Reply, Upstream
from hive.gateway.wire import Body, Peer, Response
from hive.gateway.writes import Writes
from hive.ports.authority import Identity
from hive.shells.system.clock import SystemClock
from tests.fakes.authority import FakeAuthority
from tests.gateway.generated import effects
from tests.gateway.generated.effects import AGENT, REPO, THINGS, Effect, Thing

API = "http://127.0.0.1:9/api/v3"
_MADE = {"number": 70, "node_id": "PR_70", "draft": True}
"""The pull request that a creation gives: not one that is known before."""
_KINDS = {
    "repository": "Repository",
    "issue": "Issue",
    "pull": "PullRequest",
    "comment": "IssueComment",
    "label": "Label",
    "user": "User",
}
LEVELS = {"advisory": 2, "measured": 4, "holdgated": 5, "full": 6}
"""A level at which the role of `gateway` has each mode."""


@dataclass
class Noting(Upstream):
    """Attributes:
    done: Effects, in order.
    holds: Numbers of pull requests on which the gateway has put its hold since the last request.
    """

    settings: GatewaySettings
    done: list[Effect] = field(default_factory=list)
    holds: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.settings)

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        writes: bool | None = None,
        repo: str = "",
    ) -> Reply:
        if url.endswith("/api/graphql"):
            return _json(self._executed(json.loads(body or b"{}")))
        path = url.removeprefix(API)
        known = _known(path) if method == "GET" else None
        if known is not None:
            return _json(known)
        for effect in effects.of_rest(method, path, headers, body):
            number = effect.thing.number if effect.thing else 0
            if effect.name == "label" and list(effect.given.get("names", ())) == ["hold"]:
                self.holds.append(number)
            self.done.append(effect)
        return _json(_MADE, 200 if method in ("GET", "HEAD") else 201)

    def _executed(self, asked: Mapping[str, Any]) -> object:
        if "HiveNodes" in asked["query"]:
            return {"data": {"nodes": [_node(key) for key in asked["variables"]["ids"]]}}
        document = parse(asked["query"])
        # Of validation only what decides which values arrive where: a forge that is less strict than
        # GitHub does no more than this one.
        if validate(_schema(), document, [VariablesInAllowedPositionRule]):
            return {"errors": [{"message": "no"}]}
        result = execute_sync(
            _schema(),
            document,
            context_value=self.done,
            variable_values=asked.get("variables") or {},
            operation_name=asked.get("operationName") or None,
            field_resolver=_noted,
        )
        return {"data": result.data}


def _noted(_: object, info: GraphQLResolveInfo[list[Effect]], **arguments: Any) -> object:
    if info.parent_type.name == "Mutation":
        info.context.extend(effects.of_mutation(info.field_name, arguments.get("input") or {}))
    return None if info.field_name == "clientMutationId" else {}


_SCHEMA: list[GraphQLSchema] = []


def _schema() -> GraphQLSchema:
    if not _SCHEMA:
        text = (Path(__file__).with_name("schema.graphql")).read_text(encoding="utf-8")
        _SCHEMA.append(build_schema(text))
    return _SCHEMA[0]


def _author(thing: Thing) -> tuple[str, str]:
    """Login and body: agents write under hive's account, with a marker."""
    if thing.owner == "ada":
        return "ada", "words"
    return "hive-bot", f"words\n\n<!-- hive:agent={thing.owner} -->"


def _node(key: str) -> dict[str, object] | None:
    thing = THINGS.get(key)
    if thing is None:
        return None
    login, body = _author(thing)
    repository = {"nameWithOwner": thing.repo}
    found: dict[str, object] = {"__typename": _KINDS[thing.kind], "id": key, "repository": repository}
    if thing.kind == "repository":
        return {**found, **repository}
    if thing.kind == "label":
        return {**found, "name": thing.owner}
    labels = {"nodes": [{"name": name} for name in thing.labels]}
    found |= {"body": body, "author": {"login": login}, "number": thing.number, "labels": labels}
    found |= {"issue": {"number": thing.number}} if thing.kind == "comment" else {}
    found |= {"headRefName": f"hive/{thing.owner}/x", "baseRefName": "main", "isCrossRepository": False}
    return found


def _known(path: str) -> object:
    """What the resolver asks by REST; `None` for what it does not."""
    words = path.partition("?")[0].strip("/").split("/")
    if words[:3] != ["repos", *REPO.split("/")]:
        return None
    if words[3:] == ["pulls"]:
        return []
    match words[3:]:
        case ["issues", "comments", number] if number.isdigit():
            thing = THINGS.get(effects.COMMENTS.get(int(number), ""))
        case ["issues" | "pulls", number] if number.isdigit():
            thing = effects.subject(int(number))
        case _:
            return None
    if thing is None:
        return {"message": "Not Found"}
    login, body = _author(thing)
    found: dict[str, object] = {"body": body, "user": {"login": login}, "number": thing.number}
    found["labels"] = [{"name": name} for name in thing.labels]
    found["issue_url"] = f"{API}/repos/{REPO}/issues/{thing.number}"
    if thing.kind == "pull":
        head = {"ref": f"hive/{thing.owner}/x", "repo": {"full_name": REPO}}
        found |= {"pull_request": {"url": ""}, "head": head, "base": {"ref": "main"}, "node_id": "PR_x"}
    return found


def _json(value: object, status: int = 200) -> Reply:
    headers = (("Content-Type", "application/json"),)
    return Reply(status, headers, json.dumps(value).encode())


class _Bytes:
    """A stream that has said all it will."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def settimeout(self, value: float | None, /) -> None:
        pass

    def recv(self, most: int, /) -> bytes:
        piece, self._data = self._data[:most], self._data[most:]
        return piece

    def sendall(self, data: bytes, /) -> None:
        pass


class World:
    """A gateway's desk before a forge that notes; one agent, in whichever mode is asked for."""

    def __init__(self, root: Path) -> None:
        self._limits = Limits()
        settings = GatewaySettings(
            socket_path=root / "s",
            state=root / "state",
            credential=lambda: "the-credential",
            api_url=API,
            graphql_url="http://127.0.0.1:9/api/graphql",
            default_branches={REPO: "main"},
            repeat_window=timedelta(0),
        )
        self.authority = FakeAuthority({"t": Identity(AGENT, "scanner", (REPO,), None)})
        for thing in THINGS.values():
            if thing.kind == "pull" and thing.owner != "ada" and thing.number != _MADE["number"]:
                event = PullRequestOpened(
                    repo=REPO, number=thing.number, agent=thing.owner, head_ref="x", head="", held=False
                )
                self.authority.record([event])
        self._start = len(self.authority.events)
        self.forge = Noting(settings)
        resolver = Resolver(self.forge, self.authority)
        resolver._login = "hive-bot"
        openings = Openings(self.forge, resolver, self.authority)
        git = GitService(settings, self.authority, resolver, openings, Mirrors(settings, self.forge))
        ends = Ends(self.authority)
        ends.close(0.0)  # from now on each end is on record before its answer
        repeats = Repeats(root / "answers", settings.repeat_window, SystemClock())
        self.desk = Desk(
            settings,
            self.authority,
            self.forge,
            resolver,
            openings,
            git,
            writes=Writes(self.forge, resolver, ends, repeats),
            held=HeldRequests(root / "held", self.authority, SystemClock()),
        )

    def ask(self, mode: str, request: Request) -> Response:
        """Answer one request of the agent in `mode`, from nothing noted."""
        self.authority.level = AcmmLevel(LEVELS[mode])
        del self.authority.events[self._start :]
        self.forge.done.clear()
        self.forge.holds.clear()
        headers = (*request.headers, ("Authorization", "token t"))
        data = request.body
        body = Body(Peer(_Bytes(data), self._limits), len(data), len(data))
        return self.desk.answer(Request(request.method, request.target, headers), body, Arrival())

    def denied_effects(self, mode: str, request: Request) -> Iterator[str]:
        """What reached the forge though the table denies it in `mode`."""
        answer = self.ask(mode, request)
        held = set(self.forge.holds)
        for effect in self.forge.done:
            if effect.is_denied_in(mode):
                yield f"{mode}: {effect} was done; {request} was answered {answer.status}"
            if mode == "holdgated" and effect.updates is not None and effect.updates not in held:
                yield f"{mode}: {effect} was done without a hold; {request}"
