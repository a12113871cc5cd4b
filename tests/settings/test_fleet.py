from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from hive.errors import ConfigError
from hive.settings.check import check_document
from hive.settings.check_text import render
from hive.settings.fleet import FleetSettings, MemberSettings
from tests.settings.conftest import GOOD, Loads

Fleets = Callable[..., FleetSettings]


def kubeconfig(path: Path, *contexts: str, current: str = "") -> Path:
    """A file of `contexts` that nothing answers at."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [{"name": name, "context": {"cluster": name, "user": name}} for name in contexts]
    users = [{"name": name, "user": {"token": "sesame-open"}} for name in contexts]
    kind = {"apiVersion": "v1", "kind": "Config", "current-context": current}
    path.write_text(json.dumps({**kind, "contexts": entries, "users": users}), encoding="utf-8")
    return path


@pytest.fixture
def fleet(loads: Loads, tmp_path: Path) -> Fleets:
    """The section `fleet` as it is loaded; `hub`, `east` and `west` are there, and `hub` is current."""

    def fleet(section: str = "{}", **environ: str) -> FleetSettings:
        config = kubeconfig(tmp_path / "kube" / "config", "hub", "east", "west", current="hub")
        settings = loads(f"{GOOD}fleet: {section}\n", **{"KUBECONFIG": str(config), **environ})
        assert settings.fleet is not None
        return settings.fleet

    return fleet


def test_a_hive_without_the_section_has_no_fleet(loads: Loads) -> None:
    assert loads(GOOD).fleet is None
    assert loads(f"{GOOD}fleet:\n").fleet is None


def test_a_fleet_is_the_current_context_for_a_hub_and_all_others_for_members(
    fleet: Fleets, tmp_path: Path
) -> None:
    assert fleet() == FleetSettings(
        kubeconfig=str(tmp_path / "kube/config"),
        hub="hub",
        members=(MemberSettings("east", "east"), MemberSettings("west", "west")),
        inventory=None,
        namespace="hive",
        stale_after=timedelta(minutes=5),
        image=None,
    )


def test_every_key_of_a_fleet_is_taken_as_it_is_written(fleet: Fleets, tmp_path: Path) -> None:
    (tmp_path / "clusters.yaml").write_text("")
    kubeconfig(tmp_path / "other", "west", "a_b")
    assert fleet("""
  kubeconfig: other
  hub: west
  members: [west, {context: a_b, name: far, labels: {env: prod, region: eu-1}}]
  inventory: clusters.yaml
  namespace: sandboxes
  stale_after: 90s
  image: registry.example.org/agents/hive:1.0
