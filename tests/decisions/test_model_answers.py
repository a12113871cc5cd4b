"""What a provider's refusal means, and until when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from hive.decisions.model_answers import refused
from hive.decisions.model_standing import told_by_relay
from hive.facts.agents import AgentState
from hive.facts.models import ModelProblem, ModelStanding

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def error(message: str = "no", **more: object) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


@pytest.mark.parametrize(
    ("status", "body", "problem"),
    [
        (429, error(), ModelProblem.LIMITED),
        (429, error(code="insufficient_quota"), ModelProblem.OUT_OF_CREDIT),
        (400, error("Your credit balance is too low to access the API."), ModelProblem.OUT_OF_CREDIT),
        (429, error("Your prepayment credits are depleted."), ModelProblem.OUT_OF_CREDIT),
        (402, error(), ModelProblem.OUT_OF_CREDIT),
        (401, error(), ModelProblem.LOGGED_OUT),
        (400, error("API key not valid. Please pass a valid API key."), ModelProblem.LOGGED_OUT),
        (403, error(), ModelProblem.FORBIDDEN),
        (529, error(), ModelProblem.OVERLOADED),
        (503, b"", ModelProblem.OVERLOADED),
        (400, error("prompt is too long"), None),
        (500, error(), None),
        (404, b"[", None),
    ],
)
def test_the_status_and_the_providers_word_say_what_is_wrong(
    status: int, body: bytes, problem: ModelProblem | None
) -> None:
    found = refused(status, {}, body, NOW)
    assert (found.problem if found else None, found.until if found else None) == (problem, None)


@pytest.mark.parametrize(
    ("headers", "body", "until"),
    [
        ({"retry-after": "20"}, b"", NOW + timedelta(seconds=20)),
        ({"retry-after-ms": "1500", "retry-after": "1"}, b"", NOW + timedelta(seconds=1.5)),
        ({"retry-after": "Mon, 30 Nov 2026 13:00:00 GMT"}, b"", NOW + timedelta(hours=1)),
        ({"anthropic-ratelimit-unified-reset": "1796050800"}, b"", datetime.fromtimestamp(1796050800, UTC)),
        (
            {
                "anthropic-ratelimit-requests-reset": "2026-11-30T12:01:00Z",
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2026-11-30T14:00:00Z",
                "anthropic-ratelimit-tokens-remaining": "17",
            },
            b"",
            NOW + timedelta(minutes=1),
        ),
        (
            {"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"},
            b"",
            NOW + timedelta(minutes=6),
        ),
        ({}, error(details=[{"retryDelay": "34.5s"}]), NOW + timedelta(seconds=34.5)),
        ({}, error(type="usage_limit_reached", resets_at=1796050800), NOW + timedelta(hours=3)),
        ({}, error(type="usage_limit_reached", resets_in_seconds=7200), NOW + timedelta(hours=2)),
        (
            {},
            error(details=[{"metadata": {"quotaResetDelay": "3h20m0.5s"}}]),
            NOW + timedelta(seconds=12000.5),
        ),
        (
            {},
            error(details=[{"metadata": {"quotaResetTimeStamp": "2026-11-30T15:20:00Z"}}]),
            NOW + timedelta(hours=3, minutes=20),
        ),
        ({}, error(resets_at="tomorrow", resets_in_seconds="x"), None),
        ({"retry-after": "soon"}, b"", None),
        ({"retry-after": "-1"}, b"", None),
        ({"retry-after": "999999999"}, b"", None),
        ({"retry-after": "Thu, 99 Zzz 2026 13:00:00 GMT"}, b"", None),
        ({"anthropic-ratelimit-unified-reset": "1000000000"}, b"", None),
    ],
)
def test_the_end_of_a_limit_is_the_latest_that_was_given(
    headers: Mapping[str, str], body: bytes, until: datetime | None
) -> None:
    found = refused(429, headers, body, NOW)
    assert found is not None
    assert found.until == until


STANDING = ModelStanding(
    ModelProblem.LIMITED, "anthropic", "team", NOW, NOW + timedelta(hours=1), "429: slow"
)


@pytest.mark.parametrize(
    ("standing", "after", "expected"),
    [
        (None, 0, None),
        (STANDING, 0, (AgentState.LIMITED, "429: slow (team, until 2026-11-30 13:00 UTC)")),
        (STANDING, 3600, None),
        (
            ModelStanding(ModelProblem.OVER_BUDGET, "anthropic", "team", NOW, None, "$5 of $5"),
            299,
            (AgentState.OUT_OF_CREDIT, "hive's budget: $5 of $5 (team)"),
        ),
        (ModelStanding(ModelProblem.LOGGED_OUT, "anthropic", "team", NOW), 300, None),
        (ModelStanding(ModelProblem.OVERLOADED, "anthropic", "team", NOW), 0, None),
    ],
)
def test_an_agents_state_is_what_its_provider_said_until_that_ends(
    standing: ModelStanding | None, after: int, expected: tuple[AgentState, str] | None
) -> None:
    assert told_by_relay(standing, NOW + timedelta(seconds=after)) == expected
