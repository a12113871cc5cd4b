"""No made-up request makes the forge do what the table denies, in any mode.

CI tries 5,000; ``HYPOTHESIS_PROFILE=nightly`` 100,000.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hive.decisions import autonomy
from hive.decisions.autonomy import AutonomyTable, Ruled
from hive.decisions.requests import Request
from hive.facts.autonomy import AcmmLevel, Action
from hive.facts.verdicts import Ruling, Verdict
from tests.gateway.generated import requests
from tests.gateway.generated.effects import LADDER
from tests.gateway.generated.forge import World
from tests.gateway.generated.requests import Choices

_TIMES = 20 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 1
_CHOICES = st.randoms(use_true_random=False)
# The nightly size is no reason to keep 100,000 examples in a database.
_ONCE = settings(deadline=None, database=None, phases=(Phase.generate, Phase.shrink))
Making = Callable[[Choices], Request]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("generated"))


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
@settings(_ONCE, max_examples=3_000 * _TIMES)
@given(choices=_CHOICES, mode=st.sampled_from(LADDER))
def test_no_graphql_document_has_an_effect_that_is_denied(
    world: World, choices: random.Random, mode: str
) -> None:
    assert list(world.denied_effects(mode, requests.graphql(choices))) == []


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
@settings(_ONCE, max_examples=2_000 * _TIMES)
@given(choices=_CHOICES, mode=st.sampled_from(LADDER))
def test_no_rest_request_has_an_effect_that_is_denied(
    world: World, choices: random.Random, mode: str
) -> None:
    assert list(world.denied_effects(mode, requests.rest(choices))) == []


@pytest.mark.parametrize("label", ["hold", "hold;x", "HOLD%3Bx", "hold%23x", "hold%20", "hold%00;"])
def test_a_hold_is_not_removed_under_a_name_that_a_lenient_forge_reads_as_its_own(
    world: World, label: str
) -> None:
    path = f"/repos/acme/widgets/issues/6/labels/{label}"
    request = Request("DELETE", path, (("Host", "api.github.com"),))
    assert list(world.denied_effects("measured", request)) == []


@pytest.mark.parametrize("make", [requests.graphql, requests.rest])
def test_enough_of_what_is_made_up_reaches_the_forge(world: World, make: Making) -> None:
    names = set()
    for seed in range(1_500):
        world.ask("full", make(random.Random(seed)))
        names |= {effect.name for effect in world.forge.done}
    assert names >= {"comment", "edit", "label", "replace-labels"}


@pytest.mark.parametrize("make", [requests.graphql, requests.rest])
def test_a_gate_that_lets_all_through_would_be_noticed(
    world: World, make: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = autonomy.rule

    def careless(table: AutonomyTable, level: AcmmLevel, role: str, action: Action) -> Ruled:
        if action not in (*table.rulings, Action.EDIT_OTHERS_TEXT, Action.REMOVE_HOLD):
            return real(table, level, role, action)
        return Ruled(Verdict(Ruling.ALLOW, "test", "all is allowed"), None)

    monkeypatch.setattr(autonomy, "rule", careless)
    made = (make(random.Random(seed)) for seed in range(400))
    assert sum(1 for request in made if list(world.denied_effects("advisory", request))) > 10
