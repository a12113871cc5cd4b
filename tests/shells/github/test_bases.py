"""What GitHub tells of the base of a pull request: its rules, its checks, how far behind the head is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive.facts.bases import METHODS, NO_RULES, BaseRules, RequiredContext
from hive.facts.forge import PullRequest
from tests.shells.github.stages import REPO, StandInStage

BRANCH = "hive/quality/1"
ACTIONS = 15368


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[StandInStage]:
    made = StandInStage(tmp_path)
    made.push(BRANCH)
    made.forge.open_pull_request(REPO, head=BRANCH, base="main", title="t", body="", draft=False)
    yield made
    made.close()


def seen(stage: StandInStage) -> PullRequest:
    [pull] = stage.forge.look(REPO).pull_requests
    return pull


def as_admin(stage: StandInStage, method: str, path: str, body: Any) -> Any:
    return stage.as_person("the-bot", method, path, body)


def test_a_base_without_rules_asks_for_nothing_and_has_a_tip(stage: StandInStage) -> None:
    pull = seen(stage)
    assert (pull.rules, pull.base_checks, pull.behind) == (NO_RULES, (), None)
    assert pull.base_tip == stage.as_person("ada", "GET", "/branches/main")["commit"]["sha"]


def test_a_ruleset_is_read_as_what_it_asks(stage: StandInStage) -> None:
    rules = [
        {"type": "required_linear_history"},
        {"type": "required_signatures"},
        {"type": "deletion"},
        {"type": "commit_message_pattern", "parameters": {"operator": "contains", "pattern": "x"}},
        {
            "type": "required_status_checks",
            "parameters": {
                "strict_required_status_checks_policy": True,
                "required_status_checks": [{"context": "build", "integration_id": ACTIONS}],
            },
        },
        {
            "type": "pull_request",
            "parameters": {
                "required_approving_review_count": 2,
                "dismiss_stale_reviews_on_push": True,
                "require_code_owner_review": True,
                "require_last_push_approval": True,
                "required_review_thread_resolution": True,
                "allowed_merge_methods": ["squash"],
            },
        },
    ]
    ruleset = {
        "name": "main",
        "target": "branch",
        "enforcement": "active",
        "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
        "rules": rules,
    }
    as_admin(stage, "POST", "/rulesets", ruleset)
    pull = seen(stage)
    assert pull.rules == BaseRules(
        contexts=(RequiredContext("build"), RequiredContext("build", ACTIONS)),
        strict=True,
        approvals=2,
        code_owners=True,
        last_push=True,
        threads=True,
        linear=True,
        signatures=True,
        methods=frozenset({"squash"}),
        others=("commit_message_pattern",),
    )
    assert (pull.review_decision, pull.behind) == ("review_required", 0)


def test_classic_protection_is_read_with_the_apps_of_its_checks(stage: StandInStage) -> None:
    protection = {
        "required_status_checks": {"strict": True, "checks": [{"context": "build", "app_id": ACTIONS}]},
        "enforce_admins": True,
        "required_pull_request_reviews": {"required_approving_review_count": 1},
        "restrictions": None,
        "required_linear_history": True,
        "required_conversation_resolution": True,
    }
    as_admin(stage, "PUT", "/branches/main/protection", protection)
    assert seen(stage).rules == BaseRules(
        contexts=(RequiredContext("build"), RequiredContext("build", ACTIONS)),
        strict=True,
        approvals=1,
        threads=True,
        linear=True,
        methods=METHODS,
    )


def test_how_far_the_head_is_behind_a_strict_base_follows_the_base(stage: StandInStage) -> None:
    protection = {
        "required_status_checks": {"strict": True, "contexts": []},
        "enforce_admins": False,
        "required_pull_request_reviews": None,
        "restrictions": None,
    }
    as_admin(stage, "PUT", "/branches/main/protection", protection)
    assert seen(stage).behind == 0
    content = {"message": "m", "content": "eA==", "branch": "main"}
    as_admin(stage, "PUT", "/contents/b.py", content)
    assert seen(stage).behind == 1


def test_the_checks_of_the_base_are_those_of_its_tip_however_many_there_are(stage: StandInStage) -> None:
    tip = seen(stage).base_tip
    for number in range(1, 4):
        run = {"name": "build", "head_sha": tip, "status": "completed", "conclusion": "success"}
        stage.as_person("ci", "POST", "/check-runs", run | {"name": f"run {number}"})
    stage.as_person("ada", "POST", f"/statuses/{tip}", {"context": "old", "state": "error"})
    runs = seen(stage).base_checks
    assert runs is not None
    assert sorted((run.name, run.source, run.conclusion, run.head) for run in runs) == [
        ("old", "status", "failure", tip),
        *((f"run {number}", "check", "success", tip) for number in range(1, 4)),
    ]
    for number in range(4, 120):
        run = {"name": f"run {number}", "head_sha": tip, "status": "completed", "conclusion": "success"}
        stage.as_person("ci", "POST", "/check-runs", run)
    runs = seen(stage).base_checks
    assert runs is not None
    assert {run.name for run in runs} == {"old", *(f"run {number}" for number in range(1, 120))}
