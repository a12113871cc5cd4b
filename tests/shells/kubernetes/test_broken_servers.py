"""Servers that restart, go silent or take tokens back, as a client sees it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hive.errors import InDoubt, Moved, Refused, Unreachable, WorldError
from hive.facts.kubernetes import CONFIG_MAPS, Change, ChangeKind, Manifest, name_of
from hive.shells.kubernetes import KubernetesCluster
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import cluster_run, control_plane, fresh_control_plane
from tests.cluster.namespace import make
from tests.shells.kubernetes.dripping import dripping
from tests.shells.kubernetes.scripted_api import Asked, Says, ScriptedApi, says, scripted
from tests.shells.waiting import eventually

__all__ = ["cluster_run", "control_plane", "fresh_control_plane"]


def config_map(namespace: str, name: str) -> Manifest:
    return {"metadata": {"name": name, "namespace": namespace}}


@pytest.fixture
def connect() -> Iterator[Callable[[Path, str], KubernetesCluster]]:
    """Clients that are closed after the test."""
    made: list[KubernetesCluster] = []

    def to(path: Path, context: str) -> KubernetesCluster:
        made.append(KubernetesCluster.from_kubeconfig(path, context, timeout=30))
        return made[-1]

    yield to
    for cluster in made:
        cluster.close()


@pytest.mark.cluster
@pytest.mark.slow
def test_a_token_that_was_taken_back_is_renewed_from_its_file(
    control_plane: ControlPlane, connect: Callable[[Path, str], KubernetesCluster], tmp_path: Path
) -> None:
    file = tmp_path / "token"
    first = control_plane.token("rotated")
    file.write_text(first.value)
    cluster = connect(control_plane.kubeconfig_for(token_file=file), control_plane.name)
    namespace = make(control_plane.api)
    cluster.create(CONFIG_MAPS, config_map(namespace, "one"))
    second = control_plane.token("rotated")
    file.write_text(f"{second.value}\n")
    first.revoke()
    cluster.create(CONFIG_MAPS, config_map(namespace, "two"))
    with cluster.watch(CONFIG_MAPS, "0", namespace, silence=30) as stream:
        assert {name_of(next(stream).object) for _ in range(2)} == {"one", "two"}
    second.revoke()
    with pytest.raises(Refused, match="the credentials are not accepted") as raised:
        cluster.list(CONFIG_MAPS, namespace)
    assert second.value not in str(raised.value)


# urllib3 leaves a socket to the garbage collector whose TLS handshake a dying server cut.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.cluster
@pytest.mark.slow
def test_watching_goes_on_over_restarts_of_the_server(
    fresh_control_plane: Callable[[], ControlPlane], connect: Callable[[Path, str], KubernetesCluster]
) -> None:
    """A server that has restarted has forgotten what was before (`Moved`): whoever watches lists again."""
    plane = fresh_control_plane()
    cluster = connect(plane.kubeconfig, plane.name)
    follower = Follower(connect(plane.kubeconfig, plane.name), make(plane.api))
    follower.start()
    try:
        for number, crash in enumerate((True, False)):
            before, after = (config_map(follower.namespace, f"{word}-{number}") for word in ("a", "b"))
            cluster.create(CONFIG_MAPS, before)
            plane.restart(crash=crash)
            eventually(partial(is_made, cluster, after), within=30, what="a write after the restart")
        cluster.delete(CONFIG_MAPS, "a-0", follower.namespace)
        expected = {"b-0", "a-1", "b-1"}
        eventually(lambda: follower.names == expected, within=30, what="all that is there")
    finally:
        follower.stop()


class Follower:
    """Lists and watches, as a caller does it; errors are waited out."""

    def __init__(self, cluster: KubernetesCluster, namespace: str) -> None:
        self.namespace = namespace
        self.names: set[str] = set()
        self._cluster = cluster
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()

    def _follow(self) -> None:
        while not self._stop.is_set():
            with suppress(Unreachable, Moved):
                listing = self._cluster.list(CONFIG_MAPS, self.namespace)
                self.names = {name_of(one) for one in listing.items}
                self._watch(listing.resource_version)

    def _watch(self, version: str) -> None:
        while not self._stop.is_set():
            with self._cluster.watch(CONFIG_MAPS, version, self.namespace, silence=3) as stream:
                for change in stream:
                    version = change.resource_version
                    if change.kind is ChangeKind.DELETED:
                        self.names.discard(name_of(change.object))
                    elif change.kind is not ChangeKind.BOOKMARK:
                        self.names.add(name_of(change.object))


def is_made(cluster: KubernetesCluster, manifest: Manifest) -> bool:
    try:
        cluster.create(CONFIG_MAPS, manifest)
    except (Unreachable, InDoubt):
        return False
    except Moved:
        return True  # an attempt that was in doubt had been done
    return True


@pytest.mark.cluster
@pytest.mark.slow
def test_a_silent_network_is_noticed_by_calls_and_watches(
    control_plane: ControlPlane, connect: Callable[[Path, str], KubernetesCluster]
) -> None:
    """Case 125: a peer that stops sending, without a word."""
    namespace = make(control_plane.api)
    with control_plane.relay() as relay:
        path = control_plane.kubeconfig_for(url=relay.url())
        cluster = KubernetesCluster.from_kubeconfig(path, control_plane.name, timeout=1.5)
        version = cluster.list(CONFIG_MAPS, namespace).resource_version
        with cluster.watch(CONFIG_MAPS, version, namespace, silence=3) as stream:
            relay.silence()
            with pytest.raises(Unreachable, match="no answer in time"):
                list(stream)
        with pytest.raises(Unreachable, match=r"no (answer|connection) in time"):
            cluster.list(CONFIG_MAPS, namespace)
        with pytest.raises(WorldError, match="in time"):
            cluster.create(CONFIG_MAPS, config_map(namespace, "one"))
        relay.heal()
        eventually(lambda: answers(cluster), within=30)
        with cluster.watch(CONFIG_MAPS, version, namespace, silence=30) as stream:
            relay.cut()
            with pytest.raises(Unreachable, match="the connection broke off"):
                list(stream)
        cluster.close()


def answers(cluster: KubernetesCluster) -> bool:
    try:
        return bool(cluster.version())
    except Unreachable:
        return False


def listed(asked: Asked, watch: Says) -> Says:
    if "watch" in asked.query:
        return watch
    return says({"metadata": {"resourceVersion": "1"}, "items": []})


def watched(body: bytes, tmp_path: Path, *, cut: bool = False, silence: float = 5) -> list[Change]:
    with scripted(lambda asked: listed(asked, Says(200, body, cut=cut))) as api:
        cluster = KubernetesCluster.from_kubeconfig(api.kubeconfig(tmp_path / "config"), "scripted")
        try:
            with cluster.watch(CONFIG_MAPS, "1", "test", labels="a=b", silence=silence) as stream:
                return list(stream)
        finally:
            cluster.close()
            query: dict[str, Any] = dict(api.asked[-1].query)
            assert (query["resourceVersion"], query["allowWatchBookmarks"]) == (["1"], ["true"])
            assert (query["labelSelector"], query["timeoutSeconds"]) == (["a=b"], [str(int(silence * 2 / 3))])


def test_a_change_that_comes_broken_is_no_change(tmp_path: Path) -> None:
    whole = b'{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "5"}}}\n'
    assert [one.resource_version for one in watched(whole, tmp_path)] == ["5"]
    with pytest.raises(Unreachable, match="a change came broken"):
        watched(whole + b'{"type": "ADDED"}\n', tmp_path)
    with pytest.raises(Unreachable, match="the connection broke off"):
        watched(whole + whole[:20], tmp_path, cut=True)


def test_a_server_that_drips_bytes_and_never_ends_is_given_up(tmp_path: Path) -> None:
    """It is not silent, so no timeout of the socket finds it."""
    began = time.monotonic()
    line = b'{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "5"}}}\n'
    with pytest.raises(Unreachable, match="the server does not come to an end"):
        dripped(line, tmp_path)
    assert time.monotonic() - began < 30


def dripped(line: bytes, tmp_path: Path) -> list[Change]:
    with dripping(line, every=0.2) as url:
        api = ScriptedApi(lambda _: Says(), url)
        cluster = KubernetesCluster.from_kubeconfig(api.kubeconfig(tmp_path / "config"), "scripted")
        try:
            with cluster.watch(CONFIG_MAPS, "1", "test", silence=1.5) as stream:
                return list(stream)
        finally:
            cluster.close()
