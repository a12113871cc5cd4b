"""The whole stand-in behind one function: a request in, the right part's response out."""

import sys
import threading
import traceback
from collections import Counter
from email.utils import formatdate

from hive.standins.github import auto_merge, githttp, merging, urls
from hive.standins.github.announcing import Announcer
from hive.standins.github.control import Control
from hive.standins.github.faults import Faults
from hive.standins.github.forge import Forge
from hive.standins.github.graphql.service import GraphQLService
from hive.standins.github.hooks import Sender
from hive.standins.github.limits import Limits
from hive.standins.github.rest.service import RestService
from hive.standins.github.wire import Request, Response

_PREFIX = "/api/v3"


class GitHubService:
    """REST, GraphQL, git and the control endpoints over one forge."""

    def __init__(self, forge: Forge, control_token: str, *, per_hour: int | None = None) -> None:
        self.forge = forge
        self.requests: Counter[str] = Counter()
        self.faults = Faults(forge.clock)
        self.limits = Limits(forge.clock, per_hour)
        self._counting = threading.Lock()
        self._rest = RestService(forge, self.limits)
        self._graphql = GraphQLService(forge, self.limits)
        self._control = Control(forge, self.faults, self.limits, self.requests, control_token)
        self.hooks = Sender(forge)
        forge.listener = Announcer(forge, urls.Urls("http://localhost/api/v3", "http://localhost"))
        forge.before_commit.append(lambda: auto_merge.look(forge))
        forge.after_commit.append(self.hooks.take)
        with forge.transaction():
            merging.finish_interrupted(forge)

    def answer(self, request: Request) -> Response:
        """The response to a request, dated by the forge's clock."""
        response = self._answer(request)
        response.headers["Date"] = formatdate(self.forge.clock.time(), usegmt=True)
        return response

    def _answer(self, request: Request) -> Response:
        """The response; a fault of the stand-in's own is a 500 and a traceback on stderr."""
        if request.path.startswith("/_standin/"):
            return self._control.answer(request)
        try:
            return self.faults.apply(request, self._serve)
        except Exception:
            # The one place where a bug meets its client: seen by both, and the service goes on.
            traceback.print_exc(file=sys.stderr)
            return Response(500, b'{"message":"Server Error"}', {"Content-Type": "application/json"})

    def _serve(self, request: Request) -> Response:
        path = api_path(request)
        if path is None:
            return self._git(request)
        if path == "/graphql":
            response, route = self._graphql.answer(request, urls.of(request))
        else:
            response, route = self._rest.answer(request, path, urls.of(request))
        self._count(route)
        return response

    def _git(self, request: Request) -> Response:
        if not githttp.serves(request.path):
            self._count(f"{request.method} (no route)")
            return Response(404, b"Not Found", {"Content-Type": "text/plain"})
        self._count(f"{request.method} {githttp.service_of(request)}")
        return githttp.answer(self.forge, request)

    def _count(self, route: str) -> None:
        with self._counting:
            self.requests[route] += 1


def api_path(request: Request) -> str | None:
    """The REST path of a request, its prefix removed, percent-encoded still; None where it is not REST's."""
    if request.raw_path == "/api/graphql":
        return "/graphql"
    if request.raw_path == _PREFIX or request.raw_path.startswith(f"{_PREFIX}/"):
        return request.raw_path.removeprefix(_PREFIX) or "/"
    if urls.host_of(request) == urls.PUBLIC_API:
        return request.raw_path
    return None
