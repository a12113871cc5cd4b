"""Tokens as real programs wrote them down against the scripted model (100 read, 5 written an answer)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.facts.usage import TokenUsage, Usage, UsageSource
from hive.kernel.plugins import backends

LOGS = Path(__file__).parent / "token_logs"
PLAIN = TokenUsage(input=100, output=5)


def lines(name: str) -> list[str]:
    return (LOGS / name).read_text(encoding="utf-8").splitlines()


def usage(backend: str, *records: object) -> tuple[Usage, ...]:
    return backends()[backend].usage([json.dumps(one) for one in records])


@pytest.mark.parametrize(
    ("log", "backend", "model", "tokens"),
    [
        ("claude-2.1.197.jsonl", "claude", "claude-opus-4-8", PLAIN),
        # 60 of the 100 were reported as read from the cache.
        ("copilot-1.0.102.jsonl", "copilot", "gpt-4.1", TokenUsage(input=40, output=5, cache_read=60)),
        ("gemini-0.61.0.jsonl", "gemini", "gemini-3.8-flash", PLAIN),
        ("codex-0.171.0.jsonl", "codex", "gpt-4.1", PLAIN),
    ],
)
def test_three_answers_of_a_real_program_are_three_messages(
    log: str, backend: str, model: str, tokens: TokenUsage
) -> None:
    found = backends()[backend].usage(lines(log))
    assert [(one.model, one.tokens, one.source) for one in found] == [
        (model, tokens, UsageSource.TRANSCRIPT)
    ] * 3
    assert len({one.key for one in found}) == 3
    assert all(one.at is not None and one.at.date() == datetime(2026, 11, 30).date() for one in found)  # noqa: DTZ001 - its day
    assert backends()[backend].usage([*lines(log), *lines(log)]) == found


def claude(key: str, output: int, **more: object) -> dict[str, object]:
    spent = {"input_tokens": 3, "output_tokens": output, "cache_read_input_tokens": 900, **more}
    return {
        "type": "assistant",
        "timestamp": "2026-11-30T17:03:35.498Z",
        "message": {"id": key, "model": "claude-opus-5", "usage": spent},
    }


def test_streamed_lines_of_one_message_count_once_with_the_last_counts() -> None:
    """Case 121: the same id on three lines made the sum 2.5 times too high."""
    assert usage("claude", claude("msg_a", 1), claude("msg_a", 1), claude("msg_a", 77)) == (
        Usage(
            "claude-opus-5",
            TokenUsage(input=3, output=77, cache_read=900),
            "msg_a",
            UsageSource.TRANSCRIPT,
            datetime(2026, 11, 30, 17, 3, 35, 498000, UTC),
        ),
    )


def test_messages_that_are_told_amid_each_other_and_a_line_that_was_cut_count_right() -> None:
    """Case 121, in another order."""
    told = [claude("a", 5), claude("b", 1), claude("a", 1), claude("b", 9)]
    lines = ["\ufeff" + json.dumps(told[0]), *(json.dumps(one) + "\r" for one in told[1:])]
    found = backends()["claude"].usage([*lines, lines[1][:60]])
    assert [(one.key, one.tokens.output) for one in found] == [("a", 5), ("b", 9)]
    assert backends()["claude"].usage(()) == ()


@pytest.mark.parametrize(("written", "counted"), [(77.0, 77), (1e3, 1000), (0.5, 0), (float("nan"), 0)])
def test_a_whole_number_written_with_a_fraction_counts(written: float, counted: int) -> None:
    record = claude("m", 0)
    record["message"] = {"id": "m", "model": "x", "usage": {"input_tokens": 1, "output_tokens": written}}
    (one,) = usage("claude", record)
    assert one.tokens == TokenUsage(input=1, output=counted)


def test_a_subagents_line_counts_and_what_the_program_says_itself_does_not() -> None:
    side = {**claude("msg_b", 4), "isSidechain": True}
    own = claude("msg_c", 4)
    own["message"] = {"id": "x", "model": "<synthetic>", "usage": {"output_tokens": 9}}
    assert [one.key for one in usage("claude", side, own)] == ["msg_b"]


def test_caches_kept_for_an_hour_are_told_apart() -> None:
    kept = claude("m", 1, cache_creation_input_tokens=50, cache_creation={"ephemeral_1h_input_tokens": 20})
    (one,) = usage("claude", kept)
    assert one.tokens == TokenUsage(3, 1, 900, 50, 20)


def test_caches_whose_sum_is_left_out_cost_nothing_below_zero() -> None:
    parts = {"ephemeral_1h_input_tokens": 20, "ephemeral_5m_input_tokens": 7}
    (one,) = usage("claude", claude("m", 1, cache_creation_input_tokens=0, cache_creation=parts))
    assert one.tokens == TokenUsage(3, 1, 900, 27, 20)


def test_thoughts_are_written_and_cached_tokens_are_not_read_anew() -> None:
    tokens = {"input": 100, "output": 5, "cached": 60, "thoughts": 7, "tool": 2, "total": 114}
    record = {"type": "gemini", "id": "g", "model": "gemini-3.1-pro", "tokens": tokens}
    (one,) = usage("gemini", record)
    assert (one.tokens, one.at) == (TokenUsage(input=42, output=12, cache_read=60), None)


def test_what_codex_sums_up_for_a_turn_counts_once_with_the_model_of_its_beginning() -> None:
    def spent(read: int, written: int, **more: int) -> dict[str, object]:
        counts = {"input_tokens": read, "output_tokens": written, **more}
        told = {"turn_id": "t", "turn_token_usage": counts}
        return {"type": "token_usage_record", "timestamp": "2026-11-30T21:14:37Z", "payload": told}

    begun = {"type": "turn_context", "payload": {"turn_id": "t", "model": "gpt-5.1-codex"}}
    tokens = TokenUsage(input=130, output=12, cache_read=60, cache_write=10)
    later = spent(200, 12, cached_input_tokens=60, cache_write_input_tokens=10)
    assert usage("codex", begun, spent(100, 5), later) == (
        Usage(
            "gpt-5.1-codex",
            tokens,
            "t",
            UsageSource.TRANSCRIPT,
            datetime(2026, 11, 30, 21, 14, 37, tzinfo=UTC),
        ),
    )


@pytest.mark.parametrize("backend", ["claude", "copilot", "gemini", "scripted", "codex", "opencode", "goose"])
@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[1]",
        "null",
        '"text"',
        '{"type": "assistant", "message": 3}',
        '{"type": "assistant", "message": {"id": 4, "usage": {"input_tokens": "many"}}}',
        '{"type": "session.usage_record", "id": "a", "data": {"usage": []}}',
        '{"type": "gemini", "id": "a", "tokens": {"input": true, "output": -5}}',
        '{"type": "usage", "id": "u", "input": null}',
        '{"type": "turn_context", "payload": {"turn_id": 4}}',
        '{"type": "token_usage_record", "payload": {"turn_id": "t", "turn_token_usage": "many"}}',
    ],
)
def test_a_line_that_is_not_understood_is_skipped(backend: str, line: str) -> None:
    assert backends()[backend].usage([line]) == ()
