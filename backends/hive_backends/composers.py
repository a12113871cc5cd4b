"""A composer between two rules that span the pane, with its footer below: how several programs draw it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hive_backends.panes import Pane, Row

_RULE = re.compile(r"─{20,}(?: .{1,60} ─+)?")


@dataclass(frozen=True, slots=True)
class Composer:
    """Attributes:
    top, bottom: Rows of the rules.
    prompt: The sign before the text: ``❯``, or ``!`` in a shell mode.
    body: The rows between the rules.
    footer: The rows below.
    """

    top: int
    bottom: int
    prompt: str
    body: tuple[Row, ...]
    footer: tuple[Row, ...]

    @property
    def text(self) -> str:
        """What stands in it, as one line; what is drawn faint is a suggestion and counts for nothing."""
        first, *rest = self.body
        words = [first.text[1:], *(row.text for row in rest)]
        if self.suggests:
            return ""
        return " ".join(" ".join(words).split())

    @property
    def suggests(self) -> bool:
        """Whether all of its text is a suggestion: faint from the second letter on (the cursor hides the
        style of the first)."""
        row = self.body[0]
        inked = [at for at in range(1, len(row.text)) if not row.text[at].isspace()]
        return len(self.body) == 1 and len(inked) > 1 and all(row.style(at).faint for at in inked[1:])


def is_rule(row: Row) -> bool:
    return _RULE.fullmatch(row.text) is not None


def find_composer(pane: Pane, *, footer_rows: int) -> Composer | None:
    """The composer at the bottom of `pane`, with at most `footer_rows` rows below it."""
    rules = [at for at, row in enumerate(pane.rows) if is_rule(row)]
    if len(rules) < 2:
        return None
    top, bottom = rules[-2:]
    body = pane.rows[top + 1 : bottom]
    if not body or len(pane.rows) - bottom - 1 > footer_rows:
        return None
    if not re.match(r"[❯!](?: |$)", body[0].text) or any(re.match(r"\S", row.text) for row in body[1:]):
        return None
    return Composer(top, bottom, body[0].text[0], body, pane.rows[bottom + 1 :])
