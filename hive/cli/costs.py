"""`hive costs`: what models cost, from the journal."""

from __future__ import annotations

import shutil
from argparse import Namespace
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hive.cli.output import print_json, print_text, table
from hive.cli.state import places
from hive.errors import ConfigError, HiveError

if TYPE_CHECKING:
    from hive.app.places import Places
    from hive.facts.spending import Spending

_WINDOWS = {"day": "TODAY", "week": "THIS WEEK"}


def costs(options: Namespace) -> int:
    from hive.decisions import costs as tables
    from hive.shells.system.clock import SystemClock

    now = SystemClock().now()
    since = _since(options.since, now) if options.since else None
    here = places(options.config)
    windows = now if since is None and options.by != "day" else None
    rows = tables.costs(_spending(here), options.by, since, windows)
    budgets = _budgets(here)
    if options.json:
        told = None if since is None else since.isoformat()
        print_json({"by": options.by, "since": told, "rows": rows, "budgets": budgets})
    else:
        shown = [_render(rows, options.by), *([_render_budgets(budgets)] if budgets else [])]
        print_text("\n\n".join(shown))
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


def _budgets(here: Places) -> list[dict[str, Any]]:
    """How the budgets stand by the status document; none where no hive ever wrote one."""
    from hive.cli.views import document

    try:
        return list(document(here).get("budgets", []))
    except HiveError:
        return []


def _render(rows: list[dict[str, Any]], by: str) -> str:
    from hive.decisions.money import tokens

    if not rows:
        return "no use of a model is on record, which is not the same as none"
    windows = list(rows[0].get("windows", {}))
    kinds = ("input", "output", "cache_read", "cache_write")
    cells = [
        (
            row[by] or "(none)",
            *(_cost(row["windows"][window]) for window in windows),
            _cost(row),
            *(tokens(row["tokens"][kind]) for kind in kinds),
            f"{tokens(row['unpriced_tokens'])} tokens have no price" if row["unpriced_tokens"] else "",
        )
        for row in rows
    ]
    spans = (*(_WINDOWS[window] for window in windows), "ALL") if windows else ("COST",)
    headings = (by.upper(), *spans, "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "")
    return table(headings, cells, width=_width())


def _cost(figures: Mapping[str, Any]) -> str:
    from hive.decisions.money import dollars

    priced = figures["tokens"]["total"] > figures["unpriced_tokens"]
    return dollars(round(figures["cost_usd"] * 1_000_000)) if priced else "-"


def _render_budgets(budgets: list[dict[str, Any]]) -> str:
    """Each budget's window, by this machine's clock, and the one before it."""
    cells = [
        (
            one["name"],
            one["covers"],
            _local(one["begins"]),
            _local(one["ends"]),
            _used(one),
            _allowed(one["soft"]),
            _allowed(one["hard"]),
            f"{one['limit']} limit is reached" if one["limit"] else "",
            "-" if one.get("previous") is None else _used(one["previous"]),
        )
        for one in budgets
    ]
    headings = ("BUDGET", "FOR", "BEGAN", "ENDS", "USED", "SOFT", "HARD", "", "WINDOW BEFORE")
    return table(headings, cells, width=_width())


def _local(text: str | None) -> str:
    return "-" if text is None else f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M}"


def _used(one: Mapping[str, Any]) -> str:
    from hive.decisions.money import dollars, tokens

    return f"{dollars(round(one['cost_usd'] * 1_000_000))}, {tokens(one['tokens'])} tok"


def _allowed(limit: Mapping[str, Any]) -> str:
    from hive.decisions.money import dollars, tokens

    money = [] if limit["usd"] is None else [dollars(round(limit["usd"] * 1_000_000))]
    return (
        ", ".join([*money, *([] if limit["tokens"] is None else [f"{tokens(limit['tokens'])} tok"])]) or "-"
    )


def _width() -> int:
    return shutil.get_terminal_size((120, 40)).columns
