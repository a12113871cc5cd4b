"""Answers in each dialect: a whole document, or the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hive.standins.models.replies import Fail
from hive.standins.models.requests import Asked, Dialect
from hive.standins.models.tools import FittedCall

Event = tuple[str | None, Any]
"""Name of a server-sent event (or none) and its data: JSON, or text as it is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is to be said in one answer; `number` makes its ids unique."""

    number: int
    asked: Asked
    chunks: tuple[str, ...]
    call: FittedCall | None
    input_tokens: int
    output_tokens: int

    @property
    def text(self) -> str:
        return "".join(self.chunks)


def events(answer: Answer) -> Iterator[Event]:
    """The stream of an answer. Events that carry a chunk of text are the only ones that may be paced."""
    streams: dict[Dialect, Callable[[Answer], Iterator[Event]]] = {
        Dialect.ANTHROPIC: _anthropic_events,
        Dialect.CHAT: _chat_events,
        Dialect.RESPONSES: _responses_events,
        Dialect.GEMINI: _gemini_events,
    }
    return streams[answer.asked.dialect](answer)


def document(answer: Answer) -> Any:
    """The whole of an answer that is not streamed."""
    dialect = answer.asked.dialect
    if dialect is Dialect.ANTHROPIC:
        content = [{"type": "text", "text": answer.text}] if answer.chunks else []
        if answer.call:
            content.append(_anthropic_call(answer, dict(answer.call.arguments)))
        usage = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens}
        return {**_anthropic_head(answer), "content": content, **_anthropic_stop(answer), "usage": usage}
    if dialect is Dialect.CHAT:
        message: dict[str, object] = {"role": "assistant", "content": answer.text}
        if answer.call:
            message["tool_calls"] = [_chat_call(answer)]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if answer.call else "stop"}
        return {**_chat_head(answer, "chat.completion"), "choices": [choice], "usage": _chat_usage(answer)}
    if dialect is Dialect.RESPONSES:
        return _response(answer, "completed", _items(answer))
    return _gemini_part(answer, _gemini_parts(answer), "STOP")


def failure(dialect: Dialect, fail: Fail) -> Any:
    """The body of an HTTP error."""
    if dialect is Dialect.GEMINI:
        error = {"code": fail.status, "message": fail.message, "status": fail.kind}
        return {"error": {**error, "details": list(fail.details)} if fail.details else error}
    error = {"type": fail.kind, "message": fail.message}
    if dialect is Dialect.ANTHROPIC:
        return {"type": "error", "error": error, "request_id": "req_scripted"}
    return {"error": {**error, "code": fail.kind}}


# -- Anthropic -----------------------------------------------------------------------------------------


def _anthropic_head(answer: Answer) -> dict[str, object]:
    return {
        "id": f"msg_{answer.number}",
        "type": "message",
        "role": "assistant",
        "model": answer.asked.model,
    }


def _anthropic_stop(answer: Answer) -> dict[str, object]:
    return {"stop_reason": "tool_use" if answer.call else "end_turn", "stop_sequence": None}


def _anthropic_call(answer: Answer, arguments: dict[str, object]) -> dict[str, Any]:
    assert answer.call is not None
    identity = {"type": "tool_use", "id": f"toolu_{answer.number}", "name": answer.call.name}
    return {**identity, "input": arguments}


def _anthropic_events(answer: Answer) -> Iterator[Event]:
    usage = {"input_tokens": answer.input_tokens, "output_tokens": 1}
    usage |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {**_anthropic_head(answer), "content": [], "stop_reason": None, "stop_sequence": None}
    yield "message_start", {"type": "message_start", "message": {**message, "usage": usage}}
    index = 0
    if answer.chunks:
        yield _block(index, {"type": "text", "text": ""})
        for chunk in answer.chunks:
            yield _delta(index, {"type": "text_delta", "text": chunk})
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
        index += 1
    if answer.call:
        yield _block(index, _anthropic_call(answer, {}))
        arguments = json.dumps(dict(answer.call.arguments))
        yield _delta(index, {"type": "input_json_delta", "partial_json": arguments})
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    end = {"delta": _anthropic_stop(answer), "usage": {"output_tokens": answer.output_tokens}}
    yield "message_delta", {"type": "message_delta", **end}
    yield "message_stop", {"type": "message_stop"}


def _block(index: int, block: object) -> Event:
    return "content_block_start", {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, delta: object) -> Event:
    return "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}


# -- OpenAI, chat completions --------------------------------------------------------------------------


def _chat_head(answer: Answer, kind: str) -> dict[str, object]:
    return {"id": f"c{answer.number}", "object": kind, "created": 1, "model": answer.asked.model}


def _chat_call(answer: Answer) -> dict[str, object]:
    assert answer.call is not None
    function = {"name": answer.call.name, "arguments": json.dumps(dict(answer.call.arguments))}
    return {"id": f"call_{answer.number}", "type": "function", "function": function}


def _chat_usage(answer: Answer) -> dict[str, int]:
    total = answer.input_tokens + answer.output_tokens
    spent = {"prompt_tokens": answer.input_tokens, "completion_tokens": answer.output_tokens}
    return {**spent, "total_tokens": total}


def _chat_events(answer: Answer) -> Iterator[Event]:
    def piece(delta: object, finish: str | None = None) -> dict[str, object]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**_chat_head(answer, "chat.completion.chunk"), "choices": [choice]}

    yield None, piece({"role": "assistant", "content": ""})
    for chunk in answer.chunks:
        yield None, piece({"content": chunk})
    if answer.call:
        yield None, piece({"tool_calls": [{"index": 0, **_chat_call(answer)}]})
    yield None, {**piece({}, "tool_calls" if answer.call else "stop"), "usage": _chat_usage(answer)}
    yield None, "[DONE]"


# -- OpenAI, responses ---------------------------------------------------------------------------------


def _response(answer: Answer, status: str, output: list[Any]) -> dict[str, object]:
    head = {"id": f"resp_{answer.number}", "object": "response", "created_at": 1, "status": status}
    usage = {
        "input_tokens": answer.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input_tokens + answer.output_tokens,
    }
    return {**head, "model": answer.asked.model, "output": output, "usage": usage}


def _items(answer: Answer) -> list[Any]:
    found: list[Any] = []
    if answer.chunks:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        head = {"type": "message", "id": f"m_{answer.number}", "role": "assistant"}
        found.append({**head, "status": "completed", "content": content})
    if answer.call:
        arguments = json.dumps(dict(answer.call.arguments))
        ids = {"id": f"fc_{answer.number}", "call_id": f"call_{answer.number}"}
        call = {"type": "function_call", **ids, "name": answer.call.name, "arguments": arguments}
        found.append({**call, "status": "completed"})
    return found


def _responses_events(answer: Answer) -> Iterator[Event]:
    created = _response(answer, "in_progress", [])
    yield "response.created", {"type": "response.created", "response": created}
    for index, item in enumerate(_items(answer)):
        empty: dict[str, object] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        added = {"output_index": index, "item": {**item, **empty, "status": "in_progress"}}
        yield "response.output_item.added", {"type": "response.output_item.added", **added}
        for chunk in answer.chunks if item["type"] == "message" else ():
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            delta = {"type": "response.output_text.delta", **place, "delta": chunk}
            yield "response.output_text.delta", delta
        done = {"output_index": index, "item": item}
        yield "response.output_item.done", {"type": "response.output_item.done", **done}
    completed = _response(answer, "completed", _items(answer))
    yield "response.completed", {"type": "response.completed", "response": completed}


# -- Gemini --------------------------------------------------------------------------------------------


def _gemini_parts(answer: Answer) -> list[Any]:
    parts: list[Any] = [{"text": answer.text}] if answer.chunks else []
    if answer.call:
        call = {"name": answer.call.name, "args": dict(answer.call.arguments)}
        parts.append({"functionCall": call})
    return parts


def _gemini_part(answer: Answer, parts: list[Any], finish: str | None = None) -> dict[str, object]:
    candidate: dict[str, object] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": answer.input_tokens,
        "candidatesTokenCount": answer.output_tokens,
        "totalTokenCount": answer.input_tokens + answer.output_tokens,
    }
    return {"candidates": [candidate], "usageMetadata": usage}


def _gemini_events(answer: Answer) -> Iterator[Event]:
    for chunk in answer.chunks:
        yield None, _gemini_part(answer, [{"text": chunk}])
    rest = _gemini_parts(answer)[1 if answer.chunks else 0 :] or [{"text": ""}]
    yield None, _gemini_part(answer, rest, "STOP")
