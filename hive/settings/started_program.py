"""Which program an agent's own command line starts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePath

_LAUNCHERS = frozenset(
    {"env", "exec", "npx", "bunx", "uvx", "nice", "ionice", "nohup", "setsid", "timeout", "stdbuf", "sudo"}
)
"""Programs that do nothing but start another one."""
_THEIR_OWN = re.compile(r"-.*|\w+=.*|[0-9.]+[smhd]?", re.DOTALL)
"""Options, variables and numbers before the other program; the values of options are not told from it."""
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_LINE_FOLLOWS = re.compile(r"-[a-z]*c")


def started_program(command: Sequence[str]) -> str | None:
    """The base name of what `command` starts, seen through what only starts another program (``env``,
    ``npx``, ``bash -c``); `None` where that cannot be told."""
    words = [*command]
    while words and re.fullmatch(r"\w+=.*", words[0], re.DOTALL):
        words = words[1:]
    while words and PurePath(words[0]).name in _LAUNCHERS:
        words = words[1:]
        while words and _THEIR_OWN.fullmatch(words[0]):
            words = words[1:]
    if not words:
        return None
    name = PurePath(words[0]).name
    if name in _SHELLS and len(words) > 2 and _LINE_FOLLOWS.fullmatch(words[1]):
        try:
            return started_program(shlex.split(words[2]))
        except ValueError:
            return None  # the shell would not understand it either
    return name.partition("@")[0] or None
