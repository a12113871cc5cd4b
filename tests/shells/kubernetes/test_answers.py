"""What answers and broken connections mean, and what is never said or sent twice."""

from __future__ import annotations

import base64
import itertools
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.errors import InDoubt, Missing, Moved, Refused, Throttled, Unreachable, WorldError
from hive.facts.kubernetes import CONFIG_MAPS, PODS, SECRETS, PodRef, name_of
from hive.shells.kubernetes import KubernetesCluster
from tests.cluster.free_ports import free_port
from tests.cluster.pki import Authority
from tests.shells.kubernetes.scripted_api import Asked, Says, ScriptedApi, says, scripted, status

MAP = {"metadata": {"name": "one", "namespace": "test"}, "data": {"a": "1"}}
LISTED = {"kind": "ConfigMapList", "metadata": {"resourceVersion": "7"}, "items": []}


def cluster_of(api: ScriptedApi, folder: Path) -> KubernetesCluster:
    return KubernetesCluster.from_kubeconfig(api.kubeconfig(folder / "config"), "scripted", timeout=5)


def error_of(answer: Says, call: Callable[[KubernetesCluster], object], folder: Path) -> WorldError:
    with scripted(lambda _: answer) as api:
        cluster = cluster_of(api, folder)
        try:
            with pytest.raises(WorldError) as raised:
                call(cluster)
        finally:
            cluster.close()
    return raised.value


def reads(cluster: KubernetesCluster) -> object:
    return cluster.get(CONFIG_MAPS, "one", "test")


def writes(cluster: KubernetesCluster) -> object:
    return cluster.create(CONFIG_MAPS, MAP)


@pytest.mark.parametrize(
    ("answer", "call", "error", "message"),
    [
        (status(400, "bad"), writes, Refused, "bad"),
        (status(403, "no"), reads, Refused, "no; let the user of the context 'scripted' do that"),
        (status(404, "gone"), reads, Missing, "gone"),
        (status(409, "stale"), writes, Moved, "stale"),
        (status(410, "old"), reads, Moved, "old"),
        (
            status(500, "failed to create typed patch object: .spec.x: field not declared in schema"),
            writes,
            Refused,
            "failed to create typed patch object: .spec.x: field not declared in schema",
        ),
        (status(422, "invalid"), writes, Refused, "invalid"),
        (status(429, "busy"), reads, Throttled, "busy"),
        (status(500, "broken"), reads, Unreachable, "broken"),
        (status(500, "broken"), writes, InDoubt, "broken"),
        (status(503, "starting"), writes, Unreachable, "starting"),
        (status(504, "late"), writes, InDoubt, "late"),
        (Says(502, b"<html>Bad Gateway</html>"), reads, Unreachable, "<html>Bad Gateway</html>"),
        (Says(302, b"", {"Location": "http://127.0.0.1:1/"}), reads, Refused, "the server answered 302"),
        (Says(200, b"<html>"), reads, Unreachable, "the answer is no JSON; is this an API server?"),
        (Says(200, b'{"a":', cut=True), reads, Unreachable, "the connection broke off"),
        (Says(200, b'{"a":', cut=True), writes, InDoubt, "the connection broke off"),
        (Says(0, cut=True), writes, InDoubt, "the connection broke off"),
    ],
)
def test_an_answer_means_what_to_do_next(
    answer: Says,
    call: Callable[[KubernetesCluster], object],
    error: type[WorldError],
    message: str,
    tmp_path: Path,
) -> None:
    raised = error_of(answer, call, tmp_path)
    verb = "get" if call is reads else "create"
    assert type(raised) is error
    assert str(raised).startswith(f"kubernetes: scripted: {verb} ConfigMap test/one: {message}")
    assert "\n" not in str(raised)


def test_a_kind_without_its_definition_is_told_from_an_object_that_is_not_there(tmp_path: Path) -> None:
    answer = status(404, "the server could not find the requested resource")
    assert "`hive install --crds`" in str(error_of(answer, reads, tmp_path))


def test_a_server_that_asks_for_patience_is_believed_by_its_own_clock(tmp_path: Path) -> None:
    answer = status(429, "busy", Retry_After="20", Date="Mon, 30 Nov 2026 10:00:00 GMT")
    raised = error_of(answer, reads, tmp_path)
    assert isinstance(raised, Throttled)
    assert raised.retry_at == datetime(2026, 11, 30, 10, 0, 20, tzinfo=UTC)


