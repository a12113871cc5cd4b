"""The real git, gh and curl of an agent in a pod, over TLS to an address that is not this machine's name."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hive.facts.events import PullRequestOpened, RequestRuled
from tests.gateway.place import REPO, Place, gh_programs
from tests.gateway.pod import Pod, pod_in

BRANCH = "hive/quality/1-area"
PAGE = f"https://api.github.com/repos/{REPO}"


@pytest.fixture
def pod(place: Place) -> Pod:
    return pod_in(place)


def test_git_clones_pushes_and_reads_why_it_may_not(pod: Pod) -> None:
    pod.check_out()
    pod.commit(BRANCH, {"widgets.py": "def area(a, b):\n    return a * b\n"})
    pushed = pod.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr
    assert pod.branches()[f"refs/heads/{BRANCH}"] == pod.good("git", "rev-parse", "HEAD").strip()
    refused = pod.push("HEAD:main")
    assert refused.returncode != 0
    assert "remote: hive: push-default-branch is never allowed" in refused.stderr


def test_a_push_of_many_megabytes_arrives_whole(pod: Pod) -> None:
    pod.check_out()
    noise = b"".join(index.to_bytes(4, "big") + bytes([index % 251]) * 3 for index in range(1_000_000))
    pod.good("git", "config", "core.compression", "0")
    pod.commit(BRANCH, {"noise.bin": noise})
    pushed = pod.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr
    pod.good("git", "fetch", "--quiet", "origin", BRANCH)
    assert pod.good("git", "rev-parse", "FETCH_HEAD") == pod.good("git", "rev-parse", "HEAD")


@pytest.mark.parametrize("version", sorted(gh_programs()))
def test_gh_opens_a_held_pull_request_and_may_not_merge_it(pod: Pod, version: str) -> None:
    pod.equip(gh_programs()[version])
    pod.check_out()
    pod.commit(BRANCH, {"widgets.py": "changed\n"})
    assert pod.push("HEAD").returncode == 0
    told = ("--head", BRANCH, "--base", "main", "--title", "Multiply", "--body", "Fixes #1")
    created = pod.run("gh", "pr", "create", *told)
    assert created.stdout.strip() == f"https://github.com/{REPO}/pull/3", created.stderr
    [pull] = pod.pulls()
    assert (pull["draft"], pull["labels"]) == (False, ["hold"])
    assert [event.agent for event in pod.authority.events_of(PullRequestOpened)] == ["quality"]
    merging = pod.run("gh", "pr", "merge", "3", "--merge")
    assert merging.returncode != 0
    assert "role quality at L4 (Adaptive) is holdgated" in merging.stderr
    assert [pull["merged"] for pull in pod.pulls()] == [False]


def test_curl_reaches_the_forge_and_nothing_else(pod: Pod) -> None:
    with_token = ("-H", f"Authorization: token {pod.token}")
    page = json.loads(pod.good("curl", "--silent", "--show-error", "--fail", *with_token, PAGE))
    assert page["full_name"] == REPO
    bare = pod.run("curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", PAGE)
    assert bare.stdout == "401"
    for elsewhere in ("https://example.com/", f"https://127.0.0.3:{pod.forge.url.rpartition(':')[2]}/"):
        foreign = pod.run("curl", "--silent", "--show-error", *with_token, elsewhere)
        assert foreign.returncode != 0
        assert "response 407" in foreign.stderr, foreign.stderr
    known = pod.run("curl", "-sS", "--proxy-user", f"x:{pod.token}", "https://example.com/")
    assert "response 403" in known.stderr, known.stderr


def test_a_finding_goes_on_record_through_the_tunnel_and_beside_it(pod: Pod) -> None:
    for number, url in enumerate(("https://hive/v1/findings", pod.environment["HIVE_FINDINGS_URL"]), 1):
        finding = json.dumps(
            {"repo": REPO, "issue": 1, "title": f"It adds in file{number}.py", "body": "See."}
        )
        direct = ("--noproxy", "*") if number == 2 else ()
        said = pod.good(
            *("curl", "-sS", *direct, "-H", f"Authorization: token {pod.token}", "-d", finding, url)
        )
        assert json.loads(said) == {"id": f"F{number}"}
    assert {event.action for event in pod.authority.events_of(RequestRuled)} == {"record-finding"}


def test_python_reaches_the_forge_by_the_environment_alone(pod: Pod) -> None:
    program = (
        "import os, requests\n"
        f"answer = requests.get({PAGE!r}, headers={{'Authorization': 'token ' + os.environ['GH_TOKEN']}})\n"
        "print(answer.status_code, answer.json()['full_name'])\n"
    )
    done = pod.run(sys.executable, "-c", program)
    assert done.stdout.split() == ["200", REPO], done.stderr


def test_the_token_is_read_from_its_file_at_each_use_and_lies_nowhere_else(pod: Pod) -> None:
    pod.check_out()
    written = [path for path in pod.home.rglob("*") if path.is_file()]
    assert not [path for path in written if pod.token.encode() in path.read_bytes()]
    assert pod.token not in json.dumps(pod.environment)
    pod.authority.identities["hive-another"] = pod.authority.identities.pop(pod.token)
    assert pod.run("git", "fetch", "origin").returncode != 0
    (pod.folder / "token").write_text("hive-another\n")
    pod.good("git", "fetch", "origin")
    assert json.loads(pod.good("gh", "api", f"repos/{REPO}"))["full_name"] == REPO


def test_git_is_told_the_token_for_the_forge_alone(pod: Pod) -> None:
    def filled(host: str) -> str:
        asked = f"protocol=https\nhost={host}\n\n"
        return pod.run("git", "credential", "fill", given=asked).stdout

    assert f"password={pod.token}\n" in filled("github.com")
    assert pod.token not in filled("github.com.evil.example")
    assert pod.token not in filled("example.com")


def test_a_pod_without_its_secret_starts_nothing_and_says_so(pod: Pod) -> None:
    (pod.folder / "token").unlink()
    done: subprocess.CompletedProcess[str] = pod.run("true")
    assert done.returncode != 0
    assert "token" in done.stderr


@pytest.mark.parametrize("word", ["pods", "local"])
def test_a_token_is_good_at_its_own_door_alone(pod: Pod, place: Place, word: str) -> None:
    if word == "pods":
        (pod.folder / "token").write_text(place.token)
        done = pod.run("gh", "api", f"repos/{REPO}")
        assert "Bad credentials" in done.stdout + done.stderr
    else:
        place.token = pod.token
        assert place.api("GET", f"/repos/{REPO}")[0] == 401
    assert pod.forge.state()["requests"] == {}
