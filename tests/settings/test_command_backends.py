"""Programs that the configuration describes, and what is said of a description that cannot be used."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from hive.errors import ConfigError
from hive.kernel.plugins import backend_kinds
from hive.settings.loading import load
from hive.settings.settings import Settings
from hive_backends.patterns import LONGEST_ROW, objection
from tests.settings.conftest import ENVIRON, GOOD, backends

REPL = """\
backends:
  repl:
    argv: [python3, -q]
    screens:
      - {state: ready, where: last-line, pattern: '^>>> ?$'}
"""


def read(folder: Path, text: str) -> Settings:
    path = folder / "hive.yaml"
    path.write_text(text)
    return load(path, environ=ENVIRON, backends=backends(), kinds=backend_kinds())


def test_an_agent_may_name_a_program_that_the_file_describes(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD.replace("backend: claude", "backend: repl") + REPL)
    assert [spec.backend for spec in found.agents] == ["repl"]
    assert found.backends["repl"].traits.programs == ("python3",)
    assert set(found.backends) == {"claude", "copilot", "goose", "repl"}


def test_a_described_interpreter_is_no_other_backends_program(tmp_path: Path) -> None:
    own = GOOD.replace("backend: claude", "backend: claude, command: [python3, mine.py]")
    assert [spec.command for spec in read(tmp_path, own + REPL).agents] == [("python3", "mine.py")]


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ("'^>>> ?$'", "'(a+)+$'", "screens[0].pattern: it repeats what itself repeats", 12),
        ("'^>>> ?$'", "'('", "screens[0].pattern: it is no regular expression", 12),
        ("state: ready", "state: working", "screens: no pattern tells when it is ready", 11),
        ("state: ready", "state: redy", "", 12),
        ("where: last-line", "where: anywhere", "", 12),
        ("  repl:", "  claude:", "backends.claude: a plug-in has this name", 9),
        ("[python3, -q]", "[]", "", 10),
        ("-q]", "-q]\n    resume_argv: [--continue]", "resume_argv: it names no {conversation}", 11),
        ("-q]", "-q]\n    environment: {GH_TOKEN: x}", "hive itself sets GH_TOKEN", 11),
        ("-q]", "-q]\n    environment: {X: ghp_0123456789abcdef}", "hive's own credential", 11),
        ("-q]", "-q]\n    interupt: [C-c]", "interrupt", 11),
        ("-q]", "-q]\n    transcript: {path: ../x}", "leads out of the agent's HOME", 11),
        ("-q]", "-q]\n    usage: {path: /var/log/x}", "leads out of the agent's HOME", 11),
    ],
)
def test_a_wrong_description_is_told_in_one_line_with_its_place(
    tmp_path: Path, old: str, new: str, said: str, line: int
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, GOOD + REPL.replace(old, new))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.line == line, str(caught.value)


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a|a)*b", "(a|aa)+$", ".*.*.*x", "(?:a*)*", "(.)\\1+", "(?=a+)b", "(x{1,100}){1,100}", ""],
)
def test_a_pattern_that_could_take_for_ever_is_refused(pattern: str) -> None:
    assert objection(pattern)


@pytest.mark.parametrize(
    "pattern", [r"^>>> ?$", r"esc to .* \(\d+s\)", "(?:Yes|No)$", r"^\s*[❯>]\s", r"\d{1,3}%"]
)
def test_plain_patterns_are_used_and_are_quick_on_the_worst_row(pattern: str) -> None:
    assert objection(pattern) == ""
    began = time.process_time()
    for row in ("a" * LONGEST_ROW, "esc to " * 43, " " * LONGEST_ROW, "1" * LONGEST_ROW):
        re.search(pattern, row)
    assert time.process_time() - began < 0.1
