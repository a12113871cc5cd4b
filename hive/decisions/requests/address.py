"""Where a request goes: the host by its canonical name, the path by its segments, each decoded once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from urllib.parse import urlsplit

from hive.decisions.requests.model import Caller, Hosts, NotUnderstood
from hive.decisions.requests.request import Request


class Surface(Enum):
    REST = auto()
    GRAPHQL = auto()
    GIT = auto()


@dataclass(frozen=True, slots=True)
class Address:
    """A request's destination.

    Attributes:
        segments: Of the path below the API's root, each percent-decoded once.
        slashed: For each segment, whether it held an encoded slash.
        query: As sent, without the question mark.
    """

    surface: Surface
    segments: tuple[str, ...]
    slashed: tuple[bool, ...]
    query: str


_OVERRIDES = ("x-http-method-override", "x-http-method", "x-method-override")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")
"""Segments of most paths, which are what they say."""
_PATH = re.compile(r"/[\x21-\x7e]*")


def locate(request: Request, hosts: Hosts) -> Address:
    """Find the surface and path of `request`. Raises `NotUnderstood` for any doubt."""
    for name, _ in request.headers:
        # Gateways in the manner of CGI read a hyphen and an underscore alike.
        if name.lower().replace("_", "-") in _OVERRIDES:
            raise NotUnderstood(f"the header {name} overrides the method")
    host, path, query = _split(request, hosts)
    if _METHOD_IN_QUERY.search(query):
        raise NotUnderstood("the query overrides the method")
    surface, path = _surface(host, path, hosts)
    segments, slashed = _segments(path)
    return Address(surface, segments, slashed, query)


_METHOD_IN_QUERY = re.compile(r"(?:^|[&;?])_?method(?:=|%3d)", re.IGNORECASE)


def canonical_host(value: str, port: int) -> str | None:
    """A host name in lower case, without `port` and the trailing dot; `None` for what is no plain name."""
    match = re.fullmatch(r"([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)\.?(?::([0-9]{1,5}))?", value)
    if match is None or ".." in match[1]:
        return None
    if match[2] is not None and match[2] != str(port):
        return None
    return match[1].lower()


def _split(request: Request, hosts: Hosts) -> tuple[str, str, str]:
    """Host, path and query."""
    named = request.header("Host")
    if named is None:
        raise NotUnderstood("it has no Host header")
    target, port = request.target, 443
    origin = None
    if not target.startswith("/"):
        parts = urlsplit(target)
        if parts.scheme.lower() not in ("http", "https") or "@" in parts.netloc:
            raise NotUnderstood("its target is neither a path nor a plain address")
        port = 443 if parts.scheme.lower() == "https" else 80
        origin = canonical_host(parts.netloc, port)
        target = target.split("://", 1)[1].removeprefix(parts.netloc) or "/"
        if origin is None:
            raise NotUnderstood("its target names no known host")
    host = canonical_host(named, port)
    if host not in {hosts.api, hosts.web, hosts.enterprise} or (origin is not None and origin != host):
        raise NotUnderstood(f"the host {named!r} is not the forge's")
    path, _, query = target.partition("?")
    if not _PATH.fullmatch(path) or "#" in target or not re.fullmatch(r"[\x21-\x7e]*", query):
        raise NotUnderstood("its target has characters that no address has")
    return host or "", path, query


def _surface(host: str, path: str, hosts: Hosts) -> tuple[Surface, str]:
    if host == hosts.api:
        return (Surface.GRAPHQL, "/graphql") if path == "/graphql" else (Surface.REST, path)
    if host == hosts.enterprise:
        if path == "/api/graphql":
            return Surface.GRAPHQL, "/graphql"
        if path == "/api/v3" or path.startswith("/api/v3/"):
            return Surface.REST, path.removeprefix("/api/v3") or "/"
    return Surface.GIT, path


def _segments(path: str) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    if path == "/":
        return (), ()
    raw = path[1:].split("/")
    decoded = tuple(_decode(segment) for segment in raw)
    return decoded, tuple("/" in segment for segment in decoded)


def _decode(segment: str) -> str:
    if _PLAIN.fullmatch(segment):
        return segment
    if _ESCAPE.search(segment):
        raise NotUnderstood("a percent sign in its path encodes nothing")
    try:
        text = _unquote(segment).decode("utf-8")
    except UnicodeDecodeError:
        raise NotUnderstood("its path is not UTF-8") from None
    parts = text.split("/")
    if any(part in ("", ".", "..") for part in parts) or any(ord(c) < 32 or ord(c) == 127 for c in text):
        raise NotUnderstood("its path has empty or relative segments, or control characters")
    return text


def _unquote(segment: str) -> bytes:
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes([int(match[1], 16)]), segment.encode("ascii"))


_REPO_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


def repository(caller: Caller, owner: str, name: str) -> str:
    """The caller's repository of that name. Raises `NotUnderstood` for any other."""
    if not _REPO_NAME.fullmatch(owner) or not _REPO_NAME.fullmatch(name):
        raise NotUnderstood(f"{owner}/{name} names no repository")
    found = caller.repo(f"{owner}/{name}")
    if found is None:
        raise NotUnderstood(f"{owner}/{name} is not a repository of agent {caller.agent}")
    return found
