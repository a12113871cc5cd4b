from __future__ import annotations

import pytest

from hive.errors import ConfigError
from hive.surfaces.request import acmm_request, render_request

NODES = b"""\
R_1: {kind: repository, repo: o/r}
PR_7: {kind: pull-request, repo: o/r, number: 7, author: agent, author_kind: agent, head: hive/agent/x,
       base: main, labels: [hold]}
"o/r#5": {kind: issue, repo: o/r, number: 5, author: ada, author_kind: person, labels: []}
L_1: {kind: label, name: hold, repo: o/r}
"""
MERGE = b"PUT /repos/o/r/pulls/7/merge HTTP/1.1\nHost: api.github.com\n\n"
COMMENT = (
    b"POST /repos/o/r/issues/5/comments HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: 12\r\n\r\n"
    b'{"body":"b"}'
)


def test_the_whole_answer_of_a_request_that_is_allowed() -> None:
    answer, code = acmm_request(COMMENT, level="4", role="quality", nodes=NODES)
    because = "role quality at L4 (Adaptive) is holdgated, which grants comment"
    operation = {
        "action": "comment",
        "target": "o/r#5",
        "ruling": "allow",
        "rule": "acmm.holdgated.comment",
        "because": because,
    }
    assert (answer, code) == ({"ruling": "allow", "operations": [operation]}, 0)
    assert render_request(answer) == f"allow\n  allow: comment o/r#5: {because} [acmm.holdgated.comment]"


@pytest.mark.parametrize(("level", "ruling", "code"), [("5", "deny", 1), ("6", "allow", 0)])
def test_a_merge_request_follows_the_table(level: str, ruling: str, code: int) -> None:
    answer, got = acmm_request(MERGE, level=level, role="quality", nodes=NODES)
    assert (answer["ruling"], answer["operations"][0]["action"], got) == (ruling, "request-merge", code)


def test_a_write_to_what_is_not_listed_is_denied() -> None:
    answer, code = acmm_request(MERGE, level="6", role="quality")
    assert (answer["ruling"], code) == ("deny", 1)
    assert answer["operations"][0]["rule"] == "request.unknown-target"


def test_what_cannot_be_understood_is_unknown_and_no_error() -> None:
    answer, code = acmm_request(b"\x00\xff", level="6", role="quality")
    assert (answer["ruling"], answer["operations"][0]["action"], code) == ("deny", "unknown", 1)


def test_held_is_not_a_plain_yes() -> None:
    body = b'{"title":"t","head":"hive/agent/z","base":"main"}'
    head = b"POST /repos/o/r/pulls HTTP/1.1\nHost: api.github.com\nContent-Length: %d\n\n" % len(body)
    answer, code = acmm_request(head + body, level="4", role="quality", nodes=NODES)
    assert (answer["ruling"], answer["operations"][0]["action"], code) == ("hold", "open-pr", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "7"}, "'7' is no level; write 1 to 6"),
        ({"role": "sec_check"}, "unknown role 'sec_check'; did you mean 'sec-check'?"),
        ({"agent": "Not A Name"}, "'Not A Name' is no agent's name"),
        ({"repo": "nothing"}, "'nothing' is no repository; write OWNER/NAME"),
        (
            {"nodes": b"PR_7: {kind: pull-request, rep: o/r}\n"},
            "-:1: unknown key 'rep' in PR_7; did you mean 'repo'?",
        ),
        ({"nodes": b"PR_7:\n  kind: pull\n"}, "-:2: "),
        ({"nodes": b"- a\n"}, "-:1: a mapping of ids"),
        ({"nodes": b"PR_7: text\n"}, "-:1: PR_7: a mapping of keys is expected here"),
        (
            {"nodes": b"'o/r#5': {kind: issue, repo: o/r, number: 6}\n"},
            "o/r#5: its repo and number say o/r#6",
        ),
    ],
)
def test_bad_options_and_facts_are_bad_input(options: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"level": "4", "role": "quality", **options}
    with pytest.raises(ConfigError) as error:
        acmm_request(MERGE, **given)  # type: ignore[arg-type]  # options are of several types
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("author", "head", "ruling"),
    [
        ("other", "hive/other/x", "allow"),
        ("agent", "hive/other/x", "deny"),
        ("other", "hive/agent/x", "deny"),
        ("null", "hive/other/x", "deny"),
        ("other", "null", "deny"),
    ],
)
def test_nothing_is_approved_that_may_be_ones_own(author: str, head: str, ruling: str) -> None:
    body = b'{"event":"APPROVE"}'
    start = b"POST /repos/o/r/pulls/8/reviews HTTP/1.1\nHost: api.github.com\nContent-Length: %d\n\n"
    facts = f"kind: pull-request, repo: o/r, number: 8, author: {author}, author_kind: agent, head: {head}"
    nodes = f'"o/r#8": {{{facts}, base: main, labels: []}}'.encode()
    answer, _ = acmm_request(start % len(body) + body, level="6", role="quality", nodes=nodes)
    assert [(each["action"], each["ruling"]) for each in answer["operations"]] == [("approve", ruling)]
