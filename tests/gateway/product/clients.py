"""The tools that agents have, each making one request as the agent of a role would make it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import github

from hive.gateway import client_files
from tests.gateway.client_folder import write_client_files
from tests.gateway.octokit import Octokit
from tests.gateway.place import REPO, gh_programs
from tests.gateway.product.calls import Call
from tests.gateway.product.scene import Answer, Scene

Client = Callable[[Scene, str, Call], Answer]


def environment(scene: Scene, role: str, gh: Path | None = None) -> Mapping[str, str]:
    """That of the agent, whose files are written where they are not yet."""
    home = scene.root / "homes" / role
    files, found = client_files(
        home,
        token=scene.token(role),
        socket=scene.socket,
        proxy_url=scene.gateway.proxy_url,
        ca_file=scene.gateway.ca_file,
        agent=role,
        repos=(REPO,),
        path=f"{gh.parent}:/usr/bin:/bin" if gh else "/usr/bin:/bin",
    )
    if not home.exists():
        write_client_files(files, found)
    return found


def run(
    scene: Scene,
    role: str,
    *command: str,
    given: bytes = b"",
    cwd: Path | None = None,
    gh: Path | None = None,
) -> Answer:
    """A command as the agent runs it; what it said on both streams, and 200 where it ended well."""
    done = subprocess.run(
        command,
        env=environment(scene, role, gh),
        cwd=cwd or scene.root / "homes" / role,
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Answer(200 if done.returncode == 0 else 403, done.stdout + done.stderr)


def gh(version: str) -> Client:
    """`gh api` of one of `gh_programs`, REST and GraphQL."""
    program = gh_programs()[version]

    def ask(scene: Scene, role: str, call: Call) -> Answer:
        environment(scene, role, program)
        path = "graphql" if call.path == "/graphql" else call.path
        body = ("--input", "-") if call.body is not None else ()
        command = ("gh", "api", "--method", call.method, path, *body)
        return run(scene, role, *command, given=call.body or b"", gh=program)

    return ask


def curl(scene: Scene, role: str, call: Call) -> Answer:
    """curl by the proxy, with the CA that the agent is given."""
    environment(scene, role)
    host = call.headers.get("Host", "api.github.com")
    body = ("--data-binary", "@-") if call.body is not None else ()
    command = (
        *("curl", "--silent", "--show-error", "--proxy", scene.gateway.proxy_url),
        *("--cacert", str(scene.gateway.ca_file), "--request", call.method),
        *("--header", f"Authorization: token {scene.token(role)}", "--write-out", "\n%{http_code}"),
        *(*body, f"https://{host}{call.path}"),
    )
    said, _, status = run(scene, role, *command, given=call.body or b"").body.rpartition(b"\n")
    return Answer(int(status or b"0"), said)


def pygithub(scene: Scene, role: str, call: Call) -> Answer:
    """PyGithub's own requester; the proxy by the environment."""
    auth = github.Auth.Token(scene.token(role))
    with github.Github(auth=auth, verify=str(scene.gateway.ca_file), retry=None) as client:
        status, _, body = client.requester.requestJson(call.method, call.path, input=call.value)
    return Answer(status, body.encode())


def octokit(node: Octokit) -> Client:
    """`octokit.request` and `octokit.graphql`."""

    def ask(scene: Scene, role: str, call: Call) -> Answer:
        named = "graphql" if call.path == "/graphql" else f"{call.method} {call.path}"
        said = node.call(scene.token(role), named, call.value or {})
        return Answer(int(said["status"]), (said["message"] or json.dumps(said.get("data"))).encode())

    return ask


def git(scene: Scene, role: str, call: Call) -> Answer:
    """A real push of a new branch from a real clone; `call` is not looked at."""
    environment(scene, role)
    clone = scene.root / "homes" / role / "widgets"
    if not clone.exists():
        made = run(scene, role, "git", "clone", "--quiet", f"https://github.com/{REPO}.git", str(clone))
        if made.status != 200:
            return made
    what = f"origin/main:refs/heads/hive/{role}/pushed"
    return run(scene, role, "git", "push", "origin", what, cwd=clone)
