"""The real gh through the gateway, in both versions that people have."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from hive.facts.autonomy import AcmmLevel
from hive.facts.events import PullRequestOpened, RequestRuled
from tests.gateway.place import Place, gh_programs

BRANCH = "hive/quality/1-area"
REPO = "acme/widgets"


@pytest.fixture(params=sorted(gh_programs()))
def desk(request: pytest.FixtureRequest, place: Place) -> Place:
    """An agent with a pushed branch and one version of gh."""
    place.gh = request.param
    place.equip(gh_programs()[request.param])
    place.check_out()
    place.commit(BRANCH, {"widgets.py": "def area(a, b):\n    return a * b\n"})
    assert place.push("HEAD").returncode == 0
    return place


def create(desk: Place, *more: str) -> CompletedProcess[str]:
    told = ("--head", BRANCH, "--base", "main", "--title", "Multiply", "--body", "Fixes #1")
    return desk.run("gh", "pr", "create", *told, *more)


def test_a_held_pull_request_is_ready_and_carries_the_hold(desk: Place) -> None:
    created = create(desk)
    assert created.stdout.strip() == "https://github.com/acme/widgets/pull/3", created.stderr
    [pull] = desk.pulls()
    assert (pull["draft"], pull["labels"]) == (False, ["hold"])
    # It has no task, so that there is no issue that it may close.
    assert pull["body"] == "Fixes `#1`\n\n<!-- hive:agent=quality -->"
    assert desk.authority.events_of(PullRequestOpened) == [
        PullRequestOpened(
            repo=REPO,
            number=3,
            agent="quality",
            head_ref=BRANCH,
            head=desk.branches()[f"refs/heads/{BRANCH}"],
            held=True,
        )
    ]
    # At no moment was it open, ready and unheld: the label came before the change to ready.
    steps = [row["what"] for row in desk.forge.audit() if row["subject"] == f"{REPO}#3"]
    assert steps == ["pr.create", "issue.label", "pr.ready"]


def test_a_repeated_create_answers_with_the_pull_request_that_is_open(desk: Place) -> None:
    first, second = create(desk), create(desk)
    assert first.stdout.strip() == "https://github.com/acme/widgets/pull/3", first.stderr
    # gh itself looks first and says so; by the API the same request gives the same pull request.
    assert "already exists" in second.stderr
    body = json.dumps({"title": "Again", "head": BRANCH, "base": "main"})
    again = desk.run("gh", "api", f"repos/{REPO}/pulls", "--input", "-", "--jq", ".number", given=body)
    assert again.stdout.strip() == "3", again.stderr
    assert len(desk.pulls()) == 1
    assert len(desk.authority.events_of(PullRequestOpened)) == 1


def test_an_agent_may_ask_for_a_draft(desk: Place) -> None:
    assert create(desk, "--draft").returncode == 0
    [pull] = desk.pulls()
    assert (pull["draft"], pull["labels"]) == (True, ["hold"])


def test_at_the_top_level_a_pull_request_is_not_held_and_hive_merges_it(desk: Place) -> None:
    desk.authority.level = AcmmLevel.L6
    assert create(desk).returncode == 0
    [pull] = desk.pulls()
    assert (pull["draft"], pull["labels"]) == (False, [])
    assert [event.held for event in desk.authority.events_of(PullRequestOpened)] == [False]
    merging = desk.run("gh", "pr", "merge", "3", "--squash")
    assert merging.returncode != 0
    assert "hive merges through its own gate when the pull request is green" in merging.stderr
    by_api = desk.run("gh", "api", "-X", "PUT", f"repos/{REPO}/pulls/3/merge")
    assert "hive merges through its own gate" in by_api.stdout + by_api.stderr
    assert [pull["merged"] for pull in desk.pulls()] == [False]


def refused(desk: Place, *command: str) -> str:
    """What gh says; it has to fail."""
    done = desk.run("gh", *command)
    assert done.returncode != 0, f"{command}: {done.stdout}"
    return done.stdout + done.stderr


def test_what_is_never_allowed_is_refused_with_the_reason(desk: Place) -> None:
    assert create(desk).returncode == 0
    before = desk.forge.state()["repositories"]
    writes = len(desk.forge.audit())
    merge = 'mutation { x: mergePullRequest(input: {pullRequestId: "%s"}) { clientMutationId } }'
    auto = 'mutation { enablePullRequestAutoMerge(input: {pullRequestId: "%s"}) { clientMutationId } }'
    node = desk.good("gh", "pr", "view", "3", "--json", "id", "--jq", ".id").strip()
    assert "role quality at L4 (Adaptive) is holdgated" in refused(desk, "pr", "merge", "3", "--merge")
    # On a pull request that nothing blocks, gh's --auto merges at once; the mutation is tried by hand too.
    assert "is holdgated" in refused(desk, "pr", "merge", "3", "--auto", "--merge")
    assert "enable-auto-merge is never allowed" in refused(
        desk, "api", "graphql", "-f", "query=" + auto % node
    )
    assert "request-merge" in refused(desk, "api", "-X", "PUT", f"repos/{REPO}/pulls/3/merge")
    assert "request-merge" in refused(desk, "api", "graphql", "-f", "query=" + merge % node)
    if desk.gh != "debian":  # 2.23 asks for projects first, which GitHub no longer answers
        assert "remove-hold is never allowed" in refused(desk, "pr", "edit", "3", "--remove-label", "hold")
    assert "remove-hold" in refused(desk, "api", "-X", "DELETE", f"repos/{REPO}/issues/3/labels/hold")
    assert "change-settings" in refused(desk, "api", "-X", "PATCH", f"repos/{REPO}", "-f", "name=x")
    assert "beyond the agent's repositories" in refused(desk, "api", "user/repos")
    assert "edit-others-text" in refused(desk, "issue", "close", "1")
    assert "forge-signal" in refused(desk, "api", f"repos/{REPO}/statuses/abc", "-f", "state=success")
    assert "change-secrets" in refused(desk, "api", "-X", "PUT", f"repos/{REPO}/actions/secrets/X")
    assert desk.forge.state()["repositories"] == before
    assert len(desk.forge.audit()) == writes
    denied = {e.action for e in desk.authority.events_of(RequestRuled) if e.ruling == "deny"}
    assert denied >= {"request-merge", "remove-hold", "change-settings", "unknown", "edit-others-text"}


def test_gh_reads_and_writes_where_the_table_allows(desk: Place) -> None:
    assert create(desk).returncode == 0
    assert "area adds" in desk.good("gh", "issue", "list")
    assert json.loads(desk.good("gh", "issue", "view", "1", "--json", "title,body"))["title"] == "area adds"
    assert "Multiply" in desk.good("gh", "pr", "list")
    assert json.loads(desk.good("gh", "pr", "view", "3", "--json", "labels"))["labels"][0]["name"] == "hold"
    desk.good("gh", "issue", "comment", "1", "--body", "I am on it.")
    url = desk.good("gh", "issue", "create", "--title", "Found another", "--body", "In widgets.py.").strip()
    assert url == "https://github.com/acme/widgets/issues/4"
    desk.good("gh", "issue", "close", "4")
    if desk.gh != "debian":
        desk.good("gh", "pr", "edit", "3", "--title", "Multiply the sides", "--body", "Anew")
        assert desk.pulls()[0]["body"] == "Anew\n\n<!-- hive:agent=quality -->"
    desk.good("gh", "pr", "ready", "3", "--undo")
    desk.good("gh", "pr", "close", "3")
    [pull] = desk.pulls()
    assert (pull["state"], pull["draft"], pull["labels"]) == ("closed", True, ["hold"])


def test_a_role_that_may_only_look_is_told_what_to_do_instead(desk: Place) -> None:
    desk.authority.level = AcmmLevel.L2
    said = create(desk)
    assert said.returncode != 0
    assert "role quality at L2 (Instructed) is advisory, which does not grant open-pr" in said.stderr
    assert "record a finding" in said.stderr
    assert desk.pulls() == []


def test_a_tool_without_a_hive_token_is_nobody(desk: Place) -> None:
    desk.environment["GH_TOKEN"] = "somebody-elses"
    done = desk.run("gh", "api", f"repos/{REPO}")
    assert done.returncode != 0
    assert "Bad credentials" in done.stdout + done.stderr
    assert Path(desk.settings.socket_path).exists()
