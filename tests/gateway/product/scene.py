"""One forge behind one gateway, with what agents of every role own there, and a witness of what changes."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from hive.facts.autonomy import AcmmLevel
from hive.facts.events import PullRequestOpened
from hive.gateway import Gateway
from hive.ports.authority import Identity
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess, start
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import CREDENTIAL, REPO, UnixConnection, seed, settings_for
from tests.gateway.product.oracle import ROLES

PEER = "peer"
"""An agent that is not asked anything: whose pull requests the others review."""
OTHER_BRANCH = "release/1"


@dataclass(frozen=True)
class Own:
    """What one agent owns: numbers, and the ids that GraphQL knows them by."""

    issue: int
    issue_id: str
    pull: int
    pull_id: str
    comment: int
    comment_id: str


@dataclass(frozen=True)
class Answer:
    """What the gateway said."""

    status: int
    body: bytes

    @property
    def refused(self) -> bool:
        """In REST's way, GraphQL's, git's or a closed connection's."""
        return not 200 <= self.status < 300 or b"hive: " in self.body


@dataclass(frozen=True)
class Witness:
    """Attributes:
    writes: What the forge wrote down as done, in order (``issue.create``).
    asked: Requests that could write, and reached it.
    """

    writes: tuple[str, ...]
    asked: int


@dataclass
class Scene:
    """Attributes:
    own: By agent; an agent is called as its role.
    ids: Node ids of what all share: the repository, the person's issue, the peer's pull requests, labels.
    peers, others: The peer's pull requests: by hive's own account, and by another one, as of a second App.
    """

    root: Path
    forge: StandInProcess
    authority: FakeAuthority
    gateway: Gateway
    socket: Path
    own: dict[str, Own] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    main: str = ""
    work: str = ""
    peers: int = 0
    others: int = 0
    _counted: int = 0
    _asked: int = 0
    _lines: dict[str, UnixConnection] = field(default_factory=dict)

    @staticmethod
    def token(role: str) -> str:
        return f"hive-token-of-{role}"

    def level(self, level: int) -> None:
        """Turn the dial of the running gateway."""
        self.authority.level = AcmmLevel(level)

    def ask(
        self,
        role: str,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request of the agent with `role`, on its own connection, which is kept."""
        sent = {"Host": "api.github.com", "Authorization": f"token {self.token(role)}", **(headers or {})}
        line = self._lines.setdefault(role, UnixConnection(self.socket))
        for last in (False, True):
            try:
                line.request(method, path, body, sent)
                response = line.getresponse()
                return Answer(response.status, response.read())
            except (OSError, http.client.HTTPException):
                line.close()
                if last:
                    raise
        raise AssertionError

    def advertised(self, role: str) -> Answer:
        """What git asks before each push: the refs as they are now."""
        path = f"/{REPO}.git/info/refs?service=git-receive-pack"
        return self.ask(role, "GET", path, None, {"Host": "github.com"})

    def admin(self, method: str, path: str, value: object = None, *, by: str = CREDENTIAL) -> Any:
        """One request to the forge itself, with the real credential or another one."""
        connection = http.client.HTTPConnection(self.forge.host, self.forge.port, timeout=30)
        with contextlib.closing(connection):
            body = None if value is None else json.dumps(value).encode()
            connection.request(method, f"/api/v3{path}", body, {"Authorization": f"token {by}"})
            response = connection.getresponse()
            data = response.read()
        assert response.status < 300, (method, path, data)
        return json.loads(data) if data else None

    def witness(self) -> Witness:
        """What has come of it since this was last asked, by the forge's own account."""
        seen = self.forge.control("GET", f"/seen?since={self._counted}")
        asked = sum(number for route, number in seen["requests"].items() if not _only_reads(route))
        found = Witness(tuple(row["what"] for row in seen["writes"]), asked - self._asked)
        self._counted, self._asked = seen["total"], asked
        return found

    def refs(self) -> dict[str, str]:
        """Every ref that the forge really has, pull requests' aside."""
        git = self.forge.root / "git" / f"{REPO}.git"
        said = _git(git, "for-each-ref", "--format=%(refname) %(objectname)")
        pairs = dict(line.split(" ") for line in said.splitlines())
        return {name: value for name, value in pairs.items() if not name.startswith("refs/pull/")}

    def labels(self, number: int) -> set[str]:
        return {label["name"] for label in self.admin("GET", f"/repos/{REPO}/issues/{number}")["labels"]}

    def unhold(self, number: int) -> None:
        """Take hive's hold off as a person would."""
        if "hold" in self.labels(number):
            self.admin("DELETE", f"/repos/{REPO}/issues/{number}/labels/hold")


