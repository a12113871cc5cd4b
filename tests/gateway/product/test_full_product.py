"""Every level × role × capability × route by bare requests: the forge's own account equals the table.

The level is turned on the running gateway, on connections that stay open.
"""

from __future__ import annotations

import pytest

from tests.gateway.place import REPO
from tests.gateway.product import oracle
from tests.gateway.product.deeds import DEEDS, MERGES_ITSELF, REACHED, Deed, opened
from tests.gateway.product.oracle import Outcome
from tests.gateway.product.scene import Answer, Scene, Witness

pytestmark = pytest.mark.slow


@pytest.mark.timeout(300)
@pytest.mark.parametrize("level", range(1, 7))
def test_what_becomes_of_every_request_is_what_the_table_says(world: Scene, level: int) -> None:
    world.level(level)
    wrong = [
        f"L{level} {role} {deed.capability} by {deed.route}: {fault}"
        for role in oracle.ROLES
        for deed in DEEDS
        for fault in _tried(world, level, role, deed)
    ]
    assert wrong == []


def _tried(world: Scene, level: int, role: str, deed: Deed) -> list[str]:
    """Do it, and what is other than it should be; afterwards all is as before."""
    expected = oracle.expected(level, role, deed.capability)
    call = deed.make(world, role)
    if deed.route == "git":
        world.advertised(role)
    answer = world.ask(role, call.method, call.path, call.body, call.headers)
    found = world.witness()
    faults = faults_of(world, role, deed, expected, answer, found)
    if found.writes:
        deed.undo(world, role)
        world.witness()
    return faults


def faults_of(
    world: Scene, role: str, deed: Deed, expected: Outcome, answer: Answer, found: Witness
) -> list[str]:
    """What the answer and the forge's account have that they should not have."""
    if expected is Outcome.REFUSED:
        told = b"hive: " in answer.body
        quiet = not found.writes and not found.asked
        return [] if told and quiet else [f"should be refused, was {answer} and {found}"]
    if deed.leaves == MERGES_ITSELF:
        told = MERGES_ITSELF.encode() in answer.body
        return [] if told and not found.asked else [f"should be left to hive, was {answer} and {found}"]
    if deed.leaves == REACHED:
        return [] if found.asked else [f"should reach the forge, was {answer}"]
    held = {"issue.label"} if expected is Outcome.HELD else set()
    if expected is Outcome.HELD and deed.capability == "open-pr":
        held.add("pr.ready")
    if set(found.writes) != {*deed.leaves, *held} or answer.refused:
        return [f"should leave {sorted({*deed.leaves, *held})}, left {found} and answered {answer}"]
    return _hold_faults(world, role, deed, expected)


def _hold_faults(world: Scene, role: str, deed: Deed, expected: Outcome) -> list[str]:
    if deed.capability not in ("open-pr", "update-own-pr"):
        return []
    number = opened(world, role) if deed.capability == "open-pr" else world.own[role].pull
    pull = world.admin("GET", f"/repos/{REPO}/pulls/{number}")
    labels = {label["name"] for label in pull["labels"]}
    wanted = {"hold"} if expected is Outcome.HELD else set()
    if (labels & {"hold"}, pull["draft"]) != (wanted, False):
        return [f"#{number} has the labels {sorted(labels)}, draft: {pull['draft']}"]
    return []


def test_the_table_as_people_read_it_is_whole() -> None:
    assert len(oracle.pairs()) == 66
    assert {name for _, _, name in oracle.one_of_each_mode()} == {*oracle.MODES, "not started"}
    assert {deed.capability for deed in DEEDS} == set(oracle.CAPABILITIES)
