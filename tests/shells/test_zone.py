"""Which zone the programs on this machine tell the time in."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.shells.system.zone import local_zone


@pytest.mark.parametrize(
    ("environ", "zone"),
    [
        ({"TZ": "Europe/Berlin"}, "Europe/Berlin"),
        ({"TZ": ":America/New_York"}, "America/New_York"),
        ({"TZ": "/usr/share/zoneinfo/Asia/Tokyo"}, "Asia/Tokyo"),
        ({"TZ": "Middle/Earth"}, "UTC"),
        ({"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}, "UTC"),
        ({"TZ": "../../etc/passwd"}, "UTC"),
    ],
)
def test_the_environment_names_the_zone_first(environ: dict[str, str], zone: str) -> None:
    assert local_zone(environ) == zone


def test_else_it_is_where_the_machines_own_link_leads(tmp_path: Path) -> None:
    zones = tmp_path / "zoneinfo" / "Europe"
    zones.mkdir(parents=True)
    (zones / "Paris").write_bytes(b"")
    link = tmp_path / "localtime"
    link.symlink_to(zones / "Paris")
    assert local_zone({}, link) == "Europe/Paris"
    assert local_zone({}, tmp_path / "nothing") == "UTC"
