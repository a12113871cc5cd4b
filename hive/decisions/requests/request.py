"""What the classifier reads: one HTTP request."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive.decisions.requests import jsonbody
from hive.decisions.requests.model import NotUnderstood


@dataclass(frozen=True)
class Request:
    """One HTTP request, whole.

    Attributes:
        target: As on the request line: origin form, or absolute.
        headers: In order, names as they were sent.
        body: After chunked transfer coding, before any content coding.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The only value of a header; `None` where there is none.

        Raises `NotUnderstood` where it is given twice.
        """
        values = self._named.get(name.lower(), ())
        if len(values) > 1:
            raise NotUnderstood(f"the header {name} is given {len(values)} times")
        return values[0] if values else None

    @functools.cached_property
    def _named(self) -> Mapping[str, Sequence[str]]:
        named: dict[str, list[str]] = {}
        for name, value in self.headers:
            named.setdefault(name.lower(), []).append(value)
        return named

    @functools.cached_property
    def value(self) -> object:
        """The body's JSON value, read once for all who judge it or write it anew; nobody may change it.

        Raises `NotUnderstood`, as `jsonbody.parse`.
        """
        return jsonbody.parse(self.body)
