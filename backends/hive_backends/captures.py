"""Captured panes as rows of plain text: what every backend's classifier starts from."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # control sequences, colours among them
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and hyperlinks
    r"|[PX^_][^\x1b]*\x1b\\"
    r"|[ -/]*[0-~])"
)
_SHELL_PROMPT = re.compile(
    r"(?:[\w.+-]+@[\w.-]+[: ][^\n]*|[\w.-]*sh(?:-\d[\w.]*)?|~?/[^\s]*|~|\([\w.-]+\) [^\n]*"
    r"|\[[^\]\n]+\]|└─+)?\s?[$#%]|[A-Za-z][\w-]*%"
    r"|(?:\([\w.-]+\) )?➜\s+\S+(?: git:\(\S+\))?(?: ✗)?"  # zsh's most common theme
    r"|[\w.+-]+@[\w.-]+ [~/]\S*[>#]|PS [A-Z/~]\S*>"  # fish, PowerShell
)
_PANE_DEAD = re.compile(r"Pane is dead(?: \(.*\))?")


def rows(screen: str) -> list[str]:
    """The rows of a capture without escapes and without blanks at their ends, empty rows at the end cut."""
    found = [row.rstrip() for row in _ESCAPE.sub("", screen).replace("\r", "").split("\n")]
    while found and not found[-1]:
        found.pop()
    return found


def is_shell_prompt(row: str) -> bool:
    """Whether `row` is a shell that waits for a command (with nothing typed into it)."""
    return _SHELL_PROMPT.fullmatch(row.strip()) is not None


def is_dead_pane(row: str) -> bool:
    """Whether `row` is what tmux writes into a pane whose program has ended."""
    return _PANE_DEAD.fullmatch(row.strip()) is not None
