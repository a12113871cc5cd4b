"""A control plane is a real API server that a test may hurt."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator

import pytest

from tests.cluster import namespace
from tests.cluster.api import Api, ApiError
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import had
from tests.cluster.fleet import Fleet
from tests.cluster.shared import Shared

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def plane(cluster_run: Shared) -> Iterator[ControlPlane]:
    """To be hurt by these tests alone, and whole again at the end of each."""
    with had():
        plane = ControlPlane(cluster_run.run, "hurt", cluster_run.etcd())
    yield plane
    plane.stop()


def config_map(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}}


def test_the_server_is_the_real_one(control_plane: ControlPlane) -> None:
    assert control_plane.api.get("/version")["gitVersion"].startswith("v1.")
    print(f"API server ready in {control_plane.seconds:.1f} s")


def test_the_kubeconfig_is_for_its_owner_alone_and_complete_in_itself(control_plane: ControlPlane) -> None:
    path = control_plane.kubeconfig
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    document = json.loads(path.read_text())
    assert document["current-context"] == control_plane.name
    assert set(document["clusters"][0]["cluster"]) == {"server", "certificate-authority-data"}
    assert set(document["users"][0]["user"]) == {"client-certificate-data", "client-key-data"}


def test_a_stranger_is_turned_away(control_plane: ControlPlane) -> None:
    stranger = Api(control_plane.url, control_plane.ca, token="nobody")
    with pytest.raises(ApiError) as refused:
        stranger.get("/api/v1/namespaces")
    assert refused.value.status == 401


def test_namespaces_isolate_tests(
    control_plane: ControlPlane, fresh_namespace: Callable[[ControlPlane], str]
) -> None:
    first, second = fresh_namespace(control_plane), fresh_namespace(control_plane)
    control_plane.api.create(f"/api/v1/namespaces/{first}/configmaps", config_map("x"))
    assert control_plane.api.get(f"/api/v1/namespaces/{second}/configmaps")["items"] == []


@pytest.mark.parametrize("crash", [False, True])
def test_a_restart_keeps_the_port_the_data_and_the_tokens(plane: ControlPlane, *, crash: bool) -> None:
    name = namespace.make(plane.api)
    token = plane.token("joe", [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}])
    url, pid = plane.url, plane.process.pid
    plane.restart(crash=crash)
    assert (plane.url, plane.process.pid != pid) == (url, True)
    bearer = Api(plane.url, plane.ca, token=token.value)
    assert bearer.get(f"/api/v1/namespaces/{name}/configmaps")["items"] == []
    with pytest.raises(ApiError) as refused:
        bearer.get(f"/api/v1/namespaces/{name}/secrets")
    assert refused.value.status == 403


def test_a_server_held_still_keeps_its_connections_and_says_nothing(plane: ControlPlane) -> None:
    plane.pause()
    with pytest.raises(TimeoutError):
        plane.api.raw("GET", "/readyz", patience=0.5)
    plane.resume()
    assert plane.api.get("/version")


def test_a_stopped_server_refuses_connections_until_it_is_started(plane: ControlPlane) -> None:
    plane.stop_server()
    with pytest.raises(ConnectionRefusedError):
        plane.api.get("/version")
    plane.start_server()
    assert plane.api.get("/version")


def test_a_revoked_token_is_refused_while_its_successor_is_good(control_plane: ControlPlane) -> None:
    old, new = control_plane.token("rotating"), control_plane.token("rotating")
    assert (old.is_good(), new.is_good()) == (True, True)
    old.revoke()
    assert (old.is_good(), new.is_good()) == (False, True)


def test_a_relay_stands_between_a_client_and_the_server(
    fresh_control_plane: Callable[[], ControlPlane],
) -> None:
    plane = fresh_control_plane()
    relay = plane.relay()
    document = json.loads(plane.kubeconfig_for(url=relay.url()).read_text())
    assert document["clusters"][0]["cluster"]["server"] == relay.url()
    token = plane.token("through")
    through = Api(relay.url(), plane.ca, token=token.value)
    assert through.get("/version")
    relay.refuse()
    with pytest.raises(ConnectionRefusedError):
        through.get("/version")
    assert plane.api.get("/version")


def test_members_of_a_fleet_know_nothing_of_each_other(fleet: Callable[[int], Fleet]) -> None:
    """Over one etcd: what keeps them apart is the prefix and the authority."""
    both = fleet(2)
    first, second = both.members
    name = namespace.make(first.api, "only-here")
    assert name not in [each["metadata"]["name"] for each in second.api.get("/api/v1/namespaces")["items"]]
    stolen = Api(second.url, second.ca, token=first.token("spy").value)
    with pytest.raises(ApiError) as refused:
        stolen.get("/api/v1/namespaces")
    assert refused.value.status == 401


def test_a_fleet_is_one_kubeconfig_with_a_context_for_each_cluster(fleet: Callable[[int], Fleet]) -> None:
    both = fleet(2)
    document = json.loads(both.kubeconfig.read_text())
    assert [each["name"] for each in document["contexts"]] == [plane.name for plane in both.clusters]
    assert document["current-context"] == both.hub.name
    assert fleet(2) is both


def test_members_collect_what_lost_its_owner(fleet: Callable[[int], Fleet]) -> None:
    member = fleet(2).members[0]
    name = namespace.make(member.api)
    path = f"/api/v1/namespaces/{name}/configmaps"
    owner = member.api.create(path, config_map("owner"))["metadata"]
    owned = config_map("owned")
    owned["metadata"] = {
        "name": "owned",
        "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"]}],
    }
    member.api.create(path, owned)
    member.api.delete(f"{path}/owner")
    member.api.until(
        path,
        "collection of what was owned",
        within=60,
        holds=lambda found: "owned" not in [each["metadata"]["name"] for each in found["items"]],
    )
