"""Shows a demo going on: a live table in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from hive.decisions.telling import tell
from hive.facts import events as e
from hive.facts.events import Record

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_TOLD = (
    e.IntentStarted,
    e.PullRequestOpened,
    e.FindingRecorded,
    e.RequestRuled,
    e.AgentChanged,
    e.SandboxChanged,
    e.PullRequestEnded,
    e.LevelChanged,
    e.PortFailed,
    e.PortRecovered,
    e.Noticed,
)


class Progress(Protocol):
    def show(self, status: Mapping[str, Any] | None, records: tuple[Record, ...]) -> None:
        """Show what is and what came since the last call."""
        ...


class Lines:
    """One line for each event that a newcomer wants to see."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, status: Mapping[str, Any] | None, records: tuple[Record, ...]) -> None:
        for record in records:
            if isinstance(record.event, _TOLD):
                print(f"{record.at:%H:%M:%S}  {tell(record)}", file=self._stream, flush=True)


class Screen:
    """A table of the agents and the newest events, drawn in place."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._newest: list[str] = []

    def show(self, status: Mapping[str, Any] | None, records: tuple[Record, ...]) -> None:
        self._newest += [tell(record) for record in records if isinstance(record.event, _TOLD)]
        del self._newest[:-8]
        if status is not None:
            self._live.update(_table(status, self._newest), refresh=True)


def _table(status: Mapping[str, Any], newest: list[str]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    title = f"L{status['level']} {status['level_name']} · {escape(status['verdict'])}"
    table = Table(title=title, expand=True)
    for heading in ("agent", "mode", "state", "task"):
        table.add_column(heading, no_wrap=True, overflow="ellipsis")
    for agent in status["agents"]:
        task = agent["task"]
        doing = f"#{task['issue']} {task['title']}" if task else agent["detail"]
        table.add_row(
            *(escape(str(one or "-")) for one in (agent["name"], agent["mode"], agent["state"], doing))
        )
    table.caption = escape("\n".join(newest))
    table.caption_justify = "left"
    return table


@contextmanager
def progress() -> Iterator[Progress]:
    """What suits the place where the demo runs; on standard error, as standard output is the summary's."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
            yield Screen(live)
    else:
        yield Lines(sys.stderr)
