"""The real gh, Debian's 2.23 and a current one, against the stand-in as github.com."""

import json
import os
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive.standins.github.acting import Actor
from tests.standins.github.forwarder import forward
from tests.standins.github.harness import World, git

_DEBIAN = Path("/usr/bin/gh")
_CURRENT = Path(sysconfig.get_path("scripts")) / "gh"


@dataclass(frozen=True)
class Gh:
    """A gh whose only way out is the stand-in."""

    program: Path
    environment: dict[str, str]
    world: World

    @property
    def is_current(self) -> bool:
        """Whether it is the newer of the two."""
        return self.program == _CURRENT

    def __call__(self, *arguments: str, token: str = "token-hive", ok: bool = True) -> str:
        """What gh says: its output, or its error where it may fail."""
        done = subprocess.run(
            [str(self.program), *arguments],
            env={**self.environment, "GH_TOKEN": token},
            cwd=self.environment["TMPDIR"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if ok:
            assert done.returncode == 0, (arguments, done.stdout, done.stderr)
            return done.stdout.strip()
        assert done.returncode != 0, (arguments, done.stdout)
        return done.stderr.strip()

    def json(self, *arguments: str) -> Any:
        """What gh says, decoded."""
        return json.loads(self(*arguments))


@pytest.fixture(params=[_DEBIAN, _CURRENT], ids=["debian", "current"])
def gh(request: pytest.FixtureRequest, world: World, tmp_path: Path) -> Iterator[Gh]:
    """Each of the two, with a configuration and state of its own."""
    program: Path = request.param
    if not program.exists():
        pytest.skip(f"{program} is not installed")
    for name in ("config", "state", "scratch"):
        (tmp_path / name).mkdir()
    # A socket's path has to be short, which tmp_path is not.
    with tempfile.TemporaryDirectory(prefix="gh-") as short:
        socket = Path(short) / "s"
        (tmp_path / "config" / "config.yml").write_text(f"http_unix_socket: {socket}\n", encoding="utf-8")
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GH_CONFIG_DIR": str(tmp_path / "config"),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "TMPDIR": str(tmp_path / "scratch"),
            "GH_REPO": "o/r",
            "GH_TELEMETRY": "false",
            "DO_NOT_TRACK": "1",
            "GH_PROMPT_DISABLED": "1",
            "GH_NO_UPDATE_NOTIFIER": "1",
            "NO_COLOR": "1",
        }
        # gh looks at the folder's remotes even where it is told the repository.
        git("init", "--quiet", cwd=tmp_path / "scratch")
        git("remote", "add", "origin", "https://github.com/o/r.git", cwd=tmp_path / "scratch")
        with forward(socket, world.port):
            yield Gh(program, environment, world)


def test_gh_knows_who_it_is_and_where(gh: Gh) -> None:
    gh("auth", "status")
    assert gh("api", "user", "--jq", ".login") == "hive[bot]"
    assert json.loads(gh("api", "graphql", "-f", "query={viewer{login}}")) == {
        "data": {"viewer": {"login": "hive[bot]"}}
    }
    fields = "nameWithOwner,defaultBranchRef,viewerPermission"
    assert gh.json("repo", "view", "--json", fields) == {
        "nameWithOwner": "o/r",
        "defaultBranchRef": {"name": "main"},
        "viewerPermission": "WRITE",
    }
    assert [line.split("\t")[0] for line in gh("label", "list").splitlines()] == ["bug", "go"]


def test_gh_lists_makes_comments_and_closes_issues(gh: Gh) -> None:
    listed = gh.json("issue", "list", "--json", "number,title,labels,author")
    assert [(i["number"], [label["name"] for label in i["labels"]]) for i in listed] == [
        (1, ["bug"]),
        (5, ["go"]),
    ]
    assert gh("issue", "create", "-t", "By gh", "-b", "b", "-l", "bug", "-a", "ada").endswith("/o/r/issues/6")
    gh("issue", "comment", "6", "-b", "said")
    gh("issue", "edit", "6", "--add-label", "go", "--title", "Edited")
    gh("issue", "close", "6", "-r", "not planned")
    shown = gh.json("issue", "view", "6", "--json", "title,state,comments,labels,assignees")
    assert (shown["title"], shown["state"], [c["body"] for c in shown["comments"]]) == (
        "Edited",
        "CLOSED",
        ["said"],
    )
    assert [label["name"] for label in shown["labels"]] == ["bug", "go"]
    assert [who["login"] for who in shown["assignees"]] == ["ada"]
    assert "fifth" not in gh("issue", "list", "--search", "crashes in:title")
    gh("issue", "reopen", "6")


def test_gh_takes_a_pull_request_from_its_opening_to_its_merge(gh: Gh) -> None:
    head = gh.world.push("topic", {"b.txt": "b\n"})
    gh.world.call("POST", "/repos/o/r/check-runs", {"name": "t", "head_sha": head, "conclusion": "success"})
    create = ("pr", "create", "-t", "T", "-b", "Fixes #1", "-H", "topic", "-B", "main")
    assert gh(*create, "--draft", "-l", "bug", "-r", "ada").endswith("/o/r/pull/6")
    assert "already exists" in gh(*create, ok=False)
    assert [pull["number"] for pull in gh.json("pr", "list", "--json", "number")] == [6]
    assert gh("pr", "checks", "6").split("\t")[:2] == ["t", "pass"]
    gh("pr", "ready", "6")
    gh("pr", "comment", "6", "-b", "said")
    assert "+b" in gh("pr", "diff", "6")
    assert "Can not approve your own pull request" in gh("pr", "review", "6", "--approve", ok=False)
    gh("pr", "review", "6", "--approve", token="token-ada")
    fields = "state,isDraft,labels,reviewDecision,statusCheckRollup,headRefOid,files,commits,mergeable"
    shown = gh.json("pr", "view", "6", "--json", fields)
    assert (shown["state"], shown["isDraft"], shown["reviewDecision"]) == ("OPEN", False, "APPROVED")
    assert [file["path"] for file in shown["files"]] == ["b.txt"]
    stale = gh("pr", "merge", "6", "--squash", "--match-head-commit", "0" * 40, ok=False)
    assert "Head branch was modified" in stale
    gh("pr", "merge", "6", "--squash", "--match-head-commit", head)
    assert gh.json("pr", "view", "6", "--json", "state,mergedBy")["state"] == "MERGED"
    assert gh.json("issue", "view", "1", "--json", "state") == {"state": "CLOSED"}


def test_gh_closes_and_reopens_a_pull_request(gh: Gh) -> None:
    gh.world.open_pull("topic")
    gh("pr", "close", "6")
    gh("pr", "reopen", "6")
    assert gh.json("pr", "view", "6", "--json", "state") == {"state": "OPEN"}


def test_auto_merge_is_not_allowed_as_is_githubs_default(gh: Gh) -> None:
    pull = gh.world.open_pull("topic")
    query = "mutation($id: ID!) {enablePullRequestAutoMerge(input: {pullRequestId: $id}) {clientMutationId}}"
    said = gh.world.graphql(query, id=pull["node_id"])
    assert said["errors"][0]["message"] == "Auto merge is not allowed for this repository"


def test_an_old_gh_fails_on_classic_projects_as_it_does_on_github(gh: Gh) -> None:
    if gh.is_current:
        assert "It crashes" in gh("issue", "view", "1")
    else:
        assert "Projects (classic) is being deprecated" in gh("issue", "view", "1", ok=False)


def test_gh_reads_a_failed_run_and_meets_rules(gh: Gh) -> None:
    ci = Actor(gh.world.forge, "github-actions[bot]", kind="app")
    sha = gh.world.push("topic", {"b.txt": "b\n"})
    gh.world.call("POST", "/repos/o/r/pulls", {"title": "T", "head": "topic", "base": "main"})
    job = ci.reports("o/r", sha, "test", "failure", workflow="CI", log="boom")
    [run] = gh.json("run", "list", "--json", "databaseId,conclusion,headBranch,workflowName")
    assert (run["conclusion"], run["headBranch"]) == ("failure", "topic")
    assert "boom" in gh("api", f"repos/o/r/actions/jobs/{job}/logs")
    gh("issue", "lock", "1", "--reason", "spam")
    assert gh.json("api", "repos/o/r/issues/1")["active_lock_reason"] == "spam"
    rules = '[{"type":"required_status_checks","parameters":{"required_status_checks":[{"context":"test"}]}}]'
    conditions = {"ref_name": {"include": ["~ALL"], "exclude": []}}
    asked = {"name": "all", "enforcement": "active", "conditions": conditions, "rules": json.loads(rules)}
    gh.world.call("POST", "/repos/o/r/rulesets", asked, token="token-ada")
    for required in ((), ("--required",)):
        # It has failed, which gh says on its output and by its exit code.
        assert gh("pr", "checks", "6", *required, ok=False) == ""
    assert "not mergeable" in gh("pr", "merge", "6", "--merge", ok=False)
    if gh.is_current:
        assert "all" in gh("ruleset", "list")
