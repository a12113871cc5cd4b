"""What an answer that is no success means in hive's own words; translated here and nowhere else."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import urllib3.exceptions as broken

from hive.errors import InDoubt, Missing, Moved, Refused, Throttled, Unreachable, WorldError

PORT = "kubernetes"

_MESSAGE = 1000
"""Characters kept of the server's own message: a refused pod names many fields."""

_NO_SUCH_KIND = frozenset({"the server could not find the requested resource", "404 page not found"})
_INSTALL = "; is its definition installed? `hive install --crds` does it"


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked, as far as a message tells it.

    Attributes:
        what: The verb and the object: ``apply deployment east/trainer``.
        cluster: The context's name.
        hidden: Texts that must not appear in any message (values of a Secret).
    """

    what: str
    cluster: str
    is_write: bool = False
    hidden: tuple[str, ...] = ()

    def says(self, text: str) -> str:
        for secret in self.hidden:
            text = text.replace(secret, "…")
        return f"{self.cluster}: {self.what}: {text}"


_NOT_TYPED = "failed to create typed patch object"
"""How an API server (seen with 1.36) answers a field that it does not know, in a server-side apply: with 500,
though it was never going to be taken."""


def failure(request: Request, status: int, headers: Mapping[str, str], body: bytes) -> WorldError:
    """The error that an answer of 400 or more (or an unexpected redirection) is."""
    said = server_message(body) or f"the server answered {status} without a reason"
    says = request.says
    match status:
        case 401:
            remedy = f"log in again for the context '{request.cluster}'"
            return Refused(PORT, says(f"the credentials are not accepted; {remedy}"))
        case 403:
            remedy = f"let the user of the context '{request.cluster}' do that"
            return Refused(PORT, says(f"{said}; {remedy}"))
        case 404:
            return Missing(PORT, says(f"{said}{_INSTALL if said in _NO_SUCH_KIND else ''}"))
        case 409 | 410:
            return Moved(PORT, says(said))
        case 429:
            return Throttled(PORT, says(said), retry_at(headers))
        case _ if status < 500:
            return Refused(PORT, says(said))
        case 503:
            return Unreachable(PORT, says(said))
        case 500 if said.startswith(_NOT_TYPED):
            return Refused(PORT, says(said))
        case _:
            return (InDoubt if request.is_write else Unreachable)(PORT, says(said))


def broken_connection(request: Request, error: Exception) -> WorldError:
    """The error that a failure below HTTP is; a write that was sent is in doubt."""
    if isinstance(error, broken.NewConnectionError | broken.ConnectTimeoutError | broken.ProxyError):
        return Unreachable(PORT, request.says(_plainly(error)))
    if isinstance(error, broken.SSLError | ssl.SSLError):
        return Unreachable(PORT, request.says(_tls(error)))
    return (InDoubt if request.is_write else Unreachable)(PORT, request.says(_plainly(error)))


def server_message(body: bytes) -> str:
    """Of a `Status`; of another body (a proxy's, a load balancer's) its first line."""
    try:
        status: Any = json.loads(body)
    except ValueError:
        status = body.decode("utf-8", "replace").strip().partition("\n")[0]
    if isinstance(status, Mapping):
        status = status.get("message") or status.get("reason") or ""
    return " ".join(str(status).split())[:_MESSAGE]


def retry_at(headers: Mapping[str, str]) -> datetime | None:
    """When to ask again (UTC). Seconds count from the server's own clock, the `Date` of the answer."""
    after = headers.get("Retry-After", "")
    try:
        return parsedate_to_datetime(headers.get("Date", "")).astimezone(UTC) + timedelta(seconds=int(after))
    except ValueError:
        return None


def _tls(error: Exception) -> str:
    text = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        reason = (
            text.partition("certificate verify failed: ")[2].partition(" (_ssl")[0] or "it is not trusted"
        )
        return f"the server's certificate does not hold: {reason}; is the kubeconfig of an older cluster?"
    return "no TLS connection came about; is this the address of an API server?"


def _plainly(error: Exception) -> str:
    """The kind of failure, without addresses or anything of the request."""
    match error:
        # This and the next are kinds of ConnectTimeoutError, as far as urllib3 is concerned.
        case broken.NameResolutionError() | socket.gaierror():
            return "the server's name is not known"
        case broken.NewConnectionError() | ConnectionRefusedError():
            return "nobody answers at the server's address"
        case broken.ConnectTimeoutError():
            return "no connection in time"
        case broken.ReadTimeoutError() | TimeoutError():
            return "no answer in time"
        case broken.ProxyError():
            return "the proxy did not let it through"
        case broken.ProtocolError() | ConnectionError():
            return "the connection broke off"
        case _:
            return f"the connection failed ({type(error).__name__})"


_NOT_RUNNING = (
    "container not found",
    "completed pod",
    "does not have a host assigned",
    "pod does not exist",
    "is waiting to start",
    "is not running",
    "not found in pod",
    "is terminated",
    "not created or running",
    "ContainerCreating",
)
"""Parts of what kubelets and API servers say of a pod with no running container; codes differ (400, 500)."""


def of_pod(error: WorldError) -> WorldError:
    """The same error, but `Missing` where it says that a pod has no running container."""
    return Missing(PORT, error.message) if any(part in error.message for part in _NOT_RUNNING) else error


def pod_failure(
    request: Request, status: int, headers: Mapping[str, str], body: bytes, *, is_answer: bool = False
) -> WorldError:
    """As `failure`, for what is done inside of a pod: `Missing` where it does not run.

    `is_answer`: the node itself said so, so asking again will not help.
    """
    error = of_pod(failure(request, status, headers, body))
    if is_answer and isinstance(error, Unreachable) and "dialing backend" not in error.message:
        return Refused(PORT, error.message)
    return error
