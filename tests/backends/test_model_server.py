"""The scripted model speaks each dialect as the programs expect it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from hive.standins.models.replies import CallTool, Fail, Say, run, say
from hive.standins.models.server import ModelServer

SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
PATHS = {
    "anthropic": "/v1/messages?beta=true",
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/g-1:streamGenerateContent?alt=sse",
}
BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
        "tools": [{"name": "Bash", "input_schema": SHELL}],
    },
    "chat": {
        "model": "m",
        "stream": True,
        "messages": [{"role": "system", "content": "be"}, {"role": "user", "content": "hello"}],
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": SHELL}}],
    },
    "responses": {
        "model": "m",
        "stream": True,
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "tools": [{"type": "function", "name": "shell", "parameters": SHELL}],
    },
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        "tools": [{"functionDeclarations": [{"name": "run_shell_command", "parametersJsonSchema": SHELL}]}],
    },
}
DIALECTS = list(PATHS)


def ask(models: ModelServer, dialect: str, **changes: object) -> tuple[int, str]:
    body = json.dumps({**BODIES[dialect], **changes}).encode()
    request = urllib.request.Request(models.url + PATHS[dialect], body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_is_streamed_in_the_chunks_of_the_script(models: ModelServer, dialect: str) -> None:
    models.play(Say(("one ", "zwölf")))
    status, stream = ask(models, dialect)
    data = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: {")]
    assert status == 200
    assert '"one "' in json.dumps(data)
    assert "zwölf" in json.dumps(data, ensure_ascii=False)
    assert [asked.prompt for asked in models.asked] == ["hello"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_is_called_by_the_name_and_arguments_that_were_offered(
    models: ModelServer, dialect: str
) -> None:
    models.play(run("echo hi"))
    _, stream = ask(models, dialect)
    offered = next(iter(models.asked[0].tools))
    assert offered in stream
    assert "echo hi" in stream


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_failure_has_its_status_and_its_words(models: ModelServer, dialect: str) -> None:
    models.play(Fail(429, "rate_limit_error", "slow down"))
    status, body = ask(models, dialect)
    assert (status, "slow down" in body) == (429, True)
    assert ask(models, dialect)[0] == 200


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_cut_stream_has_no_end(models: ModelServer, dialect: str) -> None:
    models.play(Say(("partial",), cut=True))
    _, stream = ask(models, dialect)
    assert "partial" in stream
    assert not any(
        word in stream for word in ("message_stop", "[DONE]", "response.completed", "finishReason")
    )


def test_a_side_call_takes_no_reply_of_the_script(models: ModelServer) -> None:
    models.play(say("for the turn"))
    assert "for the turn" not in ask(models, "anthropic", tools=[])[1]
    assert "for the turn" in ask(models, "anthropic")[1]
    assert (len(models.asked), len(models.side)) == (1, 1)


def test_a_tool_that_nobody_offers_is_said_in_words(models: ModelServer) -> None:
    models.play(CallTool(("Fly",), {}))
    assert "None of the tools Fly is offered." in ask(models, "chat")[1]


def test_what_is_not_served_is_kept(models: ModelServer) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(models.url + "/telemetry", timeout=20)
    caught.value.close()
    assert (caught.value.code, models.unserved) == (404, ["GET /telemetry"])
