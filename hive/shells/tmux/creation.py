"""How one session is started: in one list of commands, all or nothing, and no shell anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hive.ports.terminal import SessionOrder
from hive.shells.tmux.language import CommandList, commands, literal_format, session_target
from hive.shells.tmux.server import CONTROL
from hive.shells.tmux.sighting import MARKS, marks_entry

# What tmux keeps as it is given: it rewrites `.` and `:`, and expands `#`.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_SET_BY_TMUX = ("PATH", "SHELL", "PWD", "TERM_PROGRAM", "TERM_PROGRAM_VERSION")


def creation(order: SessionOrder, env: str, also: Sequence[tuple[str, ...]] = ()) -> CommandList:
    """One list that starts the session, fixes its size and sets its marks; then come the commands `also`.
    `env` is the program of that name where the session will run.

    Raises `ValueError` for a name or a command line that tmux would not take as it is.
    """
    if not _NAME.fullmatch(order.name) or order.name == CONTROL:
        raise ValueError(f"tmux would not keep the session name {order.name!r}")
    if not order.argv or not order.argv[0] or order.argv[0].startswith("-"):
        raise ValueError(f"not a command line: {order.argv!r}")
    environment = [word for pair in order.environment.items() for word in ("-e", "=".join(pair))]
    start = (
        *("new-session", "-d", "-s", order.name, "-x", str(order.columns), "-y", str(order.rows)),
        *("-c", literal_format(order.workdir), *environment, "--", *_program(order, env)),
    )
    target = ("-t", session_target(order.name))
    steps = [start, ("set-option", "-w", *target, "window-size", "manual")]
    if order.marks:
        steps.append(("set-option", *target, MARKS, marks_entry(order.marks)))
    return commands(*steps, *also)


def _program(order: SessionOrder, env: str) -> tuple[str, ...]:
    """The command line behind `env`, which becomes the program without any shell between.

    tmux hands a single word to a shell, and sets some variables by itself (PATH from its client's where
    the order has none); `env` undoes that.
    """
    own = [
        word
        for name in _SET_BY_TMUX
        for word in ((f"{name}={order.environment[name]}",) if name in order.environment else ("-u", name))
    ]
    own.sort(key=lambda word: "=" in word)
    # `env` would read a program with `=` in its path as a variable; `nice -n 0` changes nothing.
    detour = ("nice", "-n", "0", "--") if "=" in order.argv[0] else ()
    return (env, *own, *detour, *order.argv)
