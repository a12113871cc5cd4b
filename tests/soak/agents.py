"""Scripted agents in a fake terminal that act through the real gateway: by REST, and by real git."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from hive.gateway import client_files
from hive.standins.github import writing
from hive.standins.github.gitrepo import GitRepo, git
from hive.standins.github.records import Account
from tests.fakes.terminal import FakePane, Silent
from tests.gateway.client_folder import write_client_files
from tests.gateway.place import UnixConnection
from tests.soak.agenda import Agenda
from tests.soak.town import Town

BEHAVIOURS = (
    *(["honest"] * 8),
    *("slow", "twice", "amends", "files", "finds", "greedy", "greedy", "crashes", "hangs", "idles", "fails"),
    *("crashes-after", "closes", "deaf"),
)
"""What an agent does with a task is drawn from these."""
_TRIES = 5
"""An agent asks again so often where it got no answer."""
_BLOCK = re.compile(r"^(repository|issue|branch|kind|pull): (.+)$", re.MULTILINE)
_ON = re.compile(r"It is still (\S+)#(\d+) on the\s+branch (\S+)\.")


class NoAnswer(Exception):
    """The gateway was not there, or the forge broke down over it."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a prompt asks for.

    Attributes:
        pull: The pull request that needs something; 0 where an issue is to be worked on.
    """

    repo: str
    issue: int
    branch: str
    pull: int = 0
    kind: str = ""


def read_prompt(text: str) -> Errand | None:
    found = dict(_BLOCK.findall(text))
    if {"repository", "branch"} <= found.keys():
        numbers = int(found.get("issue", 0)), int(found.get("pull", 0))
        return Errand(found["repository"], numbers[0], found["branch"], numbers[1], found.get("kind", ""))
    goes_on = _ON.search(text)
    return Errand(goes_on[1], int(goes_on[2]), goes_on[3]) if goes_on else None


@dataclass
class Hands:
    """How one agent reaches the forge: its token in its files, hive's socket, its own workshop for git."""

    home: Path
    socket: Path
    town: Town
    token: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    def take(self, agent: str, token: str, proxy_url: str, ca_file: Path) -> None:
        self.token = token
        files, environment = client_files(
            self.home,
            token=token,
            socket=self.socket,
            proxy_url=proxy_url,
            ca_file=ca_file,
            agent=agent,
            repos=self.town.repos,
            path="/usr/bin:/bin",
        )
        write_client_files(files, environment)
        # Git holds the gateway's certificate against the machine's time, which is not the soak's.
        self.environment = {**environment, "GIT_SSL_NO_VERIFY": "1"}

    def ask(
        self, method: str, path: str, body: object = None, host: str = "api.github.com"
    ) -> tuple[int, Any]:
        """Status and JSON. Raises `NoAnswer` where an agent would ask again."""
        sent = {"Host": host, "Authorization": f"token {self.token}"}
        data = json.dumps(body).encode() if body is not None else None
        try:
            with contextlib.closing(UnixConnection(self.socket)) as connection:
                connection.request(method, path, data, sent)
                answer = connection.getresponse()
                text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(str(error)) from error
        if answer.status >= 500 or answer.status == 429:
            raise NoAnswer(f"{answer.status}")
        try:
            return answer.status, json.loads(text or b"null")
        except ValueError as error:
            raise NoAnswer(str(error)) from error

    def push(self, repo: str, branch: str, files: dict[str, str | None], *, force: bool = False) -> bool:
        """A commit on the newest main, pushed by git; whether the forge took it."""
        shop = self._workshop(repo)
        with self.town.forge.lock:
            found = self.town.forge.repository(repo)
            assert found is not None
            parent = found.heads["main"]
        data = {name: None if text is None else text.encode() for name, text in files.items()}
        # For its tree: the commit is the agent's own, with the name in its configuration.
        drawn = writing.commit(shop, parent, data, "", Account(0, "nobody", "person"))
        commit = self._git(shop, "commit-tree", "-p", parent, "-m", f"Change {branch}", f"{drawn}^{{tree}}")
        made = commit.stdout.strip()
        refspec = f"{'+' if force else ''}{made}:refs/heads/{branch}"
        done = self._git(shop, "push", "--quiet", f"https://github.com/{repo}.git", refspec)
        if done.returncode and "rejected" not in done.stderr:
            raise NoAnswer(done.stderr[-300:])
        return not done.returncode

    def _git(self, shop: GitRepo, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", "-C", str(shop.path), *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def _workshop(self, repo: str) -> GitRepo:
        """A bare repository of the agent's own, which has the forge's objects at hand."""
        path = self.home / "work" / f"{repo.replace('/', '-')}.git"
        if not path.exists():
            git("init", "--quiet", "--bare", str(path))
            theirs = self.town.forge.path_of(repo) / "objects"
            (path / "objects" / "info" / "alternates").write_text(f"{theirs.resolve()}\n")
        return GitRepo(path)


@dataclass
class Troupe:
    """All programs that run in the terminal.

    Attributes:
        at_work: By session, the pane and what it was last asked for, a repository and an issue.
        problems: Claims that were given twice.
        turns: How often a turn of each behaviour was begun.
    unanswered: What went wrong with requests that were sent again.
    """

    agenda: Agenda
    chance: random.Random
    hands: dict[str, Hands]
    at_work: dict[str, tuple[FakePane, tuple[str, int]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    turns: dict[str, int] = field(default_factory=dict)
    unanswered: list[str] = field(default_factory=list)

    def begin(self, pane: FakePane, errand: Errand) -> None:
        key = (errand.repo.casefold(), errand.pull or errand.issue)
        for other, of_other in self.at_work.values():
            if other is not pane and of_other == key and self._is_at_it(other):
                self.problems.append(
                    f"{key} was given to {pane.order.name} while {other.order.name} is at it"
                )
        self.at_work[pane.order.name] = (pane, key)

    def _is_at_it(self, pane: FakePane) -> bool:
        return not pane.dead and self.at_work[pane.order.name][0] is pane and _is_working(pane)


def _is_working(pane: FakePane) -> bool:
    return pane.screen.startswith("working")


class Actress(Silent):
    """One program in one pane: ready, at work, ready again."""

    def __init__(self, troupe: Troupe, agent: str) -> None:
        self._troupe = troupe
        self._agent = agent
        self._typed = ""
        self._turn = 0
        self._drawn = 0

    def start(self, pane: FakePane) -> None:
        pane.show("ready")

    def pasted(self, pane: FakePane, text: str) -> None:
        self._typed += text

    def pressed(self, pane: FakePane, key: str) -> None:
        if key == "Escape":
            self._turn += 1
            pane.show("ready")
        if key != "Enter" or not self._typed:
            return
        text, self._typed = self._typed, ""
        errand = read_prompt(text)
        if errand is not None:
            self._begin(pane, errand)

    def _begin(self, pane: FakePane, errand: Errand) -> None:
        self._turn += 1
        troupe = self._troupe
        behaviour = troupe.chance.choice(BEHAVIOURS)
        troupe.turns[behaviour] = troupe.turns.get(behaviour, 0) + 1
        if behaviour == "deaf":
            return
        troupe.begin(pane, errand)
        self._draw(pane)
        self._go_on(pane, self._script(pane, behaviour, errand))

    def _draw(self, pane: FakePane) -> None:
        self._drawn += 1
        pane.show(f"working {self._drawn}")

    def _script(self, pane: FakePane, behaviour: str, errand: Errand) -> list[Callable[[], None]]:
        deeds = Deeds(self._troupe.hands[self._agent], errand, self._troupe.chance)
        honest = [deeds.push, deeds.open]
        if errand.pull:
            honest = [deeds.review if errand.kind == "review" else deeds.push]
        end = [lambda: pane.show("ready")]
        scripts: dict[str, Sequence[Callable[[], None]]] = {
            "slow": [*([_nothing] * 10), *honest],
            "twice": [*honest, deeds.open_another, deeds.open],
            "amends": [*honest, deeds.amend],
            "files": [deeds.file, *honest, deeds.file],
            "finds": [deeds.find],
            "greedy": [deeds.push_main, *honest, deeds.merge, deeds.approve, deeds.unhold],
            "crashes": [deeds.push, lambda: pane.exit(1)],
            "crashes-after": [*honest, lambda: pane.exit(signal=9)],
            "hangs": [self._hang],
            "idles": [],
            "fails": [lambda: pane.show("failed")],
            "closes": [*honest, deeds.close],
        }
        return [*scripts.get(behaviour, honest), *end]

    def _hang(self) -> None:
        """Nothing comes after it."""
        self._turn += 1

    def _go_on(self, pane: FakePane, steps: list[Callable[[], None]], tries: int = 0) -> None:
        turn, agenda = self._turn, self._troupe.agenda
        wait = timedelta(minutes=self._troupe.chance.uniform(1, 4))

        def step() -> None:
            if pane.dead or self._turn != turn or not steps:
                return
            try:
                steps[0]()
            except NoAnswer as error:
                self._troupe.unanswered.append(str(error))
                if tries < _TRIES:
                    self._draw(pane)
                    self._go_on(pane, steps, tries + 1)
                else:
                    pane.show("failed")
                return
            if not pane.dead and len(steps) > 1 and _is_working(pane):
                self._draw(pane)
                self._go_on(pane, steps[1:])

        agenda.after(wait, step)


def _nothing() -> None: ...


@dataclass
class Deeds:
    """What an agent does on the forge for one errand."""

    hands: Hands
    errand: Errand
    chance: random.Random
    number: int = 0

    def push(self) -> None:
        name = "counter.txt" if self.chance.random() < 0.1 else f"issue-{self.errand.issue}.txt"
        files: dict[str, str | None] = {name: f"{self.errand.branch} {self.chance.random()}\n"}
        self.hands.push(self.errand.repo, self.errand.branch, files, force=True)

    def amend(self) -> None:
        self.push()

    def push_main(self) -> None:
        self.hands.push(self.errand.repo, "main", {"stolen.txt": "x\n"}, force=True)

    def review(self) -> None:
        """Of another's pull request, with the head that it has."""
        path = f"/repos/{self.errand.repo}/pulls/{self.errand.pull}/reviews"
        self.hands.ask("POST", path, {"event": "COMMENT", "body": "It reads well."})

    def open(self) -> None:
        self._open(self.errand.branch)

    def open_another(self) -> None:
        """From a second branch of its own, for the same issue."""
        branch = f"{self.errand.branch}-again"
        self.hands.push(self.errand.repo, branch, {"again.txt": "x\n"}, force=True)
        self._open(branch)

    def _open(self, branch: str) -> None:
        body = f"Closes #{self.errand.issue}"
        asked = {"title": f"Mend {self.errand.issue}", "head": branch, "base": "main", "body": body}
        status, answer = self.hands.ask("POST", f"/repos/{self.errand.repo}/pulls", asked)
        if status == 201:
            self.number = int(answer["number"])

    def file(self) -> None:
        asked = {"title": f"Seen beside {self.errand.issue}", "body": "It needs a look."}
        self.hands.ask("POST", f"/repos/{self.errand.repo}/issues", asked)

    def find(self) -> None:
        asked = {
            "repo": self.errand.repo,
            "issue": self.errand.issue,
            "title": "Odd",
            "body": "A look is due.",
        }
        self.hands.ask("POST", "/v1/findings", asked, host="hive")

    def merge(self) -> None:
        if self.number:
            self.hands.ask("PUT", f"/repos/{self.errand.repo}/pulls/{self.number}/merge", {})

    def approve(self) -> None:
        if self.number:
            path = f"/repos/{self.errand.repo}/pulls/{self.number}/reviews"
            self.hands.ask("POST", path, {"event": "APPROVE"})

    def unhold(self) -> None:
        if self.number:
            self.hands.ask("DELETE", f"/repos/{self.errand.repo}/issues/{self.number}/labels/hold")

    def close(self) -> None:
        if self.number:
            self.hands.ask("PATCH", f"/repos/{self.errand.repo}/pulls/{self.number}", {"state": "closed"})
