"""When a limit ends, from the words of the programs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        # Case 116, with the zones as they were reported.
        ("resets 1:20am (Europe/Vienna)", at(2026, 7, 17, 21, 0), at(2026, 7, 17, 23, 20)),
        ("resets 1pm (Etc/GMT+5)", at(2026, 7, 17, 12, 0), at(2026, 7, 17, 18, 0)),
        ("resets 1pm (Etc/GMT-5)", at(2026, 7, 17, 12, 0), at(2026, 7, 18, 8, 0)),
        ("resets Jul 18 at 4am", at(2026, 7, 17, 12, 0), at(2026, 7, 18, 4, 0)),
        ("resets 12:50am (America/Los_Angeles)", at(2026, 11, 30, 23, 0), at(2026, 12, 1, 8, 50)),
        ("resets 12:50am (America/Los_Angeles)", at(2026, 7, 1, 23, 0), at(2026, 7, 2, 7, 50)),
        ("Claude AI usage limit reached|1749924000", at(2025, 6, 14, 12, 0), at(2025, 6, 14, 18, 0)),
        ("usage limit reached|1749924000000", at(2025, 6, 14, 12, 0), at(2025, 6, 14, 18, 0)),
        # Cases 26 and 115.
        ("limit resets at 3pm (Europe/Berlin)", at(2026, 11, 30, 12, 0), at(2026, 11, 30, 14, 0)),
        ("resets 3pm", at(2026, 11, 30, 15, 5), at(2026, 12, 1, 15, 0)),
    ],
)
def test_what_people_reported_is_read_right(text: str, now: datetime, expected: datetime) -> None:
    assert reset_time(text, now=now, zone="UTC") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please retry in 34.07s.", at(2026, 11, 30, 12, 0, 34, 70000)),
        ("Please try again in 1m30.5s.", at(2026, 11, 30, 12, 1, 30, 500000)),
        ("Please try again in 6m0s.", at(2026, 11, 30, 12, 6)),
        ("try again in 200ms", at(2026, 11, 30, 12, 0, 0, 200000)),
        ("resets in 3h 20m", at(2026, 11, 30, 15, 20)),
        ("resets in 1.5 hours", at(2026, 11, 30, 13, 30)),
        ("available again in about 3 hours and 5 minutes", at(2026, 11, 30, 15, 5)),
        ("resets in 2d 3h", at(2026, 12, 2, 15)),
    ],
)
def test_a_span_is_counted_from_now(text: str, expected: datetime) -> None:
    assert reset_time(text, now=NOW, zone="UTC") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"resets_at": 1796126400', at(2026, 12, 1, 12)),
        ('"resetsAt":1796126400000', at(2026, 12, 1, 12)),
        ('"resets_at":"2026-12-01T09:30:00Z"', at(2026, 12, 1, 9, 30)),
        ("resets at 2026-12-01 09:30 (server time)", at(2026, 12, 1, 9, 30)),
        ("resets 2026-12-01T09:30:00.250+02:00", at(2026, 12, 1, 7, 30)),
        ("2026-11-30 11:59:59 quota exceeded, resets in 3h", at(2026, 11, 30, 15)),
        ("resets 18 Dec, 4:00 pm", at(2026, 12, 18, 16)),
        ("resets on 3rd December 2026 at 16:00", at(2026, 12, 3, 16)),
        ("Your quota resets on December 1.", at(2026, 12, 1)),
        ("resets tomorrow at 9am", at(2026, 12, 1, 9)),
        ("resets today at 5pm", at(2026, 11, 30, 17)),
        ("resets Mon 9am", at(2026, 12, 7, 9)),
        ("resets Thursday at 9am", at(2026, 12, 3, 9)),
        ("resets 3pm CET", at(2026, 11, 30, 14)),
        ("resets 3 p.m. PT", at(2026, 11, 30, 23)),
        ("resets 3pm (GMT+5:30)", at(2026, 12, 1, 9, 30)),
        ("resets 3:47\u202fPM (UTC)", at(2026, 11, 30, 15, 47)),
        ("resets 3pm to everybody's joy", at(2026, 11, 30, 15)),
        ("resets 0:30 am", at(2026, 12, 1, 0, 30)),
        ("You have hit your limit. Available again at 15:30.", at(2026, 11, 30, 15, 30)),
        ("resets when it does; try again at 3:45 PM", at(2026, 11, 30, 15, 45)),
        ("resets \u0663:\u0663\u0660 pm", None),
        ("resets in \u0663 hours", None),
        ("resets in 99999999999 days", None),
        ("resets in 5000 days", None),
        ("resets Jan 3, 2025, 9am", None),
        ("resets 2026-13-45 09:30", None),
        ("resets 24:00", None),
        ("resets 3pm XQZ", None),
    ],
)
def test_other_ways_to_say_it(text: str, expected: datetime | None) -> None:
    assert reset_time(text, now=NOW, zone="UTC") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resets 1pm Etc/GMT+5", at(2026, 11, 30, 18)),
        ("resets 3pm Europe/Berlin", at(2026, 11, 30, 14)),
        ("resets 3pm, Europe/Berlin", at(2026, 11, 30, 14)),
        ("resets 3pm [Europe/Berlin]", at(2026, 11, 30, 14)),
        ("resets 3pm (Europe/Berlin time)", at(2026, 11, 30, 14)),
        ("resets 3pm (europe/berlin)", at(2026, 11, 30, 14)),
        ("resets 3pm (Pacific Time)", at(2026, 11, 30, 23)),
        ("resets at midnight Pacific time", at(2026, 12, 1, 8)),
        ("resets 3pm Eastern Standard Time", at(2026, 11, 30, 20)),
        ("resets at 2026-12-01 09:30 (Europe/Berlin)", at(2026, 12, 1, 8, 30)),
        ("resets at 2026-12-01 09:30 PST", at(2026, 12, 1, 17, 30)),
        ("resets 3pm (your local time)", at(2026, 11, 30, 15)),
        ("resets 3pm local time", at(2026, 11, 30, 15)),
        ("resets 3pm (in 3 hours)", at(2026, 11, 30, 15)),
        ("resets 3pm and/or when you pay", at(2026, 11, 30, 15)),
        ("resets 3pm (Central European Time)", None),
        ("resets at 2026-12-01 09:30 (Middle/Nowhere)", None),
    ],
)
def test_a_zone_counts_however_it_is_written(text: str, expected: datetime | None) -> None:
    """Case 116: a zone that is passed over makes a time that is hours off."""
    assert reset_time(text, now=NOW, zone="UTC") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resets at midnight", at(2026, 12, 1)),
        ("resets at noon (Europe/Berlin)", at(2026, 12, 1, 11)),
        ("resets tonight at 9pm", at(2026, 11, 30, 21)),
        ("resets tomorrow", at(2026, 12, 1)),
        ("resets on Thursday", at(2026, 12, 3)),
        ("resets next Monday at 9am", at(2026, 12, 7, 9)),
        ("resets Tue, Dec 1, 3pm", at(2026, 12, 1, 15)),
        ("resets Tuesday, December 1 at 3:00 PM UTC", at(2026, 12, 1, 15)),
        ("resets on 2026-12-01", at(2026, 12, 1)),
        ("resets 2026-12-01 9:30 pm", at(2026, 12, 1, 21, 30)),
        ("Resets: 3pm", at(2026, 11, 30, 15)),
        ("resets around 3pm", at(2026, 11, 30, 15)),
        ("try again after 3pm", at(2026, 11, 30, 15)),
        ("access will be restored at 3pm", at(2026, 11, 30, 15)),
        ("retry-after: Tue, 01 Dec 2026 07:28:00 GMT", at(2026, 12, 1, 7, 28)),
        ("limit reached | 1796126400", at(2026, 12, 1, 12)),
        ("Retry-After: 120", at(2026, 11, 30, 12, 2)),
        ('"retry_after_seconds": 30', at(2026, 11, 30, 12, 0, 30)),
        ('"resets_in_seconds":3600', at(2026, 11, 30, 13)),
        ('"retryDelay": "34s"', at(2026, 11, 30, 12, 0, 34)),
        ("x-ratelimit-reset-requests: 6m0s", at(2026, 11, 30, 12, 6)),
        ("please wait 5 minutes", at(2026, 11, 30, 12, 5)),
        ("try again in an hour", at(2026, 11, 30, 13)),
        ("resets in 2:15:00", at(2026, 11, 30, 14, 15)),
        ("resets monthly at 9am", None),
        ("resets sunny side up", None),
        ("retry after 3 failures", None),
        ("resets 07/18 at 4am", None),
    ],
)
def test_days_hours_and_headers_of_other_programs_are_read(text: str, expected: datetime | None) -> None:
    assert reset_time(text, now=NOW, zone="UTC") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resets at 9am on Dec 3", at(2026, 12, 3, 0)),
        ("resets 3pm, Dec 3 (Europe/Berlin)", at(2026, 12, 3, 14)),
        ("resets 9am (UTC) on Dec 3", at(2026, 12, 3, 9)),
        ("resets at 10:00 PM on Thursday", at(2026, 12, 3, 13)),
        ("resets 15:00 on 2026-12-03", at(2026, 12, 3, 6)),
        ("resets 9am UTC tomorrow", at(2026, 12, 1, 9)),
        ("resets 11pm today", at(2026, 11, 30, 14)),
    ],
)
def test_a_day_counts_behind_its_clock_time_as_before_it(text: str, expected: datetime) -> None:
    """A weekly limit that is read as one of today wakes its agents in vain for days."""
    assert reset_time(text, now=NOW, zone="Asia/Tokyo") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resets 17:00 UTC", at(2026, 11, 30, 17)),
        ("resets 17:00 CET", at(2026, 11, 30, 16)),
        ("resets at 17:00 Europe/Berlin", at(2026, 11, 30, 16)),
        ("resets 5am +08:00", at(2026, 11, 30, 21)),
        ("resets 5am (GMT\u22123)", at(2026, 12, 1, 8)),
        ("resets 3pm (America/New_York, in 8 hours)", at(2026, 11, 30, 20)),
        ("retry-after: Tue, 01 Dec 2026 07:28:00 GMT", at(2026, 12, 1, 7, 28)),
        ("resets Wed Dec 02 2026 15:00:00 GMT+0100 (CET)", at(2026, 12, 2, 14)),
        ("resets 3pm New York time", None),
        ("resets 3pm OR upgrade", at(2026, 12, 1, 6)),
        ("resets 3pm (UTC+5:75)", None),
    ],
)
def test_the_zone_of_a_clock_of_24_hours_counts_and_other_words_are_none(
    text: str, expected: datetime | None
) -> None:
    """Read where the machine's own zone is another, which hides nothing."""
    assert reset_time(text, now=NOW, zone="Asia/Tokyo") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("or try again in less than a minute.", at(2026, 11, 30, 12, 1)),
        ("resets in 1 week", at(2026, 12, 7, 12)),
        ("resets in ~2h", at(2026, 11, 30, 14)),
        ("Limit resets in: 4h 59m", at(2026, 11, 30, 16, 59)),
        ("You can continue in 2h 15m", at(2026, 11, 30, 14, 15)),
        ("Your limit will be lifted in 45m", at(2026, 11, 30, 12, 45)),
        ("come back in 2 hours", at(2026, 11, 30, 14)),
        ("retrying in 30 seconds", at(2026, 11, 30, 12, 0, 30)),
        ("retry-after-ms: 1500", at(2026, 11, 30, 12, 0, 1, 500000)),
        ('"quotaResetDelay":"3h20m"', at(2026, 11, 30, 15, 20)),
        ('"quotaResetTimeStamp":"2026-12-01T00:00:00Z"', at(2026, 12, 1)),
        ("Reset time: 3pm (UTC)", at(2026, 11, 30, 15)),
        ("resets \u2013 3pm", at(2026, 11, 30, 15)),
        ("will refresh at 3pm", at(2026, 11, 30, 15)),
        ("you can use it again at 3pm", at(2026, 11, 30, 15)),
        ("resets this Friday at 5pm", at(2026, 12, 4, 17)),
        ("resets on the 1st of December", at(2026, 12, 1)),
        ("resets 2026/12/02 15:00", at(2026, 12, 2, 15)),
        ("resets today at 9am", at(2026, 11, 30, 9)),
        ("resets 12/2, 3pm", None),
        ("try again in a few minutes", None),
        ("resets next week", None),
    ],
)
def test_spans_and_days_in_more_words_are_read(text: str, expected: datetime | None) -> None:
    assert reset_time(text, now=NOW, zone="UTC") == expected


