"""Tokens of sandboxes, as the gateway's authority takes them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.recall import recall
from hive.errors import JournalError
from hive.facts import events as e
from hive.facts.memory import Memory
from hive.kernel.ledger import Ledger
from hive.kernel.sandbox_tokens import SandboxTokens
from hive.kernel.tokens import digest_of
from tests.decisions.worlds import NOW, policy, spec
from tests.fakes.clock import FakeClock
from tests.kernel.test_authority import ME, TOKEN, A, Desk, issued

EAST, WEST = replace(ME, cluster="east"), replace(ME, cluster="west")


def test_a_sandboxs_token_tells_the_agent_and_the_cluster() -> None:
    desk = Desk()
    token = SandboxTokens(desk.ledger).mint(A, "east")
    assert desk.authority.identify(token) == EAST
    assert desk.authority.identify(token + "x") is None


def test_only_the_digest_goes_on_record_and_before_the_token_is_given_out() -> None:
    desk = Desk()
    token = SandboxTokens(desk.ledger).mint(A, "east")
    [record] = desk.journal.records()
    assert record.event == e.SandboxTokenIssued(agent=A, cluster="east", digest=digest_of(token))
    assert token not in e.encode(record.event).decode()
    desk.journal.failure = "the disk is full"
    with pytest.raises(JournalError):
        SandboxTokens(desk.ledger).mint(A, "west")
    assert desk.authority.identify(token) == EAST
    assert SandboxTokens(desk.ledger).clusters(A) == {"east"}


def test_each_sandbox_has_a_token_of_its_own_beside_that_of_this_machine() -> None:
    desk = Desk()
    tokens = SandboxTokens(desk.ledger)
    desk.ledger.record([issued(TOKEN)])
    east, west = tokens.mint(A, "east"), tokens.mint(A, "west")
    assert [desk.authority.identify(one) for one in (TOKEN, east, west)] == [ME, EAST, WEST]
    tokens.revoke(A, "east")
    assert [desk.authority.identify(one) for one in (TOKEN, east, west)] == [ME, None, WEST]
    assert tokens.clusters(A) == {"west"}


def test_a_new_token_makes_the_one_before_void() -> None:
    desk = Desk()
    tokens = SandboxTokens(desk.ledger)
    first = tokens.mint(A, "east")
    second = tokens.mint(A, "east")
    assert [desk.authority.identify(one) for one in (first, second)] == [None, EAST]
    assert [tokens.is_current(A, "east", one) for one in (first, second, "")] == [False, True, False]
    assert not tokens.is_current(A, "west", second)


def test_a_second_revocation_is_content_and_records_nothing() -> None:
    desk = Desk()
    tokens = SandboxTokens(desk.ledger)
    tokens.mint(A, "east")
    tokens.revoke(A, "east")
    tokens.revoke(A, "east")
    tokens.revoke(A, "nowhere")
    assert len([*desk.journal.records()]) == 2


def test_a_token_of_no_agent_or_no_cluster_is_not_made() -> None:
    desk = Desk()
    for agent, cluster in (("", "east"), (A, "")):
        with pytest.raises(ValueError, match="bound to an agent and to a cluster"):
            SandboxTokens(desk.ledger).mint(agent, cluster)
    assert [*desk.journal.records()] == []


def test_an_agent_that_left_the_configuration_is_nobody_in_its_sandbox_too() -> None:
    desk = Desk()
    token = SandboxTokens(desk.ledger).mint(A, "east")
    desk.policy = policy(spec("other"))
    assert desk.authority.identify(token) is None


def test_another_start_knows_the_same_tokens() -> None:
    desk = Desk()
    tokens = SandboxTokens(desk.ledger)
    kept, gone = tokens.mint(A, "east"), tokens.mint(A, "west")
    tokens.revoke(A, "west")
    assert recall(Memory(), desk.journal.records()) == desk.ledger.memory
    desk.ledger.store_snapshot(force=True)
    again = SandboxTokens(Ledger(desk.journal, FakeClock(NOW)))
    assert (again.is_current(A, "east", kept), again.is_current(A, "west", gone)) == (True, False)
