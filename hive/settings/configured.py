"""Names in one section that another one has to have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hive.documents import Document
from hive.documents.models import nearest


def require_configured(
    document: Document, at: tuple[str, ...], names: Iterable[str], known: Collection[str]
) -> None:
    """Check the names of a list, or the keys of a mapping, at the location `at`, in any case.

    Raises `ConfigError` for the first one that is not among the `known`, with its line.
    """
    folded = {one.casefold() for one in known}
    for index, name in enumerate(names):
        if name.casefold() not in folded:
            near = nearest(name, list(known))
            hint = f"did you mean '{near}'?" if near else f"there are {', '.join(known) or 'none'}"
            step = index if isinstance(names, Sequence) else name
            raise document.error(f"{'.'.join(at)}: '{name}' is not configured; {hint}", (*at, step))
