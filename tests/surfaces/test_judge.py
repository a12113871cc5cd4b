from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hive.errors import ConfigError
from hive.surfaces.judge import judge_document, render_judgement

CLOCK = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
TEXT = """\
now: 2026-11-30T12:00:00Z
policy:
  required: [build, {name: test, app: github-actions}]
  accept: [success]
  approvals: 1
  approvals_by: [person]
  settle: 5m
  missing_after: 1h
  resolve_threads: true
  allow_no_checks: false
  own_checks: [hive/gate]
  hold_labels: [wip]
  protected_paths: ["infra/"]
pull_request:
  number: 7
  draft: false
  author: {login: hive-quality, kind: agent}
  pushers: [hive-quality]
  base: main
  head: 4f1c0de
  mergeable: true
  pushed_at: 2026-11-30T11:00:00Z
  labels: [{name: bug, by: {login: ada, kind: person}}]
  checks:
    - {id: 11, name: build, source: check, app: github-actions, workflow: CI, head: 4f1c0de,
       status: completed, conclusion: success, completed_at: 2026-11-30T11:10:00Z}
    - {id: 12, name: test, source: check, app: github-actions, head: 4f1c0de, status: completed,
       conclusion: success}
    - {id: 13, name: lint, source: status, head: 4f1c0de, status: completed, conclusion: failure}
  reviews: [{by: {login: ada, kind: person, association: MEMBER}, state: approved, head: 4f1c0de,
             at: 2026-11-30T11:20:00Z}]
  unresolved_threads: 0
  linked_issues: [{number: 3, state: open}]
  files: [src/a.py, {path: src/b.py, previous: src/c.py, mode: "100644"}]
"""
KEYS = [
    "number",
    "draft",
    "author",
    "base",
    "head",
    "mergeable",
    "pushed_at",
    "labels",
    "checks",
    "reviews",
    "unresolved_threads",
    "linked_issues",
    "files",
    "number",
]


def answer(text: str, now: datetime | None = None) -> tuple[dict[str, Any], int]:
    return judge_document(text.encode(), "pr.yaml", now=now, clock=lambda: CLOCK)


def spoiled(old: str, new: str, text: str = TEXT) -> str:
    assert old in text
    return text.replace(old, new, 1)


def complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        answer(text)
    return str(caught.value)


def codes(text: str) -> list[tuple[str, str]]:
    return [(each["code"], each["subject"]) for each in answer(text)[0]["obstacles"]]


def without(key: str) -> str:
    document = as_json()
    del document["pull_request"][key]
    return json.dumps(document)


def as_json() -> dict[str, Any]:
    import yaml

    document: dict[str, Any] = yaml.load(TEXT, yaml.BaseLoader)
    return document


def test_a_good_pull_request_merges_with_exit_zero() -> None:
    assert answer(TEXT) == ({"verdict": "merge", "head": "4f1c0de", "obstacles": [], "remarks": []}, 0)


def test_json_is_read_like_yaml() -> None:
    assert answer(json.dumps(as_json())) == answer(TEXT)


def test_each_obstacle_has_code_subject_reason_and_time() -> None:
    text = spoiled("pushed_at: 2026-11-30T11:00:00Z", "pushed_at: 2026-11-30T12:58:30+01:00")
    settle = {
        "code": "settle",
        "subject": "push",
        "because": "it was pushed less than 5m ago",
        "until": "2026-11-30T12:03:30Z",
    }
    assert answer(text) == (
        {"verdict": "wait", "head": "4f1c0de", "obstacles": [settle], "remarks": []},
        1,
    )


def test_blocked_exits_one() -> None:
    verdict, code = answer(spoiled("draft: false", "draft: true"))
    assert (verdict["verdict"], code) == ("blocked", 1)


def test_the_callers_time_wins_over_the_files_and_that_over_the_clock() -> None:
    early = CLOCK - timedelta(minutes=58)
    assert answer(TEXT, early)[0]["verdict"] == "wait"
    clockless = spoiled("now: 2026-11-30T12:00:00Z\n", "")
    assert answer(clockless)[0]["verdict"] == "merge"
    assert answer(spoiled("T12:00:00Z", "T11:02:00Z"))[0]["verdict"] == "wait"


