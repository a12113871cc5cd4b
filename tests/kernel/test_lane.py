"""Lanes: a port that is wedged costs its own calls their deadline, and nobody else anything."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hive.errors import GivenUp, Missing, Unreachable
from hive.kernel.lane import Lane
from tests.kernel.house import until


class Client:
    def __init__(self) -> None:
        self.thread = threading.current_thread().name
        self.closed = threading.Event()


@contextmanager
def clients() -> Iterator[tuple[list[Client], Lane[Client], list[tuple[str, str, int]]]]:
    made: list[Client] = []
    told: list[tuple[str, str, int]] = []

    def build() -> Client:
        made.append(Client())
        return made[-1]

    lane = Lane(
        "port",
        build,
        close=lambda client: client.closed.set(),
        abandoned=lambda *what: told.append(what),
    )
    try:
        yield made, lane, told
    finally:
        lane.close()


async def test_calls_run_in_order_in_one_thread_that_owns_the_client() -> None:
    with clients() as (made, lane, _):
        seen: list[int] = []
        await asyncio.gather(*(lane.call("n", lambda c, n=n: seen.append(n), 5) for n in range(20)))  # type: ignore[misc]
        assert seen == list(range(20))
        assert [client.thread for client in made] == ["lane-port"]
        lane.close()
        assert made[0].closed.is_set()


async def test_a_wedged_call_is_given_up_counted_and_its_client_replaced() -> None:
    wedge = threading.Event()
    with clients() as (made, lane, told):
        with pytest.raises(Unreachable, match=r"^port: no answer to 'look' within 0.05 s$"):
            await lane.call("look", lambda client: wedge.wait(20), 0.05)
        assert (lane.count, told) == (1, [("port", "look", 1)])
        assert await lane.call("again", lambda client: client is made[1], 5)
        wedge.set()
        assert made[0].closed.wait(5)
        assert not made[1].closed.is_set()


async def test_calls_that_wait_behind_a_wedged_one_fail_too_and_are_counted_once() -> None:
    wedge = threading.Event()
    with clients() as (_, lane, told):
        calls = [lane.call(str(n), lambda client: wedge.wait(20), 0.05) for n in range(3)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        wedge.set()
        assert [type(one) for one in results] == [GivenUp] * 3
        assert (lane.count, len(told)) == (1, 1)


async def test_a_wedged_lane_keeps_no_other_waiting() -> None:
    wedge = threading.Event()
    with clients() as (_, wedged, _), clients() as (_, healthy, _):
        hanging = asyncio.create_task(wedged.call("look", lambda client: wedge.wait(20), 5))
        await asyncio.sleep(0)
        began = time.monotonic()
        assert await healthy.call("look", lambda client: "answer", 5) == "answer"
        assert time.monotonic() - began < 2
        wedge.set()
        assert await hanging


async def test_what_a_call_raises_reaches_who_asked_and_the_client_stays() -> None:
    def fail(client: Client) -> None:
        raise Missing("port", "it is not there")

    def late(client: Client) -> None:
        raise TimeoutError("the library's own")

    with clients() as (made, lane, _):
        with pytest.raises(Missing):
            await lane.call("look", fail, 5)
        with pytest.raises(TimeoutError, match="the library's own"):
            await lane.call("look", late, 5)
        await lane.call("look", lambda client: None, 5)
        assert (len(made), lane.count) == (1, 0)


async def test_a_client_that_cannot_be_built_is_tried_again_by_the_next_call() -> None:
    answers = iter([Unreachable("port", "not yet"), None])

    def build() -> str:
        answer = next(answers)
        if answer is not None:
            raise answer
        return "client"

    lane: Lane[str] = Lane("port", build)
    with pytest.raises(Unreachable, match="not yet"):
        await lane.call("look", len, 5)
    assert await lane.call("look", len, 5) == 6
    lane.close()


async def test_closing_a_wedged_lane_waits_no_longer_than_told() -> None:
    wedge = threading.Event()
    with clients() as (made, lane, _):
        hanging = asyncio.create_task(lane.call("look", lambda client: wedge.wait(20), 10))
        await until(lambda: made)
        began = time.monotonic()
        lane.close(0.1)
        assert time.monotonic() - began < 2
        wedge.set()
        await hanging
        assert made[0].closed.wait(5)


async def test_a_cancellation_that_meets_the_answer_is_not_lost() -> None:
    with clients() as (_, lane, _):
        first = asyncio.create_task(lane.call("look", lambda client: 1, 5))
        answered = threading.Event()
        second = asyncio.create_task(lane.call("mark", lambda client: answered.set(), 5))
        await asyncio.sleep(0)
        assert answered.wait(5)  # the first answer is on its way, and the loop has not taken it yet
        asyncio.get_running_loop().call_soon(first.cancel)
        with pytest.raises(asyncio.CancelledError):
            await first
        await second
