"""A list of choices on the screen: its labels without numbers, marks and explanations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hive_backends.panes import PLAIN, Row

_NUMBERED = re.compile(r"(?P<head>\s*(?P<chosen>[❯●>›])?\s*(?P<number>\d{1,2})\.\s+)(?P<label>\S.*)")
_BARE = re.compile(r"(?P<head>\s*(?P<mark>[❯●›]) (?:[✔✓] )?)(?P<label>\S.*)")
_BOX = re.compile(r"(?:\[[ xX✔✓]\]|[☐☑◯◉◻◼]) ")
_HINT = re.compile(
    r"(?i)^(?:enter|esc|tab|space|return|ctrl|shift|press|use|↑|↓|←|\(use|\(press)\b.*|.*\b(?:to (?:select|"
    r"confirm|cancel|continue|navigate|close|go back|exit)|esc to \w+).*"
)


@dataclass(frozen=True, slots=True)
class Menu:
    """Attributes:
    question: The paragraph above the options, as one line.
    options: At least two labels, in order.
    chosen: Which of them is marked.
    start, end: Rows of the options, end excluded.
    """

    question: str
    options: tuple[str, ...]
    start: int
    end: int
    numbered: bool
    chosen: int


def find_menu(rows: Sequence[Row], width: int, mark: str) -> Menu | None:
    """The last list of choices in `rows`, one of them marked by `mark` as chosen; None when there is none."""
    return _numbered(rows, width, mark) or _bare(rows, mark)


def _numbered(rows: Sequence[Row], width: int, mark: str) -> Menu | None:
    found = [(at, match) for at, row in enumerate(rows) if (match := _NUMBERED.fullmatch(row.text))]
    firsts = [index for index, (_, match) in enumerate(found) if match["number"] == "1"]
    if not firsts:
        return None
    run = found[firsts[-1] :]
    length = 1
    while length < len(run) and int(run[length][1]["number"]) == length + 1:
        length += 1
    run = run[:length]
    if len(run) < 2 or not any(match["chosen"] == mark for _, match in run):
        return None
    starts = [at for at, _ in run]
    ends = [*starts[1:], _end_of(rows, starts[-1])]
    labels = tuple(
        _label(rows, at, end, len(match["head"]), width) for (at, match), end in zip(run, ends, strict=True)
    )
    chosen = next(index for index, (_, match) in enumerate(run) if match["chosen"] == mark)
    return Menu(_question(rows, starts[0]), labels, starts[0], ends[-1], numbered=True, chosen=chosen)


def _end_of(rows: Sequence[Row], last: int) -> int:
    """Behind the last option and what belongs to it."""
    end = last + 1
    while end < len(rows) and rows[end].text.strip() and not _HINT.match(rows[end].text.strip()):
        end += 1
    return end


def _label(rows: Sequence[Row], at: int, end: int, head: int, width: int) -> str:
    """An option's label, joined where it was wrapped; what is drawn grey or stands apart explains it."""
    row = rows[at]
    label = _own_words(row, head)
    head += len(box[0]) if (box := _BOX.match(row.text[head:])) else 0
    previous = row
    if row.text.rstrip()[head:] != label:
        return label  # an explanation stands beside it already
    for following in rows[at + 1 : end]:
        text = following.text.strip()
        room = width - len(previous.text)
        if not text or following.first.is_grey:
            break
        if following.indent < head or len(text.split()[0]) < room - 1:
            break  # it would have stood in the row above, were it part of the label
        label += " " + text
        previous = following
    return label


def _own_words(row: Row, head: int) -> str:
    text = row.text[head:]
    box = _BOX.match(text)
    if box:
        head += box.end()
        text = row.text[head:]
    apart = re.search(r"\s{2,}", text)
    text = text[: apart.start()] if apart else text
    if set(row.styles) == {PLAIN}:  # without colours the dot alone shows where the explanation begins
        text = text.partition(" · ")[0]
    for found in re.finditer(r" [·—–-] ", text):
        style = row.style(head + found.end())
        if style != row.style(head) and style.is_grey:
            text = text[: found.start()]
            break
    return re.sub(r"\s+[✔✓]$", "", text).strip()


def _bare(rows: Sequence[Row], mark: str) -> Menu | None:
    """Options without numbers: the chosen one is marked, the others stand in the same column beside it."""
    for at in range(len(rows) - 1, -1, -1):
        match = _BARE.fullmatch(rows[at].text)
        if match is None or match["mark"] != mark:
            continue
        column = len(match["head"])
        start, end = at, at + 1
        while start > 0 and _stands_at(rows[start - 1], column):
            start -= 1
        while end < len(rows) and _stands_at(rows[end], column):
            end += 1
        if end - start >= 2:
            labels = tuple(_own_words(row, column) for row in rows[start:end])
            return Menu(_question(rows, start), labels, start, end, numbered=False, chosen=at - start)
        return None
    return None


def _stands_at(row: Row, column: int) -> bool:
    return bool(row.text) and row.indent == column and not _HINT.match(row.text.strip())


def _question(rows: Sequence[Row], start: int) -> str:
    """The nearest paragraph above the options that asks something; where none does, the title."""
    paragraphs = list(_paragraphs(rows[max(0, start - 14) : start]))
    asking = next((each for each in reversed(paragraphs) if any("?" in text for text in each)), None)
    chosen = asking or (paragraphs[0][:1] if paragraphs else [])
    if asking and asking[-1].endswith("?"):
        first = len(asking) - 1
        while first > 0 and len(asking[first - 1]) > 60 and not asking[first - 1].endswith((".", "?", ":")):
            first -= 1
        chosen = asking[first:]
    return " ".join(chosen)


def _paragraphs(rows: Sequence[Row]) -> Iterator[list[str]]:
    found: list[str] = []
    for row in rows:
        text = row.text.strip()
        if re.search(r"\w", text):
            found.append(text)
        elif found:
            yield found
            found = []
    if found:
        yield found
