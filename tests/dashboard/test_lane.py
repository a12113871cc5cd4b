"""Waiting for a call can be given up; the caller, the next calls and the end of the program go on."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from hive.dashboard.lane import MOST_GIVEN_UP, Lane


async def test_a_call_gives_its_result_or_its_failure() -> None:
    lane = Lane("test")
    assert await lane.call(lambda: 7, deadline=5) == 7
    with pytest.raises(ZeroDivisionError):
        await lane.call(lambda: 1 / 0, deadline=5)
    lane.close()


async def test_calls_share_one_thread_which_ends_when_the_lane_is_closed() -> None:
    lane = Lane("test-one-thread")
    threads = {await lane.call(threading.current_thread, deadline=5) for _ in range(3)}
    (thread,) = threads
    lane.close()
    await asyncio.to_thread(thread.join, 5)
    assert not thread.is_alive()
    assert thread.daemon


async def test_a_call_past_its_deadline_is_given_up_and_the_next_one_is_served() -> None:
    lane, hang = Lane("test"), threading.Event()
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        await lane.call(hang.wait, deadline=0.05)
    assert await lane.call(lambda: "served", deadline=5) == "served"
    assert time.monotonic() - started < 4
    hang.set()
    lane.close()


async def test_no_more_threads_are_spent_when_many_calls_hang_until_one_comes_back() -> None:
    lane, hang = Lane("test"), threading.Event()
    for _ in range(MOST_GIVEN_UP):
        with pytest.raises(TimeoutError):
            await lane.call(hang.wait, deadline=0.01)
    with pytest.raises(TimeoutError, match="still hang"):
        await lane.call(lambda: "never asked", deadline=5)
    hang.set()
    until = time.monotonic() + 10
    while True:
        try:
            assert await lane.call(lambda: "served", deadline=5) == "served"
            break
        except TimeoutError:
            assert time.monotonic() < until
            await asyncio.sleep(0.01)
    lane.close()


def test_the_loop_ends_at_once_though_a_call_hangs() -> None:
    hang = threading.Event()

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await Lane("test").call(lambda: hang.wait(30), deadline=0.05)

    started = time.monotonic()
    asyncio.run(give_up())
    assert time.monotonic() - started < 10
    hang.set()