def test_the_defaults_of_the_policy_are_the_documented_ones() -> None:
    start, end = TEXT.index("policy:"), TEXT.index("pull_request:")
    bare = TEXT[:start] + TEXT[end:]
    assert codes(bare) == [("check-failed", "lint")]
    assert codes(spoiled("conclusion: failure", "conclusion: skipped", bare)) == []
    assert codes(bare.replace("failure", "success").replace("T11:00:00Z", "T11:55:00Z")) == []
    fresh = bare.replace("failure", "success").replace("T11:00:00Z", "T11:55:01Z")
    assert codes(fresh) == [("settle", "push")]
    assert codes(TEXT[:start] + "policy:\n" + TEXT[end:]) == [("check-failed", "lint")]


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_the_pull_request_must_be_given(key: str) -> None:
    assert f"the key '{key}' is missing in pull_request" in complaint(without(key))


@pytest.mark.parametrize("key", [key for key in KEYS if key != "number"])
def test_null_is_not_known_and_never_merges(key: str) -> None:
    document = as_json()
    document["pull_request"][key] = None
    code = "mergeable-unknown" if key == "mergeable" else "incomplete"
    assert (code, key) in codes(json.dumps(document))


def test_pushers_may_be_left_out_but_are_not_unknown_then() -> None:
    assert codes(without("pushers")) == []
    assert codes(spoiled("pushers: [hive-quality]", "pushers: null")) == [("incomplete", "pushers")]


def test_what_the_forge_counts_is_optional() -> None:
    assert codes(TEXT + "  checks_total: 3\n  changed_files: 2\n") == []
    assert codes(TEXT + "  checks_total: 131\n") == [("incomplete", "checks")]
    assert codes(TEXT + "  changed_files: 3\n") == [("incomplete", "files")]


BASE = """\
  base_tip: b4se
  behind: 2
  rules: {strict: true, approvals: 2, methods: [merge], contexts: [docs, {name: sign, app_id: 5}]}
  base_checks:
    - {id: 9, name: build, source: check, head: b4se, status: completed, conclusion: failure}
"""


def test_what_the_base_asks_and_where_it_stands_is_judged_where_it_is_given() -> None:
    assert codes(TEXT + BASE) == [
        ("check-missing", "docs"),
        ("check-missing", "sign"),
        ("review-missing", "approvals"),
        ("behind", "main"),
        ("base-rule", "method"),
        ("base-red", "build"),
    ]
    unknown = "  rules: null\n  base_checks: null\n"
    assert codes(TEXT + unknown) == [("incomplete", "base_checks"), ("incomplete", "rules")]
    assert codes(TEXT + "  rules: {strict: true}\n") == [("incomplete", "behind")]


def test_a_misspelt_rule_is_bad_input() -> None:
    assert "strikt" in complaint(TEXT + "  rules: {strikt: true}\n")


def test_a_check_that_is_under_way_needs_no_conclusion() -> None:
    text = spoiled("status: completed, conclusion: success, completed_at", "status: queued, completed_at")
    assert codes(text) == [("check-pending", "build")]
    missing = complaint(spoiled("conclusion: success, completed_at", "completed_at"))
    assert missing == (
        "pr.yaml:25: pull_request.checks[0]: the key 'conclusion' is missing, and the check has completed"
    )


def test_text_stays_as_it_is_written() -> None:
    document = spoiled("head: 4f1c0de\n", "head: 1e9\n").replace("head: 4f1c0de", "head: 1e9")
    assert answer(document)[0]["head"] == "1e9"
    digits = spoiled("head: 4f1c0de\n", "head: 0123456\n").replace("head: 4f1c0de", "head: 0123456")
    assert answer(digits)[0]["head"] == "0123456"
    named = spoiled("name: build", "name: no").replace("[build,", "[no,")
    assert codes(named) == []
    assert codes(spoiled("files: [src/a.py,", "files: [3.10, AGENTS.md,")) == [
        ("protected-path", "AGENTS.md")
    ]


