"""Files that an agent writes for hive to read: whatever is in them, hive goes on and believes little."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.contracts.backend import Backend
from hive.contracts.hook_record import read_evidence, record_path
from hive.decisions.agents_words import fit_conversation, fit_hooks, fit_turns, fit_usage
from hive.facts.agents import Conversation, Turn
from hive.facts.hooks import HookEvidence, HookState
from hive.facts.usage import TokenUsage, Usage, UsageSource
from hive.kernel.plugins import backends
from hive.shells.system.transcripts import FileTranscripts

NOW = datetime(2026, 5, 1, tzinfo=UTC)
DEEP = 100_000


def note(event: object = "prompt", **more: object) -> str:
    return json.dumps({"event": event, "at": 1.0, "generation": "1", "data": {}, **more})


HOSTILE = [
    "[" * DEEP,
    '{"a":' * DEEP,
    "9" * 5000,
    "null",
    '"text"',
    "[]",
    "{}",
    "\ufffd\0\x1b]0;x\x07",
    note(generation="9" * 5000),
    note(generation="\u0669" * 3),
    note(generation={"a": 1}),
    note(at=1e300),
    note(at=-1e300),
    '{"event": "prompt", "at": NaN, "data": {}}',
    note(event="failure", data={"error": "x" * 1_000_000}),
    note(data={"session_id": ["--dangerous"], "prompt": {"a": 1}}),
    note(data=[]),
    note(event=["prompt"]),
    json.dumps({"type": "usage", "id": "k", "model": "m", "output": 10**4000}),
    json.dumps({"type": "usage", "id": "k", "output": 1, "at": "0001-01-01T00:00:00+14:00"}),
    json.dumps({"type": "end", "prompt_id": "\ud800", "outcome": "done", "detail": {"a": [1]}}),
    json.dumps({"type": "assistant", "message": {"id": "i", "usage": {"output_tokens": -5}}}),
    json.dumps({"type": "gemini", "id": "i", "tokens": {"input": 1.5, "output": True}}),
]


@pytest.mark.parametrize("backend", backends().values(), ids=backends().keys())
def test_no_line_in_its_files_makes_a_backend_fail(backend: Backend) -> None:
    for lines in (*([one] for one in HOSTILE), HOSTILE):
        fit_turns(backend.turns(lines))
        fit_conversation(backend.conversation(lines))
        fit_usage(backend.usage(lines))
        read_evidence(lines)


def test_of_long_words_only_so_much_is_kept_and_no_control_character() -> None:
    assert fit_turns([Turn("p" * 5000, True, "done\x1b[2J", "x" * 5000)]) == (
        Turn("p" * 200, True, "done[2J", "x" * 399 + "…"),
    )
    evidence = HookEvidence(HookState.ASKING, NOW, "may it\n\x9b31m?", conversation="--resume-all")
    assert fit_hooks(evidence) == HookEvidence(HookState.ASKING, NOW, "may it 31m?")


@pytest.mark.parametrize("name", ["-c", "--model=x", "", "a b", "a\nb", "a\0", "é", "\ud800", "x" * 300])
def test_what_is_no_name_of_a_conversation_is_never_resumed(name: str) -> None:
    assert fit_conversation(Conversation(name, 1)) is None


def test_a_conversation_of_a_real_program_is_kept() -> None:
    known = Conversation("0b6f7c9a-5a52-4a35-9d0e-1f2ad7f0a001", 3)
    assert fit_conversation(known) is known


def test_a_count_that_is_none_cannot_spoil_the_sums() -> None:
    used = Usage("m", TokenUsage(output=10**4000), "k" * 900, UsageSource.TRANSCRIPT, None)
    assert fit_usage([used]) == (
        Usage("m", TokenUsage(output=10**12), "k" * 200, UsageSource.TRANSCRIPT, None),
    )


def test_a_deep_document_in_a_hooks_record_is_passed_over(tmp_path: Path) -> None:
    record = Path(record_path(str(tmp_path / "homes" / "a")))
    record.parent.mkdir(parents=True)
    record.write_text("\n".join([note(), *HOSTILE[:3], note("end"), ""]))
    lines = FileTranscripts(tmp_path / "homes").lines(str(record))
    evidence = read_evidence(lines)
    assert evidence is not None
    assert evidence.state is HookState.FINISHED
