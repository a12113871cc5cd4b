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
import time
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
    """One thread that calls `poke` or `stir`, at most once per `interval` seconds."""

    def __init__(
        self,
        poke: Callable[[], None],
        clear: Callable[[list[CommandList]], None],
        interval: float,
        *,
        stir: Callable[[], float] | None = None,
        overhear: Callable[[str, str], None] | None = None,
    ) -> None:
        """`stir` is called for output alone, in place of `poke`; it returns the least seconds until the same
        windows need to tell of output again. `overhear` gets every single notice, ``active`` or ``died`` and
        the window's id, on the reader's thread and without the pauses between pokes: for measurements."""
        self._poke = poke
        self._stir = stir or _always(poke)
        self._clear = clear
        self._interval = interval
        self._overhear = overhear or (lambda _kind, _name: None)
        self._awake = threading.Event()
        self._urgent = threading.Event()
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
            if kind == _DIED:
                self._urgent.set()
        elif line.startswith(_OTHERS[:2]) or not line:
            self._urgent.set()
        else:
            return
        self._awake.set()

    def stop(self) -> None:
        self._stopped.set()
        self._awake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(1.0)

    def _run(self) -> None:
        rearm_at: float | None = None
        again_at: float | None = None
        while True:
            due = min((at for at in (rearm_at, again_at) if at is not None), default=None)
            self._awake.wait(None if due is None else max(0.0, due - time.monotonic()))
            if self._stopped.is_set():
                return
            heard = self._awake.is_set()
            if heard or (again_at is not None and time.monotonic() >= again_at):
                self._awake.clear()
                again_at = None
                calm = self._tell()
                if heard and rearm_at is None:
                    rearm_at = time.monotonic() + max(self._interval, calm)
                if self._stopped.wait(self._interval):
                    return
            if rearm_at is not None and time.monotonic() >= rearm_at:
                rearm_at = None
                # What was drawn since the last look, and before this, has told nobody.
                again_at = time.monotonic() + self._interval if self._rearm() else None

    def _tell(self) -> float:
        if self._urgent.is_set():
            self._urgent.clear()
            self._poke()
            return 0.0
        return self._stir()

    def _rearm(self) -> bool:
        """Let the windows that spoke tell of their next output; whether there were any."""
        windows = set()
        while self._active:
            windows.add(self._active.pop())
        if windows:
            try:
                self._clear(clear_activity(windows))
            except Unreachable:
                self._urgent.set()  # whoever looks now will find out
                self._awake.set()
        return bool(windows)


def _always(poke: Callable[[], None]) -> Callable[[], float]:
    def stir() -> float:
        poke()
        return 0.0

    return stir
