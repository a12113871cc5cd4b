"""Templates of prompts: hive's own, the operator's before them, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.decisions.prompt.template import PromptTemplate, filled
from hive.errors import ConfigError
from hive.facts.work import TaskKind
from hive.settings.prompts import load_prompts

GOOD = "{{first_line}}\n\nWork on {{number}}.\n\n{{task}}\n\n{{foreign}}\n"


def test_there_is_a_template_of_hives_for_each_kind_of_task() -> None:
    found = load_prompts()
    assert {kind: one.source for kind, one in found.items()} == {
        kind: f"config/prompts/{kind}.md" for kind in TaskKind
    }


def test_the_operators_own_goes_before_hives(tmp_path: Path) -> None:
    (tmp_path / "rebase.md").write_text(GOOD)
    found = load_prompts(tmp_path)
    assert found[TaskKind.REBASE] == PromptTemplate(str(tmp_path / "rebase.md"), GOOD)
    assert found[TaskKind.ISSUE] == load_prompts()[TaskKind.ISSUE]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (GOOD.replace("{{number}}", "{{numbre}}"), 3, "there is no place {{numbre}}"),
        (GOOD.replace("{{number}}", "{{number"), 3, "'{{' and '}}' have to enclose one name on one line"),
        (GOOD.replace("{{task}}", ""), 1, "{{task}} on a line of its own is missing"),
        (GOOD + "{{task}}\n", 8, "{{task}} on a line of its own stands there twice"),
        (GOOD.replace("{{task}}", "Task: {{task}}"), 5, "{{task}} has to stand alone on its line"),
        ("Hello.\n" + GOOD, 1, "its first line has to be {{first_line}}"),
    ],
)
def test_a_fault_is_told_with_its_file_and_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    (tmp_path / "fix-ci.md").write_text(text)
    with pytest.raises(ConfigError) as error:
        load_prompts(tmp_path)
    assert (error.value.source, error.value.line) == (str(tmp_path / "fix-ci.md"), line)
    assert said in error.value.message


def test_a_file_that_is_no_kind_of_task_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "fixci.md").write_text(GOOD)
    with pytest.raises(ConfigError, match="no kind of task is called fixci; there are"):
        load_prompts(tmp_path)


def test_what_is_put_into_a_place_is_never_looked_at_for_places() -> None:
    values = {
        "first_line": "hive task",
        "number": "7",
        "task": "{{number}} $(id) {number}",
        "foreign": "x",
    }
    assert filled(PromptTemplate("t", GOOD), values) == (
        "hive task\n\nWork on 7.\n\n{{number}} $(id) {number}\n\nx\n"
    )
