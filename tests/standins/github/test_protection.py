"""Rules on branches, kept at merges and pushes by REST, GraphQL and git."""

from typing import Any

import pytest

from tests.standins.github.harness import World, git
from tests.standins.github.openapi import problems

_BRANCH = "/repos/o/r/branches/main/protection"


def protect(world: World, **settings: Any) -> None:
    """Protect `main` as an administrator does, with nothing on but `settings`."""
    nothing = dict.fromkeys(
        ("required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions")
    )
    answer = world.call("PUT", _BRANCH, {**nothing, "enforce_admins": True, **settings}, token="token-ada")
    assert (answer.status, problems("PUT", _BRANCH, 200, answer.body)) == (200, [])


def _merge(world: World, number: int, method: str = "merge", token: str = "token-hive") -> tuple[int, str]:
    answer = world.call("PUT", f"/repos/o/r/pulls/{number}/merge", {"merge_method": method}, token=token)
    return answer.status, answer.body["message"]


def _report(world: World, sha: str, name: str, conclusion: str, token: str = "token-hive") -> None:
    asked = {"name": name, "head_sha": sha, "conclusion": conclusion}
    assert world.call("POST", "/repos/o/r/check-runs", asked, token=token).status == 201


def _state(world: World, number: int) -> str:
    for _ in range(2):
        body = world.call("GET", f"/repos/o/r/pulls/{number}").body
    return str(body["mergeable_state"])


def test_a_required_check_has_to_succeed_on_this_head(world: World) -> None:
    protect(world, required_status_checks={"strict": False, "contexts": ["build"]})
    pull = world.open_pull("topic")
    said = 'Required status check "build" is {}.'
    assert _merge(world, pull["number"]) == (405, said.format("expected"))
    assert _state(world, pull["number"]) == "blocked"
    _report(world, pull["head"]["sha"], "build", "failure")
    assert _merge(world, pull["number"]) == (405, said.format("failing"))
    _report(world, pull["head"]["sha"], "build", "success")
    assert _state(world, pull["number"]) == "clean"
    world.push("topic", {"more.txt": "m\n"}, base="origin/topic")
    assert _merge(world, pull["number"]) == (405, said.format("expected"))


def test_a_check_of_an_app_is_not_satisfied_by_another_ones(world: World) -> None:
    ours = sum(b"hive")
    protect(world, required_status_checks={"strict": False, "checks": [{"context": "build", "app_id": ours}]})
    pull = world.open_pull("topic")
    _report(world, pull["head"]["sha"], "build", "success", token="token-ada")
    assert _merge(world, pull["number"])[0] == 405
    _report(world, pull["head"]["sha"], "build", "success")
    assert _merge(world, pull["number"])[0] == 200


def test_a_strict_branch_takes_no_head_that_is_behind(world: World) -> None:
    protect(world, required_status_checks={"strict": True, "contexts": []})
    first, second = world.open_pull("first"), world.open_pull("second")
    assert _merge(world, first["number"])[0] == 200
    assert _state(world, second["number"]) == "behind"
    assert _merge(world, second["number"])[0] == 405


def test_reviews_are_counted_by_who_may_write_and_go_with_a_push_where_that_is_set(world: World) -> None:
    reviews = {"required_approving_review_count": 1, "dismiss_stale_reviews": True}
    protect(world, required_pull_request_reviews=reviews)
    pull = world.open_pull("topic")
    path = f"/repos/o/r/pulls/{pull['number']}/reviews"
    needed = "At least 1 approving review is required by reviewers with write access."
    world.call("POST", path, {"event": "APPROVE"}, token="token-eve")
    assert _merge(world, pull["number"]) == (405, needed)
    world.call("POST", path, {"event": "APPROVE"}, token="token-ada")
    assert _decision(world, pull) == "APPROVED"
    world.push("topic", {"more.txt": "m\n"}, base="origin/topic")
    assert _merge(world, pull["number"]) == (405, needed)
    assert _decision(world, pull) == "REVIEW_REQUIRED"
    states = [review["state"] for review in world.call("GET", path).body]
    assert states == ["DISMISSED", "DISMISSED"]
    timeline = world.call("GET", f"/repos/o/r/issues/{pull['number']}/timeline").body
    assert [entry["event"] for entry in timeline].count("review_dismissed") == 2
    world.call("POST", path, {"event": "REQUEST_CHANGES", "body": "no"}, token="token-ada")
    assert "Changes have been requested" in _merge(world, pull["number"])[1]


