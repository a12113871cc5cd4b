"""Addresses in answers: always those of the host and prefix that the client itself used."""

from dataclasses import dataclass
from urllib.parse import quote

from hive.standins.github.wire import Request

PUBLIC_API = "api.github.com"


@dataclass(frozen=True, slots=True)
class Urls:
    """`api` is the REST root without a slash at its end, `html` the pages' root."""

    api: str
    html: str

    def repo(self, full_name: str, *steps: object) -> str:
        """The REST address of something in a repository."""
        return "/".join([f"{self.api}/repos/{full_name}", *(quote(str(step), safe="/{}") for step in steps)])

    def page(self, full_name: str, *steps: object) -> str:
        """The address of a page of a repository."""
        return "/".join([f"{self.html}/{full_name}", *(quote(str(step), safe="/") for step in steps)])


def host_of(request: Request) -> str:
    """The host (and port) that the client addressed."""
    return (request.header("Host") or "localhost").lower()


def of(request: Request) -> Urls:
    """The roots for an answer to `request`."""
    host = host_of(request)
    if host == PUBLIC_API:
        return Urls("https://api.github.com", "https://github.com")
    scheme = "https" if (request.header("X-Forwarded-Proto") or "") == "https" else "http"
    return Urls(f"{scheme}://{host}/api/v3", f"{scheme}://{host}")
