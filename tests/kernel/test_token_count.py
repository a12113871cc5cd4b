"""Counting as files grow, are rotated and are read anew."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from hive.facts.spending import KEPT_KEYS
from hive.kernel.plugins import backends
from hive.kernel.token_count import TokenCount
from hive.shells.system.transcripts import FileTranscripts
from tests.decisions.worlds import NOW

SCRIPTED = backends()["scripted"]


def line(key: str, output: int = 1) -> str:
    return json.dumps({"type": "usage", "id": key, "model": "m", "output": output}) + "\n"


class Reading:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = TokenCount(SCRIPTED, (f"{folder}/*/log.jsonl",))
        self.transcripts = FileTranscripts(folder.parent)
        self.now = NOW

    def read(self) -> list[tuple[str, int]]:
        self.now += timedelta(seconds=20)
        return [(one.key, one.tokens.output) for one in self.count.read(self.transcripts, self.now)]

    def write(self, session: str, text: str) -> None:
        file = self.folder / session / "log.jsonl"
        file.parent.mkdir(exist_ok=True)
        with file.open("a") as out:
            out.write(text)


def test_no_file_is_no_message_and_a_later_one_is_found(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    assert reading.read() == []
    reading.write("s1", line("a"))
    assert reading.read() == [("a", 1)]
    reading.write("s2", line("b"))
    assert reading.read() == [("a", 1), ("b", 1)]


def test_a_message_that_grows_in_a_later_line_is_told_with_all_its_tokens(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    reading.write("s", line("a", 1))
    assert reading.read() == [("a", 1)]
    reading.write("s", line("b") + line("a", 60))
    assert reading.read() == [("a", 60), ("b", 1)]


def test_a_model_that_is_named_before_its_tokens_is_told_with_them_and_not_before(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    reading.count = TokenCount(backends()["codex"], (f"{tmp_path}/*/log.jsonl",))
    begun = {"type": "turn_context", "payload": {"turn_id": "t", "model": "gpt-5.1-codex"}}
    told = {"turn_id": "t", "turn_token_usage": {"input_tokens": 9, "output_tokens": 4}}
    reading.write("s", json.dumps(begun) + "\n")
    assert reading.read() == []
    reading.write("s", json.dumps({"type": "token_usage_record", "payload": told}) + "\n")
    assert reading.read() == [("t", 4)]
    (one,) = reading.count.read(reading.transcripts, reading.now)
    assert one.model == "gpt-5.1-codex"


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    whole = line("a", 9)
    reading.write("s", whole[:20])
    assert reading.read() == []
    reading.write("s", whole[20:])
    assert reading.read() == [("a", 9)]


def test_a_rotated_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    reading.write("s", line("a"))
    reading.read()
    (tmp_path / "s" / "log.jsonl").rename(tmp_path / "s" / "old")
    reading.write("s", line("b"))
    assert reading.read() == [("a", 1), ("b", 1)]


def test_all_that_came_at_once_is_told_once_and_then_only_the_newest_are_remembered(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    reading.write("s", "".join(line(f"k{n}") for n in range(KEPT_KEYS + 100)))
    assert len(reading.read()) == KEPT_KEYS + 100
    reading.write("s", line("z"))
    told = reading.read()
    assert len(told) == KEPT_KEYS + 1
    assert told[-1] == ("z", 1)
