"""Screens of other programs, full of words that agent programs use: two hundred of them, made from parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

SCREENS = Path(__file__).parent / "screens"

PHRASES = (
    "warning: rate limit exceeded, retrying in 5s (attempt 2/10)",
    "You've hit your session limit · resets 3pm (Europe/Berlin)",
    "login: please run /login · Not logged in",
    "❯ 1. Yes\n  2. Yes, and don't ask again\n  3. No",
    "✻ Thinking… (12s · ↓ 3.1k tokens · esc to interrupt)",
    "API Error: 529 Overloaded. Credit balance too low",
    "Do you want to proceed? Do you trust the files in this folder?",
    "Context limit reached · /compact or /clear to continue",
    "● 1. Allow once\n  2. Allow for this session\n  3. No, suggest changes (esc)",
    "? for shortcuts · / commands · Type your message or @path/to/file",
)

FRAMES = Path(__file__).parent / "foreign"
"""What each program draws; ``{words}`` is where it shows what people or builds have written."""


def screens() -> Iterator[tuple[str, str]]:
    """Name and text of each: every program with every phrase."""
    for path, (number, phrase) in product(sorted(FRAMES.glob("*.txt")), enumerate(PHRASES)):
        lines = phrase.split("\n")
        frame, name = path.read_text(encoding="utf-8"), path.stem
        yield (
            f"{name}-{number}",
            frame.format(words=phrase, flat=lines[0], indented="\n".join("    " + line for line in lines)),
        )


def quoted() -> Iterator[tuple[str, str]]:
    """Recorded screens of agent programs, shown by other programs: numbered, quoted, cut from a log."""
    recorded = sorted(SCREENS.glob("*/asking/*.txt")) + sorted(SCREENS.glob("*/limited/*.txt"))
    for path in islice(recorded, 0, None, 3):
        text = re.sub(r"\x1b\[[0-9;:]*m", "", path.read_text(encoding="utf-8"))
        rows = [row.rstrip() for row in text.split("\n") if row.strip()][-18:]
        name = f"{path.parent.parent.name}-{path.stem}"
        yield f"less-{name}", "\n".join(f"{number:>7} {row}" for number, row in enumerate(rows, 1)) + "\n:"
        yield f"mail-{name}", "\n".join("> " + row for row in rows) + "\n\nWhat does this mean?\n-- INSERT --"
        yield f"log-{name}", "\n".join("[agent-7] " + row for row in rows)