def _decision(world: World, pull: Any) -> Any:
    asked = "query($id: ID!) {node(id: $id) {... on PullRequest {reviewDecision}}}"
    return world.graphql(asked, id=pull["node_id"])["data"]["node"]["reviewDecision"]


def test_code_owners_have_to_approve_what_is_theirs(world: World) -> None:
    world.push("main", {".github/CODEOWNERS": "*.md @ada\n/src/ @eve\n"}, base="origin/main")
    protect(
        world,
        required_pull_request_reviews={
            "required_approving_review_count": 0,
            "require_code_owner_reviews": True,
        },
    )
    pull = world.open_pull("topic", {"notes.md": "n\n"})
    assert [who["login"] for who in pull["requested_reviewers"]] == ["ada"]
    assert _merge(world, pull["number"]) == (405, "Waiting on code owner review.")
    world.call("POST", f"/repos/o/r/pulls/{pull['number']}/reviews", {"event": "APPROVE"}, token="token-ada")
    assert _merge(world, pull["number"])[0] == 200


def test_an_open_conversation_blocks_where_it_has_to_be_resolved(world: World) -> None:
    protect(world, required_conversation_resolution=True)
    pull = world.open_pull("topic", {"a.txt": "one\ntwo\n"})
    remark = {"path": "a.txt", "line": 2, "body": "Why?"}
    made = world.call("POST", f"/repos/o/r/pulls/{pull['number']}/comments", remark, token="token-ada")
    assert made.status == 201, made
    assert _merge(world, pull["number"])[0] == 405
    asked = "query($id: ID!) {node(id: $id) {... on PullRequest {reviewThreads(first: 5) {nodes {id}}}}}"
    threads = world.graphql(asked, id=pull["node_id"])["data"]["node"]["reviewThreads"]["nodes"]
    mutation = "mutation($id: ID!) {resolveReviewThread(input: {threadId: $id}) {thread {isResolved}}}"
    assert world.graphql(mutation, id=threads[0]["id"])["data"]["resolveReviewThread"] == {
        "thread": {"isResolved": True}
    }
    assert _merge(world, pull["number"])[0] == 200


def test_git_is_refused_what_the_rules_do_not_let_in(world: World) -> None:
    world.push("topic", {"a.txt": "a\n"})
    protect(world, required_pull_request_reviews={"required_approving_review_count": 1})
    work = world.root.parent / "work"
    said = git("push", "origin", "HEAD:main", cwd=work, check=False)
    assert "GH006: Protected branch update failed for refs/heads/main." in said
    assert "Changes must be made through a pull request." in said
    sha = git("rev-parse", "HEAD", cwd=work)
    answer = world.call("PATCH", "/repos/o/r/git/refs/heads/main", {"sha": sha})
    assert (answer.status, "through a pull request" in answer.body["message"]) == (422, True)


