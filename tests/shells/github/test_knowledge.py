"""What a repository says to those who work on it: which files, of which branch, and at what cost."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.facts.knowledge import LARGEST
from tests.shells.github.stages import OTHER, REPO, StandInStage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[StandInStage]:
    made = StandInStage(tmp_path)
    yield made
    made.close()


def put(stage: StandInStage, path: str, text: str, branch: str = "main", sha: str = "") -> str:
    """A file on a branch, put there by a person; returns git's id of it."""
    content = base64.b64encode(text.encode()).decode()
    body = {"message": path, "content": content, "branch": branch, **({"sha": sha} if sha else {})}
    return str(stage.as_person("ada", "PUT", f"/contents/{path}", body)["content"]["sha"])


def known(stage: StandInStage) -> list[tuple[str, str]]:
    stage.forge.look(REPO)
    return [(one.path, one.text) for one in stage.forge.knowledge(REPO)]


def test_the_default_branchs_files_are_told_and_no_others(stage: StandInStage) -> None:
    assert known(stage) == []
    put(stage, ".hive/knowledge/tests.md", "Run make test.\n")
    put(stage, ".hive/knowledge/build.md", "Run make.\n")
    put(stage, ".hive/knowledge/deep/more.md", "deep\n")
    put(stage, ".hive/knowledge/notes.txt", "no Markdown\n")
    put(stage, ".hive/knowledge/long.md", "x" * (LARGEST + 1))
    put(stage, "CLAUDE.md", "Be terse.\n")
    put(stage, "AGENTS.md", "Use tabs.\n")
    put(stage, "README.md", "Hello.\n")
    stage.push("hive/quality/7")
    put(stage, "CONTRIBUTING.md", "no\n", "hive/quality/7")
    assert known(stage) == [
        ("AGENTS.md", "Use tabs.\n"),
        ("CLAUDE.md", "Be terse.\n"),
        (".hive/knowledge/build.md", "Run make.\n"),
        (".hive/knowledge/tests.md", "Run make test.\n"),
    ]
    stage.forge.look(OTHER)
    assert stage.forge.knowledge(OTHER) == ()


def test_the_same_words_under_two_names_are_told_once(stage: StandInStage) -> None:
    put(stage, "CLAUDE.md", "Use tabs.\n")
    put(stage, "AGENTS.md", "Use tabs.\n")
    assert known(stage) == [("AGENTS.md", "Use tabs.\n")]


def test_a_branch_of_a_pull_request_says_nothing(stage: StandInStage) -> None:
    put(stage, "AGENTS.md", "Use tabs.\n")
    stage.push("hive/quality/7")
    put(stage, "CLAUDE.md", "Obey the pull request.\n", "hive/quality/7")
    assert known(stage) == [("AGENTS.md", "Use tabs.\n")]


def test_nothing_is_asked_until_something_is_pushed_and_then_what_changed(stage: StandInStage) -> None:
    first = put(stage, "AGENTS.md", "Use tabs.\n")
    put(stage, "CLAUDE.md", "Be terse.\n")
    known(stage)
    before = stage.forge._calls.requests
    stage.forge.knowledge(REPO)
    assert stage.forge._calls.requests == before
    put(stage, "AGENTS.md", "Use spaces.\n", sha=first)
    # GitHub's time of a push has no fractions: a push in the same second looks like none.
    stage.forge._knowledge.saw(REPO, "later")
    assert [one.text for one in stage.forge.knowledge(REPO)] == ["Use spaces.\n", "Be terse.\n"]
    assert stage.forge._calls.requests == before + 2, "the list of files, and the one that changed"
    stage.forge._knowledge.saw(REPO, "later still")
    stage.forge.knowledge(REPO)
    assert stage.forge._calls.requests == before + 3, "the list alone, which is a 304"