def _only_reads(route: str) -> bool:
    asks = ("HiveNodes", "(unnamed)", "git-upload-pack")
    return route.startswith(("GET ", "HEAD ")) or route.endswith(asks)


@contextlib.contextmanager
def scene(root: Path) -> Iterator[Scene]:
    """A scene with one agent of every role; ended with the block."""
    forge = start(root / "forge", seed=seed(root))
    gateway = None
    try:
        names = (*ROLES, PEER)
        authority = FakeAuthority({Scene.token(name): Identity(name, name, (REPO,), None) for name in names})
        # Each case stands for itself: a repeated creation is not answered with the last case's.
        settings = replace(settings_for(root, forge), repeat_window=timedelta(0))
        gateway = Gateway(settings, authority, SystemClock())
        gateway.start()
        made = Scene(root, forge, authority, gateway, settings.socket_path)
        _furnish(made)
        yield made
        for line in made._lines.values():
            line.close()
    finally:
        if gateway is not None:
            gateway.close()
        forge.stop()


def _furnish(made: Scene) -> None:
    git = made.forge.root / "git" / f"{REPO}.git"
    made.main = _git(git, "rev-parse", "refs/heads/main").strip()
    tree = _git(git, "rev-parse", "main^{tree}").strip()
    made.work = _git(git, "commit-tree", tree, "-p", made.main, "-m", "Work").strip()
    for label in ("hold", "bug"):
        with contextlib.suppress(AssertionError):  # the seed may have it
            made.admin("POST", f"/repos/{REPO}/labels", {"name": label, "color": "cccccc"})
    made.admin("POST", f"/repos/{REPO}/git/refs", {"ref": f"refs/heads/{OTHER_BRANCH}", "sha": made.main})
    made.admin("POST", f"/repos/{REPO}/git/refs", {"ref": "refs/tags/v1", "sha": made.main})
    for name in ROLES:
        made.own[name] = _belongings(made, name)
        for branch in ("open", "spare"):
            _branch(made, f"hive/{name}/{branch}")
    made.peers = _belongings(made, PEER).pull
    repo = made.admin("GET", f"/repos/{REPO}")
    person = made.admin("GET", f"/repos/{REPO}/issues/1")
    peers = made.admin("GET", f"/repos/{REPO}/pulls/{made.peers}")
    made.others = _of_another_account(made)
    others = made.admin("GET", f"/repos/{REPO}/pulls/{made.others}")
    made.ids = {"repo": repo["node_id"], "person": person["node_id"], "peer": peers["node_id"]}
    made.ids["other"] = others["node_id"]
    for label in made.admin("GET", f"/repos/{REPO}/labels?per_page=100"):
        made.ids[label["name"]] = label["node_id"]
    made.witness()


def _belongings(made: Scene, agent: str) -> Own:
    marker = f"<!-- hive:agent={agent} -->"
    issue = made.admin("POST", f"/repos/{REPO}/issues", {"title": f"of {agent}", "body": marker})
    said = made.admin("POST", f"/repos/{REPO}/issues/1/comments", {"body": f"I see.\n\n{marker}"})
    head = f"hive/{agent}/pull"
    _branch(made, head)
    asked = {"title": f"of {agent}", "head": head, "base": "main", "body": marker}
    pull = made.admin("POST", f"/repos/{REPO}/pulls", asked)
    opened = PullRequestOpened(
        repo=REPO, number=pull["number"], agent=agent, head_ref=head, head=made.work, held=False
    )
    made.authority.record([opened])
    return Own(
        issue["number"], issue["node_id"], pull["number"], pull["node_id"], said["id"], said["node_id"]
    )


def _of_another_account(made: Scene) -> int:
    """A pull request of the peer's that hive's account did not open: the forge lets it rule on that."""
    head = f"hive/{PEER}/other"
    _branch(made, head)
    asked = {"title": "of another account", "head": head, "base": "main", "body": "See."}
    number = int(made.admin("POST", f"/repos/{REPO}/pulls", asked, by="ada-token")["number"])
    opened = PullRequestOpened(
        repo=REPO, number=number, agent=PEER, head_ref=head, head=made.work, held=False
    )
    made.authority.record([opened])
    return number


def _branch(made: Scene, name: str) -> None:
    made.admin("POST", f"/repos/{REPO}/git/refs", {"ref": f"refs/heads/{name}", "sha": made.work})


def _git(repo: Path, *arguments: str) -> str:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(repo), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", **who, "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": "/dev/null"},
    )
    return done.stdout
