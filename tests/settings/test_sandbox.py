"""The `sandbox` of an agent: where it runs, taken as the hub has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hive.assets import text
from hive.decisions.placement.quantities import parse_size
from hive.errors import ConfigError
from hive.facts.fleet import GpuNeed, LabelSelector, SandboxRequest, Strategy
from hive.settings.settings import Settings
from tests.settings.conftest import Loads
from tests.settings.test_fleet import kubeconfig

HIVE = """
github: {token: "${GITHUB_TOKEN}"}
repositories: [acme/rocket]
%s
agents:
  - {name: here, role: quality, backend: claude}
  - {name: trainer, role: quality, backend: claude, count: 2, sandbox: %s}
"""
Reads = Callable[..., Settings]
FLEET = "fleet: {hub: hub, namespace: agents, image: hive-agent}"


@pytest.fixture
def read(loads: Loads, tmp_path: Path) -> Reads:
    config = kubeconfig(tmp_path / "kube" / "config", "hub", "east")

    def read(sandbox: str, fleet: str = FLEET) -> Settings:
        return loads(HIVE % (fleet, sandbox), KUBECONFIG=str(config))

    return read


def complaint(settings: Settings) -> str:
    assert [spec.name for spec in settings.agents] == ["here"]
    (rejected,) = settings.rejected
    return rejected.message.partition("hive.yaml:")[2]


def test_an_agents_sandbox_is_a_request_of_its_name_in_the_fleets_namespace(read: Reads) -> None:
    asked = "{template: gpu, gpu: {count: 2, product: [NVIDIA-L4], memory: 20Gi}, resources: {cpu: 500m}, "
    asked += "clusters: {matchLabels: {env: prod}}, prefer: {strategy: spread}, parameters: {disk: 5Gi}}"
    here, first, second = read(asked).agents
    assert here.sandbox is None
    assert first.sandbox is not None
    assert first.sandbox.request == SandboxRequest(
        namespace="agents",
        name="trainer-1",
        template="gpu",
        resources={"cpu": parse_size("500m")},
        gpu=GpuNeed(2, ("NVIDIA-L4",), parse_size("20Gi")),
        clusters=LabelSelector((("env", "prod"),)),
        strategy=Strategy.SPREAD,
        parameters={"disk": "5Gi"},
    )
    assert first.sandbox.spec == {
        "template": "gpu",
        "gpu": {"count": 2, "product": ["NVIDIA-L4"], "memory": "20Gi"},
        "resources": {"cpu": "500m"},
        "clusters": {"matchLabels": {"env": "prod"}},
        "prefer": {"strategy": "spread"},
        "parameters": {"disk": "5Gi"},
    }
    assert second.sandbox is not None
    assert second.sandbox.request.name == "trainer-2"
    assert second.sandbox.digest == first.sandbox.digest


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        (
            "{template: gpuu}",
            "agents[1].sandbox.template: unknown sandbox template 'gpuu'; did you mean 'gpu'?",
        ),
        ("{template: cpu, resources: {cpu: 2x}}", "agents[1].sandbox: resources cpu:"),
        (
            "{template: cpu, clusters: {matchExpressions: [{key: env, operator: In}]}}",
            "agents[1].sandbox.clusters:",
        ),
        ("{template: cpu, parameters: {disc: 5Gi}}", "sandbox: "),
        ("{template: cpu, gpu: {count: 1}}", "it gives no GPUs"),
        ("{template: cpu, clusterz: {}}", "unknown key 'clusterz'"),
        ("{}", "template"),
    ],
)
def test_a_wrong_sandbox_is_that_agents_affair(read: Reads, sandbox: str, said: str) -> None:
    assert said in complaint(read(sandbox))


def test_a_sandbox_without_a_fleet_says_what_is_missing(read: Reads) -> None:
    said = "agents[1].sandbox: there is no section `fleet`; add one, or remove the sandbox"
    assert said in complaint(read("{template: cpu}", fleet=""))


def test_a_sandbox_without_an_image_says_where_one_is_written(read: Reads) -> None:
    assert "image" in complaint(read("{template: cpu}", fleet="fleet: {hub: hub}"))


def test_templates_of_the_operators_own_stand_beside_the_shipped_ones(read: Reads, tmp_path: Path) -> None:
    own = tmp_path / "templates"
    own.mkdir()
    (own / "small.yaml").write_text(
        text("sandbox-templates/cpu.yaml").replace("name: cpu\n", "name: small\n", 1)
    )
    fleet = FLEET.replace("}", ", templates: templates}")
    _, agent, _ = read("{template: small}", fleet=fleet).agents
    assert agent.sandbox is not None
    assert agent.sandbox.request.template == "small"
    assert "unknown sandbox template 'large'; known: cpu, gpu, small" in complaint(
        read("{template: large}", fleet=fleet)
    )


def test_a_folder_of_templates_that_is_not_there_is_told(read: Reads) -> None:
    with pytest.raises(ConfigError, match=r"fleet\.templates: there is no folder"):
        read("{template: cpu}", fleet=FLEET.replace("}", ", templates: nowhere}"))
