"""What a sandbox may connect to: hive's gateway, and the cluster's name service where it needs that."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from hive.decisions.sandbox.template import Json

_HOST = re.compile(
    r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*"
)
_NAME_SERVICE: Json = {
    # Where every common distribution runs it; a sandbox of a cluster with another gets an IP address instead.
    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
    "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
}


@dataclass(frozen=True, slots=True)
class GatewayAddress:
    """Where pods reach hive's gateway: an IP address (without brackets) or a name, and a TCP port."""

    host: str
    port: int

    @property
    def is_name(self) -> bool:
        try:
            ipaddress.ip_address(self.host)
        except ValueError:
            return True
        return False


def gateway_address(text: str) -> GatewayAddress:
    """``10.0.0.1:8443``, ``[fd00::1]:8443``, ``hive.example:8443``. Raises `ValueError`."""
    host, colon, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    is_literal = host != bare or _is_ipv4(host)
    good_host = _is_ip(bare) if is_literal else _HOST.fullmatch(host.lower()) is not None
    if not colon or not good_host or re.fullmatch(r"[0-9]{1,5}", port) is None or not 0 < int(port) < 65536:
        raise ValueError(f"'{text}' is no address; write HOST:PORT, like 10.0.0.1:8443")
    return GatewayAddress(str(ipaddress.ip_address(bare)) if is_literal else host.lower(), int(port))


def egress_rules(gateway: GatewayAddress | None) -> list[Json]:
    """The ``egress`` of a NetworkPolicy; without a gateway, nothing at all.

    A NetworkPolicy cannot name a host, so behind a name every address is open, at the gateway's port alone.
    """
    if gateway is None:
        return []
    ports: Json = [{"protocol": "TCP", "port": gateway.port}]
    if not gateway.is_name:
        address = ipaddress.ip_address(gateway.host)
        return [{"to": [{"ipBlock": {"cidr": f"{address}/{address.max_prefixlen}"}}], "ports": ports}]
    names: list[Json] = [{"protocol": protocol, "port": 53} for protocol in ("UDP", "TCP")]
    return [{"ports": ports}, {"to": [_NAME_SERVICE], "ports": names}]


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_ipv4(text: str) -> bool:
    return re.fullmatch(r"[0-9.]+", text) is not None
