"""`hive clusters` and `hive install`, over API servers in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hive.app import clusters
from hive.cli.main import main
from hive.errors import ConfigError
from hive.facts.kubernetes import (
    CUSTOM_RESOURCES,
    MANAGED_CLUSTERS,
    NAMESPACES,
    NODES,
    SANDBOX_REQUESTS,
    ResourceType,
)
from hive.settings.fleet import FleetSettings
from hive.shells.kubernetes.cluster import KubernetesCluster
from tests.fakes.kubernetes import FakeKubernetes
from tests.fleet.test_definitions import Serving
from tests.settings.test_fleet import kubeconfig

Servers = Mapping[str, FakeKubernetes]
CONFIG = "fleet: {kubeconfig: kube, hub: hub, members: [east, west]}\n"


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Servers:
    """By context; the working folder has a `hive.yaml` that names them."""
    found = {name: Serving(name) for name in ("hub", "east", "west")}

    def connect(fleet: FleetSettings, context: str, *, timeout: float = 0) -> FakeKubernetes:
        return found[context]

    def from_kubeconfig(path: str, context: str) -> FakeKubernetes:
        assert path == str(tmp_path / "kube")
        return found[context]

    monkeypatch.setattr(clusters, "connect", connect)
    monkeypatch.setattr(KubernetesCluster, "from_kubeconfig", from_kubeconfig)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    kubeconfig(tmp_path / "kube", "hub", "east", "west", current="east")
    (tmp_path / "hive.yaml").write_text(CONFIG)
    return found


@pytest.fixture
def read(capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    return lambda: capsys.readouterr().out


def test_clusters_are_shown_as_they_are_now_and_nothing_is_written(
    servers: Servers, read: Callable[[], str]
) -> None:
    servers["hub"].create(
        MANAGED_CLUSTERS, {"metadata": {"name": "east"}, "spec": {"hubAcceptsClient": True}}
    )
    request = {"metadata": {"name": "r", "namespace": "default"}, "spec": {"template": "cpu"}}
    servers["hub"].create(SANDBOX_REQUESTS, request)
    servers["hub"].patch(
        SANDBOX_REQUESTS, "r", {"status": {"cluster": "east"}}, "default", subresource="status"
    )
    servers["east"].create(NODES, {"metadata": {"name": "n1"}})
    servers["west"].away = True
    before = {name: list(each.writes) for name, each in servers.items()}
    assert main(["clusters", "--json"]) == 0
    document = json.loads(read())
    assert document["hub"] == {"context": "hub", "reachable": True, "message": ""}
    told = ("name", "registered", "available", "reachable", "version", "nodes", "sandboxes")
    assert [tuple(row[key] for key in told) for row in document["clusters"]] == [
        ("east", True, "True", True, "v1.36.3", {"ready": 0, "total": 1}, 1),
        ("west", False, "Unknown", False, None, None, 0),
    ]
    assert {name: list(each.writes) for name, each in servers.items()} == before


def test_a_context_that_does_not_answer_is_a_row_with_its_reason(
    servers: Servers, read: Callable[[], str]
) -> None:
    servers["west"].away = True
    assert main(["clusters"]) == 0
    lines = read().splitlines()
    assert [line.split()[0] for line in lines] == ["CLUSTER", "east", "west", "!"]
    assert "unknown, away" in lines[2]
    assert lines[3].startswith("! west, away since ")


def test_without_its_hub_a_fleet_is_still_seen_and_without_anything_it_is_exit_3(
    servers: Servers, read: Callable[[], str]
) -> None:
    servers["hub"].away = True
    assert main(["clusters"]) == 0
    assert "! hub hub: " in read()
    for each in servers.values():
        each.away = True
    assert main(["clusters", "--json"]) == 3
    assert [row["reachable"] for row in json.loads(read())["clusters"]] == [False, False]


def test_a_hub_whose_credentials_cannot_be_read_hides_no_member(
    servers: Servers, read: Callable[[], str]
) -> None:
    def broken(verb: str, kind: ResourceType, name: str) -> None:
        raise ConfigError("context 'hub' names the user 'x', which the file does not have", source="kube")

    servers["hub"].before = broken
    assert main(["clusters", "--json"]) == 0
    document = json.loads(read())
    assert document["hub"]["message"].startswith("context 'hub' names the user 'x'")
    assert [row["reachable"] for row in document["clusters"]] == [True, True]


def test_a_bad_quantity_in_the_inventory_is_a_line_and_all_else_is_shown(
    servers: Servers, read: Callable[[], str], tmp_path: Path
) -> None:
    (tmp_path / "hive.yaml").write_text(CONFIG.replace("}", ", inventory: clusters.yaml}"))
    (tmp_path / "clusters.yaml").write_text(
        "apiVersion: hive.fleet/v1alpha1\nkind: ClusterFacts\nmetadata: {name: far}\n"
        "spec: {observedAt: 2026-11-30T12:00:00Z, nodes: [{name: n, allocatable: {cpu: lots}}]}\n"
    )
    assert main(["clusters"]) == 0
    lines = read().splitlines()
    assert len(lines) == 4
    assert "hive.fleet/v1alpha1/clusterfacts//far: " in lines[3]
    assert "'lots' is no quantity; write it like 2, 500m" in lines[3]


def test_a_hive_without_a_fleet_has_no_clusters(
    servers: Servers, read: Callable[[], str], tmp_path: Path
) -> None:
    (tmp_path / "hive.yaml").write_text("level: 2\n")
    assert main(["clusters"]) == 0
    assert read() == "no clusters: hive.yaml has no section 'fleet'\n"
    assert main(["clusters", "--json"]) == 0
    assert json.loads(read())["clusters"] == []


def test_the_kinds_are_installed_on_the_hub_of_the_configuration(
    servers: Servers, read: Callable[[], str]
) -> None:
    assert main(["install", "--crds"]) == 0
    lines = read().splitlines()
    assert lines[0] == "created    bindingpolicies.control.kubestellar.io"
    assert lines[-1] == "18 kinds on hub: 18 created; namespace hive created"
    assert len(servers["hub"].list(CUSTOM_RESOURCES).items) == 18
    assert main(["install", "--crds", "--json"]) == 0
    document = json.loads(read())
    assert {each["state"] for each in document["definitions"]} == {"present"}
    assert (document["context"], document["dry_run"], document["namespace"]) == (
        "hub",
        False,
        {"name": "hive", "state": "present"},
    )


def test_options_go_before_the_configuration_and_a_dry_run_only_asks(
    servers: Servers, read: Callable[[], str]
) -> None:
    assert main(["install", "--crds", "--context", "west", "--namespace", "pods", "--dry-run"]) == 0
    lines = read().splitlines()
    assert lines[0] == "absent     bindingpolicies.control.kubestellar.io"
    assert lines[-1] == "18 kinds on west: 18 would be created; namespace pods would be created"
    assert servers["west"].writes == []


def test_without_a_configuration_the_current_context_counts(
    servers: Servers, read: Callable[[], str], tmp_path: Path
) -> None:
    (tmp_path / "hive.yaml").unlink()
    assert main(["install", "--crds", "--kubeconfig", "kube"]) == 0
    assert read().splitlines()[-1] == "18 kinds on east: 18 created; namespace hive created"
    assert servers["east"].get(NAMESPACES, "hive")


def test_a_definition_that_is_not_hives_is_named_and_left(servers: Servers, read: Callable[[], str]) -> None:
    main(["install", "--crds"])
    read()
    name = "bindings.control.kubestellar.io"
    owner = {"labels": {"app.kubernetes.io/managed-by": "ks"}}
    servers["hub"].patch(CUSTOM_RESOURCES, name, {"metadata": owner, "spec": {"scope": "Namespaced"}})
    assert main(["install", "--crds"]) == 0
    said = f"different  {name} (ks): its schema is another than hive's; left as it is"
    assert said in read().splitlines()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "say what to install: hive install --crds"),
        (["--crds", "--context", "mars"], 2, "there is no context 'mars'; the file has: hub, east, west"),
        (["--crds", "--namespace", "Hive"], 2, "'Hive' names no namespace; lower case letters"),
        (["--crds", "-c", "none.yaml"], 2, "none.yaml: the file cannot be read: No such file or directory"),
        (["--crds", "--kubeconfig", "none"], 2, "there is no kubeconfig"),
    ],
)
def test_what_cannot_be_installed_is_one_line(
    servers: Servers, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert main(["install", *arguments]) == code
    streams = capsys.readouterr()
    assert (streams.out, streams.err.count("\n")) == ("", 1)
    assert message in streams.err


def test_a_hub_that_is_away_is_exit_3(servers: Servers, capsys: pytest.CaptureFixture[str]) -> None:
    servers["hub"].away = True
    assert main(["install", "--crds"]) == 3
    assert capsys.readouterr().err.startswith("hive: kubernetes: ")


def test_an_unknown_key_of_the_section_has_its_line(
    servers: Servers, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "hive.yaml").write_text("level: 2\nfleet:\n  hubb: hub\n")
    assert main(["clusters"]) == 2
    assert capsys.readouterr().err == "hive: hive.yaml:3: unknown key 'hubb' in fleet; did you mean 'hub'?\n"


def test_a_check_reads_the_inventory_too(
    servers: Servers, read: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_0123456789")
    (tmp_path / "hive.yaml").write_text(
        "github: {token: '${GITHUB_TOKEN}'}\nrepositories: [o/r]\n"
        "agents: [{name: a, role: guide, backend: scripted}]\n"
        + CONFIG.replace("}", ", inventory: clusters.yaml}")
    )
    facts = "apiVersion: hive.fleet/v1alpha1\nkind: ClusterFacts\nmetadata: {name: far}\n"
    (tmp_path / "clusters.yaml").write_text(f"{facts}spec: {{}}\n")
    said = "spec.observedAt is missing; write the time of the observation"
    assert main(["check", "--json"]) == 1
    assert json.loads(read())["fleet"]["problems"] == [
        {"object": "hive.fleet/v1alpha1/clusterfacts//far", "message": said}
    ]
    assert main(["check"]) == 1
    assert f"  problem  hive.fleet/v1alpha1/clusterfacts//far: {said}\n" in read()
