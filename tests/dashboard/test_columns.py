"""Columns give way by importance, and never overlap or overflow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hive.dashboard.columns import GAP, LUXURY, Column, Fitted, fit
from hive.dashboard.rows import AGENTS

COLUMNS = st.builds(
    Column,
    title=st.just("c"),
    least=st.integers(1, 20),
    most=st.integers(20, 60),
    importance=st.integers(0, 7),
)


@given(st.lists(st.tuples(COLUMNS, st.integers(0, 90)), min_size=1, max_size=9), st.integers(1, 220))
def test_columns_never_need_more_room_than_there_is(
    given_columns: list[tuple[Column, int]], room: int
) -> None:
    columns = [column for column, _ in given_columns]
    fitted = fit(columns, [wanted for _, wanted in given_columns], room)
    assert fitted
    assert sum(each.width for each in fitted) + GAP * (len(fitted) - 1) <= room
    assert [each.index for each in fitted] == sorted({each.index for each in fitted})
    kept = {each.index for each in fitted}
    dropped = set(range(len(columns))) - kept
    assert all(columns[gone].importance >= columns[stays].importance for gone in dropped for stays in kept)


def test_the_least_important_column_leaves_first() -> None:
    columns = [Column("a", 5, 9, 0), Column("b", 5, 9, 2), Column("c", 5, 9, 1)]
    assert fit(columns, [5, 5, 5], 17) == (Fitted(0, 5), Fitted(1, 5), Fitted(2, 5))
    assert fit(columns, [5, 5, 5], 16) == (Fitted(0, 5), Fitted(2, 5))
    assert fit(columns, [5, 5, 5], 10) == (Fitted(0, 5),)
    assert fit(columns, [5, 5, 5], 3) == (Fitted(0, 3),)


def test_spare_room_goes_to_the_most_important_column_that_wants_it() -> None:
    columns = [Column("a", 5, 30, 1), Column("b", 5, 30, 0)]
    assert fit(columns, [20, 9], 20) == (Fitted(0, 10), Fitted(1, 9))


def test_a_luxury_waits_until_all_others_have_what_they_want() -> None:
    columns = [Column("a", 5, 30, 0), Column("b", 5, 30, LUXURY)]
    assert fit(columns, [20, 5], 25) == (Fitted(0, 20),)
    assert fit(columns, [20, 5], 26) == (Fitted(0, 20), Fitted(1, 5))


def test_80_columns_show_state_name_age_task_repository_mode_and_detail_of_agents() -> None:
    shown = fit(AGENTS, [60] * len(AGENTS), 79)
    assert [AGENTS[each.index].title for each in shown] == [
        "state",
        "agent",
        "for",
        "task",
        "repo",
        "mode",
        "detail",
    ]
