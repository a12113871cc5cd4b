"""Records the scripted agent's screens: ``python -m tests.backends.record_scripted_screens [STATE/NAME…]``.

Each is captured from the real program in a real tmux, and only kept as long as what is on it was waited
for by its words, never by the classifier that the recordings are there to try.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.backends.stage import Stage, until

FOLDER = Path(__file__).parent / "screens" / "scripted"
READY = "enter to send"
Play = Callable[[Stage], None]


@dataclass(frozen=True)
class Scene:
    """`shows` is on the screen when it is captured; `play` brings it there from the empty composer."""

    state: str
    name: str
    shows: str
    play: Play | None = None
    script: tuple[str, ...] = ()
    columns: int = 100
    first: str = READY


def says(text: str) -> Play:
    def play(stage: Stage) -> None:
        stage.paste(text.encode())
        drawn = "│ > [pasted" if text.count("\n") > 3 else f"│ > {text[:12]}"
        until(lambda: drawn in stage.plain(), drawn)
        stage.press("Enter")

    return play


def types(text: str) -> Play:
    return lambda stage: stage.type(text)


def both(first: Play, shows: str, second: Play) -> Play:
    def play(stage: Stage) -> None:
        first(stage)
        until(lambda: shows in stage.plain(), shows)
        second(stage)

    return play


def queues(text: str) -> Play:
    def play(stage: Stage) -> None:
        stage.type(text)
        stage.press("Enter")

    return play


def presses(*keys: str) -> Play:
    return lambda stage: stage.press(*keys)


def killed(stage: Stage) -> None:
    os.kill(int(stage.pane("pane_pid")), 9)


UNREACHABLE = """hive task t1/p1: work on the issue below.

--- task ---
repository: o/r
issue: 12
title: Say hello
branch: hive/a/12-hello
base: main
mode: full
clone: http://127.0.0.1:9/o/r.git
--- end task ---
"""
HANG = says("@script hang")
FAIL = says('@script fail "the tests do not pass: 3 of 200 failed"')
MAY_I = says('@script permission "May I run: git push --force?"')
WHICH = says('@script ask "Which file?" "src/a.py" "src/b.py" "Neither"')
LIMIT = 'limit "resets 3pm (Europe/Berlin)"'

SCENES = (
    Scene("starting", "banner", "is starting…", script=("start-delay 60",), first="is starting…"),
    Scene("ready", "fresh", READY),
    Scene("ready", "narrow", READY, columns=40),
    Scene("ready", "wide", READY, columns=200),
    Scene("ready", "after-a-turn", "✓ Done", says("hello")),
    Scene("ready", "after-quoted-banners", "✓ Done", says("@script quote-banner")),
    Scene("ready", "after-an-interrupt", "■ Interrupted", both(HANG, "Working…", presses("C-c"))),
    Scene("ready", "about-to-leave", "ctrl-c again", presses("C-c")),
    Scene("working", "spinner", "Working…", HANG),
    Scene("working", "narrow", "Working…", HANG, columns=40),
    Scene("working", "under-a-stream", "line 80 of", says("@script stream 2000")),
    Scene("working", "draft-beside", "│ > more▏", both(HANG, "Working…", types("more"))),
    Scene("working", "queued", "1 queued", both(HANG, "Working…", queues("more"))),
    Scene("working", "quoted-banners-above", "root@host", says("@script quote-banner\n@script slow 60")),
    Scene("asking", "trust", "Do you trust", script=("trust-box",), first="Do you trust"),
    Scene("asking", "trust-narrow", "Do you trust", script=("trust-box",), first="Do you trust", columns=40),
    Scene("asking", "permission", "to choose", MAY_I),
    Scene("asking", "question", "to choose", WHICH),
    Scene("limited", "at-the-start", "Usage limit", script=(LIMIT,)),
    Scene("limited", "narrow", "Usage limit", script=(LIMIT,), columns=40),
    Scene("limited", "after-a-turn", "✗ Ended", says(f"@script {LIMIT}")),
    Scene("limited", "draft-below", "│ > more▏", types("more"), script=(LIMIT,)),
    Scene("logged-out", "at-the-start", "Not logged in", script=("logged-out",)),
    Scene("out-of-credit", "after-a-turn", "✗ Ended", says("@script out-of-credit")),
    Scene("context-full", "after-a-turn", "✗ Ended", says("@script context-full")),
    Scene("compacting", "amid-a-turn", "Compacting", says("@script compact 60")),
    Scene("retrying", "hive-is-away", "Cannot reach hive", says(UNREACHABLE)),
    Scene("failed", "after-a-turn", "✗ Ended", FAIL),
    Scene("failed", "narrow", "✗ Ended", FAIL, columns=40),
    Scene("exited", "by-itself", "Pane is dead", presses("C-d")),
    Scene("exited", "killed-amid-a-turn", "Pane is dead", both(HANG, "Working…", killed)),
    Scene("unknown", "strange", "Navigate", script=("strange-screen",), first="Navigate"),
    Scene("unknown", "draft", "│ > git pu▏", types("git pu")),
    Scene("unknown", "draft-of-blanks-and-text", "│ >     x▏", types("    x")),
    Scene("unknown", "draft-of-blanks", "│ >    ▏", types("   ")),
    Scene("unknown", "pasted-chip", "[pasted 9 lines]", lambda s: s.paste(b"line\n" * 9)),
)  # fmt: skip


def record(scene: Scene) -> str:
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        try:
            stage.start(columns=scene.columns, script=list(scene.script))
            until(lambda: scene.first in stage.plain(), f"{scene.state}/{scene.name}: {scene.first}")
            if scene.play is not None:
                scene.play(stage)
            until(lambda: scene.shows in stage.plain(), f"{scene.state}/{scene.name}: {scene.shows}")
            return stage.capture()
        finally:
            stage.stop()


def main() -> None:
    wanted = sys.argv[1:]
    for scene in SCENES:
        if wanted and f"{scene.state}/{scene.name}" not in wanted:
            continue
        path = FOLDER / scene.state / f"{scene.name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(record(scene), encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(FOLDER)}\n")


if __name__ == "__main__":
    main()