def test_nobody_at_the_address_is_unreachable_for_writes_too(tmp_path: Path) -> None:
    nobody = ScriptedApi(lambda _: says({}), f"http://127.0.0.1:{free_port()}")
    cluster = cluster_of(nobody, tmp_path)
    for call in (reads, writes):
        with pytest.raises(Unreachable, match="nobody answers at the server's address"):
            call(cluster)
    cluster.close()


def test_a_read_is_asked_again_once_when_its_connection_breaks_and_a_write_never(tmp_path: Path) -> None:
    answers = iter([Says(0, cut=True), says(MAP), Says(0, cut=True)])
    with scripted(lambda _: next(answers)) as api:
        cluster = cluster_of(api, tmp_path)
        assert reads(cluster) == MAP
        with pytest.raises(InDoubt):
            writes(cluster)
        assert [one.method for one in api.asked] == ["GET", "GET", "POST"]
        cluster.close()


def test_refused_credentials_are_loaded_anew_once_for_reads_and_writes(tmp_path: Path) -> None:
    """A token that was rotated: the kubeconfig has the new one, or its file does."""
    token = tmp_path / "token"
    token.write_text("t-old\n")
    valid = "t-old"

    def answer(asked: Asked) -> Says:
        return (
            says(MAP) if asked.headers["Authorization"] == f"Bearer {valid}" else status(401, "Unauthorized")
        )

    with scripted(answer) as api:
        path = api.kubeconfig(tmp_path / "config", {"tokenFile": str(token)})
        cluster = KubernetesCluster.from_kubeconfig(path, "scripted", timeout=5)
        reads(cluster)
        valid = "t-new"
        token.write_text("t-new\n")
        writes(cluster)
        assert [one.headers["Authorization"] for one in api.asked[1:]] == ["Bearer t-old", "Bearer t-new"]
        valid = "t-other"
        with pytest.raises(Refused, match="log in again for the context 'scripted'") as raised:
            reads(cluster)
        assert len(api.asked) == 5
        assert "t-new" not in str(raised.value)
        cluster.close()


def test_values_of_a_secret_are_in_no_message(tmp_path: Path) -> None:
    encoded = base64.b64encode(b"hunter2").decode()
    secret = {
        "metadata": {"name": "s", "namespace": "test"},
        "data": {"a": encoded},
        "stringData": {"b": "hunter3"},
    }
    answer = status(422, f'Secret "s" is invalid: data[a]: "{encoded}", stringData[b]: "hunter3"')
    raised = error_of(answer, lambda cluster: cluster.create(SECRETS, secret), tmp_path)
    assert 'Secret "s" is invalid: data[a]: "…", stringData[b]: "…"' in str(raised)
    patch = {"data": {"a": encoded}}
    raised = error_of(answer, lambda cluster: cluster.patch(SECRETS, "s", patch, "test"), tmp_path)
    assert encoded not in str(raised)


def test_unknown_fields_are_refused_by_every_write(tmp_path: Path) -> None:
    with scripted(lambda _: says(MAP)) as api:
        cluster = cluster_of(api, tmp_path)
        cluster.create(CONFIG_MAPS, MAP)
        cluster.replace(CONFIG_MAPS, MAP)
        cluster.patch(CONFIG_MAPS, "one", {}, "test")
        cluster.apply(CONFIG_MAPS, MAP, manager="hive")
        assert [one.query["fieldValidation"] for one in api.asked] == [["Strict"]] * 4
        cluster.close()


def test_names_are_quoted_in_paths(tmp_path: Path) -> None:
    with scripted(lambda _: says(MAP)) as api:
        cluster = cluster_of(api, tmp_path)
        cluster.get(CONFIG_MAPS, "../../secrets/x?y", "a/b")
        assert api.asked[0].path == "/api/v1/namespaces/a%2Fb/configmaps/..%2F..%2Fsecrets%2Fx%3Fy"
        cluster.close()


def pages(asked: Asked) -> Says:
    """Two pages of one pod each; the version is of the list."""
    is_last = "continue" in asked.query
    meta = {"resourceVersion": "42"} if is_last else {"resourceVersion": "42", "continue": "more"}
    return says({"metadata": meta, "items": [{"metadata": {"name": "b" if is_last else "a"}}]})


