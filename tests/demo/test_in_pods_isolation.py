"""What an agent finds when it looks around in its pod: seen by programs beside it, as its user.

The test node has nothing that enforces a NetworkPolicy. So its pods reach every port of this machine's
address on their network but those of the API servers, which a firewall of the test node's own refuses where
the kernel has one. What is shown instead is that hive asks members for a policy that lets out to the gateway
alone.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hive.demo.run import repository_state
from hive.facts import kubernetes as k
from hive.facts.events import RequestRuled
from tests.demo import inside
from tests.demo.pods_fleet import MEMBERS, SANDBOX, PodsFleet
from tests.demo.pods_world import PodsHive, Settings, in_pods
from tests.demo.worlds import records, until

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.timeout(600)]

AGENT, OTHER, LEAVING = "quality-1", "scanner-1", "ci-maintainer-1"


@pytest.fixture(scope="module")
def hive(shared_pods_fleet: PodsFleet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodsHive]:
    """Three agents that are ready in their pods, and have nothing to do."""
    with in_pods(tmp_path_factory.mktemp("isolation"), shared_pods_fleet, {}, agents=3) as made:
        made.daemon.start()
        for name in (AGENT, OTHER, LEAVING):
            until(is_ready(made, name), f"{name} ready")
        yield made
    shared_pods_fleet.clear()


def is_ready(hive: PodsHive, name: str) -> Callable[[], bool]:
    return lambda: hive.status_of(name).get("state") == "ready"


def search(hive: PodsHive, text: str) -> list[str]:
    """Files and processes' environments in the agent's pod in which it stands."""
    member, pod = hive.fleet.pod(hive.namespace, AGENT)
    command = ("python3", "-c", inside.SEARCH)
    done = hive.fleet.clients[member].run(pod, command, stdin=text.encode(), timeout=120.0)
    read, *found = done.stdout.decode().splitlines()
    assert int(read) > 500, done
    return [each for each in found if each]


def as_the_agent(hive: PodsHive, script: str) -> tuple[int, str]:
    """What a shell in the agent's own terminal would say."""
    member, pod = hive.fleet.pod(hive.namespace, AGENT)
    done = hive.fleet.clients[member].run(pod, ("python3", "-c", inside.AS_THE_AGENT, script), timeout=60.0)
    return done.exit_code, done.stdout.decode() + done.stderr.decode()


def token_of(hive: PodsHive, agent: str) -> str:
    status, token = hive.sh(agent, "cat /run/secrets/hive/token")
    assert status == 0
    assert len(token) > 20
    return token


def test_the_forges_credential_is_nowhere_that_the_agent_can_read(hive: PodsHive) -> None:
    credential = (hive.daemon.world.folder / "token").read_text()
    assert search(hive, credential) == []
    # The same search finds what is there: the pod's own token in its Secret, and in the agent's environment.
    own = search(hive, token_of(hive, AGENT))
    assert any(path.startswith("/run/secrets/hive/") for path in own)
    assert any(path.startswith("/proc/") for path in own)


def test_there_is_no_service_account_token_and_no_other_secret_than_hives(hive: PodsHive) -> None:
    status, mounts = hive.sh(AGENT, "ls -R /var/run/secrets /run/secrets; grep secrets /proc/mounts")
    assert "kubernetes.io" not in mounts
    assert {line.split()[1] for line in mounts.splitlines() if line.startswith("tmpfs")} == {
        "/run/secrets/hive"
    }
    assert search(hive, "eyJhbGciOi") == [], "no JSON web token"
    assert status in (0, 1, 2)


def test_the_agent_is_not_root_and_its_root_is_read_only(hive: PodsHive) -> None:
    script = "id -u; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; touch /usr/bin/x; touch /etc/x"
    assert as_the_agent(hive, script) == (
        1,
        "1000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n"
        "touch: /usr/bin/x: Read-only file system\ntouch: /etc/x: Read-only file system\n",
    )


def test_a_pod_reaches_the_gateway_and_no_api_server_but_other_ports_as_the_test_network_leaves_them_open(
    hive: PodsHive,
) -> None:
    """Where the cluster's network enforces NetworkPolicies, `other` would be out of reach as well."""
    member, pod = hive.fleet.pod(hive.namespace, AGENT)
    node = hive.fleet.nodes[member]
    gateway = f"{hive.fleet.host}:{gateway_port(hive)}"
    link = f"{node.host_address}:{node.api_link.port}"
    loopback = [f"{node.host_address}:{plane.port}" for plane in hive.fleet.planes.values()]
    with socket.create_server((node.host_address, 0)) as listener:
        other = f"{node.host_address}:{listener.getsockname()[1]}"
        places = [gateway, link, other, *loopback]
        done = hive.fleet.clients[member].run(pod, ("python3", "-c", inside.REACH, *places), timeout=60.0)
    reached = json.loads(done.stdout)
    assert reached[gateway]
    assert not any(reached[place] for place in loopback), "API servers listen on loopback alone"
    assert reached[link] is not node.is_api_closed_to_pods
    assert reached[other], "nothing enforces the policy here; say so in the README where that changes"


