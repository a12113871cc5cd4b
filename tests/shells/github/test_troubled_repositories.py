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
GRAPHQL = "/api/graphql$"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandInStage]:
    """One for all tests here: none leaves a fault behind."""
    made = StandInStage(tmp_path_factory.mktemp("stage"))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ("status:403:Resource protected by SAML", Refused, "403 Resource protected by SAML"),
        ("status:401:Bad credentials", Refused, "401 Bad credentials; the token is not accepted"),
        ("502", Unreachable, "502"),
        ("504", Unreachable, "504"),
        ("truncate", Unreachable, "the connection broke off"),
        ("drop-after-write", Unreachable, "the connection failed"),
        ("status:200:no data", Unreachable, "an answer without data"),
    ],
)
def test_it_is_told_what_is_wrong_and_the_others_go_on(
    stage: StandInStage, fault: str, kind: type[WorldError], said: str
) -> None:
    stage.process.fault(fault, path=GRAPHQL)
    forge = stage.another()
    with pytest.raises(kind, match=said) as trouble:
        forge.look(REPO)
    assert type(trouble.value) is kind
    assert TOKEN not in str(trouble.value)
    assert forge.look(OTHER).repo == OTHER
    assert forge.look(REPO).repo == REPO
    forge.close()


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ("status:404:Not Found", Missing, "404 Not Found"),
        ("status:410:Gone", Missing, "410 Gone"),
        ("status:451:Repository access blocked", Refused, "451 Repository access blocked"),
        ("status:307:Temporary Redirect", Refused, "307, it has moved to another address"),
        ("moved:http://elsewhere.invalid/", Refused, "redirected to another address"),
    ],
)
def test_what_rest_says_no_to_is_told_too(
    stage: StandInStage, fault: str, kind: type[WorldError], said: str
) -> None:
    stage.process.fault(fault, method="GET", path=f"{HERE}/commits/main$")
    with pytest.raises(kind, match=said) as trouble:
        stage.forge.commit(REPO, "main")
    assert type(trouble.value) is kind
    assert len(stage.forge.commit(REPO, "main").sha) == 40


def test_a_reply_that_takes_too_long_is_given_up(stage: StandInStage) -> None:
    stage.process.fault("slow:3", path=GRAPHQL)
    hasty = stage.another(timeout=1)
    with pytest.raises(Unreachable, match="no answer in time"):
        hasty.look(REPO)
    hasty.close()


def test_details_that_are_too_much_for_the_forge_are_asked_for_in_smaller_pieces(stage: StandInStage) -> None:
    numbers = [stage.forge.file_issue(OTHER, title="t", body="", labels=[]) for _ in range(3)]
    stage.process.fault("502", path=GRAPHQL, skip=1)
    forge = stage.another()
    stage.counted()
    assert [(one.number, one.title) for one in forge.look(OTHER).issues] == [(n, "t") for n in numbers]
    assert stage.counted() == {"POST graphql Overview": 1, "POST graphql Details": 1}
    forge.close()


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        ("rate-limit:3000", timedelta(minutes=50)),
        ("graphql-limit:3000", timedelta(minutes=50)),
        ("secondary-limit:90", timedelta(seconds=90)),
        ("status:403:You have exceeded a secondary rate limit.", timedelta(seconds=60)),
    ],
)
def test_a_limit_says_when_there_is_more(stage: StandInStage, fault: str, wait: timedelta) -> None:
    stage.process.fault(fault, path=GRAPHQL)
    forge = stage.another()
    before = SystemClock().now().replace(microsecond=0)
    with pytest.raises(Throttled) as limit:
        forge.look(REPO)
    forge.close()
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
