"""One handler for every request, whichever way it came: who, what, may it, write it down, do it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from hive.decisions import requests
from hive.decisions.requests import Caller, NotUnderstood, Operation, Request, address, jsonbody
from hive.decisions.requests.address import Surface
from hive.decisions.requests.graphql_document import read_document
from hive.errors import InDoubt, JournalError, WorldError
from hive.facts.autonomy import Action
from hive.facts.isolation import Endpoint
from hive.gateway import advice, answers, creations, rewriting, rulings
from hive.gateway.carrying import HeldRequests
from hive.gateway.creations import Creation
from hive.gateway.doorkeeper import Doorkeeper
from hive.gateway.doors import Arrival
from hive.gateway.git_service import GitService, refused
from hive.gateway.graphql_service import GraphqlService
from hive.gateway.installations import Installations
from hive.gateway.opening import Openings
from hive.gateway.own_interface import HOST, TARGETS, OwnInterface
from hive.gateway.published import Words, words_of
from hive.gateway.relay.providers import PREFIX
from hive.gateway.relay.relay import MOST_BYTES, Relay
from hive.gateway.resolver import Resolver
from hive.gateway.rulings import Ruled
from hive.gateway.settings import GatewaySettings
from hive.gateway.upstream import Reply, Upstream
from hive.gateway.ways_out import WaysOut
from hive.gateway.wire import Body, Response
from hive.gateway.writes import Writes
from hive.ports.authority import Authority, Identity

_LOG = logging.getLogger(__name__)
_AT_THE_PROXY = "proxy-authorization"


class Desk:
    """The `server.Handler`. Thread-safe."""

    def __init__(
        self,
        settings: GatewaySettings,
        authority: Authority,
        upstream: Upstream,
        resolver: Resolver,
        openings: Openings,
        git: GitService,
        *,
        writes: Writes,
        held: HeldRequests,
        keeper: Doorkeeper | None = None,
        relay: Relay | None = None,
    ) -> None:
        self._settings = settings
        self._authority = authority
        self._upstream = upstream
        self._resolver = resolver
        self._openings = openings
        self._writes = writes
        self._held = held
        self._graphql = GraphqlService(upstream, openings, writes, Installations(settings.installation_of))
        self._own = OwnInterface(authority, upstream)
        self._git = git
        self._keeper = keeper or Doorkeeper(authority, peer=settings.peer, agent_of=settings.agent_of)
        self._relay = relay
        self._ways_out = WaysOut(settings, authority)
        hosts = settings.hosts
        self._reached = frozenset({hosts.api, hosts.web, hosts.enterprise, HOST} - {None})

    def close(self) -> None:
        """Write down what is yet to be."""
        self._keeper.close()

    def most_bytes(self, request: Request) -> int:
        """Only git and what is said to models is large."""
        limits = self._settings.limits
        if request.target.startswith(PREFIX):
            return MOST_BYTES
        return limits.push_bytes if request.target.endswith("/git-receive-pack") else limits.body_bytes

    def tunnel(self, request: Request, arrival: Arrival) -> str | Endpoint | Response:
        """As `conversation.Handler`.

        From a pod a token may be shown here already, and has to be for an answer that tells more than
        that one is wanted: who listens on a network is asked by anybody.
        """
        if arrival.from_pod and request.method in ("GET", "HEAD") and request.target == "/healthz":
            return Response(200, (("Content-Type", "text/plain"),), b"ok\n")
        if arrival.from_pod and request.target in TARGETS:
            return ""
        if request.target.startswith(PREFIX):
            return ""
        host = address.canonical_host(request.target, 443) if request.method == "CONNECT" else None
        leads = host is not None and host in self._reached and request.target.endswith(":443")
        if arrival.from_pod and (not leads or any(n.lower() == _AT_THE_PROXY for n, _ in request.headers)):
            known = self._keeper.identify(request, _AT_THE_PROXY, arrival)
            if not isinstance(known, Identity):
                return answers.proxy_unauthorized(known)
        if not leads or host is None:
            if not arrival.from_pod:
                named = self._ways_out.endpoint(request.target) if request.method == "CONNECT" else None
                if named is not None:
                    return named
                self._ways_out.refused(arrival.peer, f"{request.method} {request.target}")
            said = f"{request.method} {request.target} leads out; only the forge is reached through hive"
            return answers.problem(403, said)
        return host

    def answer(self, request: Request, body: Body, arrival: Arrival) -> Response:
        """Answer one request. Raises `Malformed`, `Closed` while reading its body."""
        if self._relay is not None and not arrival.host and request.target.startswith(PREFIX):
            return self._relay.answer(request, body, arrival)
        request_id = uuid.uuid4().hex[:16]
        try:
            return self._answer(request, body, arrival, request_id)
        except JournalError:
            return answers.problem(503, "nothing was done: hive cannot write its journal; try again later")
        except InDoubt as error:
            _LOG.warning("request %s is in doubt: %s", request_id, error)
            said = f"it is not known whether that was done ({error}); look before you repeat it"
            return answers.problem(502, said)
        except WorldError as error:
            _LOG.warning("request %s was not done: %s", request_id, error)
            return answers.problem(502, str(error))

    def _answer(self, request: Request, body: Body, arrival: Arrival, request_id: str) -> Response:
        identity = self._keeper.identify(request, "Authorization", arrival)
        if not isinstance(identity, Identity):
            return answers.unauthorized(identity)
        caller = self._caller(identity, writes=False)
        host = arrival.host
        try:
            named = request.header("Host") or ""
            own = arrival.from_pod or address.canonical_host(named, 443) == HOST
            if host == HOST or (not host and own):
                whole = Request(request.method, request.target, request.headers, body.whole())
                return self._own.answer(identity, caller, whole, request_id)
            where = address.locate(request, caller.hosts)
            if host and address.canonical_host(named, 443) != host:
                raise NotUnderstood(f"the host {named!r} is not {host}, to which the tunnel leads")
            if where.surface is Surface.GIT or request.method not in ("GET", "HEAD"):
                caller = self._caller(identity, writes=True)
            if where.surface is Surface.GIT:
                return self._git.answer(identity, caller, request, where, body, request_id)
        except NotUnderstood as reason:
            operation = requests.not_understood(caller, str(reason))
            ruled = rulings.rule(self._authority, identity, [operation], request_id=request_id, route="rest")
            return refused(request, ruled.refusal or str(reason))
        whole = Request(request.method, request.target, request.headers, body.whole())
        return self._api(identity, caller, whole, where, request_id)

    def carry_out(self, identity: Identity, request: Request, is_used: bool) -> Response:
        """Make a held request of `identity`'s that a person has approved (`carrying.Make`)."""
        request_id = uuid.uuid4().hex[:16]
        try:
            caller = self._caller(identity, writes=True)
            where = address.locate(request, caller.hosts)
            return self._api(identity, caller, request, where, request_id, is_approved=is_used)
        except NotUnderstood as reason:
            return answers.problem(403, str(reason))
        except (JournalError, WorldError) as error:
            return answers.problem(502, str(error))

    def _caller(self, identity: Identity, *, writes: bool) -> Caller:
        """Default branches are looked up only where a ruling may depend on them."""
        defaults: Mapping[str, str] = {}
        if writes:
            defaults = {
                repo: self._settings.default_branches.get(repo) or self._resolver.default_branch(repo)
                for repo in identity.repos
            }
        return Caller(
            agent=identity.agent,
            repos=identity.repos,
            default_branches=defaults,
            hold_labels=tuple({*self._settings.hold_labels, self._authority.hold_label()}),
            bot_commands=self._settings.bot_commands,
            hosts=self._settings.hosts,
        )

    def _api(
        self,
        identity: Identity,
        caller: Caller,
        request: Request,
        where: address.Address,
        request_id: str,
        *,
        is_approved: bool = False,
    ) -> Response:
        operations = self._resolver.operations(
            caller, lambda known: requests.read(request, caller, known, where)
        )
        graphql = where.surface is Surface.GRAPHQL
        route = "graphql" if graphql else "rest"
        words = words_of(identity, rulings.repository_of(operations[0].target), caller.hosts.web)
        creation = _creation(request, where, operations, words)
        ruled = rulings.rule(
            self._authority,
            identity,
            operations,
            request_id=request_id,
            route=route,
            content=content_of(request),
            is_approved=is_approved or self._writes.knows(creation),
        )
        if ruled.waiting:
            self._held.keep(identity.agent, request, ruled.waiting)
        refusal = ruled.refusal
        if refusal is None and ruled.only(Action.REQUEST_MERGE):
            refusal = f"hive: {advice.MERGES_ITSELF}"
        if refusal is not None:
            merging = not ruled.refusal
            if graphql:
                return answers.graphql_refusal(refusal)
            return answers.problem(405 if merging else 403, refusal)
        if graphql:
            return self._graphql.answer(identity, request, ruled, words, request_id)
        return self._rest(identity, request, where, ruled, _Publishing(request_id, words, creation))

    def _rest(
        self,
        identity: Identity,
        request: Request,
        where: address.Address,
        ruled: Ruled,
        publishing: _Publishing,
    ) -> Response:
        opening = ruled.only(Action.OPEN_PR)
        if opening is not None and opening.opens is not None:
            opened = self._openings.open(identity, opening.opens, held=ruled.held(Action.OPEN_PR))
            if opened.reply is not None:
                return respond(opened.reply)
            path = f"/repos/{opening.opens.repo}/pulls/{opened.number}"
            reply = self._upstream.rest("GET", path)
            return respond(Reply(201 if reply.status == 200 else reply.status, reply.headers, reply.body))
        self._openings.hold_targets(ruled)
        path = "/" + "/".join(quote(segment, safe="") for segment in where.segments)
        if where.query:
            path += f"?{where.query}"
        if request.method in ("GET", "HEAD"):
            repo = rulings.repository_of(ruled.asked[0].target)
            return respond(self._upstream.pass_on(request.method, path, request.headers, None, repo))
        body = None
        if request.body.strip():
            # What was judged is what is sent: the parsed value, written anew.
            making = publishing.creation
            written = rewriting.written_fields(
                request.value,
                publishing.words,
                new_issue=making is not None and making.kind == "issues",
            )
            body = jsonbody.write(written)
        return respond(
            self._writes.send(
                identity,
                publishing.request_id,
                publishing.creation,
                lambda: self._upstream.pass_on(request.method, path, request.headers, body),
                None,
            )
        )


@dataclass(frozen=True, slots=True)
class _Publishing:
    """One request that may publish something: its id, how it may write, and what it makes, if anything."""

    request_id: str
    words: Words
    creation: Creation | None


def _creation(
    request: Request, where: address.Address, operations: tuple[Operation, ...], words: Words
) -> Creation | None:
    """What a request makes at each asking; `None` also for one that is not understood, and so refused."""
    if request.method != "POST":
        return None
    try:
        if where.surface is Surface.GRAPHQL:
            return creations.of_graphql(read_document(request.body), operations, words)
        return creations.of_rest(request, where, operations, words)
    except NotUnderstood:
        return None


def content_of(request: Request) -> bytes:
    """What a person's word on a held request is about: all of it but its headers."""
    return f"{request.method} {request.target}\n".encode("latin-1") + request.body


def respond(reply: Reply) -> Response:
    """What the forge said, to the agent."""
    return Response(reply.status, reply.headers, reply.body)
