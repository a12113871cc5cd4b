"""What sandboxes prove themselves with: minted for agents of this hive alone, and revoked by whole name."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.app.fleet import SandboxCredentials
from hive.facts.agents import AgentSpec, SandboxSpec
from hive.facts.fleet import SandboxRequest
from hive.kernel.ledger import Ledger
from hive.kernel.sandbox_tokens import SandboxTokens
from tests.decisions.worlds import NOW, spec
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal


@pytest.fixture
def credentials(tmp_path: Path) -> SandboxCredentials:
    ca = tmp_path / "ca.pem"
    ca.write_bytes(b"the authority")
    sandbox = SandboxSpec(SandboxRequest("hive", "trainer", "cpu"), {"template": "cpu"})
    specs: dict[str, AgentSpec] = {"trainer": spec("trainer", sandbox=sandbox), "here": spec("here")}
    tokens = SandboxTokens(Ledger(MemoryJournal(), FakeClock(NOW)))
    return SandboxCredentials(tokens, lambda: specs, ca, "hive")


def test_a_sandbox_gets_its_agents_token_and_the_authority(credentials: SandboxCredentials) -> None:
    data = credentials.mint("hive/trainer", "east")
    assert data["ca.pem"] == b"the authority"
    assert data["token"]
    assert credentials.is_current("hive/trainer", "east", data)
    assert not credentials.is_current("hive/trainer", "west", data)
    assert not credentials.is_current("hive/trainer", "east", {**data, "ca.pem": b"another"})


@pytest.mark.parametrize("request_key", ["hive/stranger", "other/trainer", "hive/here"])
def test_a_request_that_stands_for_no_agent_gets_no_token(
    credentials: SandboxCredentials, request_key: str
) -> None:
    data = credentials.mint(request_key, "east")
    assert data == {"token": b"", "ca.pem": b"the authority"}
    assert credentials.is_current(request_key, "east", data)


def test_only_the_sandbox_that_goes_loses_its_token(credentials: SandboxCredentials) -> None:
    data = credentials.mint("hive/trainer", "east")
    credentials.revoke("other/trainer", "east")
    assert credentials.is_current("hive/trainer", "east", data)
    credentials.revoke("hive/trainer", "east")
    assert not credentials.is_current("hive/trainer", "east", data)
