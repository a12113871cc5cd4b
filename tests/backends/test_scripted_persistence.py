"""Which failures of a step are tried again, and which line of them is told."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from hive_backends.scripted_agent.effects import Answer, Effect, Result, Run, Wait
from hive_backends.scripted_agent.persistence import Failed, Refused, is_away, persist, reason

STEP = Run(("git", "push"), shown="git push")
AWAY = [
    "fatal: unable to access 'https://github.com/o/r.git/': Failed to connect to 127.0.0.1 port 9",
    "fatal: unable to access 'https://github.com/o/r.git/': The requested URL returned error: 503",
    "fatal: unable to access 'https://github.com/o/r.git/': Proxy CONNECT aborted",
    "error: RPC failed; curl 56 Recv failure: Connection reset by peer",
    "fatal: the remote end hung up unexpectedly",
    "HTTP 502: hive: the journal is busy (https://api.github.com/graphql)",
    "error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com",
    'Post "https://api.github.com/graphql": dial unix /x/gateway.sock: connect: no such file or directory',
    'Post "https://api.github.com/graphql": EOF',
    "error connecting to hive ([Errno 2] No such file or directory)",
    "remote: hive: the forge did not take the push\nremote: connection timed out",
]
NO = [
    "remote: hive: agent 'a' may not update refs/heads/main",
    " ! [remote rejected] HEAD -> main (pre-receive hook declined)",
    "GraphQL: hive: agent 'a' may not merge o/r#503 (mergePullRequest)",
    "HTTP 403: hive: a finding about o/r is not allowed after a connection timed out",
    "fatal: unable to access 'https://github.com/o/r.git/': The requested URL returned error: 403",
]
BROKEN = [
    "fatal: repository '/nowhere' does not exist",
    "pull request create failed: GraphQL: No commits between main and b (createPullRequest)",
    "HTTP 404: Not Found (https://api.github.com/repos/o/r/issues/500)",
]


def first_answer(result: Result) -> Effect | None:
    """What `persist` does after a first `result`: the next effect, or None when it is content."""
    steps: Generator[Effect, Answer, Result] = persist("git push", STEP)
    assert next(steps) is STEP
    try:
        return steps.send(result)
    except StopIteration:
        return None


@pytest.mark.parametrize("output", AWAY)
def test_a_hive_that_is_away_is_waited_for(output: str) -> None:
    answer = first_answer(Result(1, output))
    assert isinstance(answer, Wait)
    assert answer.status == "↻ Cannot reach hive · attempt 2"


@pytest.mark.parametrize("output", NO)
def test_a_no_is_final(output: str) -> None:
    assert not is_away(output)
    with pytest.raises(Refused):
        first_answer(Result(1, output))


@pytest.mark.parametrize("output", BROKEN)
def test_what_is_broken_stays_broken(output: str) -> None:
    with pytest.raises(Failed):
        first_answer(Result(1, output))


def test_success_is_not_read_for_words() -> None:
    assert first_answer(Result(0, "remote: hive: HTTP 503")) is None


def test_a_program_that_is_missing_is_told_at_once() -> None:
    with pytest.raises(Failed) as caught:
        first_answer(Result(127, "gh: No such file or directory"))
    assert str(caught.value) == "git push: gh: No such file or directory (is it installed and on PATH?)"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("remote: hive: no\nerror: failed to push some refs", "hive: no"),
        ("hint: this\nfatal: that\nhint: other", "fatal: that"),
        ("just words\n\nlast words\n", "last words"),
        ("", ""),
    ],
)
def test_the_line_that_says_why_is_told(output: str, expected: str) -> None:
    assert reason(output) == expected
