"""Names that are valid everywhere, and a network that leads to the gateway alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.sandbox import GatewayAddress, gateway_address, names_of
from tests.decisions.sandbox.templates import objects, request

LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


@given(st.text(min_size=1, max_size=300))
def test_every_name_is_valid_as_host_name_label_and_part_of_a_pods_name(text: str) -> None:
    names = names_of(text)
    assert LABEL.fullmatch(names.name)
    assert len(names.name) + len("-0123456789-abcde") <= 63
    assert LABEL.fullmatch(names.secret)
    assert names_of(text) == names


def test_a_short_plain_name_is_kept() -> None:
    names = names_of("trainer-1")
    assert (names.name, names.secret) == ("trainer-1", "trainer-1-hive")


def test_names_that_would_become_the_same_stay_apart() -> None:
    texts = ["a.b", "a-b", "a..b", "x" * 46, "x" * 47, "x" * 48]
    assert len({names_of(text).name for text in texts}) == len(texts)
    assert names_of("a.b").name == "a-b-2e7336dc8e"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.0.0.1:8443", GatewayAddress("10.0.0.1", 8443)),
        ("[FD00::1]:443", GatewayAddress("fd00::1", 443)),
        ("Hive.Example:8443", GatewayAddress("hive.example", 8443)),
    ],
)
def test_an_address_is_an_ip_address_or_a_name_with_its_port(text: str, address: GatewayAddress) -> None:
    assert gateway_address(text) == address


@pytest.mark.parametrize(
    "text",
    ["", "hive", ":1", "h:0", "h:65536", "h:-1", "fd00::1:443", "[::1%eth0]:1", "10.0.0:1", "a b:1", "h:1 "],
)
def test_what_is_no_address_is_told_with_an_example(text: str) -> None:
    with pytest.raises(
        ValueError, match=re.escape(f"'{text}' is no address; write HOST:PORT, like 10.0.0.1:8443")
    ):
        gateway_address(text)


def policy(gateway: GatewayAddress | None) -> Any:
    return objects(request(), gateway=gateway)["NetworkPolicy"]["spec"]


@pytest.mark.parametrize(("host", "cidr"), [("10.0.0.1", "10.0.0.1/32"), ("fd00::1", "fd00::1/128")])
def test_nothing_comes_in_and_only_the_gateway_is_reached(host: str, cidr: str) -> None:
    ports = [{"protocol": "TCP", "port": 8443}]
    assert policy(GatewayAddress(host, 8443)) == {
        "podSelector": {"matchLabels": {"hive.fleet/sandbox": "trainer"}},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [],
        "egress": [{"to": [{"ipBlock": {"cidr": cidr}}], "ports": ports}],
    }


def test_a_gateway_with_a_name_needs_the_clusters_name_service() -> None:
    service = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    assert policy(GatewayAddress("hive.example", 8443))["egress"] == [
        {"ports": [{"protocol": "TCP", "port": 8443}]},
        {"to": [service], "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]},
    ]


def test_without_a_gateway_nothing_is_reached() -> None:
    assert policy(None)["egress"] == []
