"""The section `pull_requests`."""

from __future__ import annotations

import pytest

from hive.decisions.rounds_policy import DEFAULT_ROUNDS, RoundsPolicy
from hive.errors import ConfigError
from hive.facts.work import TaskKind
from tests.settings.conftest import GOOD, Loads


def test_nobody_reviews_until_a_role_is_named(loads: Loads) -> None:
    assert loads().pull_requests == RoundsPolicy()
    assert not loads().pull_requests.has_reviews
    found = loads(GOOD + "pull_requests: {review: 2, reviewers: [quality]}\n").pull_requests
    assert found == RoundsPolicy({**DEFAULT_ROUNDS, TaskKind.REVIEW: 2}, ("quality",))
    assert found.has_reviews
    assert not loads(GOOD + "pull_requests: {review: 0, reviewers: [quality]}\n").pull_requests.has_reviews


def test_a_reviewers_role_that_no_agent_has_is_told_by_its_place(loads: Loads) -> None:
    with pytest.raises(ConfigError) as error:
        loads(f"{GOOD}pull_requests: {{reviewers: [qualty]}}\n")
    assert "pull_requests.reviewers: no agent has the role 'qualty'; did you mean 'quality'?" in str(
        error.value
    )


def test_how_much_of_the_repositorys_own_words_goes_into_a_prompt(loads: Loads) -> None:
    assert loads().knowledge == 16_384
    assert loads(GOOD + "knowledge: 0\n").knowledge == 0
    with pytest.raises(ConfigError, match="knowledge"):
        loads(GOOD + "knowledge: 65537\n")