def test_a_date_that_is_just_over_is_not_next_years() -> None:
    new_year = at(2027, 1, 1, 0, 30)
    assert reset_time("resets Dec 31, 11pm (UTC)", now=new_year, zone="UTC") == at(2026, 12, 31, 23)
    assert reset_time("resets Jan 2, 1am (UTC)", now=at(2026, 12, 31, 23), zone="UTC") == at(2027, 1, 2, 1)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (at(2026, 10, 24, 22, 0), at(2026, 10, 25, 0, 30)),
        (at(2026, 10, 25, 0, 29), at(2026, 10, 25, 0, 30)),
        (at(2026, 10, 25, 0, 31), at(2026, 10, 25, 1, 30)),
        (at(2026, 10, 25, 1, 31), at(2026, 10, 26, 1, 30)),
    ],
)
def test_a_time_that_the_night_has_twice_is_the_first_that_is_to_come(
    now: datetime, expected: datetime
) -> None:
    assert reset_time("resets 2:30am (Europe/Berlin)", now=now, zone="UTC") == expected


def test_a_time_that_the_night_has_not_is_as_long_after_midnight() -> None:
    before = at(2027, 3, 27, 22, 0)
    assert reset_time("resets 2:30am (Europe/Berlin)", now=before, zone="UTC") == at(2027, 3, 28, 1, 30)


@given(
    st.text(max_size=60) | st.from_regex(r"resets? (at |on |in )?[0-9a-zA-Z:|. +()/-]{1,30}", fullmatch=True)
)
def test_nothing_that_a_screen_may_say_breaks_the_reading(text: str) -> None:
    found = reset_time(text, now=NOW, zone="UTC")
    assert found is None or found.utcoffset() == timedelta()
