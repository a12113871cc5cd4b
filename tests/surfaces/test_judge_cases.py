"""What went wrong at other merge gates, as one file each: the whole verdict, and each obstacle's code."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hive.surfaces.judge import judge_document

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HEAD, OLD = "4f1c0de", "0ldc0de"
Facts = dict[str, Any]
ANY: Facts = {"required": None}


def check(name: str = "build", conclusion: str | None = "success", **more: Any) -> Facts:
    usual = {"id": 11, "source": "check", "app": "github-actions", "head": HEAD}
    status = "completed" if conclusion else "queued"
    return {**usual, "name": name, "status": status, "conclusion": conclusion, **more}


def review(state: str = "approved", head: str = HEAD, minute: int = 0, login: str = "ada") -> Facts:
    by = {"login": login, "kind": "person", "association": "MEMBER"}
    return {"by": by, "state": state, "head": head, "at": f"2026-11-30T11:{minute:02}:00Z"}


def verdict(pull: Facts, policy: Facts) -> tuple[str, list[str]]:
    facts = {
        "policy": {"required": ["build"], **policy},
        "pull_request": {
            "number": 7,
            "draft": False,
            "author": {"login": "hive-quality", "kind": "agent"},
            "pushers": ["hive-quality"],
            "base": "main",
            "head": HEAD,
            "mergeable": True,
            "pushed_at": "2026-11-30T10:00:00Z",
            "labels": [],
            "checks": [check()],
            "reviews": [],
            "unresolved_threads": 0,
            "linked_issues": [{"number": 3, "state": "open"}],
            "files": ["src/a.py"],
            **pull,
        },
    }
    answer, code = judge_document(json.dumps(facts).encode(), "-", now=NOW, clock=lambda: NOW)
    assert code == (0 if answer["verdict"] == "merge" else 1)
    return answer["verdict"], [each["code"] for each in answer["obstacles"]]


STRANGERS = check(id=15, source="status", app=None)
RENAMED = {"path": "docs/ci.yml", "previous": ".github/workflows/ci.yml"}


@pytest.mark.parametrize(
    ("pull", "policy", "expected"),
    [
        ({}, {}, ("merge", [])),
        # Skipped while it was a draft, and not run again.
        ({"checks": [check(conclusion="skipped")]}, {}, ("blocked", ["check-skipped"])),
        ({"checks": [check(conclusion="skipped")]}, {"accept": ["success", "skipped"]}, ("merge", [])),
        ({"checks": [check(), check("docs", "neutral")]}, ANY, ("merge", [])),
        ({"checks": [check(), check("docs", "action_required")]}, ANY, ("blocked", ["check-failed"])),
        # The gate's own check is under way.
        (
            {"checks": [check(), check("hive/gate", None)]},
            {**ANY, "own_checks": ["hive/gate"]},
            ("merge", []),
        ),
        # Nothing is required: the forge would merge at once.
        ({"checks": [check(conclusion=None)]}, ANY, ("wait", ["check-pending"])),
        ({"checks": []}, ANY, ("blocked", ["no-checks"])),
        ({"checks": [check(), check("e2e", None)]}, ANY, ("wait", ["check-pending"])),
        ({"checks": [check(head=OLD)]}, {}, ("blocked", ["check-stale"])),
        ({"checks": [check(), check("lint")], "checks_total": 131}, ANY, ("blocked", ["incomplete"])),
        # A stranger's status has the name of a check that fails.
        ({"checks": [check(conclusion="failure"), STRANGERS]}, {}, ("blocked", ["check-failed"])),
        (
            {"checks": [STRANGERS]},
            {"required": [{"name": "build", "app": "github-actions"}]},
            ("blocked", ["check-missing"]),
        ),
        # Approved, and pushed to afterwards.
        ({"reviews": [review(head=OLD)]}, {"approvals": 1}, ("blocked", ["review-stale"])),
        (
            {"reviews": [review(), review("changes_requested", minute=1)]},
            {"approvals": 1},
            ("blocked", ["changes-requested", "review-missing"]),
        ),
        ({"reviews": [review(), review("commented", minute=1)]}, {"approvals": 1}, ("merge", [])),
        (
            {"reviews": [review(), review("changes_requested", OLD, login="bob")]},
            {"approvals": 1},
            ("blocked", ["changes-requested"]),
        ),
        ({"mergeable": False}, {}, ("blocked", ["conflict"])),
        ({"mergeable": None}, {}, ("wait", ["mergeable-unknown"])),
        ({"draft": True, "reviews": [review()]}, {"approvals": 1}, ("blocked", ["draft"])),
        ({"files": [RENAMED]}, {}, ("blocked", ["protected-path"])),
        ({"files": ["AGENTS.md"]}, {}, ("blocked", ["protected-path"])),
        ({"files": [{"path": "docs/ci", "mode": "120000"}]}, {}, ("blocked", ["protected-path"])),
        ({"files": [], "changed_files": 3}, {}, ("blocked", ["incomplete"])),
    ],
)
def test_what_other_gates_got_wrong_ends_as_it_should(
    pull: Facts, policy: Facts, expected: tuple[str, list[str]]
) -> None:
    assert verdict(pull, policy) == expected
