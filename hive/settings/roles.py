"""The operator's changes to the autonomy table: lowering is free, raising needs a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hive.decisions.autonomy import AutonomyTable, check_role
from hive.documents import Document
from hive.documents.tree import Location, spell
from hive.errors import ConfigError
from hive.facts.autonomy import Mode
from hive.settings.hive_file import HiveFile
from hive.settings.settings import Raised

Rows = dict[str, list[Mode | None]]


def overridden(
    table: AutonomyTable, file: HiveFile, document: Document
) -> tuple[AutonomyTable, tuple[Raised, ...]]:
    """Return `table` with the roles of `file` lowered and raised, and what was raised.

    Raises `ConfigError` for a misspelt role, a lowering that would raise and a raising that does not.
    """
    rows: Rows = {}
    for role, levels in file.roles.items():
        row = _row(rows, table, role, document, ("roles", role))
        for level, cell in levels.items():
            at: Location = ("roles", role, str(level.value))
            if _rank(cell) > _rank(row[level - 1]):
                said = f"{cell} raises {role} above {_named(row[level - 1])} at L{level}"
                raise _error(document, f"{said}; write it under raise, with a why", at)
            row[level - 1] = cell
    raised = tuple(_raised(table, rows, file, document))
    changed = {**table.roles, **{role: tuple(row) for role, row in rows.items()}}
    return replace(table, roles=changed), raised


def _raised(table: AutonomyTable, rows: Rows, file: HiveFile, document: Document) -> Iterator[Raised]:
    for role, levels in file.raise_.items():
        row = _row(rows, table, role, document, ("raise", role))
        for level, wanted in levels.items():
            at: Location = ("raise", role, str(level.value))
            if level in file.roles.get(role, {}):
                raise _error(document, f"{role} at L{level} is under roles and under raise; keep one", at)
            if _rank(wanted.mode) <= _rank(row[level - 1]):
                said = f"{role} is {_named(row[level - 1])} at L{level} already"
                raise _error(document, f"{said}; {wanted.mode} does not raise it", at)
            row[level - 1] = wanted.mode
            yield Raised(role, level, wanted.mode, wanted.why)


def _row(rows: Rows, table: AutonomyTable, role: str, document: Document, at: Location) -> list[Mode | None]:
    try:
        check_role(table, role)
    except ConfigError as error:
        raise _error(document, error.message, at) from error
    return rows.setdefault(role, list(table.roles.get(role, table.other)))


def _error(document: Document, said: str, at: Location) -> ConfigError:
    return document.error(f"{spell(at)}: {said}", at)


def _rank(cell: Mode | None) -> int:
    return -1 if cell is None else cell.rank


def _named(cell: Mode | None) -> str:
    return "not started" if cell is None else cell
