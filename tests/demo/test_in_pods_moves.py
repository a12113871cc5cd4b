"""Sandboxes that change their place, with real pods: the old one is proven gone before the new one begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hive.facts import kubernetes as k
from hive.facts.events import SandboxTokenRevoked
from tests.cluster import images
from tests.demo.copies import watched
from tests.demo.pods_fleet import EAST, MEMBERS, WEST, PodsFleet
from tests.demo.pods_world import PodsHive, Settings, clause, in_pods
from tests.demo.worlds import pulls, records, until, until_settled

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.timeout(600)]

AGENT = "quality-1"
LONG = {"A long note": "Write it down.\n\n@script slow 40"}


def in_production(settings: Settings) -> None:
    """East is production, and the agent's sandbox belongs there."""
    labels = ((EAST, "prod"), (WEST, "test"))
    settings["fleet"]["members"] = [
        {"context": name, "name": name, "labels": {"env": env}} for name, env in labels
    ]
    settings["agents"][0]["sandbox"]["clusters"] = clause(env="prod")


def produce_in(fleet: PodsFleet, member: str) -> None:
    """Change the members' labels: the new one's first, so that there is always a place."""
    other = next(name for name in MEMBERS if name != member)
    fleet.label(member, env="prod")
    fleet.label(other, env="test")


def places(uids: list[str]) -> list[str]:
    return [uid.partition("/")[0] for uid in uids]


def has_left(hive: PodsHive, member: str) -> bool:
    return member not in hive.fleet.copies(hive.namespace, AGENT)


def test_changing_a_members_label_moves_a_sandbox_in_the_middle_of_its_work_though_hive_is_killed(
    tmp_path: Path, pods_fleet: PodsFleet
) -> None:
    with in_pods(tmp_path, pods_fleet, LONG, change=in_production) as hive:
        binding = f"{hive.namespace}-{AGENT}"
        with watched(pods_fleet, hive.namespace) as copies:
            hive.daemon.start()
            until(lambda: hive.status_of(AGENT).get("state") == "working", "the agent at work on east")
            assert pods_fleet.copies(hive.namespace, AGENT) == {EAST}
            produce_in(pods_fleet, WEST)
            for delay in (0.5, 1.0, 2.0):
                until(hive.daemon.status, "an answer of the daemon")
                time.sleep(delay)
                hive.daemon.kill()
                hive.daemon.start()
            until(lambda: hive.is_ready(AGENT, on=WEST), "the sandbox on west")
            assert pods_fleet.copies(hive.namespace, AGENT) == {WEST}
            until_settled(hive.daemon)
        told = [one.event for one in records(hive.daemon)]
        opened = pulls(hive.daemon.world)
    assert (copies.doubles, copies.failures) == ([], [])
    assert places(copies.ever[binding]) == [EAST, WEST]
    assert [(one.agent, one.cluster) for one in told if isinstance(one, SandboxTokenRevoked)] == [
        (AGENT, EAST)
    ]
    assert [pull["title"] for pull in opened] == list(LONG)


def test_a_sandbox_does_not_move_before_the_member_that_has_it_is_seen_again(
    tmp_path: Path, pods_fleet: PodsFleet
) -> None:
    east = pods_fleet.relays[EAST]
    with (
        in_pods(tmp_path, pods_fleet, {}, change=in_production) as hive,
        watched(pods_fleet, hive.namespace) as copies,
    ):
        hive.daemon.start()
        until(lambda: hive.is_ready(AGENT, on=EAST), "the sandbox on east")
        east.refuse()
        east.cut()
        until(lambda: hive.sandbox(AGENT).get("phase") == "away", "its member's absence told")
        produce_in(pods_fleet, WEST)
        told = until(lambda: moving(hive), "the move told")
        assert EAST in told["message"]
        assert "since" in told["message"]
        assert pods_fleet.copies(hive.namespace, AGENT) == {EAST}
        hive.daemon.kill()
        hive.daemon.start()
        until(lambda: moving(hive), "the move told again")
        assert pods_fleet.copies(hive.namespace, AGENT) == {EAST}
        east.heal()
        until(lambda: hive.is_ready(AGENT, on=WEST), "the sandbox on west")
        assert pods_fleet.copies(hive.namespace, AGENT) == {WEST}
    assert (copies.doubles, copies.failures) == ([], [])
    assert places(copies.ever[f"{hive.namespace}-{AGENT}"]) == [EAST, WEST]


def moving(hive: PodsHive) -> Any:
    sandbox = hive.sandbox(AGENT)
    return sandbox if sandbox.get("phase") == "moving" else None


@contextmanager
def namespace_everywhere(fleet: PodsFleet, name: str) -> Iterator[None]:
    for client in fleet.clients.values():
        client.create(k.NAMESPACES, {"metadata": {"name": name}})
    yield
    for client in fleet.clients.values():
        client.delete(k.NAMESPACES, name)


def deployment(namespace: str) -> k.Manifest:
    labels = {"app": "worker"}
    container = {
        "name": "worker",
        "image": images.AGENT,
        "imagePullPolicy": "Never",
        "command": ["sleep", "86400"],
        "resources": {"requests": {"cpu": "10m"}},
    }
    pod = {"containers": [container], "terminationGracePeriodSeconds": 0}
    return {
        "metadata": {"name": "worker", "namespace": namespace, "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def policy(name: str, namespace: str) -> k.Manifest:
    what = {
        "apiGroup": "apps",
        "resources": ["deployments"],
        "namespaces": [namespace],
        "objectNames": ["worker"],
    }
    return {
        "apiVersion": k.BINDING_POLICIES.api_version,
        "kind": k.BINDING_POLICIES.kind,
        "metadata": {"name": name},
        "spec": {"clusterSelectors": [{}], "downsync": [what]},
    }


def running(fleet: PodsFleet, namespace: str) -> set[str]:
    """Members on which a pod of the deployment runs."""
    return {
        name
        for name in MEMBERS
        for pod in fleet.clients[name].list(k.PODS, namespace, labels="app=worker").items
        if pod["status"]["phase"] == "Running"
    }


def test_deleting_a_users_policy_ends_its_pods_everywhere_also_on_a_member_that_was_away(
    tmp_path: Path, pods_fleet: PodsFleet
) -> None:
    west = pods_fleet.relays[WEST]
    with in_pods(tmp_path, pods_fleet, {}) as hive:
        team = f"team-{hive.namespace}"
        with namespace_everywhere(pods_fleet, team):
            hive.daemon.start()
            pods_fleet.hub.create(k.DEPLOYMENTS, deployment(team))
            pods_fleet.hub.create(k.BINDING_POLICIES, policy(team, team))
            until(lambda: running(pods_fleet, team) == set(MEMBERS), "a pod on each member")
            west.refuse()
            west.cut()
            pods_fleet.hub.delete(k.BINDING_POLICIES, team)
            until(lambda: running(pods_fleet, team) == {WEST}, "the end of the pod on east")
            assert k.is_deleting(pods_fleet.hub.get(k.BINDINGS, team))
            hive.daemon.kill()
            hive.daemon.start()
            west.heal()
            until(lambda: not running(pods_fleet, team), "the end of the pod on west")
            until(gone(pods_fleet, team), "the end of the Binding")
            for name in MEMBERS:
                assert pods_fleet.clients[name].list(k.DEPLOYMENTS, team).items == ()


def gone(fleet: PodsFleet, binding: str) -> Callable[[], bool]:
    return lambda: binding not in [k.name_of(each) for each in fleet.hub.list(k.BINDINGS).items]
