"""A real agent program under hive's own terminal, with the scripted model behind it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.contracts.backend import Backend, ModelWay, Seat
from hive.decisions.dialogs import box_of
from hive.decisions.pasteable import submittable
from hive.facts.agents import AgentSpec, Turn, session_name
from hive.facts.models import Dialect
from hive.facts.screens import Screen, ScreenState
from hive.kernel.plugins import backends
from hive.ports.terminal import SessionOrder
from hive.shells.tmux import TmuxTerminal
from hive.standins.models.server import ModelServer
from tests.backends.clis import Unavailable, folder_of

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
KEY = "hive-scripted-key-0123456789"
PATIENCE = 240.0
"""Seconds: on two cores that others use as well opencode asked its model after a hundred (seen)."""

_LED = ("codex", "opencode")
"""Programs that know no variable for their model's address: they are led there as to hive's relay."""

SETTLED = 0.5
"""Seconds for which a program shows its empty composer until it is taken to rest: a screen may be older than
the program's last answer."""

REDRAW = 3.0
"""Seconds of an unknown screen before the program is made to draw it anew."""


class RealAgent:
    """One session; `stop` ends it with all that it started."""

    def __init__(
        self,
        name: str,
        folder: Path,
        models: ModelServer,
        version: str | None = None,
        *,
        socket: Path | None = None,
        way: ModelWay | None = None,
        model: str | None = None,
    ) -> None:
        """`socket` is where its hooks reach hive; without one they find nobody. With a `way` its model is
        asked there, as hive has it do."""
        if way is None and name in _LED:
            way, model = ModelWay(Dialect.OPENAI, f"{models.url}/v1", KEY), model or "gpt-4.1"
        self.way = way
        self.model = model
        self.socket = socket or folder / "nobody"
        self.spoil = ("", "", "")
        """A file that is written before the start, a word in it, and what stands there instead."""
        try:
            self.programs = folder_of(name, version)
        except Unavailable as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(str(error))
        self.backend: Backend = backends()[name]
        self.home = folder / "home"
        self.work = folder / "work"
        for made in (self.home, self.work):
            made.mkdir(exist_ok=True)
        subprocess.run(("git", "init", "-q", "-b", "main", str(self.work)), check=True, timeout=30)
        self.models = models
        self.terminal = TmuxTerminal(folder / "t" / "s", timeout=30, stop_grace=0.5)
        self.session = session_name(name)

    def start(self, *, until: ScreenState = ScreenState.READY) -> float:
        """Start it; returns the seconds until it was ready."""
        began = time.monotonic()
        self.create()
        self.until(until)
        return time.monotonic() - began

    def create(self) -> None:
        """Start it, and wait for nothing."""
        spec = AgentSpec(
            "a",
            "scanner",
            self.backend.name,
            model=self.model,
            environment=tuple(self._way_to_the_model().items()) if self.way is None else (),
        )
        node = Path(shutil.which("node") or "/usr/bin/node").parent
        environment = {
            "HOME": str(self.home),
            "PATH": f"{self.home}/bin:{self.programs}:{node}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "screen-256color",
            "HIVE_PYTHON": sys.executable,
            "HIVE_GATEWAY_SOCKET": str(self.socket),
            "HIVE_TOKEN_FILE": str(self.home / "token"),
        }
        (self.home / "token").write_text("a-token\n")
        launch = self.backend.launch(
            Seat(spec, str(self.home), str(self.work), environment, 1, model=self.way)
        )
        for file in launch.files:
            path = self.home / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            spoilt, word, other = self.spoil
            path.write_text(file.content.replace(word, other) if file.path == spoilt else file.content)
        self.terminal.create(
            SessionOrder(self.session, launch.argv, launch.environment, str(self.work), columns=120, rows=40)
        )

    def _way_to_the_model(self) -> dict[str, str]:
        url = self.models.url
        ways = {
            "claude": {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY},
            "copilot": {
                "COPILOT_OFFLINE": "true",
                "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
                "COPILOT_PROVIDER_API_KEY": KEY,
                "COPILOT_MODEL": "gpt-4.1",
            },
            "gemini": {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY},
        }
        return ways[self.backend.name]

    def screen(self) -> Screen:
        return self.backend.read(self.capture(), now=NOW)

    def capture(self) -> str:
        return self.terminal.capture([self.session]).get(self.session, "")

    def until(self, *states: ScreenState, detail: str = "", seconds: float = PATIENCE) -> Screen:
        """Wait for one of `states` (with `detail` in its words)."""
        deadline = time.monotonic() + seconds
        since = time.monotonic()
        while time.monotonic() < deadline:
            screen = self.screen()
            if screen.state in states and detail in screen.detail:
                return screen
            if screen.state is not ScreenState.UNKNOWN:
                since = time.monotonic()
            elif time.monotonic() - since > REDRAW:
                self.redraw()
                since = time.monotonic()
            time.sleep(0.05)
        raise AssertionError(f"not {states} within {seconds} s but {self.screen()}\n{self.capture()}")

    def turns(self) -> tuple[Turn, ...]:
        """What the program itself has noted of its turns."""
        path = self.backend.transcript(str(self.home))
        if path is None or not Path(path).exists():
            return ()
        return self.backend.turns(Path(path).read_text(encoding="utf-8").splitlines())

    def redraw(self) -> None:
        """Let the program draw its screen anew. Joined emoji are wider to it than to tmux 3.3a: what it
        draws after them goes astray and stays (seen with Copilot)."""
        for columns in ("119", "120"):
            socket = str(self.home.parent / "t" / "s")
            command = ("tmux", "-S", socket, "resize-window", "-t", f"={self.session}:", "-x", columns)
            subprocess.run(command, check=True, timeout=30, capture_output=True)
            time.sleep(0.3)  # the program looks at its size only now and then

    def until_other(self, box: str, seconds: float = PATIENCE) -> None:
        """Wait until another box, or none, is on the screen."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if box_of(self.screen()) != box:
                return
            time.sleep(0.05)
        raise AssertionError(f"the box stays\n{self.capture()}")

    def submit(self, text: str) -> None:
        """Paste a prompt into the empty composer and press Enter until it is gone from there."""
        submission = self.backend.traits.submission
        self.until(ScreenState.READY)
        self.terminal.paste(self.session, submittable(text), {})
        self.until(ScreenState.UNKNOWN, detail="in the composer")
        for _ in range(submission.tries):
            time.sleep(submission.settle.total_seconds())
            self.terminal.press(self.session, submission.keys, {})
            if self._is_gone(submission.patience.total_seconds()):
                return
        raise AssertionError(f"the prompt stays in the composer: {text[:80]!r}\n{self.capture()}")

    def until_asked(self, count: int, seconds: float = PATIENCE) -> None:
        """Wait until the model was asked `count` times in all, and the program rests again."""
        self.until_holds(lambda: len(self.models.asked) >= count, seconds)
        self.until_at_rest(seconds)

    def until_at_rest(self, seconds: float = PATIENCE) -> None:
        """Wait until the model owes no answer and the composer has stood empty for a while."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            asked = self.models.settled
            self.until(ScreenState.READY, seconds=max(deadline - time.monotonic(), 0.1))
            since = time.monotonic()
            while self.screen().state is ScreenState.READY:
                if self.models.settled != asked or asked is None:
                    break
                if time.monotonic() - since >= SETTLED:
                    return
                time.sleep(0.05)
            time.sleep(0.05)
        raise AssertionError(f"no rest within {seconds} s: {self.models.settled}\n{self.capture()}")

    def until_turns(self, *expected: Turn) -> None:
        """Wait until the program has noted these turns and no others: it may do so after it rests."""
        self.until_holds(lambda: self.turns() == expected, otherwise=lambda: f"{self.turns()} not {expected}")

    def until_holds(
        self, holds: Callable[[], bool], seconds: float = PATIENCE, otherwise: Callable[[], str] = str
    ) -> None:
        """Wait until `holds` says yes; what fails shows the screen, and what `otherwise` says."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, f"{otherwise()}\n{self.capture()}"
            time.sleep(0.05)

    def _is_gone(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.screen().state is not ScreenState.UNKNOWN:
                return True
            time.sleep(0.05)
        return False

    def stop(self) -> None:
        self.terminal.stop(self.session)
        self.terminal.close()
        subprocess.run(
            ("tmux", "-S", str(self.home.parent / "t" / "s"), "kill-server"), capture_output=True, check=False
        )
