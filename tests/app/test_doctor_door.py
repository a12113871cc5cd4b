"""The address of `gateway.pods`, tried on this machine."""

from __future__ import annotations

import socket
from pathlib import Path

from hive.app.doctor.pods_door import look_at_door
from hive.decisions.doctor.finding import State
from hive.settings.pods_door import PodsOptions


def states(tmp_path: Path, host: str, port: int = 0, name: str = "") -> list[tuple[str, State]]:
    found = look_at_door(PodsOptions(host, port, name or host, port), agents_in_pods=1, state=tmp_path)
    return [(each.name.removeprefix("gateway for pods"), each.state) for each in found]


def test_loopback_is_ours_and_no_pod_reaches_it(tmp_path: Path) -> None:
    assert states(tmp_path, "127.0.0.1") == [("", State.OK), (": address", State.WARNING)]


def test_an_address_of_another_machine_is_a_problem(tmp_path: Path) -> None:
    # TEST-NET-1 (RFC 5737) is nobody's.
    assert states(tmp_path, "192.0.2.1") == [("", State.PROBLEM), (": address", State.OK)]


def test_a_port_that_somebody_else_has_is_a_problem(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert states(tmp_path, "127.0.0.1", port, "192.0.2.1") == [
            ("", State.PROBLEM),
            (": address", State.OK),
        ]
