"""The time zone of this machine, by its name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

_LINK = Path("/etc/localtime")
_FOLDER = "zoneinfo/"


def local_zone(environ: Mapping[str, str] = os.environ, link: Path = _LINK) -> str:
    """What programs on this machine tell the time in, as the zone database names it (tzset(3)): ``TZ``, else
    what /etc/localtime leads to; UTC where neither names a zone that is known."""
    named = environ.get("TZ", "").removeprefix(":")
    if named:
        return _known(named.rpartition(_FOLDER)[2])
    return _known(os.path.realpath(link).rpartition(_FOLDER)[2])


def _known(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ValueError, OSError, KeyError):
        return "UTC"
