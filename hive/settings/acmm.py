"""The autonomy table from its data file into the decision's own type.

A table that is not complete would leave an action without a ruling, so it is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from hive import assets, documents
from hive.decisions.autonomy import AutonomyTable
from hive.documents.models import StrictModel
from hive.errors import ConfigError
from hive.facts.autonomy import AcmmLevel, Action, Mode
from hive.facts.verdicts import Ruling

ASSET = "config/acmm.yaml"

Cell = Mode | Literal["-"]
Row = Annotated[list[Cell], Field(min_length=len(AcmmLevel), max_length=len(AcmmLevel))]


class AcmmFile(StrictModel):
    """The shape of `config/acmm.yaml`."""

    roles: dict[str, Row]
    other: Row
    actions: dict[Action, dict[Mode, Ruling]]
    never: list[Action]


def load_table() -> AutonomyTable:
    """Return the table that hive ships. Raises `ConfigError` when it was damaged."""
    return read_table(assets.text(ASSET).encode(), ASSET)


def read_table(data: bytes, source: str) -> AutonomyTable:
    """Return the table in `data`. Raises `ConfigError` for one that is malformed or has a gap."""
    parsed = documents.read(data, source).parse(AcmmFile)
    for complaint in _gaps(parsed):
        raise ConfigError(complaint, source=source)
    return AutonomyTable(
        roles={role: _row(row) for role, row in parsed.roles.items()},
        other=_row(parsed.other),
        rulings=parsed.actions,
        never=frozenset(parsed.never),
    )


def _gaps(parsed: AcmmFile) -> Iterator[str]:
    for action in Action:
        ruled = parsed.actions.get(action)
        if ruled is None and action not in parsed.never:
            yield f"action {action} has no ruling: list it under actions or under never"
        elif ruled is not None and action in parsed.never:
            yield f"action {action} is both under actions and under never"
        elif ruled is not None and set(ruled) != set(Mode):
            missing = ", ".join(mode for mode in Mode if mode not in ruled)
            yield f"action {action} has no ruling for {missing}"


def _row(cells: Sequence[Cell]) -> tuple[Mode | None, ...]:
    return tuple(None if cell == "-" else Mode(cell) for cell in cells)
