"""The few requests to an API server that the test cluster itself makes, as plain JSON.

The tests of hive use hive's own client; this one must not depend on what it helps to test.
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]


class ApiError(Exception):
    """The API server said no: `status` is HTTP's, `reason` Kubernetes' own word (such as `AlreadyExists`)."""

    def __init__(self, status: int, body: bytes, what: str) -> None:
        try:
            answer: Json = json.loads(body)
        except ValueError:
            answer = {}
        self.status = status
        self.reason: str = answer.get("reason", "")
        super().__init__(f"{what}: {status} {answer.get('message') or body[:300].decode(errors='replace')}")


class Api:
    """One API server, spoken to with a client certificate, a bearer token or neither."""

    def __init__(
        self, url: str, ca: Path, certificate: tuple[Path, Path] | None = None, *, token: str | None = None
    ) -> None:
        self.url = url
        self._token = token
        self._tls = ssl.create_default_context(cafile=str(ca))
        if certificate:
            self._tls.load_cert_chain(*certificate)

    def get(self, path: str) -> Json:
        return self._json("GET", path)

    def create(self, path: str, body: Json) -> Json:
        return self._json("POST", path, body)

    def ensure(self, path: str, body: Json) -> None:
        """Create it, unless it exists already."""
        try:
            self.create(path, body)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise

    def patch(self, path: str, body: object, kind: str = "application/merge-patch+json") -> Json:
        return self._json("PATCH", path, body, kind)

    def delete(self, path: str, body: Json | None = None) -> Json:
        return self._json("DELETE", path, body)

    def raw(
        self, method: str, path: str, body: bytes | None = None, kind: str = "", *, patience: float = 15.0
    ) -> tuple[int, bytes]:
        """Status and body. Raises OSError where nobody answers."""
        host = urlsplit(self.url)
        assert host.hostname
        headers = {"Content-Type": kind} if kind else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        connection = http.client.HTTPSConnection(
            host.hostname, host.port, timeout=patience, context=self._tls
        )
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except http.client.HTTPException as error:
            raise OSError(f"{self.url} broke off: {error!r}") from error
        finally:
            connection.close()

    def is_ready(self, path: str = "/readyz") -> bool:
        try:
            return self.raw("GET", path, patience=2.0)[0] == http.client.OK
        except OSError:
            return False

    def until(self, path: str, claim: str, *, within: float, holds: Any) -> Json:
        """The object at `path` as soon as `holds(object)`; `claim` says in words what was waited for."""
        end = time.monotonic() + within
        last: Json | ApiError | OSError
        while True:
            try:
                last = self.get(path)
                if holds(last):
                    return last
            except (ApiError, OSError) as error:
                last = error
            if time.monotonic() > end:
                shown = last.get("status", last) if isinstance(last, dict) else last
                raise TimeoutError(f"{claim} did not come about within {within:.0f} s: {str(shown)[:600]}")
            time.sleep(0.05)

    def _json(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Json:
        sent = None if body is None else json.dumps(body).encode()
        status, answer = self.raw(method, path, sent, kind if sent else "")
        if status >= http.client.BAD_REQUEST:
            raise ApiError(status, answer, f"{method} {path}")
        loaded: Json = json.loads(answer)
        return loaded