def test_strangers_requests_are_remarks() -> None:
    review = (
        "{by: {login: eve, association: NONE}, state: changes_requested, head: x, at: 2026-11-30T11:30:00Z}"
    )
    text = spoiled("reviews: [", f"reviews: [{review}, ")
    verdict, code = answer(text)
    remark = {
        "code": "changes-requested",
        "subject": "eve",
        "because": "eve has requested changes",
        "until": None,
    }
    assert (verdict["verdict"], verdict["obstacles"], verdict["remarks"], code) == ("merge", [], [remark], 0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("settle: 5m", "setle: 5m", "pr.yaml:7: unknown key 'setle' in policy; did you mean 'settle'?"),
        ("settle: 5m", "settle: 5", "pr.yaml:7: policy.settle: '5' is no duration; write 90s, 5m, 4h or 2d"),
        (
            "{name: test,",
            "{nam: test,",
            "pr.yaml:3: unknown key 'nam' in policy.required[1]; did you mean 'name'?",
        ),
        ('["infra/"]', '["!"]', "pr.yaml:13: policy.protected_paths: Invalid git pattern: '!'"),
        (
            "state: approved",
            "state: changes-requested",
            "pr.yaml:30: pull_request.reviews[0].state: one of 'approved', 'changes_requested', 'commented', "
            "'dismissed' or 'pending' is expected; did you mean 'changes_requested'?",
        ),
        (
            "pushed_at: 2026-11-30T11:00:00Z",
            "pushed_at: 2026-11-30T11:00:00",
            "pr.yaml:22: pull_request.pushed_at: '2026-11-30T11:00:00' is no time with zone; "
            "write it like 2026-11-30T12:00:00Z",
        ),
        (
            "unresolved_threads: 0",
            "unresolved_threads: none",
            "pr.yaml:32: pull_request.unresolved_threads: 'none' is no whole number",
        ),
        (
            "unresolved_threads: 0",
            "unresolved_threads: \u0663",
            "pr.yaml:32: pull_request.unresolved_threads: '\u0663' is no whole number",
        ),
        (
            "approvals: 1",
            "approvals: 1000000000000000000000",
            "pr.yaml:5: policy.approvals: a whole number of at most 18 digits is expected",
        ),
        (
            "settle: 5m",
            "settle: \u0665m",
            "pr.yaml:7: policy.settle: '\u0665m' is no duration; write 90s, 5m, 4h or 2d",
        ),
        (
            "settle: 5m",
            "settle: ~",
            "pr.yaml:7: policy.settle: a duration is expected; write 90s, 5m, 4h or 2d",
        ),
        (
            "pushed_at: 2026-11-30T11:00:00Z",
            "pushed_at: []",
            "pr.yaml:22: pull_request.pushed_at: a time with zone is expected; "
            "write it like 2026-11-30T12:00:00Z",
        ),
        ("draft: false", "draft: no", "pr.yaml:16: pull_request.draft: 'no' is neither true nor false"),
    ],
)
def test_bad_input_is_one_line_with_place_and_remedy(old: str, new: str, message: str) -> None:
    assert complaint(spoiled(old, new)) == message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("approvals: 1", "approvals: -1"),
        ("accept: [success]", "accept: [sucess]"),
        ("approvals_by: [person]", "approvals_by: [people]"),
        ("number: 7", "number: 0"),
        ("kind: agent", "kind: robot"),
        ("association: MEMBER", "association: member"),
        ("source: status", "source: statuses"),
        ("state: open", "state: merged"),
        ("files: [src/a.py,", "files: [[src/a.py],"),
        ("base: main", "base: {name: main}"),
        ("head: 4f1c0de", 'head: ""'),
    ],
)
def test_a_wrong_value_is_bad_input(old: str, new: str) -> None:
    assert complaint(spoiled(old, new)).startswith("pr.yaml:")


def test_people_read_the_same_facts() -> None:
    verdict, _ = answer(spoiled("draft: false", "draft: true").replace("T11:00:00Z", "T11:59:00Z"))
    assert render_judgement(verdict) == (
        "blocked 4f1c0de\n"
        "  - draft: draft: it is a draft; its author has to mark it ready\n"
        "  - settle: push: it was pushed less than 5m ago (until 2026-11-30T12:04:00Z)"
    )


def test_foreign_names_move_no_cursor_and_begin_no_line() -> None:
    document, _ = answer(spoiled("[build,", r'["b\e[2J\nmerge x",'))
    shown = render_judgement(document)
    assert document["obstacles"][0]["subject"] == "b\x1b[2J\nmerge x"
    assert shown.splitlines()[1].startswith("  - check-missing: b?[2J?merge x: ")
    assert all(line.isprintable() for line in shown.splitlines())


def test_a_push_in_the_future_is_said_to_be_one() -> None:
    document, code = answer(spoiled("pushed_at: 2026-11-30T11:00:00Z", "pushed_at: 2026-11-30T12:30:00Z"))
    settle = {
        "code": "settle",
        "subject": "push",
        "because": "it was pushed at a time yet to come",
        "until": "2026-11-30T12:35:00Z",
    }
    assert (document["verdict"], code, document["obstacles"]) == ("wait", 1, [settle])
