"""Auto-merge, merge queues and branches brought up to date."""

from typing import Any

from hive.standins.github.acting import Actor
from tests.standins.github.harness import World

_QUEUE = [
    {"type": "merge_queue", "parameters": {"merge_method": "MERGE"}},
    {
        "type": "required_status_checks",
        "parameters": {
            "required_status_checks": [{"context": "build"}],
            "strict_required_status_checks_policy": False,
        },
    },
]


def _rules(world: World, rules: Any) -> None:
    conditions = {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}}
    asked = {"name": "main", "enforcement": "active", "conditions": conditions, "rules": rules}
    assert world.call("POST", "/repos/o/r/rulesets", asked, token="token-ada").status == 201


def _mutate(world: World, name: str, **given: Any) -> Any:
    kind = name[0].upper() + name[1:]
    query = f"mutation($input: {kind}Input!) {{{name}(input: $input) {{clientMutationId}}}}"
    return world.graphql(query, input=given)


def _green(world: World, sha: str, conclusion: str = "success") -> None:
    Actor(world.forge, "ci[bot]", kind="app").reports("o/r", sha, "build", conclusion)


def test_auto_merge_waits_for_what_is_required_and_then_merges(world: World) -> None:
    _rules(world, _QUEUE[1:])
    pull = world.open_pull("topic")
    refused = _mutate(world, "enablePullRequestAutoMerge", pullRequestId=pull["node_id"])
    assert refused["errors"][0]["message"] == "Auto merge is not allowed for this repository"
    world.call("PATCH", "/repos/o/r", {"allow_auto_merge": True}, token="token-ada")
    _mutate(world, "enablePullRequestAutoMerge", pullRequestId=pull["node_id"], mergeMethod="SQUASH")
    path = f"/repos/o/r/pulls/{pull['number']}"
    assert world.call("GET", path).body["auto_merge"]["merge_method"] == "squash"
    _green(world, pull["head"]["sha"], "failure")
    assert world.call("GET", path).body["merged"] is False
    _green(world, pull["head"]["sha"])
    assert world.call("GET", path).body["merged"] is True


def test_a_queue_merges_in_order_what_is_green_on_top_of_what_is_before_it(world: World) -> None:
    pulls = [world.open_pull(name) for name in ("first", "second", "third")]
    _rules(world, _QUEUE)
    for pull in pulls:
        _green(world, pull["head"]["sha"])
    direct = world.call("PUT", f"/repos/o/r/pulls/{pulls[0]['number']}/merge", {})
    assert (direct.status, direct.body["message"]) == (405, "Changes must be made through the merge queue")
    for pull in pulls:
        assert "errors" not in _mutate(world, "enqueuePullRequest", pullRequestId=pull["node_id"])
    query = """{repository(owner: "o", name: "r") {mergeQueue(branch: "main") {entries(first: 5) {nodes {
        position state headCommit {oid} pullRequest {number}}}}}}"""
    entries = world.graphql(query)["data"]["repository"]["mergeQueue"]["entries"]["nodes"]
    assert [(each["position"], each["state"]) for each in entries] == [
        (1, "AWAITING_CHECKS"),
        (2, "AWAITING_CHECKS"),
        (3, "AWAITING_CHECKS"),
    ]
    groups = [each["headCommit"]["oid"] for each in entries]
    _green(world, groups[1])
    assert _merged(world, pulls) == [False, False, False]
    _green(world, groups[0])
    assert _merged(world, pulls) == [True, True, False]
    _green(world, groups[2], "failure")
    assert _merged(world, pulls) == [True, True, False]
    left = world.graphql(query)["data"]["repository"]["mergeQueue"]["entries"]["nodes"]
    assert left == []
    events = [
        each["event"] for each in world.call("GET", f"/repos/o/r/issues/{pulls[2]['number']}/events").body
    ]
    assert events[-2:] == ["added_to_merge_queue", "removed_from_merge_queue"]


def _merged(world: World, pulls: list[Any]) -> list[bool]:
    return [world.call("GET", f"/repos/o/r/pulls/{pull['number']}").body["merged"] for pull in pulls]


def test_a_branch_is_brought_up_to_date_on_the_head_that_was_meant(world: World) -> None:
    pull = world.open_pull("topic")
    path = f"/repos/o/r/pulls/{pull['number']}/update-branch"
    assert world.call("PUT", path, {}).body["message"] == "There are no new commits on the base branch."
    Actor(world.forge, "ada").pushes("o/r", "main", {"new.txt": "n\n"})
    assert world.call("PUT", path, {"expected_head_sha": "0" * 40}).status == 422
    assert world.call("PUT", path, {"expected_head_sha": pull["head"]["sha"]}).status == 202
    compared = world.call("GET", "/repos/o/r/compare/main...topic").body
    assert (compared["behind_by"], compared["ahead_by"]) == (0, 2)
