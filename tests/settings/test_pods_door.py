"""The door for agents in pods: an operator has to write it down, and it has to be reachable."""

from __future__ import annotations

import pytest

from hive.errors import ConfigError
from hive.settings.pods_door import PodsOptions
from tests.settings.conftest import GOOD, Loads


@pytest.mark.parametrize(
    ("pods", "made"),
    [
        ("{listen: '10.0.0.1:8443'}", PodsOptions("10.0.0.1", 8443, "10.0.0.1", 8443)),
        ("{listen: '10.0.0.1:0'}", PodsOptions("10.0.0.1", 0, "10.0.0.1", 0)),
        (
            "{listen: '0.0.0.0:8443', address: 'hive.example:443'}",
            PodsOptions("0.0.0.0", 8443, "hive.example", 443),
        ),
        ("{listen: '[fd00::1]:8443'}", PodsOptions("fd00::1", 8443, "fd00::1", 8443)),
    ],
)
def test_the_door_is_where_the_operator_put_it(loads: Loads, pods: str, made: PodsOptions) -> None:
    assert loads(f"{GOOD}gateway: {{pods: {pods}}}\n").gateway.pods == made


def test_without_the_key_there_is_no_door(loads: Loads) -> None:
    assert loads(GOOD).gateway.pods is None


@pytest.mark.parametrize(
    ("pods", "said"),
    [
        ("{listen: '0.0.0.0:8443'}", "'0.0.0.0:8443' is every address; name the one that pods use"),
        ("{listen: 'hive.example:8443'}", "is no address to listen on; write IP:PORT"),
        ("{listen: '10.0.0.1'}", "'10.0.0.1' is no address; write HOST:PORT"),
        ("{listen: '10.0.0.1:8443', address: 'x:0'}", "'x:0' is no address; write HOST:PORT"),
    ],
)
def test_a_door_that_no_pod_could_use_is_an_error_with_its_line(loads: Loads, pods: str, said: str) -> None:
    with pytest.raises(ConfigError, match="gateway") as caught:
        loads(f"{GOOD}gateway: {{pods: {pods}}}\n")
    assert said in str(caught.value)
    assert caught.value.line is not None
