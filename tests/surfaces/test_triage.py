from __future__ import annotations

import json
from typing import Any

import pytest

from hive.errors import ConfigError
from hive.surfaces.triage import (
    PromptOutcome,
    read_issues,
    render_prompt,
    render_triage,
    triage_document,
    triage_prompt,
)

TEXT = """\
now: 2026-11-30T12:00:00Z
policy:
  trusted: [OWNER, MEMBER, COLLABORATOR]
  allow: ["our-app[bot]", ada]
  go_label: agent-ready
  hold_labels: [wip]
  lanes: {bug: {labels: [bug], words: [crash]}, docs: {labels: [docs]}}
issues:
  - number: 5
    title: Crash <!-- a --> on start
    body: |
      It crashes.<!-- b --><!-- c -->
    author: {login: eve, kind: person, association: NONE}
    created_at: 2026-11-30T09:00:00Z
    title_edited_at: null
    edited_at: null
    labels:
      - {name: agent-ready, by: {login: ada, kind: person, association: MEMBER}, at: 2026-11-30T10:00:00Z}
    comments:
      - {by: {login: eve}, at: 2026-11-30T10:00:00Z, edited_at: null, body: curl evil}
      - {by: null, at: 2026-11-30T09:30:00Z, body: seen before}
    assignees: []
    blocked_by: [3]
    pull_requests: [{number: 9, state: closed, by: {login: bob}}]
  - number: 7
    assignees: [{login: bob, kind: person}]
"""


def spoiled(old: str, new: str, text: str = TEXT) -> str:
    assert old in text
    return text.replace(old, new, 1)


def items(text: str) -> list[dict[str, Any]]:
    answer, code = triage_document(text.encode(), "issues.yaml")
    assert code == 0
    assert list(answer) == ["items"]
    return list(answer["items"])


def asked(text: str = TEXT, number: int = 5, **options: int) -> PromptOutcome:
    return triage_prompt(text.encode(), "issues.yaml", number, **options)


def complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        triage_document(text.encode(), "issues.yaml")
    return str(caught.value)


def test_a_list_exits_zero_with_eligible_issues_first() -> None:
    expected: list[dict[str, Any]] = [
        {
            "number": 5,
            "eligible": True,
            "rank": 1,
            "lane": "bug",
            "because": "ada put label agent-ready on it, MEMBER",
        },
        {
            "number": 7,
            "eligible": False,
            "rank": None,
            "lane": None,
            "because": "it does not have label agent-ready; it is assigned to bob",
        },
    ]
    assert items(TEXT) == expected
    assert [list(item) for item in items(TEXT)] == [list(item) for item in expected]


def test_only_the_number_must_be_there() -> None:
    because = "a deleted account wrote it, who is not trusted (no association)"
    expected = [{"number": 5, "eligible": False, "rank": None, "lane": None, "because": because}]
    assert items("issues: [{number: 5}]") == expected
    assert items('{"issues": [{"number": 5, "body": null}]}') == expected
    assert items("policy:\nissues: []") == []


def test_on_facts_in_a_file_only_blocked_by_blocks_and_not_what_a_text_says() -> None:
    author = "author: {login: ada, kind: person, association: MEMBER}"
    found = items(f"issues: [{{number: 5, body: 'Blocked by #6', {author}}}, {{number: 6, {author}}}]")
    assert [(item["number"], item["eligible"]) for item in found] == [(5, True), (6, True)]


def test_the_policy_in_a_file_has_no_keys_of_a_running_hive() -> None:
    for key in ("kinds: {}", "sizes: {}", "dependencies: true", "stale_after: 1d"):
        assert "unknown key" in complaint(f"policy: {{{key}}}\nissues: []")


def test_the_order_of_lanes_is_the_policys() -> None:

    issue = "{number: 5, labels: [{name: docs}, {name: bug}], author: {login: ada, association: OWNER}}"
    bug, docs = "bug: {labels: [bug]}", "docs: {labels: [docs]}"
    for lanes, lane in ((f"{bug}, {docs}", "bug"), (f"{docs}, {bug}", "docs")):
        assert items(f"policy: {{lanes: {{{lanes}}}}}\nissues: [{issue}]")[0]["lane"] == lane


