"""Every message counts once, in whatever order and however often it is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import hypothesis.strategies as st
from hypothesis import given

from hive.decisions.recall import recall
from hive.decisions.spending import total
from hive.facts.events import Record, UsageRecorded
from hive.facts.memory import Memory
from hive.facts.spending import KEPT_KEYS
from hive.facts.usage import TokenUsage

NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)


def used(key: str, output: int, cost: int | None = 0, *, minutes: int = 0, agent: str = "a") -> UsageRecorded:
    return UsageRecorded(
        agent=agent,
        model="m",
        key=key,
        source="transcript",
        output=output,
        cost=cost,
        used_at=NOW + timedelta(minutes=minutes),
    )


def after(events: list[UsageRecorded], memory: Memory | None = None) -> Memory:
    memory = memory or Memory()
    records = [Record(memory.seq + number, NOW, 0, event) for number, event in enumerate(events, 1)]
    return recall(memory, records)


def test_lines_of_one_message_that_grow_are_one_message() -> None:
    memory = after(
        [used("msg_1", 1, 10), used("msg_1", 80, 800), used("msg_1", 80, 800), used("msg_2", 5, 50)]
    )
    assert total(memory.spending.rows.values()) == (TokenUsage(output=85), 850, 0)


def test_the_same_key_of_another_agent_is_another_message() -> None:
    memory = after([used("1", 10, 1), used("1", 10, 1, agent="b")])
    assert total(memory.spending.rows.values()) == (TokenUsage(output=20), 2, 0)


def test_a_message_stays_in_the_hour_in_which_it_began() -> None:
    memory = after([used("1", 10, 1), used("1", 30, 3, minutes=45)])
    (row,) = memory.spending.rows.values()
    assert (row.hour, row.tokens.output) == (NOW.replace(minute=0), 30)


def test_a_model_that_gets_a_price_later_is_unpriced_no_more() -> None:
    memory = after([used("1", 10, None), used("2", 5, None), used("1", 10, 7)])
    assert total(memory.spending.rows.values()) == (TokenUsage(output=15), 7, 5)


def test_what_is_older_than_the_forgotten_keys_is_not_counted_again() -> None:
    many = [used(f"k{n}", 1, 1, minutes=n) for n in range(2 * KEPT_KEYS + 1)]
    memory = after([*many, *many])
    counted = memory.spending.counted["a"]
    assert total(memory.spending.rows.values()) == (TokenUsage(output=len(many)), len(many), 0)
    assert len(counted.keys) == KEPT_KEYS
    assert counted.until == NOW + timedelta(minutes=KEPT_KEYS)


MESSAGES = st.lists(
    st.builds(used, st.sampled_from("pqrs"), st.integers(0, 9), st.integers(0, 9)), max_size=20
)


@given(MESSAGES, st.lists(st.integers(0, 20), max_size=4), st.randoms(use_true_random=False))
def test_any_order_and_any_restarts_give_the_same_sum(
    messages: list[UsageRecorded], cuts: list[int], random: object
) -> None:
    shuffled = list(messages)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    memory = Memory()
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), None], strict=True):
        memory = after(shuffled[begin:end], memory)  # a restart: the rest is folded into a snapshot
    memory = after(shuffled, memory)  # the transcript is read anew, whole
    largest: dict[str, tuple[int, int]] = {}
    for one in messages:
        output, cost = largest.get(one.key, (0, 0))
        largest[one.key] = (max(output, one.output), max(cost, one.cost or 0))
    tokens, cost, unpriced = total(memory.spending.rows.values())
    assert tokens.output == sum(output for output, _ in largest.values())
    assert cost == sum(cost for _, cost in largest.values())
    assert unpriced == 0


def test_very_many_rows_lose_their_tasks_and_keep_their_sums() -> None:
    events = [replace_task(used(f"k{n}", 1, 1, minutes=n), f"t{n}") for n in range(20_001)]
    memory = after(events)
    assert len(memory.spending.rows) < 11_000
    assert total(memory.spending.rows.values()) == (TokenUsage(output=20_001), 20_001, 0)


def replace_task(event: UsageRecorded, task: str) -> UsageRecorded:
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return UsageRecorded(**{**fields, "task": task})


def test_usage_of_one_kind_is_no_other() -> None:
    one = TokenUsage(1, 2, 3, 4, 5)
    assert replace(one, input=9).union(replace(one, cache_read=8)) == TokenUsage(9, 2, 8, 4, 5)
    assert (one + one) - one == one
    assert (one.prompt, one.total) == (8, 10)