def test_the_member_is_asked_to_let_the_pod_out_to_the_gateway_alone(hive: PodsHive) -> None:
    member, pod = hive.fleet.pod(hive.namespace, AGENT)
    client = hive.fleet.clients[member]
    labels = k.labels_of(client.get(k.PODS, pod.name, hive.namespace))
    (policy,) = (
        each["spec"]
        for each in client.list(k.NETWORK_POLICIES, hive.namespace).items
        if each["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    )
    assert SANDBOX in policy["podSelector"]["matchLabels"]
    assert sorted(policy["policyTypes"]) == ["Egress", "Ingress"]
    assert policy.get("ingress", []) == []
    to = [{"ipBlock": {"cidr": f"{hive.fleet.host}/32"}}]
    assert policy["egress"] == [{"ports": [{"port": gateway_port(hive), "protocol": "TCP"}], "to": to}]


def test_its_token_pushes_to_its_own_branches_and_to_nobody_elses(hive: PodsHive) -> None:
    repository = hive.daemon.world.repository
    clone = f"rm -rf try && git clone -q https://github.com/{repository}.git try && cd try && "
    assert as_the_agent(hive, f"{clone}git push -q origin HEAD:refs/heads/hive/{AGENT}/try") == (0, "")
    for branch in (f"hive/{OTHER}/try", "main", "hive/try"):
        change = f"cd try && git commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/{branch}"
        status, said = as_the_agent(hive, change)
        assert status != 0, branch
        assert "hive" in said, branch
    branches = repository_state(hive.daemon.world)["heads"]
    assert {name for name in branches if name.endswith("/try")} == {f"hive/{AGENT}/try"}
    refused = [
        one.event.action
        for one in records(hive.daemon)
        if isinstance(one.event, RequestRuled) and one.event.ruling == "deny" and one.event.agent == AGENT
    ]
    assert len(refused) == 3, refused


def left_secrets(hive: PodsHive) -> list[str]:
    """Secrets of the agent that leaves, on any member."""
    listed = [hive.fleet.clients[member].list(k.SECRETS, hive.namespace).items for member in MEMBERS]
    return [k.name_of(one) for items in listed for one in items if k.name_of(one).startswith(LEAVING)]


def test_its_token_is_good_for_nothing_once_the_sandbox_is_withdrawn(hive: PodsHive, tmp_path: Path) -> None:
    token = token_of(hive, LEAVING)
    ca = tmp_path / "ca.pem"
    ca.write_text(hive.sh(LEAVING, "cat /run/secrets/hive/ca.pem")[1])
    assert api_status(hive, token, ca) == "200"

    def leave(settings: Settings) -> None:
        settings["agents"] = [each for each in settings["agents"] if each["name"] != LEAVING]

    hive.configure(leave)
    until(lambda: hive.fleet.copies(hive.namespace, LEAVING) == set(), "the end of its pod")
    until(lambda: api_status(hive, token, ca) != "200", "the end of its token")
    assert api_status(hive, token, ca) == "401"
    until(lambda: not left_secrets(hive), "the end of its Secret, which goes after the pod")


def api_status(hive: PodsHive, token: str, ca: Path) -> str:
    """What curl, with everything that a pod has, gets of the forge's API."""
    proxy = f"https://{hive.fleet.host}:{gateway_port(hive)}"
    url = f"https://api.github.com/repos/{hive.daemon.world.repository}"
    configuration = "\n".join(
        [
            f'proxy = "{proxy}"',
            f'header = "Authorization: token {token}"',
            f'proxy-cacert = "{ca}"',
            f'cacert = "{ca}"',
            f'url = "{url}"',
        ]
    )
    done = subprocess.run(
        ["curl", "-s", "-o", os.devnull, "-w", "%{http_code}", "-K", "-"],
        input=configuration,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def gateway_port(hive: PodsHive) -> int:
    status, url = as_the_agent(hive, 'echo "$HIVE_GATEWAY_PROXY"')
    assert status == 0, url
    port = urlsplit(url.strip()).port
    assert port is not None
    return port