def test_the_prompt_comes_with_what_was_stripped() -> None:
    outcome = asked()
    assert (outcome.exit_code, outcome.because) == (0, "ada put label agent-ready on it, MEMBER")
    document = outcome.document
    assert document is not None
    assert list(document) == ["number", "eligible", "prompt", "stripped"]
    assert (document["number"], document["eligible"]) == (5, True)
    assert document["stripped"] == [
        {"where": "title", "what": "html-comment", "count": 1},
        {"where": "body", "what": "html-comment", "count": 2},
    ]
    prompt = render_prompt(document)
    assert prompt.startswith("hive task triage/5: work on issue 5\n")
    assert "\n--- task ---\nissue: 5\n--- end task ---\n" in prompt
    assert "| It crashes.\n" in prompt
    assert "| seen before\n" in prompt
    assert "curl evil" not in prompt


def test_the_prompt_is_the_same_each_time() -> None:
    assert json.dumps(asked().document) == json.dumps(asked().document)


def test_the_bound_of_the_prompt_can_be_set() -> None:
    document = asked(max_chars=20).document
    assert document is not None
    assert "cut by hive: the first 6 characters:\n| It cra\n" in document["prompt"]


def test_an_issue_that_is_not_eligible_has_no_prompt() -> None:
    because = "it does not have label agent-ready; it is assigned to bob"
    assert asked(number=7) == PromptOutcome(None, 1, because)


def test_an_issue_that_is_not_there_is_bad_input() -> None:
    with pytest.raises(ConfigError, match="no issue 9") as caught:
        asked(number=9)
    assert str(caught.value) == "issues.yaml: there is no issue 9 in it"


def test_a_bound_without_room_is_bad_input() -> None:
    with pytest.raises(ConfigError, match="--max-chars 0 leaves no room"):
        asked(max_chars=0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("go_label:", "go_lable:", "5: unknown key 'go_lable' in policy; did you mean 'go_label'?"),
        ("words: [", "word: [", "7: unknown key 'word' in policy.lanes.bug; did you mean 'words'?"),
        ("    title: ", "    titel: ", "10: unknown key 'titel' in issues[0]; did you mean 'title'?"),
        ("- number: 7", "- number: 5", "25: issue 5 is there twice"),
        ("  - number: 7\n    assig", "  - assig", "25: the key 'number' is missing in issues[1]"),
        ("T09:00:00Z", "", "14: issues[0].created_at: '2026-11-30' is no time with zone; write it like "),
        ("state: closed", "state: done", "24: issues[0].pull_requests[0].state: one of 'open', 'closed' or "),
    ],
)
def test_bad_input_is_one_line_with_place_and_remedy(old: str, new: str, message: str) -> None:
    assert complaint(spoiled(old, new)).startswith(f"issues.yaml:{message}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[OWNER, MEMBER,", "[OWNER, MEMBERS,"),
        ("blocked_by: [3]", "blocked_by: [x]"),
        ("number: 5", "number: five"),
        ("kind: person", "kind: human"),
        ("go_label: agent-ready", "go_label: [agent-ready]"),
    ],
)
def test_a_wrong_value_is_bad_input(old: str, new: str) -> None:
    assert complaint(spoiled(old, new)).startswith("issues.yaml:")


def test_text_stays_as_it_is_written() -> None:
    title = read_issues(b"issues: [{number: 1, title: 3.10}, {number: 2, title: no}]", "-")
    assert [issue.title for issue in title] == ["3.10", "no"]


def test_a_demo_gives_numbers_to_issues_that_have_none() -> None:
    issues = read_issues(b"issues: [{title: a}, {number: 2, title: b}, {title: c}]", "-")
    assert [(issue.number, issue.title) for issue in issues] == [(1, "a"), (2, "b"), (3, "c")]


def test_people_read_the_same_facts() -> None:
    answer, _ = triage_document(TEXT.encode(), "issues.yaml")
    assert render_triage(answer) == (
        "   1  #5  bug  ada put label agent-ready on it, MEMBER\n"
        "   -  #7  -  it does not have label agent-ready; it is assigned to bob"
    )
    assert render_triage({"items": []}) == "no issues"


def test_a_terminal_gets_no_control_characters_from_foreign_names() -> None:
    text = spoiled("login: bob, kind: person}]\n", 'login: "bob\\e[2J", kind: person}]\n')
    answer, _ = triage_document(text.encode(), "issues.yaml")
    assert "\x1b" not in render_triage(answer)
