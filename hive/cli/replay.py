"""`hive replay`: recorded rulings under another level or configuration.

With ``--json`` the document is::

    {"source": "hive.yaml", "level": 6 or null, "rulings": 120, "same": 110,
     "differ": [{"seq": 7, "at": "…Z", "agent": "quality-1", "action": "open-pr", "target": "o/r",
                 "was": {"ruling": "hold", "rule": "…", "because": "…"}, "would_be": {…}}],
     "unknown": [{"because": "…", "count": 2}]}
"""

from __future__ import annotations

import os
import shutil
from argparse import Namespace
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

from hive.cli.output import print_json, print_text, table
from hive.decisions.one_line import printable
from hive.decisions.replay import Difference, Replay, replayed
from hive.facts.autonomy import AcmmLevel
from hive.facts.verdicts import Verdict


def replay(options: Namespace) -> int:
    """0 whether or not something differs: that is what was asked."""
    from hive.app.configuration import policy_of
    from hive.app.places import Places
    from hive.kernel.plugins import backend_kinds, backends, guardrails
    from hive.settings.loading import load
    from hive.shells.sqlite import SqliteJournal

    path = Path(options.config)
    settings = load(
        path, environ=os.environ, backends=backends(), guardrails=guardrails(), kinds=backend_kinds()
    )
    journal = SqliteJournal(Places(settings.state).journal, read_only=True)
    level = AcmmLevel(options.level) if options.level is not None else None
    try:
        found = replayed(journal.records(), policy_of(settings), level)
    finally:
        journal.close()
    if options.json:
        print_json(_document(found, settings.source, level))
    else:
        print_text("\n".join(_lines(found)))
    return 0


def _document(found: Replay, source: str, level: AcmmLevel | None) -> dict[str, Any]:
    return {
        "source": source,
        "level": int(level) if level is not None else None,
        "rulings": found.rulings,
        "same": found.same,
        "differ": [_difference(one) for one in found.differ],
        "unknown": [{"because": because, "count": count} for because, count in found.unknown.items()],
    }


def _difference(one: Difference) -> dict[str, Any]:
    return {
        "seq": one.seq,
        "at": _time(one),
        "agent": one.agent,
        "action": one.action,
        "target": one.target,
        "was": _verdict(one.was),
        "would_be": _verdict(one.would_be),
    }


def _verdict(verdict: Verdict) -> dict[str, str]:
    return {"ruling": verdict.ruling.value, "rule": verdict.rule, "because": verdict.because}


def _time(one: Difference) -> str:
    return f"{one.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _lines(found: Replay) -> Iterator[str]:
    unknown = sum(found.unknown.values())
    count = f"{found.rulings} recorded rulings: {found.same} the same, {len(found.differ)} different"
    yield count + (f", {unknown} that cannot be told" if unknown else "")
    if found.differ:
        rows = [
            (
                *(one.seq, _time(one), one.agent, one.action, printable(one.target), one.was.ruling.value),
                f"{one.would_be.ruling} ({one.would_be.rule})",
            )
            for one in found.differ
        ]
        headings = ("SEQ", "AT", "AGENT", "ACTION", "TARGET", "WAS", "WOULD BE")
        yield table(headings, rows, width=shutil.get_terminal_size().columns)
    yield from (f"cannot be told: {because} ({times})" for because, times in found.unknown.items())
    yield "Allowed reads are not recorded. Guardrails saw who, what, where and when, but no paths or text."
