"""Looks become fewer as what the forge allows shrinks, idle repositories first; acts keep a share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.forge_pace import RESERVE, Watched, for_looks, pace, waits_until
from hive.facts.quotas import Pace, Quota

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
POLL = timedelta(seconds=60)
IN_AN_HOUR = NOW + timedelta(hours=1)


def quota(remaining: int = 5000, *, limit: int = 5000, holder: str = "the token") -> Quota:
    return Quota(holder, "graphql", limit, remaining, IN_AN_HOUR)


def repositories(busy: int, idle: int, cost: float = 2.0, holder: str = "the token") -> dict[str, Watched]:
    made = {f"o/busy-{n}": Watched(holder, {"graphql": cost}, True) for n in range(busy)}
    return made | {f"o/idle-{n}": Watched(holder, {"graphql": cost}) for n in range(idle)}


def seconds(found: Pace) -> Mapping[str, float]:
    return {repo: round(one.total_seconds()) for repo, one in found.intervals.items()}


def test_what_can_be_afforded_is_looked_at_as_often_as_configured() -> None:
    found = pace(POLL, repositories(3, 30), [quota()], NOW)
    assert set(seconds(found).values()) == {60}
    assert found.because == ""


def test_100_repositories_on_one_installation_are_looked_at_as_often_as_its_limit_allows() -> None:
    # 5,000 points and 50 for each repository beyond 20: 9,000 an hour, of which 7,200 are for looks.
    found = pace(POLL, repositories(10, 90), [quota(9000, limit=9000)], NOW)
    # 10 busy ones at 2 points a minute take 1,200 of them; 90 idle ones share 6,000.
    assert seconds(found) == {repo: 60 if "busy" in repo else 108 for repo in repositories(10, 90)}
    assert found.because == (
        "looks every 60 s to 108 s instead of 60 s: 9000 of 9000 points of GraphQL are left to the token "
        "until 2026-11-30T13:00:00Z"
    )


def test_where_idle_ones_are_looked_at_seldom_already_all_are_looked_at_less_often() -> None:
    found = pace(POLL, repositories(40, 60), [quota()], NOW)
    often, seldom = seconds(found)["o/busy-0"], seconds(found)["o/idle-0"]
    assert (often, seldom) == (99, 396)


def test_nothing_is_looked_at_out_of_what_is_kept_for_acts() -> None:
    used_up = quota(1000)
    assert for_looks(used_up, NOW) == 0
    assert seconds(pace(POLL, repositories(1, 1), [used_up], NOW)) == {"o/busy-0": 3600, "o/idle-0": 3600}
    assert waits_until([quota(4000), used_up], NOW) == (
        IN_AN_HOUR,
        "1000 of 5000 points of GraphQL are left to the token, which is kept for acts until "
        "2026-11-30T13:00:00Z",
    )
    assert waits_until([quota(1001)], NOW) is None


def test_after_the_hour_everything_is_there_again() -> None:
    assert waits_until([quota(0)], IN_AN_HOUR) is None
    assert set(seconds(pace(POLL, repositories(1, 1), [quota(0)], IN_AN_HOUR)).values()) == {60}


def test_one_installations_limit_slows_no_other_ones_repositories() -> None:
    watched = {
        "a/x": Watched("installation 1", {"graphql": 2.0}),
        "b/x": Watched("installation 2", {"graphql": 2.0}),
    }
    quotas = [quota(1010, holder="installation 1"), quota(holder="installation 2")]
    assert seconds(pace(POLL, watched, quotas, NOW)) == {"a/x": 720, "b/x": 60}


@given(
    busy=st.integers(0, 80),
    idle=st.integers(0, 80),
    cost=st.floats(0.5, 40),
    remaining=st.integers(0, 12_500),
    left=st.integers(1, 3600),
)
def test_looks_never_take_what_is_kept_for_acts(
    busy: int, idle: int, cost: float, remaining: int, left: int
) -> None:
    told = Quota("the token", "graphql", 12_500, remaining, NOW + timedelta(seconds=left))
    intervals = pace(POLL, repositories(busy, idle, cost), [told], NOW).intervals
    assert all(one >= POLL for one in intervals.values())
    spent = sum(cost * (timedelta(seconds=left) / one) for one in intervals.values())
    if for_looks(told, NOW) > 0:
        # Intervals are whole microseconds.
        assert spent <= (remaining - RESERVE * 12_500) * 1.0001
    else:
        assert all(one >= timedelta(seconds=left) for one in intervals.values())
