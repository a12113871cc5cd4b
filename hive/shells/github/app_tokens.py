"""A GitHub App's way in: it signs who it is, and gets a token of each of its installations for an hour.

One source for all who speak with hive's voice, the forge's shell and the gateway, from several threads.
Tokens are narrowed to what hive needs, and renewed well before they end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import jwt
import requests

from hive.errors import Missing, Refused, Throttled, Unreachable
from hive.facts.app_permissions import LEVELS, USED
from hive.shells.github.answers import PORT, Answer, check_read, json_of

_EARLY = timedelta(minutes=10)
"""How long before its end a token is renewed (chosen): longer than anything that is begun with it takes."""

_SKEW = timedelta(seconds=60)
"""How far back a signature is dated (GitHub's documentation advises it, for clocks that differ)."""

_SIGNED_FOR = timedelta(minutes=8)
"""GitHub takes no signature that is good for more than ten minutes from its own clock's now."""

_FOUND_FOR = timedelta(hours=1)
"""How long it is believed which installation reaches a repository (chosen)."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    ends_at: datetime


class AppTokens:
    """`key` is asked for the private key (PEM) at each use; `now` is hive's clock."""

    def __init__(
        self,
        api_url: str,
        app_id: str,
        key: Callable[[], str],
        now: Callable[[], datetime],
        timeout: int = 20,
    ) -> None:
        self._api_url = api_url
        self._app_id = app_id
        self._key = key
        self._now = now
        self._timeout = timeout
        self._ahead = timedelta()
        self._lock = threading.Lock()
        self._login = ""
        self._installations: dict[str, tuple[datetime, int, Mapping[str, str]]] = {}
        self._tokens: dict[int, _Token] = {}

    def installation(self, repo: str) -> int:
        """The number of the installation that reaches `repo`. Raises `Refused` where there is none."""
        with self._lock:
            return self._found(repo)[0]

    def granted(self, repo: str) -> Mapping[str, str]:
        """The App's permissions in `repo`: read, write or admin by GitHub's names. Raises as `token`."""
        with self._lock:
            return self._found(repo)[1]

    def token(self, repo: str) -> str:
        """A token for `repo`, good for some minutes at least.

        Raises `Refused` where the App may not go there, `Unreachable` and `Throttled`.
        """
        with self._lock:
            number, granted = self._found(repo)
            kept, now = self._tokens.get(number), self._now()
            if kept is not None and now < kept.ends_at - _EARLY:
                return kept.text
            try:
                self._tokens[number] = self._made(number, granted)
            except (Unreachable, Throttled):
                if kept is None or now >= kept.ends_at:
                    raise
            return self._tokens[number].text

    def refused(self, token: str) -> None:
        """GitHub did not accept `token`: the next one is another one."""
        with self._lock:
            self._tokens = {number: one for number, one in self._tokens.items() if one.text != token}

    def login(self) -> str:
        """The account by which the App acts: ``slug[bot]``."""
        with self._lock:
            if not self._login:
                self._login = f"{self._ask('GET', '/app')['slug']}[bot]"
            return self._login

    def held(self) -> tuple[str, ...]:
        """Tokens that are good now, to be kept out of what is written."""
        return tuple(one.text for one in self._tokens.copy().values())

    def _found(self, repo: str) -> tuple[int, Mapping[str, str]]:
        known, now = self._installations.get(repo.casefold()), self._now()
        if known is not None and now - known[0] < _FOUND_FOR:
            return known[1], known[2]
        try:
            told = self._ask("GET", f"/repos/{repo}/installation")
        except Missing as error:
            raise Refused(
                PORT, f"the GitHub App is not installed on {repo}: its owner has to install it there"
            ) from error
        if told.get("suspended_at"):
            raise Refused(
                PORT, f"the GitHub App's installation on {repo} is suspended: its owner has to lift that"
            )
        number, granted = int(told["id"]), dict(told.get("permissions") or {})
        self._installations[repo.casefold()] = (now, number, granted)
        return number, granted

    def _made(self, number: int, granted: Mapping[str, str]) -> _Token:
        narrowed = {
            name: min(level, granted[name], key=LEVELS.index)
            for name, level in USED.items()
            if granted.get(name) in LEVELS
        }
        body = {"permissions": narrowed} if narrowed else {}
        made = self._ask("POST", f"/app/installations/{number}/access_tokens", body)
        ends_at = datetime.fromisoformat(str(made["expires_at"]).replace("Z", "+00:00"))
        return _Token(str(made["token"]), ends_at - self._ahead)

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """As the App itself; once more by GitHub's clock where hive's seems to be wrong."""
        answer = self._send(method, path, body)
        if answer.status == 401 and self._sets_clock(answer):
            answer = self._send(method, path, body)
        if answer.status == 401:
            raise Refused(
                PORT, "the GitHub App's key is not accepted: check github.app, id and private_key_file"
            )
        check_read(answer, f"{method} {path}")
        return answer.data

    def _sets_clock(self, answer: Answer) -> bool:
        """Take GitHub's clock for the true one, where it differs by more than a signature allows for."""
        try:
            theirs = parsedate_to_datetime(answer.headers.get("date", "")).astimezone(UTC)
        except ValueError:
            return False
        ahead = theirs - self._now()
        if abs(ahead - self._ahead) < _SKEW / 2:
            return False
        self._ahead = ahead
        return True

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> Answer:
        try:
            reply = requests.request(
                method,
                f"{self._api_url}{path}",
                headers={"Accept": "application/vnd.github+json", "User-Agent": "hive"},
                json=body,
                timeout=self._timeout,
                allow_redirects=method == "GET",
                # As `auth`, so that ~/.netrc does not take its place.
                auth=self._authorized,
            )
        except requests.RequestException as error:
            raise Unreachable(PORT, f"no token of the GitHub App: {type(error).__name__}") from error
        headers = {name.lower(): value for name, value in reply.headers.items()}
        return Answer(reply.status_code, headers, json_of(reply.text))

    def _authorized(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        now = self._now() + self._ahead
        claims = {"iat": now - _SKEW, "exp": now + _SIGNED_FOR, "iss": self._app_id}
        try:
            signed = jwt.encode(claims, self._key(), algorithm="RS256")
        except (ValueError, TypeError, jwt.PyJWTError) as error:
            raise Refused(PORT, "github.app.private_key_file holds no private key in PEM") from error
        request.headers["Authorization"] = f"Bearer {signed}"
        return request
