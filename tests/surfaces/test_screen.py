"""`hive screen`: a capture in, one document out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hive.cli.main import main

RULE = "─" * 40
NOW = "2026-11-30T23:00:00Z"


def capture(folder: Path, said: str) -> str:
    file = folder / "pane.txt"
    file.write_text(f"❯ x\n{said}\n\n{RULE}\n❯ \n{RULE}\n  ? for shortcuts\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("words", "zone", "resets_at"),
    [
        ("resets 12:50am (America/Los_Angeles)", "UTC", "2026-12-01T08:50:00Z"),
        ("resets 1pm (Etc/GMT+5)", "UTC", "2026-12-01T18:00:00Z"),
        ("resets 3pm", "Asia/Kolkata", "2026-12-01T09:30:00Z"),
        ("resets 3pm (Middle/Nowhere)", "UTC", None),
    ],
)
def test_a_limit_is_one_document_with_its_end_in_utc(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, zone: str, resets_at: str | None
) -> None:
    said = f"You've hit your session limit · {words}"
    argv = ["screen", "claude", capture(tmp_path, f"  ⎿  {said}"), "--json", "--now", NOW, "--zone", zone]
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out) == {
        "state": "limited",
        "detail": said,
        "resets_at": resets_at,
        "options": [],
    }


def test_a_zone_that_there_is_not_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for zone in ("Nowhere/X", "../etc", "?"):
        argv = ["screen", "claude", capture(tmp_path, ""), "--zone", zone]
        assert main(argv) == 2
        said = capsys.readouterr().err
        assert said == f"hive: --zone: '{zone}' is no zone of the database; write Europe/Berlin\n"


def test_bytes_that_are_no_text_are_an_unknown_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad").write_bytes(b"a\xff\xfe\x1b[31m")
    assert main(["screen", "claude", str(tmp_path / "bad"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "unknown"
