"""A stage for the scripted agent: a real tmux on a private socket, a bare repository, a `gh` that notes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from hive.facts.screens import Screen, ScreenState
from hive_backends.scripted import backend

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SOURCES = Path(__file__).resolve().parents[2]
Found = TypeVar("Found")

GH = """#!{python}
import json, os, sys
with open(os.environ["GH_LOG"], "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
for kind, answer, status in json.load(open(os.environ["GH_ANSWERS"])):
    if sys.argv[1:1 + len(kind)] == kind:
        print(answer)
        sys.exit(status)
"""


def until(found: Callable[[], Found | None], what: str, seconds: float = 20) -> Found:
    """Poll for a condition; fails with `what` when it does not come."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = found()
        if answer:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {seconds} s")


class Stage:
    """One pane with the scripted agent in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        self.tools = folder / "tools"
        self.tools.mkdir()
        self.remote = folder / "remote.git"
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{self.tools}:/usr/bin:/bin",
            "PYTHONPATH": f"{SOURCES / 'backends'}:{SOURCES}",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GH_LOG": str(folder / "gh.log"),
            "GH_ANSWERS": str(folder / "gh.json"),
            "SCRIPTED_RETRY_SECONDS": "10",
            "SCRIPTED_PACE": "0",
        }
        self._socket = folder / "tmux"
        self._running = False

    # -- tmux -------------------------------------------------------------------------------------

    def tmux(self, *arguments: str, stdin: bytes | None = None) -> str:
        command = ("tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments)
        return subprocess.run(
            command, input=stdin, check=True, capture_output=True, timeout=20
        ).stdout.decode()

    def start(
        self,
        *,
        columns: int = 100,
        rows: int = 30,
        script: list[str] | None = None,
        under: tuple[str, ...] = (),
        **more: str,
    ) -> None:
        """Start the program and the tmux server; `under` is what starts it where tmux does not."""
        environment = {**self.environment, **more}
        if script is not None:
            environment["SCRIPTED_SCRIPT"] = json.dumps(script)
        # Through env(1): `new-session -e PATH=…` loses against the PATH of the tmux client (3.3a).
        settings = [f"{name}={value}" for name, value in environment.items()]
        size = ("-x", str(columns), "-y", str(rows))
        # One call: with its only program already gone, the server would be gone before a second one.
        self.tmux(
            *("start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"),
            *("new-session", "-d", "-s", "a", *size, "--", "env", "-i", "TERM=screen-256color", *settings),
            *under,
            *(sys.executable, "-m", "hive_backends.scripted_agent"),
        )
        self._running = True

    def restart(self) -> None:
        """Start the dead program again, as it was started."""
        self.tmux("respawn-pane", "-t", "=a:")

    def stop(self) -> None:
        if self._running:
            subprocess.run(("tmux", "-S", str(self._socket), "kill-server"), capture_output=True, check=False)
            self._running = False

    def capture(self) -> str:
        return self.tmux("capture-pane", "-p", "-e", "-J", "-t", "=a:")

    def plain(self) -> str:
        return self.tmux("capture-pane", "-p", "-J", "-t", "=a:")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", "-t", "=a:", *keys)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-t", "=a:", "-l", "--", text)

    def paste(self, text: bytes) -> None:
        self.tmux("load-buffer", "-b", "p", "-", stdin=text)
        self.tmux("paste-buffer", "-p", "-r", "-d", "-b", "p", "-t", "=a:")

    def submit(self, text: str) -> None:
        """Paste a prompt into the empty composer and press Enter once it is in there."""
        self.until_screen(ScreenState.READY)
        self.paste(text.encode())
        self.until_screen(ScreenState.UNKNOWN, "draft in the composer")
        self.press("Enter")

    def screen(self) -> Screen:
        return backend.read(self.capture(), now=NOW)

    def until_screen(self, state: ScreenState, detail: str | None = None, seconds: float = 20) -> Screen:
        def seen() -> Screen | None:
            screen = self.screen()
            return screen if screen.state is state and detail in (None, screen.detail) else None

        try:
            return until(seen, f"the screen is {state}", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.screen()}\n{self.plain()}") from None

    def pane(self, what: str) -> str:
        return self.tmux("display-message", "-p", "-t", "=a:", f"#{{{what}}}").strip()

    def until_dead(self) -> tuple[str, str]:
        """Exit status and signal of the program, once it is gone."""

        def ended() -> tuple[str, str] | None:
            dead, status, number = self.pane("pane_dead}/#{pane_dead_status}/#{pane_dead_signal").split("/")
            if dead == "1" and not (status or number):
                # tmux 3.3a misses the child's end now and then; the end of another child wakes it.
                self.tmux("run-shell", "true")
            return (status, number) if dead == "1" and (status or number) else None

        return until(ended, "the program ends")

    @staticmethod
    def children(parent: int) -> list[int]:
        """Processes whose parent is `parent`."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    after_name = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue  # it ended meanwhile
                if int(after_name[1]) == parent:
                    found.append(int(entry.name))
        return found

    # -- what it left behind ----------------------------------------------------------------------

    def lines(self) -> list[str]:
        path = self.home / ".scripted" / "transcript.jsonl"
        return path.read_text().splitlines() if path.exists() else []

    def records(self, kind: str) -> list[dict[str, object]]:
        return [record for record in map(json.loads, self.lines()) if record["type"] == kind]

    def until_end(self, count: int = 1, seconds: float = 40) -> dict[str, object]:
        """The record of the `count`th turn's end."""
        try:
            until(lambda: len(self.records("end")) >= count, f"turn {count} ends", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.plain()}") from None
        return self.records("end")[count - 1]

    def tools_run(self, word: str) -> list[dict[str, object]]:
        """Records of programs with `word` among their arguments."""
        return [record for record in self.records("tool") if word in str(record["argv"]).split("'")]

    # -- git and gh -------------------------------------------------------------------------------

    def repository(self, files: Mapping[str, str] | None = None, base: str = "main") -> str:
        """Make the bare repository that stands for the server; returns its address."""
        seed = self.folder / "seed"
        self.git("init", "-q", "-b", base, str(seed), cwd=self.folder)
        for name, content in (files or {"README.md": "hello\n"}).items():
            path = seed / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self.git("add", "-A", cwd=seed)
        self.git("-c", "user.name=s", "-c", "user.email=s@localhost", "commit", "-q", "-m", "seed", cwd=seed)
        self.git("clone", "-q", "--bare", str(seed), str(self.remote), cwd=self.folder)
        return str(self.remote)

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ("git", *arguments),
            cwd=cwd or self.remote,
            env=environment,
            check=True,
            capture_output=True,
            timeout=30,
        )
        return done.stdout.decode()

    def server_refuses(self, pattern: str, message: str) -> None:
        """Let the server's hook refuse references that match a shell pattern."""
        hook = self.remote / "hooks" / "pre-receive"
        hook.write_text(
            f'#!/bin/sh\nwhile read old new ref; do case "$ref" in {pattern}) '
            f'echo "{message}" >&2; exit 1;; esac; done\n'
        )
        hook.chmod(0o755)

    def gh(self, *answers: tuple[list[str], str, int]) -> None:
        """Put a `gh` on PATH that notes its arguments and answers by the first words that match."""
        fresh = self.folder / "gh.json.new"
        fresh.write_text(json.dumps(answers))
        fresh.replace(self.folder / "gh.json")  # one that is running reads the old answers or the new
        program = self.tools / "gh"
        if not program.exists():
            program.write_text(GH.format(python=sys.executable))
            program.chmod(0o755)

    def gh_calls(self) -> list[list[str]]:
        log = self.folder / "gh.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def prompt(
    text: str, *, clone: str, prompt_id: str = "t1/p1", mode: str = "holdgated", issue: int = 12, **more: str
) -> str:
    """A prompt as hive builds it."""
    fields = {
        "repository": "o/r",
        "issue": str(issue),
        "title": "Say hello",
        "branch": f"hive/a/{issue}-hello",
        "base": "main",
        "mode": mode,
        "clone": clone,
        "findings": "http://hive/v1/findings",
        **more,
    }
    block = "\n".join(f"{key}: {value}" for key, value in fields.items())
    return (
        f"hive task {prompt_id}: work on the issue below.\n\n--- task ---\n{block}\n--- end task ---\n\n"
        f"~~~~ issue text by somebody (MEMBER) ~~~~\n{text}\n~~~~ end ~~~~\n"
    )
