"""The section `claims`."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hive.decisions.lease_policy import LeasePolicy
from hive.errors import ConfigError
from tests.settings.conftest import GOOD, Loads


def test_a_hive_is_alone_unless_it_has_a_name(loads: Loads) -> None:
    assert loads().claims is None
    assert loads(GOOD + "claims: {name: team-a}\n").claims == LeasePolicy(
        "hive:", "team-a", timedelta(hours=6)
    )


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{prefix: x}", "name"),
        ("{name: 'a b'}", "claims.name"),
        ("{name: a, expires: 3h}", "claims: expires (3h) is less than twice lifecycle.deadline (2h)"),
    ],
)
def test_a_lease_that_others_would_take_in_mid_work_is_refused(loads: Loads, section: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        loads(f"{GOOD}claims: {section}\n")
    assert said in str(error.value)
