"""Real git through the gateway, against a stand-in over real repositories."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from hive.facts.autonomy import AcmmLevel, Action
from hive.facts.verdicts import Ruling, Verdict
from hive.gateway import pushes
from hive.ports.authority import Identity
from tests.gateway.place import CREDENTIAL, REPO, Place

OWN = "hive/quality/1-area"


def tip(place: Place, ref: str = "HEAD") -> str:
    return place.good("git", "rev-parse", ref).strip()


def mirror_refs(place: Place) -> dict[str, str]:
    git = place.settings.state / "mirrors" / f"{REPO}.git"
    done = subprocess.run(
        ["git", "-C", str(git), "for-each-ref", "--format=%(refname) %(objectname)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split(" ") for line in done.stdout.splitlines())


def test_an_agent_clones_pushes_forces_and_deletes_its_own_branch(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "def area(a, b):\n    return a * b\n"})
    pushed = place.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr
    assert place.branches()[f"refs/heads/{OWN}"] == tip(place)
    place.good("git", "commit", "--quiet", "--amend", "--message", "Multiply")
    assert place.push("HEAD").returncode != 0, "git itself refuses what is no fast-forward"
    forced = place.push("--force", "HEAD")
    assert forced.returncode == 0, forced.stderr
    assert place.branches()[f"refs/heads/{OWN}"] == tip(place)
    assert mirror_refs(place) == place.branches()
    deleted = place.push("--delete", OWN)
    assert deleted.returncode == 0, deleted.stderr
    assert f"refs/heads/{OWN}" not in place.branches()
    assert mirror_refs(place) == place.branches()
    target = f"{REPO}@refs/heads/{OWN}"
    assert place.authority.ruled() == [("push-own-branch", target, "allow")] * 3


def test_what_is_not_its_own_is_refused_in_lines_that_the_agent_reads(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "changed\n"})
    assert place.push("HEAD").returncode == 0
    before = place.branches()
    place.good("git", "tag", "v1")
    place.commit("main", {"README.md": "changed\n"})
    refusals = {
        "push-default-branch": ["main"],
        "push-other-branch": ["HEAD:refs/heads/hive/scanner/1-area"],
        "delete-branch": ["--delete", "main"],
        "push-tag": ["v1"],
    }
    for action, what in refusals.items():
        pushed = place.push(*what)
        assert pushed.returncode != 0, action
        assert f"remote: hive: {action} is never allowed, at any level" in pushed.stderr, pushed.stderr
        assert "refused by hive" in pushed.stderr
    assert place.branches() == before
    assert {(action, ruling) for action, _, ruling in place.authority.ruled()[1:]} == {
        (action, "deny") for action in refusals
    }


def test_rewriting_the_default_branch_is_told_from_moving_it_on(place: Place) -> None:
    place.check_out()
    place.good("git", "commit", "--quiet", "--amend", "--message", "Another history")
    before = place.branches()
    pushed = place.push("--force", "HEAD:main")
    assert pushed.returncode != 0
    assert "remote: hive: force-push-default is never allowed" in pushed.stderr
    assert place.branches() == before


def test_one_refused_ref_refuses_the_whole_push(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "changed\n"})
    before = place.branches()
    pushed = place.push("HEAD", "HEAD:refs/heads/main")
    assert pushed.returncode != 0
    assert place.branches() == before
    assert mirror_refs(place) == before


def test_a_workflow_file_in_any_commit_of_a_push_is_refused(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {".github/workflows/ci.yml": "on: push\n"})
    place.good("git", "rm", "--quiet", ".github/workflows/ci.yml")
    place.good("git", "commit", "--quiet", "--message", "Take it out again")
    pushed = place.push("HEAD")
    assert pushed.returncode != 0
    assert "remote: hive: change-workflow is never allowed" in pushed.stderr
    assert f"refs/heads/{OWN}" not in place.branches()


def test_a_workflow_that_a_fork_only_proposes_is_not_taken_for_the_repositorys_own(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {".github/workflows/ci.yml": "on: push\n"})
    forge = place.forge.root / "git" / f"{REPO}.git"
    fetch = ("fetch", "--quiet", str(place.clone), f"{OWN}:refs/pull/99/head")
    subprocess.run(["git", "-C", str(forge), "-c", "safe.directory=*", *fetch], check=True)
    place.good("git", "fetch", "--quiet", "origin", "refs/pull/99/head")
    pushed = place.push("HEAD")
    assert pushed.returncode != 0
    assert "remote: hive: change-workflow is never allowed" in pushed.stderr
    assert f"refs/heads/{OWN}" not in place.branches()


def test_a_push_that_touches_more_than_can_be_looked_at_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushes, "_MOST_PATHS", 60)
    place.check_out()
    place.commit(OWN, {".github/workflows/ci.yml": "on: push\n"})
    place.commit(OWN, {f"{number}-{'long' * 5}": "x" for number in range(9)})
    pushed = place.push("HEAD")
    assert pushed.returncode != 0
    assert "too much to be judged" in pushed.stderr
    assert f"refs/heads/{OWN}" not in place.branches()
    assert place.authority.ruled() == [("unknown", REPO, "deny")]


def test_a_push_to_a_branch_with_an_open_pull_request_puts_the_hold_on_again(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "one\n"})
    assert place.push("HEAD").returncode == 0
    place.authority.level = AcmmLevel.L6
    body = f'{{"title": "t", "head": "{OWN}", "base": "main"}}'
    place.good_api("POST", f"/repos/{REPO}/pulls", body)
    place.authority.level = AcmmLevel.L4
    assert place.pulls()[0]["labels"] == []
    place.commit(OWN, {"widgets.py": "two\n"})
    assert place.push("HEAD").returncode == 0
    assert place.authority.ruled()[-1] == ("update-own-pr", f"{REPO}@refs/heads/{OWN}", "hold")
    assert place.pulls()[0]["labels"] == ["hold"]
    assert place.pulls()[0]["head_sha"] == tip(place)


def test_a_large_push_in_chunks_arrives(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"data.bin": os.urandom(6 * 1024 * 1024)})
    pushed = place.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr
    assert place.branches()[f"refs/heads/{OWN}"] == tip(place)


def test_a_failed_push_upstream_fails_the_agents_push(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "changed\n"})
    place.forge.fault("500", path=r"/git-receive-pack", times=9)
    pushed = place.push("HEAD")
    assert pushed.returncode != 0
    assert "remote: hive: the forge did not take the push" in pushed.stderr
    assert mirror_refs(place) == place.branches()
    place.forge.control("DELETE", "/faults")
    assert place.push("HEAD").returncode == 0


def test_a_branch_that_moved_upstream_is_not_overwritten(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "one\n"})
    assert place.push("HEAD").returncode == 0
    git = place.forge.root / "git" / f"{REPO}.git"
    main = place.branches()["refs/heads/main"]
    subprocess.run(["git", "-C", str(git), "update-ref", f"refs/heads/{OWN}", main], check=True)
    place.good("git", "commit", "--quiet", "--amend", "--message", "Rewritten")
    lease = f"--force-with-lease={OWN}"
    assert place.push(lease, "HEAD").returncode != 0
    assert place.branches()[f"refs/heads/{OWN}"] == main


def test_what_guardrails_see_of_a_push_and_what_they_refuse(place: Place) -> None:
    seen: list[tuple[tuple[str, ...], str]] = []

    def guard(
        identity: Identity, action: Action, target: str, paths: tuple[str, ...], text: str
    ) -> Verdict | None:
        if action is not Action.PUSH_OWN_BRANCH:
            return None
        seen.append((paths, text))
        return Verdict(Ruling.DENY, "guardrail.secrets", "the diff holds something like a key")

    place.authority.guard = guard
    place.check_out()
    place.commit(OWN, {"naïve name.txt": "AKIA-secret\n", "b.py": "x = 1\n"})
    pushed = place.push("HEAD")
    assert pushed.returncode != 0
    assert "hive: the diff holds something like a key (rule guardrail.secrets)" in pushed.stderr
    [(paths, text)] = seen
    assert paths == ("b.py", "naïve name.txt")
    assert "+AKIA-secret" in text


def test_pushes_at_once_go_one_after_another(place: Place) -> None:
    place.check_out()
    clones = []
    for number in range(3):
        clone = place.home / f"clone{number}"
        place.good("git", "clone", "--quiet", f"https://github.com/{REPO}.git", str(clone), cwd=place.home)
        (clone / "widgets.py").write_text(f"{number}\n")
        place.good("git", "commit", "--quiet", "--all", "--message", "Change", cwd=clone)
        clones.append(clone)
    results: list[int] = []

    def push(clone: Path, number: int) -> None:
        what = f"HEAD:refs/heads/hive/quality/{number}"
        results.append(place.run("git", "push", "origin", what, cwd=clone).returncode)

    threads = [threading.Thread(target=push, args=(c, n)) for n, c in enumerate(clones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0, 0, 0]
    assert mirror_refs(place) == place.branches()


def test_a_restarted_gateway_serves_the_same_agents(place: Place) -> None:
    place.check_out()
    place.restart()
    place.commit(OWN, {"widgets.py": "changed\n"})
    pushed = place.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr


def test_other_repositories_and_hosts_are_out_of_reach(place: Place) -> None:
    other = place.run("git", "ls-remote", "https://github.com/other/place.git", cwd=place.home)
    assert other.returncode != 0
    assert "remote error: hive: other/place is not a repository of agent quality" in other.stderr
    proxied = ("git", "-c", f"http.proxy={place.gateway.proxy_url}", "ls-remote")
    elsewhere = place.run(*proxied, "https://gitlab.com/a/b.git", cwd=place.home)
    assert elsewhere.returncode != 0
    assert "403" in elsewhere.stderr


def test_a_shallow_clone_pushes_too(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "one\n"})
    place.commit(OWN, {"widgets.py": "two\n"})
    assert place.push("HEAD").returncode == 0
    shallow = place.home / "shallow"
    address = f"https://github.com/{REPO}.git"
    place.good("git", "clone", "--quiet", "--depth=1", "--branch", OWN, address, str(shallow), cwd=place.home)
    (shallow / "widgets.py").write_text("three\n")
    place.good("git", "commit", "--quiet", "--all", "--message", "Third", cwd=shallow)
    pushed = place.run("git", "push", "origin", "HEAD", cwd=shallow)
    assert pushed.returncode == 0, pushed.stderr
    assert (
        place.branches()[f"refs/heads/{OWN}"] == place.good("git", "rev-parse", "HEAD", cwd=shallow).strip()
    )


def test_an_agents_place_holds_no_credential_of_the_forge(place: Place) -> None:
    place.check_out()
    place.commit(OWN, {"widgets.py": "changed\n"})
    assert place.push("HEAD").returncode == 0
    assert CREDENTIAL not in str(place.environment)
    for path in [*place.home.rglob("*"), *place.settings.state.rglob("*")]:
        if path.is_file():
            assert CREDENTIAL.encode() not in path.read_bytes(), path
    assert CREDENTIAL not in repr(place.settings)
