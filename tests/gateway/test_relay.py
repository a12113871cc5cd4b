"""Through the relay: the provider's key instead of the agent's, byte for byte, counted and on record."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from hive.facts.model_events import ModelRefused
from hive.facts.models import Dialect, ModelProblem
from tests.gateway.relay_place import (
    AGENT_KEY,
    END,
    KEY,
    RawProvider,
    RelayPlace,
    chunk,
    document,
    head,
    relay_place,
)

MESSAGES = "/v1/relay/anthropic/v1/messages"
STREAM = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","model":"claude-x",'
    b'"usage":{"input_tokens":10,"cache_read_input_tokens":20,"cache_creation_input_tokens":30,'
    b'"output_tokens":1}}}\n\n',
    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
    b'"delta":{"type":"text_delta","text":"Hello, world of agents!"}}\n\n',
    b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},'
    b'"usage":{"output_tokens":7}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
)


@pytest.fixture
def provider() -> Iterator[RawProvider]:
    with RawProvider() as raw:
        yield raw


@pytest.fixture
def place(tmp_path: Path, provider: RawProvider) -> Iterator[RelayPlace]:
    with relay_place(tmp_path, {"anthropic": (Dialect.ANTHROPIC, provider.url)}) as made:
        yield made


def counts(place: RelayPlace) -> list[tuple[str, int, int, int, int]]:
    place.settled()
    return [(e.key, e.input, e.output, e.cache_read, e.cache_write) for e in place.authority.used()]


def test_the_provider_sees_its_own_key_and_nothing_that_the_agent_showed(
    place: RelayPlace, provider: RawProvider
) -> None:
    provider.answers = [[document(200, {"type": "message", "id": "m", "model": "x", "usage": {}})]]
    headers = {
        "Authorization": f"Bearer {AGENT_KEY}",
        "anthropic-version": "2023-06-01",
        "Cookie": "a=b",
        "OpenAI-Organization": "another",
    }
    status, _, _ = place.ask(f"{MESSAGES}?beta=true", b'{"model":"x"}', headers=headers)
    assert status == 200
    sent = provider.requests[0].decode()
    assert sent.startswith("POST /v1/messages?beta=true HTTP/1.1\r\n")
    assert f"x-api-key: {KEY}\r\n" in sent
    assert "anthropic-version: 2023-06-01\r\n" in sent
    assert sent.endswith('\r\n\r\n{"model":"x"}')
    for word in (AGENT_KEY, "a=b", "another"):
        assert word not in sent


def test_a_stream_arrives_byte_for_byte_and_each_piece_at_once(
    place: RelayPlace, provider: RawProvider
) -> None:
    seen = [threading.Event() for _ in STREAM]
    pieces: list[object] = [head()]
    for part, event in zip(STREAM, seen, strict=True):
        pieces += [chunk(part), lambda _, event=event: event.wait(10)]
    provider.answers = [[*pieces, END]]  # type: ignore[list-item]  # bytes and calls
    connection = HTTPConnection("127.0.0.1", place.gateway.port, timeout=10)
    connection.request("POST", MESSAGES, b"{}", {"x-api-key": AGENT_KEY})
    response = connection.getresponse()
    for part, event in zip(STREAM, seen, strict=True):
        assert response.read(len(part)) == part, "the next piece is sent only after this one was read"
        event.set()
    assert response.read() == b""
    connection.close()
    assert counts(place) == [("anthropic/msg_1", 10, 7, 20, 30)]
    assert place.authority.used()[0].task == "t1"


def test_a_request_in_chunks_is_passed_on_in_chunks(place: RelayPlace, provider: RawProvider) -> None:
    provider.answers = [[document(200, {"type": "message", "id": "m", "usage": {"input_tokens": 3}})]]
    status, _, _ = place.ask(
        MESSAGES, iter([b'{"model":', b'"x"}']), headers={"Transfer-Encoding": "chunked"}
    )
    assert status == 200
    assert provider.requests[0].endswith(b'9\r\n{"model":\r\n4\r\n"x"}\r\n0\r\n\r\n')


def test_a_cut_stream_is_cut_for_the_agent_and_counted_by_what_was_seen(
    place: RelayPlace, provider: RawProvider
) -> None:
    provider.answers = [[head(), chunk(STREAM[0]), chunk(STREAM[1]), provider.hang_up]]
    with pytest.raises(Exception, match="IncompleteRead"):
        place.ask(MESSAGES)
    # 23 letters of text make six tokens at four a token.
    assert counts(place) == [("anthropic/msg_1", 10, 6, 20, 30)]


def test_an_agent_that_hangs_up_is_counted_all_the_same(place: RelayPlace, provider: RawProvider) -> None:
    gone = threading.Event()

    def until_gone(_: socket.socket) -> None:
        gone.wait(10)

    provider.answers = [[head(), chunk(STREAM[0]), until_gone, *[chunk(STREAM[1])] * 2000]]
    connection = HTTPConnection("127.0.0.1", place.gateway.port, timeout=10)
    connection.request("POST", MESSAGES, b"{}", {"x-api-key": AGENT_KEY})
    assert connection.getresponse().read(len(STREAM[0])) == STREAM[0]
    connection.close()
    gone.set()
    deadline = threading.Event()
    for _ in range(200):
        if place.authority.used():
            break
        deadline.wait(0.05)
    assert [(e.key, e.input, e.cache_read) for e in place.authority.used()] == [("anthropic/msg_1", 10, 20)]


def test_connections_to_the_provider_are_used_again(place: RelayPlace, provider: RawProvider) -> None:
    answer = document(200, {"type": "message", "id": "m", "usage": {}})
    provider.answers = [[answer], [answer], [answer]]
    for _ in range(3):
        assert place.ask(MESSAGES)[0] == 200
    assert provider.connections == 1


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("POST", "/v1/relay/anthropic/v1/files", 404),
        ("GET", "/v1/relay/anthropic/v1/messages", 404),
        ("POST", "/v1/relay/anthropic/v1/messages/batches", 404),
        ("POST", "/v1/relay/anthropic/v1/../v1/messages", 404),
        ("POST", "/v1/relay/anthropic/v1/%6dessages", 404),
        ("POST", "/v1/relay/anthropic//v1/messages", 404),
        ("DELETE", "/v1/relay/anthropic/v1/models/x", 404),
        ("POST", "/v1/relay/other/v1/messages", 403),
        ("POST", "/v1/relay/", 403),
    ],
)
def test_what_is_not_on_the_list_reaches_no_provider(
    place: RelayPlace, provider: RawProvider, method: str, target: str, status: int
) -> None:
    answered, _, _ = place.ask(target, method=method)
    assert (answered, provider.requests) == (status, [])


def test_nobodys_key_reaches_no_provider(place: RelayPlace, provider: RawProvider) -> None:
    status, _, body = place.ask(MESSAGES, key="hive_nobody")
    said = json.loads(body)
    assert (status, said["type"], said["error"]["type"]) == (401, "error", "authentication_error")
    assert place.ask(MESSAGES, key="")[0] == 401
    assert provider.requests == []


def test_a_spent_budget_is_said_in_the_dialect_and_to_the_supervisor(
    place: RelayPlace, provider: RawProvider
) -> None:
    place.authority.budget = lambda caller, _: f"{caller.agent} spent $5.00 of $5.00 today"
    status, _, body = place.ask(MESSAGES)
    assert status == 402
    said = "hive: over budget: quality spent $5.00 of $5.00 today"
    assert json.loads(body) == {"type": "error", "error": {"type": "billing_error", "message": said}}
    place.ask(MESSAGES)
    place.settled()
    expected = ModelRefused(
        agent="quality",
        provider="anthropic",
        account="anthropic",
        problem=ModelProblem.OVER_BUDGET,
        detail="quality spent $5.00 of $5.00 today",
    )
    assert place.authority.events == [expected], "the same a second later is no news"
    assert provider.requests == []


def test_a_budget_is_ruled_on_what_the_answer_before_took(place: RelayPlace, provider: RawProvider) -> None:
    provider.answers = [[head(), *map(chunk, STREAM), END]]
    place.authority.budget = lambda _, unwritten: "spent" if place.authority.used() or unwritten else None
    assert [place.ask(MESSAGES)[0], place.ask(MESSAGES)[0]] == [200, 402]
    assert len(provider.requests) == 1


def test_nothing_is_asked_while_what_was_used_cannot_be_written_down(
    place: RelayPlace, provider: RawProvider
) -> None:
    provider.answers = [[head(), *map(chunk, STREAM), END], [head(), *map(chunk, STREAM), END]]
    place.authority.full_disk = True
    assert place.ask(MESSAGES)[0] == 200
    relay = place.gateway._relay
    assert relay is not None
    deadline = time.monotonic() + 10
    while relay._recorder.unwritten() is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert place.ask(MESSAGES)[0] == 503
    place.authority.full_disk = False
    place.settled()
    assert place.ask(MESSAGES)[0] == 200


def test_a_providers_refusal_passes_whole_and_is_a_fact(place: RelayPlace, provider: RawProvider) -> None:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "This would exceed it"}}
    provider.answers = [[document(429, error, "retry-after: 7200", "request-id: req_1")]]
    status, headers, body = place.ask(MESSAGES)
    assert (status, json.loads(body), headers["retry-after"]) == (429, error, "7200")
    place.settled()
    [told] = place.authority.refused()
    assert (told.problem, told.status, told.detail) == (
        ModelProblem.LIMITED,
        429,
        "429: This would exceed it",
    )
    assert told.until is not None


def test_a_provider_that_does_not_answer_is_asked_once(tmp_path: Path, provider: RawProvider) -> None:
    provider.answers = [[provider.hang_up]]
    with relay_place(tmp_path, {"anthropic": (Dialect.ANTHROPIC, provider.url)}) as place:
        status, _, body = place.ask(MESSAGES)
    assert (status, json.loads(body)["error"]["type"]) == (502, "api_error")
    assert len(provider.requests) == 1


def test_a_provider_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with relay_place(tmp_path, {"anthropic": (Dialect.ANTHROPIC, "http://127.0.0.1:9")}) as place:
        status, _, body = place.ask(MESSAGES)
    assert status == 502
    assert "127.0.0.1:9 cannot be reached" in json.loads(body)["error"]["message"]


def test_a_program_may_look_whether_anybody_is_there(place: RelayPlace) -> None:
    assert place.ask("/v1/relay/anthropic", None, method="HEAD")[0] == 200
