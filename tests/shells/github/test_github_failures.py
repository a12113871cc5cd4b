"""GitHub's failures in hive's own words; writes are sent once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.errors import InDoubt, Throttled, Unreachable
from tests.shells.github.stages import REPO, StandInStage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[StandInStage]:
    made = StandInStage(tmp_path)
    yield made
    made.close()


def issues(stage: StandInStage) -> int:
    return len(stage.process.state()["repositories"][REPO]["issues"])


@pytest.mark.parametrize("fault", ["502", "drop-after-write", "truncate"])
def test_a_write_without_a_good_answer_is_in_doubt_and_not_repeated(stage: StandInStage, fault: str) -> None:
    stage.process.fault(fault, method="POST", path="/issues$", times=5)
    with pytest.raises(InDoubt):
        stage.forge.file_issue(REPO, title="t", body="", labels=[])
    assert issues(stage) <= 1
    assert stage.process.control("GET", "/faults") == {"waiting": 4}


@pytest.mark.parametrize("fault", ["500", "503", "truncate"])
def test_a_read_without_a_good_answer_is_unreachable(stage: StandInStage, fault: str) -> None:
    stage.process.fault(fault, path="/graphql$", times=1)
    with pytest.raises(Unreachable):
        stage.forge.look(REPO)
    assert stage.forge.look(REPO).repo == REPO


@pytest.mark.parametrize("fault", ["rate-limit", "secondary-limit"])
def test_a_rate_limit_says_when_to_ask_again(stage: StandInStage, fault: str) -> None:
    stage.process.fault(fault, path="/graphql$", times=1)
    with pytest.raises(Throttled) as limit:
        stage.forge.look(REPO)
    assert limit.value.retry_at is not None


def test_a_forge_that_is_gone_is_unreachable(stage: StandInStage) -> None:
    stage.process.stop()
    with pytest.raises(Unreachable) as gone:
        stage.forge.look(REPO)
    assert "token-of-the-bot" not in str(gone.value)


def test_of_more_issues_than_a_page_none_is_left_out(stage: StandInStage) -> None:
    for number in range(205):
        stage.forge.file_issue(REPO, title=f"issue {number}", body="", labels=[])
    assert len(stage.forge.look(REPO).issues) == 205
