"""A framed box at the bottom of the screen, as several programs draw their dialogs."""

from __future__ import annotations

from hive_backends.panes import Pane, Row


def find_box(pane: Pane, *, indent: int, below: int = 0) -> tuple[Row, ...] | None:
    """The rows inside the box whose lower edge is the last row that says anything, without its frame.

    The box begins `indent` columns from the left; at most `below` rows may stand under it. Frames inside it
    lose their edges too, so that their text stands alone.
    """
    bottom = next(
        (at for at in range(len(pane.rows) - 1, -1, -1) if _is_edge(pane.rows[at], "╰", "╯", indent)), None
    )
    if bottom is None or len(pane.rows) - 1 - bottom > below:
        return None
    top = next((at for at in range(bottom - 1, -1, -1) if _is_edge(pane.rows[at], "╭", "╮", indent)), None)
    if top is None:
        return None
    inside = pane.rows[top + 1 : bottom]
    if not all(row.text[indent : indent + 1] == "│" and row.text.endswith("│") for row in inside):
        return None
    return tuple(_unframed(row, indent) for row in inside)


def _is_edge(row: Row, left: str, right: str, indent: int) -> bool:
    text = row.text
    return row.indent == indent and text[indent : indent + 1] == left and text.endswith(right)


def _unframed(row: Row, indent: int) -> Row:
    """Its text at the columns where it stood, so that styles still fit."""
    text = row.text[:indent] + " " + row.text[indent + 1 : -1]
    if set(text.strip()) <= set("─╭╮╰╯│ "):
        text = ""
    return Row(text.rstrip(), row.starts, row.styles)
