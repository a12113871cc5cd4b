"""Lists, page by page, and only as much of each object as somebody reads.

A list is one moment of the cluster: its pages share a version, and where that has expired before the last
page was asked for (410), the list begins anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from hive.errors import Moved, Unreachable
from hive.facts.kubernetes import Listing, Manifest, ResourceType
from hive.shells.kubernetes.connection import Call, Connection
from hive.shells.kubernetes.failures import PORT, Request

PAGE = 500
"""Chosen, as kubectl does: 500 pods are about 3 MB."""

_TIMES = 3
"""Chosen: how often a list is begun, when its pages expire on the way."""

T = TypeVar("T")


class PageMeta(msgspec.Struct, rename={"following": "continue", "resource_version": "resourceVersion"}):
    resource_version: str = ""
    following: str = ""


class Page(msgspec.Struct, Generic[T], gc=False):
    """One page as the server sends it; whatever of an item `T` does not name is skipped."""

    metadata: PageMeta
    items: list[T] | None = None


class Lists:
    """Reads lists over one connection. `size`: objects of a page."""

    def __init__(self, connection: Connection, size: int = PAGE) -> None:
        self._connection = connection
        self._size = size

    def whole(
        self, request: Request, kind: ResourceType, path: str, query: tuple[tuple[str, str], ...]
    ) -> Listing:
        """All objects. Items of a list do not say what they are, so it is added."""
        items, version = self._all(request, path, query, page_decoder(dict[str, Any]))
        named = {"apiVersion": kind.api_version, "kind": kind.kind}
        return Listing(tuple(_named(one, named) for one in items), version)

    def parts(
        self, request: Request, shape: type[T], path: str, query: tuple[tuple[str, str], ...]
    ) -> tuple[T, ...]:
        """All objects, each as `shape`."""
        return tuple(self._all(request, path, query, page_decoder(shape))[0])

    def _all(
        self,
        request: Request,
        path: str,
        query: tuple[tuple[str, str], ...],
        decode: Callable[[bytes], Page[T]],
    ) -> tuple[list[T], str]:
        for _ in range(_TIMES - 1):
            try:
                return self._once(request, path, query, decode)
            except Moved:
                continue
        return self._once(request, path, query, decode)

    def _once(
        self,
        request: Request,
        path: str,
        query: tuple[tuple[str, str], ...],
        decode: Callable[[bytes], Page[T]],
    ) -> tuple[list[T], str]:
        items: list[T] = []
        following = ""
        while True:
            more = (("continue", following),) if following else ()
            call = Call("GET", path, (("limit", str(self._size)), *query, *more))
            body = self._connection.send(request, call)
            try:
                page = decode(body)
            except (ValueError, msgspec.MsgspecError) as error:
                raise Unreachable(PORT, request.says(f"the answer is no list: {error}")) from error
            items += page.items or ()
            following = page.metadata.following
            if not following:
                return items, page.metadata.resource_version


def page_decoder(shape: type[T]) -> Callable[[bytes], Page[T]]:
    """Decodes one page of `shape`s. Raises `ValueError` for what is none."""
    return msgspec.json.Decoder(Page[shape]).decode  # type: ignore[valid-type]  # a class that is made here


def _named(one: dict[str, Any], named: dict[str, str]) -> Manifest:
    return {**named, **one}
