"""What hive prints, on whatever it is given for standard output: the program itself, as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRIAGE = 'issues: [{number: 5, title: "\u00fc\U0001f600", author: {login: ada, association: MEMBER}}]\n'
LOCALES = [
    {"LC_ALL": "C.UTF-8"},
    {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"PYTHONIOENCODING": "latin-1"},
]


def hive(
    *arguments: str, shell: str = '"$@"', variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    words = ["sh", "-c", shell, "sh", sys.executable, "-m", "hive.cli", *arguments]
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(words, capture_output=True, env=environment, timeout=60, check=False)


@pytest.fixture
def issues(tmp_path: Path) -> str:
    file = tmp_path / "issues.yaml"
    file.write_text(TRIAGE, encoding="utf-8")
    return str(file)


def test_the_bytes_are_the_same_in_every_locale(issues: str) -> None:
    prompts = {hive("triage", issues, "--prompt", "5", variables=each).stdout for each in LOCALES}
    assert len(prompts) == 1
    assert "| \u00fc\U0001f600\n".encode() in prompts.pop()


@pytest.mark.parametrize("variables", LOCALES)
def test_json_is_utf_8_in_every_locale(issues: str, variables: dict[str, str]) -> None:
    done = hive("triage", issues, "--prompt", "5", "--json", variables=variables)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\u00fc\U0001f600" in json.loads(done.stdout.decode())["prompt"]


def test_a_full_disk_is_one_line_and_exit_three(issues: str) -> None:
    done = hive("triage", issues, "--json", shell='"$@" >/dev/full')
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr == b"hive: standard output: cannot be written: No space left on device\n"


def test_closed_streams_are_no_traceback(issues: str) -> None:
    unread = hive("triage", issues, "--json", shell='"$@" >&-')
    assert (unread.returncode, unread.stderr) == (0, b"")
    nothing = hive("triage", "-", shell='"$@" <&-')
    assert (nothing.returncode, nothing.stderr) == (2, b"hive: -: standard input is closed\n")


def test_a_reader_who_leaves_turns_no_into_no_yes() -> None:
    arguments = ("acmm", "decide", "--level", "1", "--role", "quality", "--action", "approve")
    done = hive(*arguments, shell='{ "$@"; echo $? >&2; } | true')
    assert done.stderr == b"1\n"
