"""The stand-in as a process: started, killed, started again; and PyGithub against it."""

import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github import Auth, Github, GithubException

from hive.errors import ConfigError, Unreachable
from hive.standins.github import process
from hive.standins.github.process import StandInProcess
from tests.standins.github.harness import git, write_seed


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[StandInProcess]:
    """A stand-in that runs a check, in a process of its own."""
    started = process.start(tmp_path / "root", seed=write_seed(tmp_path), check_command="test -e b.txt")
    yield started
    started.stop()


def _github(stand_in: StandInProcess) -> Github:
    options: dict[str, Any] = {"seconds_between_requests": 0, "seconds_between_writes": 0, "retry": None}
    return Github(base_url=stand_in.api_url, auth=Auth.Token("token-hive"), **options)


def _push(stand_in: StandInProcess, folder: Path, branch: str) -> str:
    git("clone", "--quiet", f"http://x:token-hive@127.0.0.1:{stand_in.port}/o/r.git", str(folder))
    git("checkout", "--quiet", "-b", branch, cwd=folder)
    (folder / "b.txt").write_text("b\n", encoding="utf-8")
    git("add", "--all", cwd=folder)
    git("commit", "--quiet", "-m", "Add", cwd=folder)
    git("push", "--quiet", "origin", branch, cwd=folder)
    return git("rev-parse", "HEAD", cwd=folder)


def test_pygithub_takes_an_issue_to_a_merged_pull_request(stand_in: StandInProcess, tmp_path: Path) -> None:
    repo = _github(stand_in).get_repo("o/r")
    assert [issue.number for issue in repo.get_issues()] == [1, 5]
    head = _push(stand_in, tmp_path / "work", "topic")
    pull = repo.create_pull(title="T", body="Fixes #1", head="topic", base="main")
    repo.create_label("hold", "ff0000")
    pull.add_to_labels("hold")
    pull.create_issue_comment("said")
    with pytest.raises(GithubException) as refused:
        repo.create_pull(title="T", body="", head="topic", base="main")
    assert refused.value.status == 422
    assert [file.filename for file in pull.get_files()] == ["b.txt"]
    deadline = time.monotonic() + 30
    while True:
        runs = list(repo.get_commit(head).get_check_runs())
        if runs and runs[0].status == "completed":
            break
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert (runs[0].name, runs[0].conclusion) == ("check", "success")
    repo.get_commit(head).create_status("success", context="other")
    assert repo.get_commit(head).get_combined_status().state == "success"
    with pytest.raises(GithubException) as moved:
        pull.merge(sha="0" * 40)
    assert moved.value.status == 409
    pull.remove_from_labels("hold")
    assert pull.merge(sha=head, merge_method="squash").merged
    assert repo.get_issue(1).state == "closed"
    repo.get_git_ref("heads/topic").delete()


def test_what_was_answered_survives_a_kill(stand_in: StandInProcess, tmp_path: Path) -> None:
    repo = _github(stand_in).get_repo("o/r")
    _push(stand_in, tmp_path / "work", "topic")
    repo.create_pull(title="T", body="", head="topic", base="main").add_to_labels("hold")
    repo.create_issue("Before the kill")
    before = stand_in.state()["repositories"]
    audit = stand_in.audit()
    stand_in.kill()
    with pytest.raises(Unreachable):
        stand_in.state()
    again = process.start(tmp_path / "root", port=stand_in.port, check_command="test -e b.txt")
    try:
        after = again.state()["repositories"]
        for answer in (before, after):
            answer["o/r"]["pulls"][0].pop("checks")
        assert after == before
        assert again.audit() == audit
        assert again.control_token == stand_in.control_token
        assert _github(again).get_repo("o/r").create_issue("After").number == 8
    finally:
        again.stop()


def test_a_check_that_a_kill_cut_off_is_done_after_the_next_start(tmp_path: Path) -> None:
    # It ends with the test's own file, since nobody is left who would end it after the kill.
    busy = tmp_path / "busy"
    busy.touch()
    waits = f"while test -e {busy}; do sleep 0.05; done"
    first = process.start(tmp_path / "root", seed=write_seed(tmp_path), check_command=waits)
    head = _push(first, tmp_path / "work", "topic")
    _github(first).get_repo("o/r").create_pull(title="T", body="", head="topic", base="main")
    first.kill()
    busy.unlink()
    again = process.start(tmp_path / "root", check_command="true")
    try:
        deadline = time.monotonic() + 30
        commit = _github(again).get_repo("o/r").get_commit(head)
        while [run.conclusion for run in commit.get_check_runs()] != ["success"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        again.stop()


def test_secrets_are_for_their_owner_alone(stand_in: StandInProcess) -> None:
    for name in ("control-token", "state.sqlite3"):
        assert stat.S_IMODE((stand_in.root / name).stat().st_mode) == 0o600


def test_a_wrong_seed_is_one_line(tmp_path: Path) -> None:
    seed = write_seed(tmp_path, accounts=[{"login": "a", "kind": "cat"}])
    with pytest.raises(ConfigError, match=r"accounts\[0\]\.kind: 'cat' is none of"):
        process.start(tmp_path / "root", seed=seed)
    again = process.start(tmp_path / "root", seed=write_seed(tmp_path))
    again.stop()


def test_faults_are_set_from_python(stand_in: StandInProcess) -> None:
    stand_in.fault("502", method="GET", path="/user$")
    github = _github(stand_in)
    with pytest.raises(GithubException) as failed:
        github.get_user().login  # noqa: B018 - the property asks the service
    assert failed.value.status == 502
    assert github.get_user().login == "hive[bot]"
