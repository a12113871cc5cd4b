"""What hive asks of the fleet, as SandboxRequests on the hub."""

from __future__ import annotations

import pytest

from hive.errors import Missing, Refused
from hive.facts.agents import SandboxSpec
from hive.facts.fleet import SandboxRequest
from hive.facts.kubernetes import NAMESPACES, SANDBOX_REQUESTS
from hive.fleet.requests import HubRequests
from tests.fakes.kubernetes import FakeKubernetes

A = "trainer"


def sandbox(**spec: object) -> SandboxSpec:
    return SandboxSpec(SandboxRequest("agents", A, "cpu"), {"template": "cpu", **spec})


def hub() -> FakeKubernetes:
    made = FakeKubernetes("hub")
    made.create(NAMESPACES, {"metadata": {"name": "agents"}})
    return made


def test_a_request_says_what_the_configuration_says_and_for_whom() -> None:
    server = hub()
    HubRequests(server).ask(A, sandbox(parameters={"disk": "5Gi"}))
    found = server.get(SANDBOX_REQUESTS, A, "agents")
    assert found["spec"] == {"template": "cpu", "parameters": {"disk": "5Gi"}}
    assert found["metadata"]["labels"] == {
        "hive.fleet/agent": A,
        "app.kubernetes.io/managed-by": "hive",
    }
    assert found["metadata"]["annotations"]["hive.fleet/digest"] == sandbox(parameters={"disk": "5Gi"}).digest


def test_asking_again_for_something_else_changes_the_one_request() -> None:
    server = hub()
    requests = HubRequests(server)
    requests.ask(A, sandbox(parameters={"disk": "5Gi"}))
    first = server.get(SANDBOX_REQUESTS, A, "agents")
    requests.ask(A, sandbox())
    second = server.get(SANDBOX_REQUESTS, A, "agents")
    assert second["spec"] == {"template": "cpu"}
    assert second["metadata"]["uid"] == first["metadata"]["uid"]


def test_a_missing_namespace_is_made() -> None:
    server = FakeKubernetes("hub")
    HubRequests(server).ask(A, sandbox())
    assert server.get(SANDBOX_REQUESTS, A, "agents")["spec"] == {"template": "cpu"}


def test_a_request_of_somebody_else_is_neither_taken_over_nor_withdrawn() -> None:
    server = hub()
    server.create(
        SANDBOX_REQUESTS, {"metadata": {"name": A, "namespace": "agents"}, "spec": {"template": "gpu"}}
    )
    requests = HubRequests(server)
    with pytest.raises(Refused, match="agents/trainer that hive did not write for trainer; delete it"):
        requests.ask(A, sandbox())
    with pytest.raises(Refused, match="is not one of trainer; it is left alone"):
        requests.withdraw(A, f"agents/{A}")
    assert server.get(SANDBOX_REQUESTS, A, "agents")["spec"] == {"template": "gpu"}


def test_what_is_withdrawn_is_gone_and_withdrawing_twice_is_content() -> None:
    server = hub()
    requests = HubRequests(server)
    requests.ask(A, sandbox())
    requests.withdraw(A, f"agents/{A}")
    with pytest.raises(Missing):
        server.get(SANDBOX_REQUESTS, A, "agents")
    requests.withdraw(A, f"agents/{A}")
