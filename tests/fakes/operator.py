"""A supervisor's answers without a supervisor: states to set, failures to switch on."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from hive.errors import Refused, Unreachable


class FakeOperator:
    """Answers with `document` and `screens`, and records what it was asked to do in `actions`.

    Attributes:
        is_down: Every call raises `Unreachable`, as when no daemon runs.
        hangs: While set, every call waits (until `let_go`), as when a daemon is wedged.
        refusal: Every action raises `Refused` with these words.
    """

    def __init__(self, document: Mapping[str, Any], screens: Mapping[str, str] | None = None) -> None:
        self.document = dict(document)
        self.screens = dict(screens or {})
        self.actions: list[tuple[object, ...]] = []
        self.looks = 0
        self.screen_calls: list[str] = []
        self.is_down = False
        self.hangs = False
        self.refusal = ""
        self._released = threading.Event()

    def let_go(self) -> None:
        """End the waiting of all calls that hang."""
        self.hangs = False
        self._released.set()

    def status(self) -> Mapping[str, Any]:
        self.looks += 1
        self._answer()
        return self.document

    def screen(self, agent: str) -> str:
        self.screen_calls.append(agent)
        self._answer()
        if agent not in self.screens:
            raise Refused("terminal", f"agent '{agent}' has no session")
        return self.screens[agent]

    def pause(self, agent: str, *, by: str, why: str) -> None:
        self._act("pause", agent, by, why)

    def resume(self, agent: str, *, by: str, why: str) -> None:
        self._act("resume", agent, by, why)

    def restart(self, agent: str, *, by: str, why: str) -> None:
        self._act("restart", agent, by, why)

    def send(self, agent: str, text: str, *, by: str) -> None:
        self._act("send", agent, by, text)

    def answer(self, agent: str, option: str, *, by: str) -> str:
        self._act("answer", agent, by, option)
        return option

    def attached(self, agent: str, *, by: str) -> None:
        self._act("attached", agent, by)

    def set_level(self, level: int | None, *, scope: str, name: str, by: str, why: str) -> None:
        self._act("level", level, scope, name, by, why)

    def close_incidents(self, ids: Sequence[str], *, by: str, why: str) -> None:
        self._act("close-incidents", tuple(ids), by, why)

    def release_tree(self, task: str, *, by: str, why: str) -> None:
        self._act("release-tree", task, by, why)

    def hold_merging(self, repo: str, *, hold: bool, by: str, why: str) -> None:
        self._act("hold-merging" if hold else "release-merging", repo, by, why)

    def decide_finding(self, finding: str, *, accept: bool, by: str, why: str) -> None:
        self._act("accept" if accept else "reject", finding, by, why)

    def decide(self, hold: str, *, approve: bool, by: str, why: str) -> None:
        self._act("approve" if approve else "deny", hold, by, why)

    def prompt(self, subject: str) -> Mapping[str, Any]:
        self._act("prompt", subject)
        return {"agent": "", "text": "", "remark": ""}

    def take_up(self, pull: str, *, by: str, why: str) -> None:
        self._act("take-up", pull, by, why)

    def look(self) -> None:
        self._act("look")

    def _act(self, *action: object) -> None:
        self._answer()
        if self.refusal:
            raise Refused("operator", self.refusal)
        self.actions.append(action)

    def _answer(self) -> None:
        if self.is_down:
            raise Unreachable("operator", "no daemon listens")
        if self.hangs:
            self._released.wait()
