"""One repository that cannot be looked at says why, in words to act on, and the others go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from hive.errors import InDoubt, Missing, Moved, Refused, Throttled, Unreachable, WorldError
from hive.shells.github.calls import Calls
from hive.shells.system.clock import SystemClock
from tests.shells.github.stages import OTHER, REPO, TOKEN, StandInStage

HERE = f"/repos/{REPO}"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandInStage]:
    """One for all tests here: none leaves a fault behind."""
    made = StandInStage(tmp_path_factory.mktemp("stage"))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("fault", "path", "kind", "said"),
    [
        ("status:403:Repository access blocked", f"{HERE}$", Refused, "403 Repository access blocked"),
        ("status:404:Not Found", f"{HERE}$", Missing, "404 Not Found"),
        ("status:410:Issues are disabled for this repo", f"{HERE}/issues$", Missing, "410 Issues are"),
        ("status:451:Repository access blocked", f"{HERE}$", Refused, "451 Repository access blocked"),
        ("status:307:Temporary Redirect", f"{HERE}$", Refused, "307, it has moved to another address"),
        (f"moved:/repos/{OTHER}", f"{HERE}$", Refused, f"{REPO} has been renamed to {OTHER}"),
        ("moved:http://elsewhere.invalid/", f"{HERE}$", Refused, "redirected to another address"),
        ("502", f"{HERE}/pulls$", Unreachable, "502"),
        ("truncate", f"{HERE}/pulls$", Unreachable, "the connection broke off"),
        ("drop-after-write", f"{HERE}$", Unreachable, "the connection failed"),
    ],
)
def test_it_is_told_what_is_wrong_and_the_others_go_on(
    stage: StandInStage, fault: str, path: str, kind: type[WorldError], said: str
) -> None:
    stage.process.fault(fault, method="GET", path=path)
    forge = stage.another()
    with pytest.raises(kind, match=said) as trouble:
        forge.look(REPO)
    assert type(trouble.value) is kind
    assert TOKEN not in str(trouble.value)
    assert forge.look(OTHER).repo == OTHER
    assert forge.look(REPO).repo == REPO
    forge.close()


def test_a_reply_that_takes_too_long_is_given_up(stage: StandInStage) -> None:
    stage.process.fault("slow:3", method="GET", path=f"{HERE}$")
    hasty = stage.another(timeout=1)
    with pytest.raises(Unreachable, match="no answer in time"):
        hasty.look(REPO)
    hasty.close()


@pytest.mark.parametrize(
    ("fault", "wait", "path"),
    [
        ("rate-limit:3000", timedelta(minutes=50), f"{HERE}$"),
        ("secondary-limit:90", timedelta(seconds=90), f"{HERE}/issues$"),
        ("status:403:You have exceeded a secondary rate limit.", timedelta(seconds=60), f"{HERE}$"),
    ],
)
def test_a_limit_says_when_there_is_more(stage: StandInStage, fault: str, wait: timedelta, path: str) -> None:
    stage.process.fault(fault, method="GET", path=path)
    before = SystemClock().now().replace(microsecond=0)
    with pytest.raises(Throttled) as limit:
        stage.forge.look(REPO)
    assert limit.value.retry_at is not None
    assert before + wait <= limit.value.retry_at <= SystemClock().now() + wait + timedelta(seconds=1)


QUERY = "query($id: ID!) { node(id: $id) { id } }"
MUTATION = (
    "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }"
)
Ask = Callable[[Calls], object]


def query(calls: Calls) -> object:
    return calls.query(QUERY, {"id": "R_kw1"})


def mutate(calls: Calls) -> object:
    return calls.mutate(MUTATION, {"id": "PR_kw99"})


@pytest.mark.parametrize(
    ("fault", "ask", "kind"),
    [
        ("502", query, Unreachable),
        ("502", mutate, InDoubt),
        ("truncate", query, Unreachable),
        ("truncate", mutate, InDoubt),
        ("drop-after-write", query, Unreachable),
        ("drop-after-write", mutate, InDoubt),
        ("graphql-limit:3000", query, Throttled),
        ("graphql-limit:3000", mutate, Throttled),
        ("secondary-limit:90", query, Throttled),
        ("secondary-limit:90", mutate, Throttled),
        ("status:401:Bad credentials", query, Refused),
        ("status:401:Bad credentials", mutate, Refused),
        ("status:200:no data", query, Unreachable),
        ("status:200:no data", mutate, InDoubt),
    ],
)
def test_graphql_fails_in_the_words_of_rest(
    stage: StandInStage, fault: str, ask: Ask, kind: type[WorldError]
) -> None:
    calls = Calls(stage.process.api_url, lambda: TOKEN, timeout=20)
    stage.process.fault(fault, path="/api/graphql$")
    with pytest.raises(kind) as trouble:
        ask(calls)
    calls.close()
    assert type(trouble.value) is kind
    if fault == "graphql-limit:3000":
        assert isinstance(trouble.value, Throttled)
        assert trouble.value.retry_at is not None
        assert trouble.value.retry_at - SystemClock().now() > timedelta(minutes=49)


def test_a_mutation_that_graphql_refuses_is_refused(stage: StandInStage) -> None:
    calls = Calls(stage.process.api_url, lambda: TOKEN, timeout=20)
    with pytest.raises(Refused, match="Could not resolve to a node"):
        mutate(calls)
    assert calls.query(QUERY, {"id": "R_kw99"}) == {"node": None}
    calls.close()
    with pytest.raises(Missing, match=f"there is no pull request {REPO}#99"):
        stage.forge.set_draft(REPO, 99, True)


def test_a_merge_that_moved_is_not_taken_for_a_refusal(stage: StandInStage) -> None:
    head = stage.push("hive/quality/1")
    pull = stage.forge.open_pull_request(
        REPO, head="hive/quality/1", base="main", title="t", body="", draft=False
    )
    stage.push("hive/quality/1")
    with pytest.raises(Moved):
        stage.forge.merge(REPO, pull.number, head=head, method="merge", marker="m")
