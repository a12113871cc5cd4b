"""git's smart HTTP: fetches are served from the mirror; a push is received, judged, sent on, then taken in.

Nothing of a push is in the mirror before the forge has it: its objects wait in a quarantine folder, and a
refused or failed push leaves no trace. The agent reads the reason as ``remote:`` lines.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from hive.decisions.defusing import Scope, beyond
from hive.decisions.requests import Caller, Listed, NotUnderstood, Operation, Request, address, not_understood
from hive.decisions.requests import git as git_requests
from hive.decisions.requests.git import Asked, RefUpdate
from hive.errors import Unreachable, WorldError
from hive.facts.autonomy import Action
from hive.gateway import answers, packets, rulings
from hive.gateway.mirrors import Mirror, Mirrors
from hive.gateway.opening import Openings
from hive.gateway.published import words_of
from hive.gateway.pushes import Push, inspected
from hive.gateway.resolver import Resolver
from hive.gateway.settings import GatewaySettings
from hive.gateway.wire import Body, Response
from hive.ports.authority import Authority, Identity

_LOG = logging.getLogger(__name__)
_PIECE = 65_536
_UNCACHED = (("Cache-Control", "no-cache, max-age=0, must-revalidate"),)


class GitService:
    """Thread-safe; pushes to one repository go one after another."""

    def __init__(
        self,
        settings: GatewaySettings,
        authority: Authority,
        resolver: Resolver,
        openings: Openings,
        mirrors: Mirrors,
    ) -> None:
        self._settings = settings
        self._authority = authority
        self._resolver = resolver
        self._openings = openings
        self._mirrors = mirrors

    def answer(
        self,
        identity: Identity,
        caller: Caller,
        request: Request,
        where: address.Address,
        body: Body,
        request_id: str,
    ) -> Response:
        """Raises `NotUnderstood`, `WorldError`, `JournalError`."""
        asked = git_requests.service_of(request, where, caller)
        mirror = self._mirrors.of(asked.repo)
        if asked.advertises or asked.service == "git-upload-pack":
            operations = git_requests.classify(request, where, caller, Listed())
            ruled = rulings.rule(
                self._authority,
                identity,
                operations,
                request_id=request_id,
                route="git",
                content=f"{request.method} {request.target}".encode("latin-1"),
            )
            if ruled.refusal is not None:
                return refused(request, ruled.refusal)
        if asked.advertises:
            mirror.refresh(caller.default_branch(asked.repo))
            return self._advertise(mirror, asked, request)
        mirror.ensure(caller.default_branch(asked.repo))
        limit = self._settings.limits.push_bytes
        pieces = packets.unpacked(body.pieces(), request.header("Content-Encoding"), limit)
        if asked.service == "git-upload-pack":
            return self._upload(mirror, pieces, request)
        return self._receive(identity, caller, mirror, pieces, request_id)

    def _advertise(self, mirror: Mirror, asked: Asked, request: Request) -> Response:
        headers = (*_UNCACHED, ("Content-Type", f"application/x-{asked.service}-advertisement"))
        if asked.service == "git-receive-pack":
            return Response(200, headers, packets.advertisement(mirror.refs()))
        protocol = request.header("Git-Protocol") or ""
        done = subprocess.run(
            ["git", "upload-pack", "--stateless-rpc", "--http-backend-info-refs", str(mirror.path)],
            env={**mirror.environment(), "GIT_PROTOCOL": protocol},
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            mirror.doubt()
            raise Unreachable("github", f"the mirror of {asked.repo} cannot be read; ask once more")
        # Protocol 2 answers without naming the service first.
        named = b"" if "version=2" in protocol else packets.packet(b"# service=git-upload-pack\n") + b"0000"
        return Response(200, headers, named + done.stdout)

    def _upload(self, mirror: Mirror, pieces: Iterator[bytes], request: Request) -> Response:
        asked = tempfile.SpooledTemporaryFile(max_size=_PIECE)  # noqa: SIM115 - read while answering
        for piece in pieces:
            asked.write(piece)
        asked.seek(0)
        protocol = request.header("Git-Protocol") or ""
        headers = (*_UNCACHED, ("Content-Type", "application/x-git-upload-pack-result"))
        return Response(200, headers, _uploaded(mirror, asked, protocol))

    def _receive(
        self, identity: Identity, caller: Caller, mirror: Mirror, pieces: Iterator[bytes], request_id: str
    ) -> Response:
        stream = packets.PushStream(pieces)
        updates, capabilities = git_requests.parse_commands(stream.commands())
        if not updates:
            return _result(b"")
        banded = "side-band-64k" in capabilities
        quarantine = mirror.quarantine()
        try:
            push = Push(mirror, quarantine, updates)
            # Outside the lock: a slow agent keeps nobody else waiting.
            problem = push.receive(stream.rest())
            if problem:
                mirror.doubt()
                return _result(_refused(updates, problem, banded, unpacked=problem))
            with mirror.lock:
                why = self._judge(identity, caller, push, request_id)
        finally:
            shutil.rmtree(quarantine, ignore_errors=True)
        if why:
            return _result(_refused(updates, why, banded))
        return _result(packets.report({u.ref: "" for u in updates}, "", banded=banded))

    def _judge(self, identity: Identity, caller: Caller, push: Push, request_id: str) -> str:
        """Rule on a received push and send it on; empty, or why nothing was done."""
        repo = push.mirror.repo
        stale = push.stale()
        if stale:
            return f"hive: {stale} has moved meanwhile; fetch, and push again"
        branches = git_requests.push_questions(repo, push.updates, caller)
        facts = self._resolver.known(caller, branches)
        try:
            operations = git_requests.classify_push(repo, inspected(push), caller, facts)
            scope = words_of(identity, repo, caller.hosts.web).scope
            operations = (*operations, *_calling(repo, push, scope))
        except NotUnderstood as reason:
            operations = (not_understood(caller, str(reason)),)
        ruled = rulings.rule(
            self._authority,
            identity,
            operations,
            request_id=request_id,
            route="git",
            content=repr(push.updates).encode(),
        )
        if ruled.refusal is not None:
            return ruled.refusal
        if ruled.held(Action.UPDATE_OWN_PR):
            self._openings.hold_targets(ruled)
        try:
            push.mirror.push(push.updates, push.objects)
        except WorldError as error:
            _LOG.info("a push of %s to %s was not taken upstream: %s", identity.agent, repo, error.message)
            return f"hive: the forge did not take the push\n{error.message}"
        push.mirror.take_in(push.updates, push.objects)
        return ""


def _calling(repo: str, push: Push, scope: Scope) -> Iterator[Operation]:
    """A refused operation for the first commit whose message does more than tell: it cannot be written anew
    without becoming another commit."""
    for commit, message in push.messages():
        said = beyond(message, scope)
        if said is not None:
            because = (
                f"the message of commit {commit[:12]} {said}; write it without that sign "
                "(git commit --amend, or git rebase), and push again"
            )
            yield Operation(Action.COMMAND_BOT, repo, "text.signal", because, text=message)
            return


def refused(request: Request, message: str) -> Response:
    """Why git gets nothing: in its own words where it first asks, since it hides what a 403 says."""
    path, _, query = request.target.partition("?")
    service = query.removeprefix("service=")
    if not path.endswith("/info/refs") or service not in ("git-upload-pack", "git-receive-pack"):
        return answers.problem(403, message)
    headers = (*_UNCACHED, ("Content-Type", f"application/x-{service}-advertisement"))
    return Response(200, headers, packets.refusal(service, message))


def _result(body: bytes) -> Response:
    return Response(200, (*_UNCACHED, ("Content-Type", "application/x-git-receive-pack-result")), body)


def _refused(updates: tuple[RefUpdate, ...], why: str, banded: bool, *, unpacked: str = "ok") -> bytes:
    """All refs of a push fail together: a half done push is nobody's wish."""
    results = dict.fromkeys((update.ref for update in updates), "refused by hive")
    message = why if why.startswith("hive: ") else f"hive: {why}"
    first = unpacked.splitlines()[0] if unpacked != "ok" else "ok"
    return packets.report(results, message + "\n", unpacked=first, banded=banded)


def _uploaded(mirror: Mirror, asked: tempfile.SpooledTemporaryFile[bytes], protocol: str) -> Iterator[bytes]:
    """What git answers to a fetch, as it comes; its process is ended when nobody reads on."""
    with asked:
        process = subprocess.Popen(
            ["git", "upload-pack", "--stateless-rpc", str(mirror.path)],
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**mirror.environment(), "GIT_PROTOCOL": protocol},
        )
    assert process.stdout is not None
    try:
        while piece := process.stdout.read1(_PIECE):  # type: ignore[attr-defined]  # a BufferedReader
            yield piece
        if process.wait() != 0:
            mirror.doubt()
    finally:
        process.stdout.close()
        if process.poll() is None:
            process.terminate()
        process.wait()
