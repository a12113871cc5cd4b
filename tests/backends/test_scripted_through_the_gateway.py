"""The scripted agent in its seat: the real `gh` and `git`, hive's gateway, and the forge stand-in behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.facts.screens import ScreenState
from tests.backends.stage import Stage, prompt
from tests.gateway.conftest import forge, place
from tests.gateway.place import CREDENTIAL, REPO, TOKEN, Place, at_task, gh_programs, identity

__all__ = ["forge", "place"]  # fixtures

BRANCH = "hive/quality/2-tests"


@pytest.fixture
def seat(place: Place, tmp_path: Path, stage: Stage) -> Stage:
    """The stage, with the agent in the place that hive made for it."""
    place.authority.identities[TOKEN] = at_task(identity(), 2)
    own = {name: stage.environment[name] for name in ("PYTHONPATH", "LC_ALL", "SCRIPTED_PACE")}
    stage.environment = {**place.environment, **own, "SCRIPTED_RETRY_SECONDS": "30"}
    stage.home = place.home
    return stage


def task(text: str = "There are none.", mode: str = "holdgated", prompt_id: str = "t1/p1") -> str:
    return prompt(
        text,
        clone=f"https://github.com/{REPO}.git",
        prompt_id=prompt_id,
        mode=mode,
        issue=2,
        repository=REPO,
        title="no tests",
        branch=BRANCH,
    )


@pytest.mark.parametrize("version", sorted(gh_programs()))
def test_a_task_becomes_a_pull_request_on_the_forge(seat: Stage, place: Place, version: str) -> None:
    place.equip(gh_programs()[version])
    seat.environment |= {"PATH": place.environment["PATH"]}
    seat.start()
    seat.submit(task())
    end = seat.until_end()
    assert end["outcome"] == "done", seat.plain()
    (pull,) = place.pulls()
    assert end["detail"] == f"opened https://github.com/{REPO}/pull/{pull['number']}"
    assert (pull["title"], pull["head"], pull["base"]) == ("no tests", BRANCH, "main")
    seat.submit(task(prompt_id="t1/p2"))
    again = seat.until_end(2)
    assert (again["outcome"], again["detail"]) == ("done", end["detail"])
    assert len(place.pulls()) == 1


def test_a_push_to_the_base_branch_is_refused_in_hives_words(seat: Stage, place: Place) -> None:
    before = place.branches()["refs/heads/main"]
    seat.start()
    seat.submit(task("@script push-main"))
    end = seat.until_end()
    assert (end["outcome"], str(end["detail"]).startswith("git push: hive: ")) == ("refused", True)
    assert place.branches() == {"refs/heads/main": before}
    assert seat.until_screen(ScreenState.FAILED).detail.startswith("Turn refused: git push: hive: ")


@pytest.mark.parametrize("mark", ["merge-own", "remove-hold"])
def test_what_no_agent_may_is_refused_in_hives_words(seat: Stage, place: Place, mark: str) -> None:
    seat.start()
    seat.submit(task(f"@script {mark}"))
    end = seat.until_end()
    assert (end["outcome"], "hive: " in str(end["detail"])) == ("refused", True), end


def test_a_finding_reaches_hive(seat: Stage, place: Place) -> None:
    seat.start()
    seat.submit(task(mode="advisory"))
    assert seat.until_end()["outcome"] == "done", seat.plain()
    assert place.pulls() == []


def test_a_gateway_that_is_restarted_amid_the_task_is_waited_for(seat: Stage, place: Place) -> None:
    seat.start()
    place.gateway.close()
    seat.submit(task())
    seat.until_screen(ScreenState.RETRYING)
    place.restart()
    assert seat.until_end()["outcome"] == "done", seat.plain()
    assert len(place.pulls()) == 1


def test_neither_token_is_ever_on_the_screen_or_in_the_transcript(seat: Stage, place: Place) -> None:
    seat.start()
    seat.submit(task("@script print-env"))
    seat.until_end()
    shown = seat.tmux("capture-pane", "-p", "-S", "-500", "-t", "=a:") + "\n".join(seat.lines())
    assert "HIVE_TOKEN_FILE=" in shown
    assert TOKEN not in shown
    assert CREDENTIAL not in shown
