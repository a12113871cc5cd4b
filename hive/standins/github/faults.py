"""Faults by script: what goes wrong with the next requests that match."""

import json
import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hive.standins.github import urls
from hive.standins.github.clock import Clock
from hive.standins.github.failures import ApiFailure
from hive.standins.github.wire import Request, Response

_KINDS = (
    *("500", "502", "503", "504", "drop-after-write", "truncate", "reset"),
    *("rate-limit", "secondary-limit", "graphql-limit"),
)
_WITH_NUMBER = re.compile(r"(slow|rate-limit|secondary-limit|graphql-limit):([0-9]+(?:\.[0-9]+)?)")
"""Seconds that an answer takes, or until there are requests again."""
_WITH_WORDS = re.compile(r"(?:status:[2345][0-9]{2}|moved):.+")
"""`status:410:MESSAGE` answers so; `moved:/repos/o/r` redirects there, as a renamed repository does;
with a whole address to another host."""


@dataclass(slots=True)
class Fault:
    """`do` to the next `times` requests whose method and path match."""

    method: str
    path: re.Pattern[str]
    times: int
    do: str
    skip: int = 0
    """How many that match are let through first: 2 lets the third one go wrong."""
    share: float = 1.0
    """How likely each of the others goes wrong; the chances are the same in every run with the same seed."""
    chance: random.Random = field(default_factory=random.Random)


class Faults:
    """The faults that wait for their requests, first come first served."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: list[Fault] = []

    def add(self, script: Any) -> None:
        """Take in `{"match": {"method", "path"}, "times", "skip", "share", "seed", "do"}`.

        422 for one that makes no sense.
        """
        try:
            match = script.get("match", {})
            do, times = str(script["do"]), int(script.get("times", 1))
            fault = Fault(
                method=match.get("method", "").upper(),
                path=re.compile(match.get("path", "")),
                times=times,
                do=do,
                skip=int(script.get("skip", 0)),
                share=float(script.get("share", 1.0)),
                chance=random.Random(script.get("seed", 0)),  # noqa: S311 - the same in each run
            )
            if do not in _KINDS and not _WITH_NUMBER.fullmatch(do) and not _WITH_WORDS.fullmatch(do):
                known = ", ".join((*_KINDS, "slow:SECONDS", "status:CODE:MESSAGE", "moved:PATH"))
                raise ValueError(f"do: {do} is none of {known}")
        except (AttributeError, KeyError, TypeError, ValueError, re.error) as error:
            raise ApiFailure(422, f"not a fault: {error}") from error
        with self._lock:
            self._waiting.append(fault)

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        with self._lock:
            self._waiting.clear()

    def remaining(self) -> int:
        """How many requests are still to go wrong."""
        with self._lock:
            return sum(fault.times for fault in self._waiting)

    def apply(self, request: Request, answer: Callable[[Request], Response]) -> Response:
        """Answer `request`, with the first fault that matches it."""
        do = self._take(request)
        if do is None:
            return answer(request)
        kind, _, rest = do.partition(":")
        instead = _instead(request, kind, rest, self._clock)
        if instead is not None:
            return instead
        if kind == "slow":
            time.sleep(float(rest))
            return answer(request)
        if kind == "reset":
            # Before anything was done: the connection goes, and nothing happened.
            return Response(500, b"-", cut=0, reset=True)
        response = answer(request)
        response.cut = 0 if do == "drop-after-write" else _half(response)
        return response

    def _take(self, request: Request) -> str | None:
        with self._lock:
            for fault in self._waiting:
                if fault.method in ("", request.method) and fault.path.search(request.path):
                    if fault.skip > 0:
                        fault.skip -= 1
                        continue
                    if fault.share < 1.0 and fault.chance.random() >= fault.share:
                        continue
                    fault.times -= 1
                    if fault.times <= 0:
                        self._waiting.remove(fault)
                    return fault.do
        return None


_PRIMARY = b'{"message":"API rate limit exceeded","documentation_url":"https://docs.github.com/rest"}'
_SECONDARY = (
    b'{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",'
    b'"documentation_url":"https://docs.github.com/rest"}'
)


_GRAPHQL = b'{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}'


def _instead(request: Request, kind: str, rest: str, clock: Clock) -> Response | None:
    """The answer that a fault gives without looking at the request; None where it is looked at."""
    match kind:
        case "500" | "502" | "503" | "504":
            page = b"<html><body>Server Error</body></html>"
            return Response(int(kind), page, {"Content-Type": "text/html"})
        case "rate-limit":
            return _limited(_used_up(rest, clock), _PRIMARY)
        case "secondary-limit":
            return _limited({"Retry-After": rest or "1"}, _SECONDARY)
        case "graphql-limit":
            return Response(200, _GRAPHQL, {"Content-Type": "application/json", **_used_up(rest, clock)})
        case "status":
            code, _, message = rest.partition(":")
            body = json.dumps({"message": message}).encode()
            return Response(int(code), body, {"Content-Type": "application/json; charset=utf-8"})
        case "moved":
            to = rest if rest.startswith("http") else urls.of(request).api + rest
            body = json.dumps({"message": "Moved Permanently", "url": to}).encode()
            return Response(301, body, {"Content-Type": "application/json; charset=utf-8", "Location": to})
    return None


def _used_up(seconds: str, clock: Clock) -> dict[str, str]:
    reset = clock.epoch() + int(float(seconds or "60"))
    return {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}


def _limited(headers: dict[str, str], body: bytes) -> Response:
    return Response(403, body, {"Content-Type": "application/json; charset=utf-8", **headers})


def _half(response: Response) -> int:
    """Where to cut: in the middle of the body, the head being about a kilobyte at most."""
    head = sum(len(name) + len(value) + 4 for name, value in response.headers.items()) + 100
    return head + len(response.body) // 2
