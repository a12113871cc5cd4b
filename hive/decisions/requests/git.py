"""git's smart HTTP: which service a request asks for, and what the commands of a push would do."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hive.decisions.requests import address, effects
from hive.decisions.requests.model import Caller, Facts, NotUnderstood, Operation
from hive.decisions.requests.request import Request
from hive.facts.autonomy import Action

_MOST_COMMANDS = 200
_LONGEST_UNPACKED = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """`service` is git-upload-pack or git-receive-pack; `advertises` is the first request of either."""

    repo: str
    service: str
    advertises: bool


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """One command of a push: full ref, old and new object ids (zeros for none).

    Attributes:
        fast_forward: `None` where the objects are not there to tell.
        paths: Files that the new commits touch.
        text: Their messages and changes, as far as they were read.
    """

    ref: str
    old: str
    new: str
    fast_forward: bool | None = None
    paths: tuple[str, ...] = ()
    text: str = ""

    @property
    def deletes(self) -> bool:
        return not self.new.strip("0")

    @property
    def creates(self) -> bool:
        return not self.old.strip("0")


def service_of(request: Request, where: address.Address, caller: Caller) -> Asked:
    """Which of git's services is asked for. Raises `NotUnderstood`."""
    segments = where.segments
    if any(where.slashed) or len(segments) not in (3, 4):
        raise NotUnderstood(f"{request.method} /{'/'.join(segments)} is not git's")
    repo = address.repository(caller, segments[0], segments[1].removesuffix(".git"))
    rest = "/".join(segments[2:])
    if request.method == "GET" and rest == "info/refs":
        service = where.query.removeprefix("service=")
        if service in ("git-upload-pack", "git-receive-pack"):
            return Asked(repo, service, advertises=True)
    elif request.method == "POST" and rest in ("git-upload-pack", "git-receive-pack") and not where.query:
        return Asked(repo, rest, advertises=False)
    raise NotUnderstood(f"{request.method} /{'/'.join(segments)} is not git's smart HTTP (nor is LFS served)")


def classify(request: Request, where: address.Address, caller: Caller, facts: Facts) -> tuple[Operation, ...]:
    """The operations of a git request that is whole in memory. Raises `NotUnderstood`."""
    asked = service_of(request, where, caller)
    if asked.advertises or asked.service == "git-upload-pack":
        return (Operation(Action.READ, asked.repo),)
    commands, _ = parse_commands(_plain(request))
    if not commands:
        return (Operation(Action.READ, asked.repo),)
    return classify_push(asked.repo, commands, caller, facts)


def classify_push(
    repo: str, updates: tuple[RefUpdate, ...], caller: Caller, facts: Facts
) -> tuple[Operation, ...]:
    """One operation for each ref of a push, and one for each workflow file that it touches."""
    found: list[Operation] = []
    for update in updates:
        operations = effects.write_ref(
            caller,
            facts,
            repo,
            update.ref,
            deletes=update.deletes,
            forced=not update.creates and update.fast_forward is False,
            paths=update.paths,
            text=update.text,
        )
        found += (replace(one, head="" if update.deletes else update.new) for one in operations)
    return tuple(found)


def push_questions(repo: str, updates: tuple[RefUpdate, ...], caller: Caller) -> tuple[str, ...]:
    """The branches (``o/r@branch``) whose open pull requests the ruling on a push depends on."""
    heads = [u.ref.removeprefix("refs/heads/") for u in updates if u.ref.startswith("refs/heads/")]
    return tuple(f"{repo}@{head}" for head in heads if caller.owns_branch(head))


def _plain(request: Request) -> bytes:
    coding = (request.header("Content-Encoding") or "identity").lower()
    if coding == "identity":
        return request.body
    if coding not in ("gzip", "x-gzip"):
        raise NotUnderstood(f"its body is coded as {coding}")
    try:
        return zlib.decompressobj(wbits=31).decompress(request.body, _LONGEST_UNPACKED)
    except zlib.error:
        raise NotUnderstood("its body is not gzip") from None


_SHALLOW = re.compile(rb"shallow [0-9a-f]{40,64}\n?")
_COMMAND = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) ([^\0\n]+)")


def parse_commands(body: bytes) -> tuple[tuple[RefUpdate, ...], frozenset[str]]:
    """The commands at the head of a push and its capabilities; a probe (a flush alone) has none.

    Raises `NotUnderstood` for anything that git does not send.
    """
    updates: list[RefUpdate] = []
    capabilities: frozenset[str] = frozenset()
    for line in _packets(body):
        # A shallow clone names its boundary; whether the history is whole is seen from the objects.
        if _SHALLOW.fullmatch(line) and not updates:
            continue
        command, _, rest = line.partition(b"\0")
        if rest and not updates:
            capabilities = frozenset(rest.decode("utf-8", "replace").split())
        updates.append(parse_command(command))
        if len(updates) > _MOST_COMMANDS:
            raise NotUnderstood(f"it pushes more than {_MOST_COMMANDS} refs at once")
    refs = [update.ref for update in updates]
    if len(set(refs)) != len(refs):
        raise NotUnderstood("it pushes one ref twice")
    return tuple(updates), capabilities


def parse_command(line: bytes) -> RefUpdate:
    """``OLD NEW REF``. Raises `NotUnderstood`."""
    match = _COMMAND.fullmatch(line.rstrip(b"\n"))
    try:
        ref = match[3].decode("utf-8") if match else ""
    except UnicodeDecodeError:
        ref = ""
    if match is None or not effects.is_ref(ref):
        raise NotUnderstood("its push has a line that is no ref update (signed pushes included)")
    return RefUpdate(ref, match[1].decode(), match[2].decode())


def _packets(body: bytes) -> Iterator[bytes]:
    """The packet lines up to the first flush."""
    at = 0
    while True:
        size = packet_length(body[at : at + 4])
        if size == 0:
            return
        if at + size > len(body):
            raise NotUnderstood("its push is cut off")
        yield body[at + 4 : at + size]
        at += size


def packet_length(header: bytes) -> int:
    """Length of a packet line with its four digits; 0 for a flush. Raises `NotUnderstood`."""
    if not re.fullmatch(rb"[0-9a-fA-F]{4}", header):
        raise NotUnderstood("its push is not in packet lines")
    size = int(header, 16)
    if size in (1, 2, 3, 4):
        raise NotUnderstood("its push has an empty packet line")
    return size
