"""When a limit ends, from the words of the programs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hive_backends.reset_times import reset_time

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def at(*moment: int) -> datetime:
    return datetime(*moment, tzinfo=UTC)  # type: ignore[misc,arg-type]  # five numbers, as the callers give


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resets 3pm (Europe/Berlin)", at(2026, 11, 30, 14, 0)),
        ("resets 12:59pm (Europe/Berlin)", at(2026, 12, 1, 11, 59)),
        ("resets 12am (UTC)", at(2026, 12, 1, 0, 0)),
        ("resets at 15:30", at(2026, 11, 30, 15, 30)),
        ("resets Dec 2, 3pm (America/New_York)", at(2026, 12, 2, 20, 0)),
        ("resets Jan 3, 2027, 9am (UTC)", at(2027, 1, 3, 9, 0)),
        ("resets Jan 3, 9am (UTC)", at(2027, 1, 3, 9, 0)),
        ("Access resets at 1:47 PM GMT+1.", at(2026, 11, 30, 12, 47)),
        ("Access resets at 3:22 AM PST.", at(2026, 12, 1, 11, 22)),
        ("resets 5:30pm (Asia/Kolkata)", at(2026, 12, 1, 12, 0)),
        ("resets 1pm (Etc/GMT+5)", at(2026, 11, 30, 18, 0)),
        ("resets Jul 18 at 4am (UTC)", at(2027, 7, 18, 4, 0)),
        ("Try again at 3:45 PM.", at(2026, 11, 30, 15, 45)),
        ("Try again at Dec 5th, 2026 9:30 AM.", at(2026, 12, 5, 9, 30)),
        ("Usage limit reached · continuing automatically at 4:41pm", at(2026, 11, 30, 16, 41)),
        ("try again in 3 hours 5 minutes.", at(2026, 11, 30, 15, 5)),
        ("Please try again in 2 days 3 hours", at(2026, 12, 2, 15, 0)),
        ("Your quota will reset after 3h20m.", at(2026, 11, 30, 15, 20)),
        ("limit reached|1796126400", at(2026, 12, 1, 12, 0)),
        ("try again later", None),
        ("resets 3pm (Middle/Nowhere)", None),
        ("resets 3pm (../../etc/passwd)", None),
        ("resets 3pm (BERLIN!)", None),
        ("resets 25:00 (UTC)", None),
        ("resets 13pm (UTC)", None),
        ("resets Feb 30, 3pm (UTC)", None),
        ("resets Foo 3, 3pm (UTC)", None),
        ("resets 3 times", None),
        ("resets soon", None),
        ("no time at all", None),
    ],
)
def test_the_words_of_a_banner_become_a_moment(text: str, expected: datetime | None) -> None:
    assert reset_time(text, now=NOW, zone="UTC") == expected


def test_a_clock_time_without_a_zone_is_of_the_zone_given() -> None:
    assert reset_time("resets 3pm", now=NOW, zone="America/New_York") == at(2026, 11, 30, 20, 0)


def test_a_clock_time_that_is_now_is_the_next_one() -> None:
    assert reset_time("resets 12:00 (UTC)", now=NOW, zone="UTC") == at(2026, 12, 1, 12, 0)


def test_a_time_across_the_change_of_summer_time_is_read_on_the_clock_of_that_day() -> None:
    before = datetime(2026, 10, 24, 20, 0, tzinfo=UTC)
    assert reset_time("resets 9am (Europe/Berlin)", now=before, zone="UTC") == at(2026, 10, 25, 8, 0)