def test_a_list_has_every_page_and_the_lists_own_version(tmp_path: Path) -> None:
    with scripted(pages) as api:
        cluster = cluster_of(api, tmp_path)
        listing = cluster.list(PODS, labels="app=x")
        assert [name_of(one) for one in listing.items] == ["a", "b"]
        assert listing.resource_version == "42"
        assert [one.query.get("continue") for one in api.asked] == [None, ["more"]]
        assert all(one.query["labelSelector"] == ["app=x"] for one in api.asked)
        cluster.close()


def test_a_list_whose_pages_expire_on_the_way_begins_anew_a_few_times(tmp_path: Path) -> None:
    expired = status(410, "the provided continue parameter is too old")
    calls = itertools.count()
    with scripted(lambda asked: expired if next(calls) in (1, 3) else pages(asked)) as api:
        cluster = cluster_of(api, tmp_path)
        assert [name_of(one) for one in cluster.list(PODS).items] == ["a", "b"]
        assert len(api.asked) == 6
        cluster.close()
    with scripted(lambda asked: expired if "continue" in asked.query else pages(asked)) as api:
        cluster = cluster_of(api, tmp_path)
        with pytest.raises(Moved, match="too old"):
            cluster.list(PODS)
        assert len(api.asked) == 6
        cluster.close()


def test_what_is_no_list_is_no_api_server(tmp_path: Path) -> None:
    raised = error_of(says({"items": 3}), lambda cluster: cluster.list(PODS), tmp_path)
    assert type(raised) is Unreachable
    assert "the answer is no list" in str(raised)


def test_a_proxy_is_used_by_requests_and_by_exec_unless_the_environment_excepts_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`proxy-url` of the cluster, and NO_PROXY, as the official client reads them."""
    with scripted(lambda _: status(404, "no pod")) as api, listening() as proxy:
        path = api.kubeconfig(tmp_path / "config", proxy=f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        cluster = KubernetesCluster.from_kubeconfig(path, "scripted", timeout=5)
        for call in (reads, execs):
            with pytest.raises(Missing):
                call(cluster)
        assert proxy.heard == []
        cluster.close()
        monkeypatch.setenv("NO_PROXY", "")
        cluster = KubernetesCluster.from_kubeconfig(path, "scripted", timeout=5)
        for call in (reads, execs):
            with pytest.raises(Unreachable):
                call(cluster)
        cluster.close()
        host = api.url.removeprefix("http://")
        assert proxy.heard[-1].startswith(f"CONNECT {host} ".encode())
        assert all(host.encode() in one for one in proxy.heard)


def execs(cluster: KubernetesCluster) -> object:
    return cluster.run(PodRef("test", "p"), ["true"])


@dataclass
class Listening:
    """Takes connections, keeps what is said first, and hangs up."""

    port: int
    heard: list[bytes]


@contextmanager
def listening() -> Iterator[Listening]:
    listener = socket.create_server(("127.0.0.1", 0))
    found = Listening(int(listener.getsockname()[1]), [])

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client:
                    found.heard.append(client.recv(65536))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()


def test_a_server_of_another_authority_is_not_spoken_to(tmp_path: Path) -> None:
    theirs, ours = Authority(tmp_path / "theirs", "theirs"), Authority(tmp_path / "ours", "ours")
    certificate, key = theirs.issue("server", "server", hosts=("127.0.0.1",))
    with scripted(lambda _: says(MAP), tls=(certificate, key)) as api:
        cluster = KubernetesCluster.from_kubeconfig(
            api.kubeconfig(tmp_path / "config", authority=ours.path), "scripted", timeout=5
        )
        for call in (reads, execs):
            with pytest.raises(Unreachable, match=r"certificate does not hold: .*an older cluster"):
                call(cluster)
        cluster.close()
        right = api.kubeconfig(tmp_path / "config", authority=theirs.path)
        cluster = KubernetesCluster.from_kubeconfig(right, "scripted", timeout=5)
        assert reads(cluster) == MAP
        cluster.close()


def test_a_server_without_tls_is_no_api_server_of_a_kubeconfig_with_it(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "pki", "test")
    with scripted(lambda _: says(MAP)) as api:
        api.url = api.url.replace("http:", "https:")
        path = api.kubeconfig(tmp_path / "config", authority=authority.path)
        cluster = KubernetesCluster.from_kubeconfig(path, "scripted", timeout=5)
        with pytest.raises(Unreachable, match="is this the address of an API server"):
            reads(cluster)
        cluster.close()
