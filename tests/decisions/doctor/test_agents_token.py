"""A token of the forge that an agent holds itself."""

from __future__ import annotations

import pytest

from hive.decisions.doctor.agents_token import agents_token_finding
from hive.decisions.doctor.finding import State
from hive.decisions.doctor.forge import Reply

NONE = Reply(200, data=[])
USER = Reply(200, data={"login": "ada"})


@pytest.mark.parametrize(
    ("user", "private", "state"),
    [
        (USER, NONE, State.OK),
        (Reply(200, {"x-oauth-scopes": "read:user"}), NONE, State.OK),
        (Reply(200, {"x-oauth-scopes": "read:org, repo"}), NONE, State.PROBLEM),
        (Reply(200, {"x-oauth-scopes": "public_repo"}), NONE, State.PROBLEM),
        (USER, Reply(200, data=[{"full_name": "o/r"}]), State.PROBLEM),
        (Reply(401), Reply(401), State.PROBLEM),
        (Reply(403), Reply(403), State.SKIPPED),
    ],
)
def test_an_agents_own_token_must_lead_to_no_repository(user: Reply, private: Reply, state: State) -> None:
    found = agents_token_finding("copilot-1", user, private)
    assert found.state is state
    assert bool(found.remedy) is (state is not State.OK)