""") == FleetSettings(
        kubeconfig=str(tmp_path / "other"),
        hub="west",
        members=(
            MemberSettings("west", "west"),
            MemberSettings("a_b", "far", {"env": "prod", "region": "eu-1"}),
        ),
        inventory=tmp_path / "clusters.yaml",
        namespace="sandboxes",
        stale_after=timedelta(seconds=90),
        image="registry.example.org/agents/hive:1.0",
    )


def test_a_kubeconfig_of_one_context_is_hub_and_member(fleet: Fleets, tmp_path: Path) -> None:
    alone = kubeconfig(tmp_path / "alone", "here", current="here")
    found = fleet(KUBECONFIG=str(alone))
    assert (found.hub, found.members) == ("here", (MemberSettings("here", "here"),))


def test_several_files_count_as_one_and_one_of_them_may_be_missing(fleet: Fleets, tmp_path: Path) -> None:
    first = kubeconfig(tmp_path / "first", "east")
    second = kubeconfig(tmp_path / "second", "east", "north", current="north")
    found = fleet(KUBECONFIG=f"{first}:{tmp_path}/none::{second}")
    assert found.kubeconfig == f"{first}:{tmp_path}/none:{second}"
    assert (found.hub, [member.name for member in found.members]) == ("north", ["east"])


@pytest.mark.parametrize(
    ("section", "line", "message"),
    [
        ("{hub: hob}", 8, "fleet.hub: there is no context 'hob' in {kube}; did you mean 'hub'?"),
        ("{members: [mars]}", 8, "fleet.members[0]: there is no context 'mars' in {kube}; it has: hub, east"),
        ("\n  members:\n    - east\n    - east", 11, "fleet.members[1]: the context 'east' is there twice"),
        (
            "{members: [east, {context: west, name: east}]}",
            8,
            "fleet.members[1]: 'east' names 'east' already; take another name",
        ),
        ("{members: [{context: east, name: E_1}]}", 8, "'E_1' is no name; lower case letters, digits"),
        ("{members: []}", 8, "fleet.members: "),
        ("{members: [{context: east, labels: {-x: y}}]}", 8, "'-x' is no label key"),
        ("{members: [{context: east, labels: {x: a b}}]}", 8, "'a b' is no label value"),
        ("{namespace: Hive}", 8, "fleet.namespace: 'Hive' is no name; lower case letters"),
        ("{stale_after: 0s}", 8, "fleet.stale_after: 0s is out of range; from 1s to 1d"),
        ("{image: 'two words'}", 8, "fleet.image: 'two words' names no image; write it like"),
        ("{inventory: none.yaml}", 8, "fleet.inventory: there is no file {folder}/none.yaml"),
        ("{stale_afer: 5m}", 8, "unknown key 'stale_afer' in fleet; did you mean 'stale_after'?"),
        ("{kubeconfig: none}", 8, "fleet: there is no kubeconfig {folder}/none; name one with"),
        (
            "{kubeconfig: hive.yaml, hub: hub}",
            8,
            "fleet.hub: there is no context 'hub' in {folder}/hive.yaml;",
        ),
        (
            "{kubeconfig: hive.yaml}",
            8,
            "fleet: {folder}/hive.yaml has no current context; write hub: CONTEXT",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_the_remedy(
    fleet: Fleets, tmp_path: Path, section: str, line: int, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        fleet(section)
    assert str(caught.value).startswith(f"{tmp_path}/hive.yaml:{line}: ")
    assert message.format(folder=tmp_path, kube=tmp_path / "kube/config") in str(caught.value)


def test_a_context_whose_name_cannot_name_a_cluster_asks_for_another(fleet: Fleets, tmp_path: Path) -> None:
    config = kubeconfig(tmp_path / "cloud", "hub", "arn:aws:eks:eu-1:1:cluster/x", current="hub")
    with pytest.raises(ConfigError, match=r"write \{context: 'arn:aws:eks:eu-1:1:cluster/x', name: NAME\}"):
        fleet(KUBECONFIG=str(config))


def test_a_kubeconfig_that_is_none_is_named_with_its_line(fleet: Fleets, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("contexts:\n- name: [\n")
    with pytest.raises(ConfigError, match=rf"hive.yaml:8: fleet: {broken}:\d+: this is not valid YAML"):
        fleet(KUBECONFIG=str(broken))


def test_a_check_tells_of_the_fleet_and_of_no_credential(loads: Loads, fleet: Fleets, tmp_path: Path) -> None:
    fleet()
    section = "{members: [east, {context: west, name: far, labels: {env: prod}}]}"
    settings = loads(f"{GOOD}fleet: {section}\n", KUBECONFIG=str(tmp_path / "kube/config"))
    document = check_document(settings)
    assert document["fleet"] == {
        "kubeconfig": str(tmp_path / "kube/config"),
        "hub": "hub",
        "namespace": "hive",
        "stale_after": "5m",
        "members": [
            {"name": "east", "context": "east", "labels": {}},
            {"name": "far", "context": "west", "labels": {"env": "prod"}},
        ],
        "inventory": None,
        "image": None,
        "problems": [],
    }
    text = render(document)
    assert "  fleet    hub hub; members east, far (west); requests in namespace hive\n" in text
    assert "sesame" not in text + json.dumps(document)
