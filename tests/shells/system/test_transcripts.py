"""Transcripts, read as they grow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hive.shells.system import transcripts as module
from hive.shells.system.transcripts import FileTranscripts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "transcript.jsonl"


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_file_that_is_not_there_has_no_lines(path: Path) -> None:
    assert FileTranscripts().lines(str(path)) == ()


def test_a_line_that_is_still_being_written_waits_for_its_end(path: Path) -> None:
    transcripts = FileTranscripts()
    add(path, b"one\ntw")
    assert transcripts.lines(str(path)) == ("one",)
    add(path, b"o")
    assert transcripts.lines(str(path)) == ("one",)
    add(path, b"\nthree\n")
    assert transcripts.lines(str(path)) == ("one", "two", "three")


def test_a_character_that_is_split_between_two_reads_is_whole(path: Path) -> None:
    transcripts = FileTranscripts()
    encoded = "é✓🐝\n".encode()
    for cut in range(len(encoded)):
        add(path, encoded[cut : cut + 1])
        transcripts.lines(str(path))
    assert transcripts.lines(str(path)) == ("é✓🐝",)


def test_bytes_that_are_no_text_spoil_only_themselves(path: Path) -> None:
    add(path, b"one \xff\ntwo\n")
    assert FileTranscripts().lines(str(path)) == ("one \ufffd", "two")


def test_a_file_that_was_replaced_or_emptied_starts_anew(path: Path) -> None:
    transcripts = FileTranscripts()
    add(path, b"old 1\nold 2\nhalf")
    transcripts.lines(str(path))
    beside = path.with_suffix(".new")
    beside.write_bytes(b"new 1 which is longer than all that was\n")
    os.replace(beside, path)
    assert transcripts.lines(str(path)) == ("new 1 which is longer than all that was",)
    path.write_bytes(b"n\n")
    assert transcripts.lines(str(path)) == ("n",)


def test_a_file_that_went_away_is_forgotten(path: Path) -> None:
    transcripts = FileTranscripts()
    add(path, b"one\n")
    transcripts.lines(str(path))
    path.unlink()
    assert transcripts.lines(str(path)) == ()
    add(path, b"two\n")
    assert transcripts.lines(str(path)) == ("two",)


def test_of_a_huge_file_the_newest_part_is_read_and_no_torn_line_of_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 100)
    add(path, b"".join(b"line %03d\n" % number for number in range(200)))
    assert FileTranscripts().lines(str(path)) == tuple(f"line {number:03}" for number in range(189, 200))


def test_a_part_that_was_skipped_joins_nothing_to_what_came_before(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 30)
    transcripts = FileTranscripts()
    add(path, b"first\nhalf of a")
    assert transcripts.lines(str(path)) == ("first",)
    add(path, b" line\n" + b"x" * 60 + b"\nwhole\nlast\n")
    assert transcripts.lines(str(path)) == ("first", "whole", "last")


def test_only_the_newest_few_thousand_lines_are_kept(path: Path) -> None:
    add(path, b"".join(b"%d\n" % number for number in range(5000)))
    lines = FileTranscripts().lines(str(path))
    assert (len(lines), lines[0], lines[-1]) == (4000, "1000", "4999")


def test_a_folder_or_a_file_that_cannot_be_read_is_no_transcript(tmp_path: Path) -> None:
    assert FileTranscripts().lines(str(tmp_path)) == ()
