from __future__ import annotations

from datetime import timedelta

from hive.dashboard.fleet import Fleet, Need
from hive.dashboard.watch import Sight
from hive.dashboard.widgets.needs import needs_lines
from tests.decisions.worlds import NOW


def said(*needs: Need) -> list[str]:
    return needs_lines(Sight(fleet=Fleet(needs=needs), at=NOW)).plain.splitlines()


def need(about: str, text: str = "Overwrite?") -> Need:
    since = NOW - timedelta(minutes=5)
    return Need(kind="asking", about=about, text=text, command=f"hive send {about} ...", since=since)


def test_nothing_is_said_while_nothing_waits() -> None:
    assert said() == []


def test_each_need_has_its_age_and_its_command_before_what_may_be_cut() -> None:
    assert said(need("quality")) == ["⚑ asking quality 5m  hive send quality ...  Overwrite?"]


def test_what_has_no_room_is_counted() -> None:
    lines = said(*(need(name) for name in "abcde"))
    assert len(lines) == 3
    assert lines[-1].endswith("+2: hive notify list")


def test_foreign_words_stay_on_their_line() -> None:
    (line,) = said(need("quality", "one\n\x1b[31mtwo"))
    assert line.endswith("one [31mtwo")
