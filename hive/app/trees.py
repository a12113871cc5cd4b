"""Working copies of agents on this machine: each step is a program in the agent's own place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from hive.app.isolation import agent_place
from hive.app.seats import FolderSeats
from hive.decisions.task_prompt import clone_url
from hive.errors import Refused
from hive.facts.agents import AgentSpec
from hive.facts.isolation import IsolationMode, IsolationOptions
from hive.facts.trees import Removal, TreeReport, TreeSighting
from hive.ports.trees import Judge
from hive.shells.isolation.place import Outcome
from hive.shells.trees import program
from hive.shells.trees.busy import programs_in
from hive.shells.trees.folders import Folders
from hive.shells.trees.rescue import Rescued

_PORT = "trees"
_SLOWEST_S = 900.0
_MOST_SAID = 1_000_000
A = TypeVar("A", TreeReport, TreeSighting, Rescued)


@dataclass(frozen=True, slots=True)
class PlacedTrees:
    """Implements `ports.trees.Trees`.

    Attributes:
        url: Where a repository is fetched from, as the agent would.
    """

    seats: FolderSeats
    options: Callable[[], IsolationOptions] = IsolationOptions
    url: Callable[[str], str] = clone_url

    def folder(self, agent: str, repo: str, name: str) -> str:
        return str(Path(self.seats.home(agent), "work", repo, name))

    def prepare(self, spec: AgentSpec, *, repo: str, name: str, branch: str, base: str) -> TreeReport:
        options = self.options()
        order = {
            "step": "prepare",
            "repo": repo,
            "name": name,
            "url": self.url(repo),
            "branch": branch,
            "base": base,
            "quota": options.disk,
            "fullest": options.disk_full,
            "is_busy": self._programs(spec, repo, name) > 0,
        }
        return self._ask(spec, order, TreeReport)

    def remove(
        self,
        spec: AgentSpec,
        *,
        repo: str,
        name: str,
        pulls: tuple[int, ...],
        judge: Judge,
        rescue: bool = False,
    ) -> Removal:
        step: dict[str, object] = {"repo": repo, "name": name}
        look = {"step": "look", "url": self.url(repo), "pulls": list(pulls)}
        seen = self._ask(spec, {**step, **look}, TreeSighting)
        seen = replace(seen, processes=self._programs(spec, repo, name))
        if not seen.exists or (against := judge(seen)):
            return Removal(against if seen.exists else (), seen)
        aside = self._ask(spec, {**step, "step": "aside"}, TreeSighting)
        aside = replace(aside, processes=self._programs(spec, repo, f".{name}.aside"))
        against = judge(aside) if aside.exists else ()
        if against:
            self._ask(spec, {**step, "step": "back"}, TreeSighting)
            return Removal(against, aside)
        rescued = self._ask(spec, {**step, "step": "delete", "whole": rescue}, Rescued).refs
        return Removal((), aside, rescued, Folders(self.seats.home(spec.name), repo, name).store)

    def _programs(self, spec: AgentSpec, repo: str, name: str) -> int:
        user = None
        if self.seats.isolation is not None:
            user = self.seats.isolation.file_user(spec.name)
        return programs_in(self.folder(spec.name, repo, name), os.geteuid() if user is None else user)

    def _ask(self, spec: AgentSpec, order: Mapping[str, object], answer: type[A]) -> A:
        """Have one step done. Raises `Refused` with the program's own reason."""
        try:
            done = self._run(spec, msgspec.json.encode(order).decode())
        except OSError as error:
            raise Refused(_PORT, f"the agent's place cannot be used: {error}") from error
        if done.code != 0:
            raise Refused(_PORT, _reason(done))
        try:
            return msgspec.json.decode(done.out[:_MOST_SAID], type=answer)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise Refused(
                _PORT, f"the step in the agent's place said what nobody understands: {error}"
            ) from error

    def _run(self, spec: AgentSpec, stdin: str) -> Outcome:
        argv = (sys.executable, "-I", "-S", str(Path(program.__file__).resolve()))
        environment = self.seats.environment(spec)
        isolation = self.seats.isolation
        if isolation is None or isolation.mode() is IsolationMode.NONE:
            return _run_here(argv, environment, stdin)
        return agent_place(
            isolation,
            spec.name,
            argv,
            proxy_url=self.seats.proxy_url,
            environment=environment,
            stdin=stdin,
            timeout=_SLOWEST_S,
        )


def _reason(done: Outcome) -> str:
    if done.code is None:
        return done.err
    lines = [line for line in done.err.strip().splitlines() if line]
    return lines[-1] if lines else f"the step in the agent's place ended with {done.code}"


def _run_here(argv: tuple[str, ...], environment: Mapping[str, str], stdin: str) -> Outcome:
    """As hive's own user, whose agents are: with git and all that it starts ended when it takes too long."""
    with subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=dict(environment),
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(stdin, timeout=_SLOWEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Outcome(None, "", f"it took longer than {_SLOWEST_S:g} s")
    return Outcome(process.returncode, out, err)
