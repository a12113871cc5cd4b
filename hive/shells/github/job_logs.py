"""A job's log: GitHub redirects to storage elsewhere, which must not get the credential."""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import requests

from hive.errors import Missing, Refused, Unreachable
from hive.shells.github.answers import PORT

_MOST = 64 * 1024 * 1024
"""Bytes read of one log (chosen): of a longer one the end is not known, and what was read is told."""
_SECONDS = 20.0
"""For one log, however slowly it comes."""
_LONGEST_LINE = 16_384
_REDIRECTS = (301, 302, 303, 307, 308)


def log_lines(api_url: str, path: str, token: str, timeout: int) -> Iterator[str]:
    """The lines of the log at `path`. Raises `Missing` where it is gone or not there yet, `Refused`,
    `Unreachable`."""
    address = api_url.rstrip("/") + path
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "hive"}
    with requests.Session() as session:
        session.trust_env = False
        answer = _asked(session, address, headers, timeout)
        if answer.status_code in _REDIRECTS:
            elsewhere = urljoin(address, answer.headers.get("Location", ""))
            answer.close()
            if urlsplit(elsewhere).scheme not in ("http", "https"):
                raise Refused(PORT, f"{path}: it is redirected to what is no web address")
            answer = _asked(session, elsewhere, {"User-Agent": "hive"}, timeout)
        with answer:
            _check(answer.status_code, path)
            yield from _lines(answer)


def _asked(
    session: requests.Session, address: str, headers: dict[str, str], timeout: int
) -> requests.Response:
    try:
        return session.get(address, headers=headers, timeout=timeout, stream=True, allow_redirects=False)
    except requests.RequestException as error:
        raise Unreachable(PORT, f"a job's log: {type(error).__name__}") from error


def _check(status: int, path: str) -> None:
    if status in (404, 410):
        raise Missing(PORT, f"{path}: there is no log (any more)")
    if status >= 500:
        raise Unreachable(PORT, f"{path}: {status}")
    if status != 200:
        raise Refused(PORT, f"{path}: {status}")


def _lines(answer: requests.Response) -> Iterator[str]:
    until, size, rest = time.monotonic() + _SECONDS, 0, b""
    try:
        for piece in answer.iter_content(65_536):
            size += len(piece)
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield line[:_LONGEST_LINE].decode(errors="replace")
            rest = rest[:_LONGEST_LINE]
            if size > _MOST or time.monotonic() > until:
                break
    except requests.RequestException as error:
        raise Unreachable(PORT, f"a job's log broke off: {type(error).__name__}") from error
    if rest:
        yield rest.decode(errors="replace")
