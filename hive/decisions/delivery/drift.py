"""Whether an object on a member is still as hive wrote it, whatever others added beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Any


def projection(found: Json, wanted: Json) -> Json:
    """What `found` says where `wanted` says something: the API server's defaults fall away.

    A list of another length is taken whole: it is another list. Where `wanted` has an empty list or mapping,
    servers leave it out or keep it as they like.
    """
    if found is None and wanted in ([], {}):
        return wanted
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return {key: projection(found.get(key), value) for key, value in wanted.items()}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [projection(one, other) for one, other in zip(found, wanted, strict=True)]
    return found


def is_as_written(found: Json, wanted: Json) -> bool:
    """Whether all that `wanted` says is so in `found`. The API server spells some values in its own way
    (``1000m`` as ``1``): then this is False though nobody changed anything, and what the server answered
    when it was written has to be compared instead."""
    return bool(projection(found, wanted) == wanted)
