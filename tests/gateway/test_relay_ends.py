"""Requests to models that do not come to a good end, and those that may not begin."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from hive.facts.models import Dialect, ModelProblem
from hive.gateway.settings import Limits
from hive.ports.models import ModelCaller
from tests.gateway.relay_place import (
    AGENT_KEY,
    END,
    RawProvider,
    RelayPlace,
    chunk,
    document,
    head,
    relay_place,
)
from tests.gateway.test_relay import MESSAGES, STREAM


@pytest.fixture
def provider() -> Iterator[RawProvider]:
    with RawProvider() as raw:
        yield raw


@pytest.fixture
def place(tmp_path: Path, provider: RawProvider) -> Iterator[RelayPlace]:
    limits = Limits(model_requests_each=2)
    with relay_place(tmp_path, {"anthropic": (Dialect.ANTHROPIC, provider.url)}, limits) as made:
        yield made


def until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f"not within 10 s: {what}")


def until_hung_up(seen: list[bool]) -> Callable[[socket.socket], None]:
    """Waits until the connection is hung up by its other side."""

    def wait(connection: socket.socket) -> None:
        connection.settimeout(10)
        with contextlib.suppress(OSError):
            seen.append(connection.recv(1) == b"")

    return wait


def begun(place: RelayPlace, body: bytes = b"{}") -> HTTPConnection:
    connection = HTTPConnection("127.0.0.1", place.gateway.port, timeout=10)
    connection.request("POST", MESSAGES, body, {"x-api-key": AGENT_KEY})
    return connection


@pytest.mark.parametrize("after", [(), (head(), chunk(STREAM[0]))])
def test_an_agent_that_hangs_up_while_its_model_thinks_ends_the_providers_request(
    place: RelayPlace, provider: RawProvider, after: Sequence[bytes]
) -> None:
    seen: list[bool] = []
    provider.answers = [[*after, until_hung_up(seen)]]
    connection = begun(place)
    until(lambda: provider.requests, "the request")
    if after:
        assert connection.getresponse().read(len(STREAM[0])) == STREAM[0]
    connection.close()
    until(lambda: seen, "the end of the provider's connection")
    assert seen == [True]
    until(place.authority.used, "the use on record")
    place.settled()
    [used] = place.authority.used()
    assert used.is_estimate
    assert (used.input, used.output) == ((10, 1) if after else (1, 0))


def test_an_answer_that_says_what_it_used_is_no_estimate(place: RelayPlace, provider: RawProvider) -> None:
    provider.answers = [[head(), *map(chunk, STREAM), END]]
    assert place.ask(MESSAGES)[0] == 200
    place.settled()
    assert [used.is_estimate for used in place.authority.used()] == [False]


def test_an_error_within_a_stream_is_a_fact_and_costs_nothing_where_no_answer_began(
    place: RelayPlace, provider: RawProvider
) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    event = b"event: error\ndata: " + json.dumps(error).encode() + b"\n\n"
    provider.answers = [[head(), chunk(event), END], [head(), chunk(STREAM[0]), chunk(event), END]]
    status, _, body = place.ask(MESSAGES)
    assert (status, body) == (200, event)
    place.settled()
    [told] = place.authority.refused()
    assert (told.problem, told.status, told.detail) == (
        ModelProblem.OVERLOADED,
        200,
        "overloaded_error: Overloaded",
    )
    assert place.authority.used() == []
    assert place.ask(MESSAGES)[0] == 200
    place.settled()
    assert [(used.key, used.input, used.is_estimate) for used in place.authority.used()] == [
        ("anthropic/msg_1", 10, True)
    ]


def test_an_agent_has_so_many_requests_at_once_and_each_end_makes_room(
    place: RelayPlace, provider: RawProvider
) -> None:
    seen: list[bool] = []
    provider.answers = [[head(), chunk(STREAM[0]), until_hung_up(seen)] for _ in range(2)]
    streams = [begun(place) for _ in range(2)]
    for stream in streams:
        assert stream.getresponse().read(1) == STREAM[0][:1]
    status, headers, body = place.ask(MESSAGES)
    assert (status, headers["retry-after"]) == (503, "2")
    said = "hive: quality has 2 requests to models under way, as many as one agent may; ask again"
    assert json.loads(body)["error"] == {"type": "overloaded_error", "message": said}
    assert len(provider.requests) == 2
    for stream in streams:
        stream.close()
    until(lambda: len(seen) == 2, "the ends")
    answer = document(200, {"type": "message", "id": "m", "usage": {}})
    provider.answers = [[answer] for _ in range(4)]
    until(lambda: place.ask(MESSAGES)[0] == 200, "room")


def test_an_answer_without_a_body_and_one_that_nobody_waited_for_leave_their_places(
    place: RelayPlace, provider: RawProvider
) -> None:
    early = document(413, {"error": "too large"})
    provider.answers = [[b"HTTP/1.1 204 No Content\r\n\r\n"] for _ in range(3)]
    for _ in range(3):
        assert place.ask(MESSAGES)[0] == 204
    for _ in range(3):
        provider.answers = [[early]]
        with closing(HTTPConnection("127.0.0.1", place.gateway.port, timeout=10)) as connection:
            connection.putrequest("POST", MESSAGES)
            connection.putheader("x-api-key", AGENT_KEY)
            connection.putheader("Content-Length", "10")
            connection.endheaders(b"{")
    provider.answers = [[document(200, {"type": "message", "id": "m", "usage": {}})] for _ in range(9)]
    until(lambda: place.ask(MESSAGES)[0] == 200, "room")


@pytest.fixture
def dear(place: RelayPlace) -> RelayPlace:
    """A place where the budget for one model is spent."""

    def budget(caller: ModelCaller, _: object) -> str | None:
        return "'opus' is spent" if caller.model == "dear" else None

    place.authority.by_model = True
    place.authority.budget = budget
    return place


def test_a_budget_for_a_model_is_about_the_one_that_the_request_names(
    dear: RelayPlace, provider: RawProvider
) -> None:
    answer = document(200, {"type": "message", "id": "m", "usage": {}})
    provider.answers = [[answer]]
    text = b'{"messages": [{"model": "dear"}, "' + b"x" * 200_000 + b'"], "model": "%b"}'
    assert dear.ask(MESSAGES, text % b"cheap")[0] == 200
    assert provider.requests[0].endswith(b'"model": "cheap"}')
    status, _, body = dear.ask(MESSAGES, b'{"model": "dear"}')
    assert (status, json.loads(body)["error"]["message"]) == (402, "hive: over budget: 'opus' is spent")
    assert dear.ask(MESSAGES, text % b"dear")[0] == 402
    assert dear.ask(MESSAGES, text % b"d\\u0065ar")[0] == 402
    assert len(provider.requests) == 1
    dear.settled()
    assert {event.problem for event in dear.authority.refused()} == {ModelProblem.OVER_BUDGET}


@pytest.mark.parametrize(
    "body", [b'{"model":"cheap","model":"dear"}', b'{"model":"a","Model":"b"}', b'{"model":["dear"]}']
)
def test_a_request_that_names_its_model_in_doubt_is_not_passed_on(
    dear: RelayPlace, provider: RawProvider, body: bytes
) -> None:
    status, _, said = dear.ask(MESSAGES, body)
    assert (status, json.loads(said)["error"]["message"]) == (
        400,
        "hive: the request has to name one model, once",
    )
    assert provider.requests == []


def test_hundreds_of_agents_stream_at_once_and_the_gateway_still_answers(
    tmp_path: Path, provider: RawProvider
) -> None:
    with relay_place(tmp_path, {"anthropic": (Dialect.ANTHROPIC, provider.url)}) as place:
        keys = [f"{AGENT_KEY}-{number}" for number in range(200)]
        place.authority.callers |= {key: ModelCaller(f"a{key[-3:]}", "anthropic") for key in keys}
        ended: list[bool] = []
        wait = until_hung_up(ended)
        provider.answers = [[head(), chunk(STREAM[0]), wait] for _ in keys]
        streams = []
        for key in keys:
            connection = HTTPConnection("127.0.0.1", place.gateway.port, timeout=30)
            connection.request("POST", MESSAGES, b"{}", {"x-api-key": key})
            streams.append((connection, connection.getresponse()))
        assert {response.read(len(STREAM[0])) for _, response in streams} == {STREAM[0]}
        began = time.monotonic()
        assert place.ask("/v1/relay/anthropic", None, method="HEAD")[0] == 200
        assert time.monotonic() - began < 5
        for connection, _ in streams:
            connection.close()


def test_what_is_not_http_from_a_provider_is_in_doubt_and_said_so(
    place: RelayPlace, provider: RawProvider
) -> None:
    provider.answers = [[b"nonsense\r\n\r\n"]]
    with contextlib.suppress(http.client.HTTPException):
        assert place.ask(MESSAGES)[0] == 502
