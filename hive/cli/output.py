"""Printing: one JSON document, or the same facts for a person."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hive.errors import WorldError


def print_json(document: Any) -> None:
    write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def print_text(text: str) -> None:
    write(text if text.endswith("\n") else f"{text}\n")


def write(text: str) -> None:
    """Print `text` as it is. A reader who has gone does not change the answer, so neither the exit code.

    Raises `WorldError` where it cannot be written, as on a full disk.
    """
    if sys.stdout is None:
        return  # closed by whoever started hive; print() is silent then, too
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_what_is_unwritten()
    except OSError as error:
        forget_what_is_unwritten()
        raise WorldError("standard output", f"cannot be written: {error.strerror}") from error


def forget_what_is_unwritten() -> None:
    """Python would try again, and complain again, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]], *, width: int) -> str:
    """A plain table, no wider than `width` where that can be: the last column gives way."""
    cells = [[_cell(one) for one in row] for row in rows]
    if not cells:
        return "(none)"
    widths = [
        max(len(heading), *(len(row[index]) for row in cells)) for index, heading in enumerate(headings)
    ]
    room = width - sum(widths[:-1]) - 2 * (len(widths) - 1)
    widths[-1] = max(min(widths[-1], room), 10)
    lines = [
        "  ".join(_fit(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip()
        for row in (list(headings), *cells)
    ]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return " ".join(str(value).split())


def _fit(text: str, size: int) -> str:
    return text.ljust(size) if len(text) <= size else f"{text[: size - 1]}…"


def pick(document: Mapping[str, Any], *keys: str) -> list[Any]:
    return [document.get(key) for key in keys]
