"""Wakes whoever looks: on a death at once, on output at most some times a second.

tmux runs a hook when a pane's program ends and when a window shows activity. Commands in a hook notify
nobody, so the hook has another command run apart from it (`run-shell -bC`: no shell is started), which
renames the window in question: every control client hears of that. Names are not shown anywhere. They are
read when tmux writes the notice, so of two renames in a row the second may be told twice; hence the window
itself is renamed, whose number says which it was, and not one window of hive's.

Activity is flagged once per window, until the flag is cleared. Hive clears it after each poke, so a pane
that prints a million lines costs no more than one that prints ten a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from hive.errors import Unreachable
from hive.shells.tmux.language import CommandList, commands

_DIED = "died"
_ACTIVE = "active"
# Of a window in a session that the control client is not attached to: any agent's.
_RENAMED = b"%unlinked-window-renamed "
# Sessions came or went; the connection ended.
_OTHERS = (b"%sessions-changed", b"%exit", b"")


def watch_settings() -> list[CommandList]:
    """Hooks and options that make tmux tell of deaths and output; idempotent."""
    return [
        commands(("set-hook", "-g", "pane-died", _rename(_DIED))),
        commands(("set-hook", "-g", "alert-activity", _rename(_ACTIVE))),
        commands(("set-option", "-g", "activity-action", "any")),
        # Shown to nobody: an attached person would get a bell, or a message over the screen.
        commands(("set-option", "-g", "visual-activity", "off")),
        commands(("set-option", "-s", "terminal-overrides", "*:bel@")),
        commands(("set-option", "-g", "monitor-activity", "on")),
    ]


def _rename(name: str) -> str:
    return f"run-shell -bC 'rename-window -t \"#{{window_id}}\" {name}'"


def clear_activity(targets: Iterable[str]) -> list[CommandList]:
    """Let these windows or sessions tell of their next output (`-C` kills nothing)."""
    return [commands(("kill-session", "-C", "-t", target)) for target in targets]


class Watcher:
    """One thread that calls `poke`, at most once per `interval` seconds."""

    def __init__(
        self,
        poke: Callable[[], None],
        clear: Callable[[list[CommandList]], None],
        interval: float,
        overhear: Callable[[str, str], None] | None = None,
    ) -> None:
        """`overhear` gets every single notice, ``active`` or ``died`` and the window's id, on the reader's
        thread and without the pauses between pokes: for measurements."""
        self._poke = poke
        self._clear = clear
        self._interval = interval
        self._overhear = overhear or (lambda _kind, _name: None)
        self._awake = threading.Event()
        self._stopped = threading.Event()
        self._active: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="tmux-watch", daemon=True)
        self._thread.start()

    def hear(self, line: bytes) -> None:
        """Take a notice of the control connection; from any thread, never waits."""
        if line.startswith(_RENAMED):
            window, _, kind = line.removeprefix(_RENAMED).decode("utf-8", "replace").partition(" ")
            if kind not in (_ACTIVE, _DIED):
                return
            self._active.add(window)
            self._overhear(kind, window)
        elif not line.startswith(_OTHERS[:2]) and line:
            return
        self._awake.set()

    def stop(self) -> None:
        self._stopped.set()
        self._awake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(1.0)

    def _run(self) -> None:
        while True:
            self._awake.wait()
            if self._stopped.is_set():
                return
            self._awake.clear()
            self._poke()
            if self._stopped.wait(self._interval):
                return
            self._rearm()

    def _rearm(self) -> None:
        windows = set()
        while self._active:
            windows.add(self._active.pop())
        if windows:
            try:
                self._clear(clear_activity(windows))
            except Unreachable:
                self._awake.set()  # whoever looks now will find out
