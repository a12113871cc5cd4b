"""Tokens in all four ways of saying them, whole and streamed, and in memory that does not grow."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from typing import Any

import pytest

from hive.gateway.relay.counted import Counted
from hive.gateway.relay.routes import Wire
from hive.gateway.relay.tally import Tally

MESSAGE = {
    "id": "msg_9",
    "type": "message",
    "model": "claude-x",
    "content": [{"type": "tool_use", "input": {"usage": {"input_tokens": 999}}}],
    "usage": {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 4,
        "cache_creation": {"ephemeral_1h_input_tokens": 4},
    },
}
CHAT = {
    "id": "chatcmpl-9",
    "model": "gpt-x",
    "choices": [],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 7}},
}
RESPONSE = {
    "id": "resp_9",
    "object": "response",
    "model": "gpt-x",
    "status": "completed",
    "output": [],
    "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 7}, "output_tokens": 2},
}
GEMINI = {
    "responseId": "r9",
    "modelVersion": "gemini-x",
    "candidates": [{"finishReason": "STOP"}],
    "usageMetadata": {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 7,
        "candidatesTokenCount": 2,
        "thoughtsTokenCount": 5,
        "toolUsePromptTokenCount": 1,
    },
}
WHOLE: list[tuple[Wire, Any, Counted]] = [
    (Wire.MESSAGES, MESSAGE, Counted("msg_9", "claude-x", 1, 2, 3, 4, 4, is_final=True)),
    (Wire.CHAT, CHAT, Counted("chatcmpl-9", "gpt-x", 3, 2, 7, is_final=True)),
    (Wire.RESPONSES, RESPONSE, Counted("resp_9", "gpt-x", 3, 2, 7, is_final=True)),
    (Wire.GEMINI, GEMINI, Counted("r9", "gemini-x", 4, 7, 7, is_final=True)),
    (Wire.GEMINI, [{"candidates": []}, GEMINI], Counted("r9", "gemini-x", 4, 7, 7, is_final=True)),
    (
        Wire.MESSAGES,
        {**MESSAGE, "usage": {"cache_creation": {"ephemeral_1h_input_tokens": 4}, "output_tokens": 2}},
        Counted("msg_9", "claude-x", 0, 2, 0, 4, 4, is_final=True),
    ),
]


def told(wire: Wire, data: bytes, *, step: int, is_stream: bool, coding: str = "") -> Counted:
    tally = Tally(wire, is_stream=is_stream, coding=coding)
    for at in range(0, len(data), step):
        tally.feed(data[at : at + step])
    return tally.result(400)


def sse(*values: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


@pytest.mark.parametrize(("wire", "value", "expected"), WHOLE)
@pytest.mark.parametrize("step", [1, 7, 100_000])
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_whole_answer_is_counted(wire: Wire, value: Any, expected: Counted, step: int, coding: str) -> None:
    data = json.dumps(value).encode()
    data = gzip.compress(data) if coding else data
    assert told(wire, data, step=step, is_stream=False, coding=coding) == expected


STREAMED: list[tuple[Wire, bytes, Counted]] = [
    (
        Wire.CHAT,
        sse({"id": "c", "model": "m", "choices": [{"delta": {"content": "x" * 50}}], "usage": None}, CHAT)
        + b"data: [DONE]\n\n",
        WHOLE[1][2],
    ),
    (
        Wire.RESPONSES,
        sse(
            {"type": "response.created", "response": {**RESPONSE, "status": "in_progress", "usage": None}},
            {"type": "response.output_text.delta", "delta": "hello"},
            {"type": "response.completed", "response": RESPONSE},
        ),
        WHOLE[2][2],
    ),
    (
        Wire.GEMINI,
        sse({**GEMINI, "candidates": [], "usageMetadata": {"promptTokenCount": 10}}, GEMINI),
        WHOLE[3][2],
    ),
]


@pytest.mark.parametrize(("wire", "data", "expected"), STREAMED)
@pytest.mark.parametrize("step", [1, 13, 100_000])
def test_a_stream_is_counted_however_it_is_cut_into_pieces(
    wire: Wire, data: bytes, expected: Counted, step: int
) -> None:
    assert told(wire, data, step=step, is_stream=True) == expected
    assert told(wire, data.replace(b"\n", b"\r\n"), step=step, is_stream=True) == expected


def test_a_stream_that_was_cut_is_estimated_by_its_text_and_its_request() -> None:
    data = sse({"id": "c", "model": "m", "choices": [{"delta": {"content": "x" * 50}}]})
    assert told(Wire.CHAT, data, step=64, is_stream=True) == Counted("c", "m", input=100, output=13)


def test_what_a_model_says_of_usage_is_not_its_usage() -> None:
    said = json.dumps('"usage": {"prompt_tokens": 1}')
    data = sse({"id": "c", "model": "m", "choices": [{"delta": {"content": said}}]}, CHAT)
    assert told(Wire.CHAT, data, step=64, is_stream=True) == WHOLE[1][2]


@pytest.mark.parametrize(
    "data", [b"", b"data: {", b"data: [1]\n\n", b"data: 7\n", b"\xff\xfe", b"null", b"[[[["]
)
@pytest.mark.parametrize("wire", list(Wire))
def test_what_is_no_answer_is_an_estimate_and_no_failure(wire: Wire, data: bytes) -> None:
    for is_stream in (True, False):
        assert told(wire, data, step=3, is_stream=is_stream).input == 100


def test_a_document_too_long_to_keep_gives_its_numbers_from_its_end() -> None:
    text = {"id": "msg_9", "type": "message", "model": "claude-x", "content": [{"text": "x" * 3_000_000}]}
    data = json.dumps({**text, "usage": MESSAGE["usage"]}).encode()
    found = told(Wire.MESSAGES, data, step=65_536, is_stream=False)
    assert found == WHOLE[0][2]


@pytest.mark.parametrize("is_stream", [True, False])
def test_a_hundred_megabytes_are_counted_in_less_than_eight(is_stream: bool) -> None:
    piece = sse({"type": "content_block_delta", "delta": {"text": "x" * 65_000}})
    piece = piece if is_stream else piece.replace(b"\n", b" ")
    tally = Tally(Wire.MESSAGES, is_stream=is_stream)
    tracemalloc.start()
    try:
        for _ in range(1600):
            tally.feed(piece)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    tally.result(0)
    assert peak < 8 * 1024 * 1024
