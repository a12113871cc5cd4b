"""Whether hive can say of everything that is open why it is."""

from __future__ import annotations

from collections.abc import Iterator

from hive.app.places import Places
from hive.cli.explain import explain_document
from tests.soak.soak import Soak


def unexplained(soak: Soak) -> Iterator[str]:
    """Open issues and pull requests of the forge of which `hive explain` says nothing about now."""
    status, here = soak.daemon.status(), Places(soak.root)
    forge = soak.town.forge
    with forge.lock:
        keys = [
            f"{repo.full_name}#{one.number}"
            for repo in forge.store.repositories
            for one in forge.issues_of(repo)
            if one.state == "open"
        ]
    for key in keys:
        if not explain_document(key, here, status)["now"]:
            yield key
