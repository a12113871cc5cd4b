"""`hive costs`: what models cost, from the journal."""

from __future__ import annotations

import shutil
from argparse import Namespace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hive.cli.output import print_json, print_text, table
from hive.cli.state import places
from hive.errors import ConfigError

if TYPE_CHECKING:
    from hive.app.places import Places
    from hive.facts.spending import Spending


def costs(options: Namespace) -> int:
    from hive.decisions import costs as tables
    from hive.shells.system.clock import SystemClock

    now = SystemClock().now()
    since = _since(options.since, now) if options.since else None
    rows = tables.costs(_spending(places(options.config)), options.by, since)
    if options.json:
        print_json({"by": options.by, "since": None if since is None else since.isoformat(), "rows": rows})
    else:
        print_text(_render(rows, options.by))
    return 0


def _since(text: str, now: datetime) -> datetime:
    """A span before now (``24h``, ``7d``), or a time with zone or a day (UTC)."""
    from hive.documents.values import duration, moment

    try:
        return now - duration(text)
    except (ValueError, OverflowError):
        pass
    for written in (text, f"{text}T00:00:00Z"):
        try:
            return moment(written)
        except ValueError:
            continue
    raise ConfigError(f"--since: '{text}' is no span, day or time; write 24h, 7d, 2026-11-30")


def _spending(here: Places) -> Spending:
    from hive.decisions.recall import recall
    from hive.facts.memory import Memory
    from hive.shells.sqlite import SqliteJournal

    if not here.journal.exists():
        raise ConfigError(f"there is no journal at {here.journal}; was hive started with this configuration?")
    journal = SqliteJournal(here.journal, read_only=True)
    try:
        memory = journal.snapshot() or Memory()
        return recall(memory, journal.records(after=memory.seq)).spending
    finally:
        journal.close()


def _render(rows: list[dict[str, Any]], by: str) -> str:
    from hive.decisions.money import dollars, tokens

    if not rows:
        return "no use of a model is on record, which is not the same as none"
    kinds = ("input", "output", "cache_read", "cache_write")
    cells = [
        (
            row[by] or "(none)",
            dollars(round(row["cost_usd"] * 1_000_000))
            if row["tokens"]["total"] > row["unpriced_tokens"]
            else "-",
            *(tokens(row["tokens"][kind]) for kind in kinds),
            f"{tokens(row['unpriced_tokens'])} tokens have no price" if row["unpriced_tokens"] else "",
        )
        for row in rows
    ]
    headings = (by.upper(), "COST", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "")
    return table(headings, cells, width=shutil.get_terminal_size((120, 40)).columns)