@pytest.mark.parametrize("force", [False, True])
def test_a_ruleset_lets_a_branch_move_forward_alone(world: World, force: bool) -> None:
    rules = [{"type": "non_fast_forward"}, {"type": "deletion"}]
    conditions = {"ref_name": {"include": ["refs/heads/kept/*"], "exclude": []}}
    asked = {"name": "kept", "enforcement": "active", "conditions": conditions, "rules": rules}
    assert world.call("POST", "/repos/o/r/rulesets", asked, token="token-ada").status == 201
    world.push("kept/x", {"a.txt": "a\n"})
    base = "origin/main" if force else "origin/kept/x"
    if not force:
        world.push("kept/x", {"b.txt": "b\n"}, base=base)
        work = world.root.parent / "work"
        assert "Cannot delete this branch" in git("push", "origin", ":kept/x", cwd=work, check=False)
        return
    with pytest.raises(AssertionError, match="Cannot force-push to this branch"):
        world.push("kept/x", {"b.txt": "b\n"}, base=base, force=True)


def test_rulesets_are_made_shown_and_kept(world: World) -> None:
    parameters = {"required_approving_review_count": 2, "allowed_merge_methods": ["squash"]}
    checks = {"required_status_checks": [{"context": "build"}], "strict_required_status_checks_policy": False}
    rules = [
        {"type": "pull_request", "parameters": parameters},
        {"type": "required_status_checks", "parameters": checks},
        {"type": "required_linear_history"},
    ]
    conditions = {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}}
    asked = {
        "name": "main",
        "enforcement": "active",
        "target": "branch",
        "conditions": conditions,
        "rules": rules,
    }
    made = world.call("POST", "/repos/o/r/rulesets", asked, token="token-ada")
    one = f"/repos/o/r/rulesets/{made.body['id']}"
    for path in ("/repos/o/r/rulesets", one, "/repos/o/r/rules/branches/main"):
        assert problems("GET", path, 200, world.call("GET", path).body) == []
    listed = world.call("GET", "/repos/o/r/rules/branches/main").body
    assert [rule["type"] for rule in listed] == [
        "pull_request",
        "required_status_checks",
        "required_linear_history",
    ]
    asked_of = """{repository(owner: "o", name: "r") {rulesets(first: 5) {nodes {name rules(first: 5) {nodes {
        type parameters {... on PullRequestParameters {requiredApprovingReviewCount}
        ... on RequiredStatusChecksParameters {requiredStatusChecks {context}}}}}}}
        ref(qualifiedName: "main") {refUpdateRule {
        requiredApprovingReviewCount requiredStatusCheckContexts}}}}"""
    shown = world.graphql(asked_of)["data"]["repository"]
    assert shown["rulesets"]["nodes"][0]["rules"]["nodes"] == [
        {"type": "PULL_REQUEST", "parameters": {"requiredApprovingReviewCount": 2}},
        {"type": "REQUIRED_STATUS_CHECKS", "parameters": {"requiredStatusChecks": [{"context": "build"}]}},
        {"type": "REQUIRED_LINEAR_HISTORY", "parameters": None},
    ]
    assert shown["ref"]["refUpdateRule"] == {
        "requiredApprovingReviewCount": 2,
        "requiredStatusCheckContexts": ["build"],
    }
    pull = world.open_pull("topic")
    assert _merge(world, pull["number"])[1].splitlines() == [
        "At least 2 approving reviews are required by reviewers with write access.",
        'Required status check "build" is expected.',
        "Merge commits are not allowed on this repository.",
    ]
    bypass = [{"actor_type": "RepositoryRole", "actor_id": 5, "bypass_mode": "always"}]
    world.call("PUT", one, {"bypass_actors": bypass}, token="token-ada")
    assert _merge(world, pull["number"], token="token-ada")[0] == 200


def test_a_protection_that_spares_administrators_is_passed_by_them(world: World) -> None:
    protect(world, enforce_admins=False, required_status_checks={"strict": False, "contexts": ["build"]})
    pull = world.open_pull("topic")
    assert _merge(world, pull["number"])[0] == 405
    assert _merge(world, pull["number"], token="token-ada")[0] == 200
    assert world.call("DELETE", _BRANCH, token="token-ada").status == 204
    assert world.call("GET", _BRANCH, token="token-ada").body["message"] == "Branch not protected"
