"""`hive bench`: hive against limits that are measured in the same run."""

from __future__ import annotations

import shutil
from argparse import Namespace
from typing import TYPE_CHECKING

from hive.cli.output import print_json, print_text, table
from hive.decisions.spelling import near_miss
from hive.errors import ConfigError

if TYPE_CHECKING:
    from hive.bench import BenchResult


def bench(options: Namespace) -> int:
    """Run one benchmark, or list them; 1 when a target was missed."""
    from hive.bench import MODULES, load

    if options.name is None:
        return _list(as_json=options.json)
    if options.name not in MODULES:
        near = near_miss(options.name, MODULES)
        hint = f"did you mean '{near}'?" if near else f"known: {', '.join(MODULES)}"
        raise ConfigError(f"there is no benchmark '{options.name}'; {hint}")
    if options.size is not None and options.size < 1:
        raise ConfigError("--size takes a whole number from 1 on")
    sizes = {} if options.size is None else {MODULES[options.name].size: options.size}
    result = load(options.name)(**sizes)
    print_json(result.as_dict()) if options.json else print_text(
        render(result, shutil.get_terminal_size((120, 40)).columns)
    )
    return 0 if result.ok else 1


def _list(*, as_json: bool) -> int:
    from hive.bench import MODULES

    if as_json:
        print_json([{"name": name, "about": one.about, "size": one.size} for name, one in MODULES.items()])
    else:
        rows = [(name, one.size, one.about) for name, one in MODULES.items()]
        print_text(table(("NAME", "SIZE", "ABOUT"), rows, width=shutil.get_terminal_size((120, 40)).columns))
    return 0


def render(result: BenchResult, width: int) -> str:
    """The rows as a table: each figure, its limit in the same run, and whether the target is met."""
    rows = [
        (
            "" if row.ok is None else "ok" if row.ok else "MISSED",
            _figure(row.value, row.unit),
            row.name,
            row.target or None,
            None if row.ratio is None else f"{row.ratio:.2f}×",
            None if row.limit_value is None else f"{_figure(row.limit_value, row.unit)} {row.limit_name}",
        )
        for row in result.rows
    ]
    missed = sum(row.ok is False for row in result.rows)
    verdict = "every target is met" if result.ok else f"{missed} of {len(result.rows)} targets missed"
    headings = ("", "FIGURE", "OF", "TARGET", "RATIO", "LIMIT")
    return f"{table(headings, rows, width=width)}\n\n{result.name}: {verdict} ({result.about})"


def _figure(value: float, unit: str) -> str:
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {unit}"
