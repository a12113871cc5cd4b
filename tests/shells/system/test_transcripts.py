"""Transcripts, read as they grow."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from hive.shells.system import line_tail
from hive.shells.system import transcripts as module
from hive.shells.system.transcripts import FileTranscripts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "homes" / "a" / ".agent").mkdir(parents=True)
    return tmp_path / "homes" / "a" / ".agent" / "transcript.jsonl"


@pytest.fixture
def transcripts(tmp_path: Path) -> FileTranscripts:
    return FileTranscripts(tmp_path / "homes")


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_file_that_is_not_there_has_no_lines(path: Path, transcripts: FileTranscripts) -> None:
    assert transcripts.lines(str(path)) == ()


def test_a_line_that_is_still_being_written_waits_for_its_end(
    path: Path, transcripts: FileTranscripts
) -> None:
    add(path, b"one\ntw")
    assert transcripts.lines(str(path)) == ("one",)
    add(path, b"o")
    assert transcripts.lines(str(path)) == ("one",)
    add(path, b"\nthree\n")
    assert transcripts.lines(str(path)) == ("one", "two", "three")


def test_a_character_that_is_split_between_two_reads_is_whole(
    path: Path, transcripts: FileTranscripts
) -> None:
    encoded = "é✓🐝\n".encode()
    for cut in range(len(encoded)):
        add(path, encoded[cut : cut + 1])
        transcripts.lines(str(path))
    assert transcripts.lines(str(path)) == ("é✓🐝",)


def test_bytes_that_are_no_text_spoil_only_themselves(path: Path, transcripts: FileTranscripts) -> None:
    add(path, b"one \xff\ntwo\n")
    assert transcripts.lines(str(path)) == ("one \ufffd", "two")


def test_a_file_that_was_replaced_or_emptied_starts_anew(path: Path, transcripts: FileTranscripts) -> None:
    add(path, b"old 1\nold 2\nhalf")
    transcripts.lines(str(path))
    beside = path.with_suffix(".new")
    beside.write_bytes(b"new 1 which is longer than all that was\n")
    os.replace(beside, path)
    assert transcripts.lines(str(path)) == ("new 1 which is longer than all that was",)
    path.write_bytes(b"n\n")
    assert transcripts.lines(str(path)) == ("n",)


def test_a_file_that_went_away_is_forgotten(path: Path, transcripts: FileTranscripts) -> None:
    add(path, b"one\n")
    transcripts.lines(str(path))
    path.unlink()
    assert transcripts.lines(str(path)) == ()
    add(path, b"two\n")
    assert transcripts.lines(str(path)) == ("two",)


def test_of_a_huge_file_the_newest_part_is_read_and_no_torn_line_of_it(
    path: Path, transcripts: FileTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 100)
    add(path, b"".join(b"line %03d\n" % number for number in range(200)))
    assert transcripts.lines(str(path)) == tuple(f"line {number:03}" for number in range(189, 200))


def test_a_part_that_was_skipped_joins_nothing_to_what_came_before(
    path: Path, transcripts: FileTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 30)
    add(path, b"first\nhalf of a")
    assert transcripts.lines(str(path)) == ("first",)
    add(path, b" line\n" + b"x" * 60 + b"\nwhole\nlast\n")
    assert transcripts.lines(str(path)) == ("first", "whole", "last")


def test_only_the_newest_few_thousand_lines_are_kept(path: Path, transcripts: FileTranscripts) -> None:
    add(path, b"".join(b"%d\n" % number for number in range(5000)))
    lines = transcripts.lines(str(path))
    assert (len(lines), lines[0], lines[-1]) == (4000, "1000", "4999")


def test_a_folder_is_no_transcript(path: Path, transcripts: FileTranscripts) -> None:
    assert transcripts.lines(str(path.parent)) == ()


def test_no_link_leads_out_of_the_home_whatever_it_is_a_link_to(
    path: Path, transcripts: FileTranscripts, tmp_path: Path
) -> None:
    secret = tmp_path / "secrets" / "transcript.jsonl"
    secret.parent.mkdir()
    secret.write_text("secret\n")
    path.symlink_to(secret)
    assert transcripts.lines(str(path)) == ()
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(secret.parent)
    assert transcripts.lines(str(path)) == ()
    home = tmp_path / "homes" / "a"
    assert transcripts.found((f"{home}/.agent/*.jsonl", f"{home}/*/*.jsonl", f"{home}/../../secrets/*")) == ()
    assert transcripts.lines(f"{home}/../../secrets/transcript.jsonl") == ()
    assert transcripts.lines(str(secret)) == ()


def test_a_pipe_or_a_device_keeps_nobody_waiting(
    path: Path, transcripts: FileTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(path)
    assert transcripts.lines(str(path)) == ()
    assert transcripts.found((f"{path.parent}/*.jsonl",)) == ()
    path.unlink()
    monkeypatch.chdir(path.parent)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
        assert transcripts.lines(str(path)) == ()


def test_a_file_of_another_user_is_none_of_the_agents(path: Path, transcripts: FileTranscripts) -> None:
    if os.geteuid() != 0:
        pytest.skip("this takes root")
    path.write_text("of hive\n")
    os.chown(path.parents[1], 64321, 64321)
    assert transcripts.lines(str(path)) == ()
    os.chown(path, 64321, 64321)
    assert transcripts.lines(str(path)) == ("of hive",)


def test_a_line_without_an_end_takes_only_so_much_memory(
    path: Path, transcripts: FileTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_tail, "LONGEST_LINE", 1000)
    for _ in range(5):
        add(path, b"x" * 600)
        assert transcripts.lines(str(path)) == ()
    add(path, b"\nafter\n")
    assert transcripts.lines(str(path)) == ("after",)


def test_of_long_lines_fewer_are_kept_and_of_many_files_less_of_each(
    path: Path, transcripts: FileTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_KEPT_OF_HOME", 1000)
    monkeypatch.setattr(module, "_KEPT_OF_FILE", 300)
    other = path.with_name("other.jsonl")
    for each in (path, other):
        add(each, b"".join(b"%d" % number * 100 + b"\n" for number in range(10, 30)))
    assert [line[:2] for line in transcripts.lines(str(path))] == ["25", "26", "27", "28", "29"]
    assert [line[:2] for line in transcripts.lines(str(other))] == ["28", "29"]


def test_what_is_written_faster_than_it_may_be_read_waits_for_its_turn(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_AT_ONCE", 10)
    now = 0.0
    transcripts = FileTranscripts(tmp_path / "homes", now=lambda: now)
    add(path, b"one is long\n")
    assert transcripts.lines(str(path)) == ("one is long",)
    add(path, b"two\n")
    now = 0.9
    assert transcripts.lines(str(path)) == ("one is long",)
    now = 1.0
    assert transcripts.lines(str(path)) == ("one is long", "two")


def test_only_so_many_files_of_a_folder_are_looked_for(
    path: Path, transcripts: FileTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_FILES", 3)
    for number in range(9):
        path.with_name(f"{number}.jsonl").touch()
    path.with_name(".hidden.jsonl").touch()
    assert len(transcripts.found((f"{path.parent}/*.jsonl",))) == 3
