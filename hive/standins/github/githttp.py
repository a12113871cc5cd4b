"""git's smart HTTP, by `git http-backend`: who may fetch and push is decided here, what moves by git."""

import re
import subprocess

from hive.standins.github import access, grants, pushing_rules, refs
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import environment
from hive.standins.github.records import Account, Repository
from hive.standins.github.wire import Request, Response

_PATH = re.compile(
    r"^/(?P<name>[^/]+/[^/]+?)(?:\.git)?/(?P<rest>info/refs|git-upload-pack|git-receive-pack)$"
)
_SLOWEST_S = 300


def serves(path: str) -> bool:
    """Whether `path` is one of git's own."""
    return _PATH.match(path) is not None


def service_of(request: Request) -> str:
    """`git-upload-pack` or `git-receive-pack`."""
    return request.query.get("service") or request.path.rsplit("/", 1)[-1]


def answer(forge: Forge, request: Request) -> Response:
    """Serve one request of a fetch or a push."""
    match = _PATH.match(request.path)
    assert match is not None
    pushing = service_of(request) == "git-receive-pack"
    with forge.lock:
        try:
            actor = access.identify(forge, request.header("Authorization"))
            repo = _allowed(forge, actor, match["name"], pushing)
            grants.check_git(actor, pushing=pushing)
        except ApiFailure as failure:
            return _refusal(failure)
        rules = pushing_rules.variables(forge, repo, actor, request.body) if pushing and actor else {}
    # Not under the lock: a large push must not stop the service.
    response = _backend(forge, repo, actor, request, match["rest"], rules)
    if pushing and request.method == "POST" and actor is not None:
        with forge.transaction():
            refs.take_in(forge, repo, actor)
    return response


def _allowed(forge: Forge, actor: Account | None, name: str, pushing: bool) -> Repository:
    repo = forge.repository(name)
    if actor is None and (pushing or repo is None or repo.private):
        raise ApiFailure(401, "Authentication required")
    if repo is None or not access.may(forge, actor, repo, "read"):
        raise ApiFailure(404, "Repository not found.")
    if pushing and not access.may(forge, actor, repo, "write"):
        raise ApiFailure(
            403, f"Permission to {repo.full_name}.git denied to {actor.login if actor else 'you'}."
        )
    return repo


def _refusal(failure: ApiFailure) -> Response:
    headers = {"Content-Type": "text/plain; charset=utf-8"}
    if failure.status == 401:
        headers["WWW-Authenticate"] = 'Basic realm="GitHub"'
    return Response(failure.status, failure.message.encode(), headers)


def _backend(
    forge: Forge, repo: Repository, actor: Account | None, request: Request, rest: str, rules: dict[str, str]
) -> Response:
    variables = environment(
        GIT_PROJECT_ROOT=str(forge.root / "git"),
        GIT_HTTP_EXPORT_ALL="1",
        PATH_INFO=f"/{repo.full_name}.git/{rest}",
        REQUEST_METHOD=request.method,
        QUERY_STRING=request.query_string,
        CONTENT_TYPE=request.header("Content-Type") or "",
        CONTENT_LENGTH=str(len(request.body)),
        HTTP_CONTENT_ENCODING=request.header("Content-Encoding") or "",
        GIT_PROTOCOL=request.header("Git-Protocol") or "",
        REMOTE_ADDR="127.0.0.1",
        **rules,
    )
    if actor is not None:
        variables |= {
            "REMOTE_USER": actor.login,
            "GIT_COMMITTER_NAME": actor.login,
            "GIT_COMMITTER_EMAIL": "push",
        }
    command = ["git", "-c", "safe.directory=*", "http-backend"]
    done = subprocess.run(
        command, input=request.body, capture_output=True, env=variables, timeout=_SLOWEST_S, check=False
    )
    return _parse_cgi(done.stdout)


def _parse_cgi(output: bytes) -> Response:
    """An answer from a CGI program's output, whose status is a header of its own."""
    head, _, body = output.partition(b"\r\n\r\n")
    fields = [line.partition(": ") for line in head.decode("latin-1").split("\r\n") if line]
    headers = {name: value for name, _, value in fields if name.lower() != "status"}
    status = next((value for name, _, value in fields if name.lower() == "status"), "200 OK")
    return Response(int(status.split(" ", 1)[0]) if output else 500, body, headers)
