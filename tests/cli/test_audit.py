"""`hive audit` on a real journal."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.cli import main
from hive.facts import events as e
from hive.shells.sqlite import SqliteJournal

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A hive whose journal has three records."""
    path = tmp_path / "hive.yaml"
    path.write_text("state: here\n")
    journal = SqliteJournal(tmp_path / "here" / "journal.db")
    journal.append(
        [e.AgentPaused(agent="q", by="ann", why="tea"), e.AgentResumed(agent="q", by="ann")], at=NOW
    )
    journal.append([e.LevelChanged(scope="hive", level=6, by="mallory")], at=NOW)
    journal.close()
    return str(path)


def export(config: str, capfdbinary: pytest.CaptureFixture[bytes]) -> bytes:
    assert main(["audit", "-c", config]) == 0
    return capfdbinary.readouterr().out


def verify(config: str, file: Path, *options: str) -> int:
    return main(["audit", "verify", str(file), "-c", config, *options])


def test_what_was_exported_is_verified_against_itself_and_the_journal(
    config: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(export(config, capfdbinary))
    head = json.loads(file.read_bytes().splitlines()[-1])["hash"]
    assert verify(config, file, "--head", head) == 0
    said = capfdbinary.readouterr().out.decode()
    assert said == f"3 records, none changed, and the journal has the same; it ends in {head}\n"
    assert verify(str(tmp_path / "elsewhere.yaml"), file, "--alone", "--json") == 0
    assert json.loads(capfdbinary.readouterr().out) == {
        "ok": True,
        "records": 3,
        "head": head,
        "problem": None,
    }


def test_a_changed_export_is_a_no_that_names_the_line(
    config: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(export(config, capfdbinary).replace(b"mallory", b"annabel"))
    assert verify(config, file) == 1
    said = capfdbinary.readouterr().out.decode()
    assert said == (
        f"{file}: line 4: it was changed, or one before it was taken out or put in "
        "(2 records before it are good)\n"
    )


def test_a_journal_that_was_changed_by_hand_is_found_out(
    config: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(export(config, capfdbinary))
    with sqlite3.connect(tmp_path / "here" / "journal.db") as database:
        guards = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in guards:
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE journal SET body = replace(body, 'mallory', 'annabel')")
    database.close()
    assert verify(config, file) == 1
    assert b"line 4: record 3 is another one in the journal" in capfdbinary.readouterr().out
    again = tmp_path / "again.jsonl"
    again.write_bytes(export(config, capfdbinary))
    head = json.loads(file.read_bytes().splitlines()[-1])["hash"]
    assert verify(config, again, "--head", head) == 1
    assert b"it is another export, or was made anew" in capfdbinary.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["audit", "verify"], 2, "name the file to verify: hive audit verify FILE"),
        (["audit", "--alone"], 2, "belong to 'hive audit verify FILE'"),
        (["audit", "verify", "missing.jsonl"], 2, "missing.jsonl: cannot be read: No such file"),
        (["audit", "verify", "missing.jsonl", "--head", "abc"], 2, "--head takes the 64 hexadecimal digits"),
    ],
)
def test_bad_input_is_one_line(
    config: str, capfd: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert main([*words, "-c", config]) == code
    told = capfd.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert said in told.err


def test_without_a_journal_there_is_nothing_to_export(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hive.yaml"
    path.write_text("level: 4\n")
    assert main(["audit", "-c", str(path)]) == 3
    assert "there is none yet; start `hive run`" in capfd.readouterr().err
