"""GitHub Apps of a seed description, and where they are installed."""

from __future__ import annotations

from hive.standins.github import apps
from hive.standins.github.forge import Forge
from hive.standins.github.seed_reading import Node

_LEVELS = ("read", "write", "admin")


def sow_app(forge: Forge, node: Node) -> None:
    """Register one App by its public key (PEM), and install it on accounts that are there.

    Raises `ConfigError` with the place in the file for what cannot be made.
    """
    node.known("slug", "id", "owner", "public_key", "permissions", "installed_on")
    owner = forge.account(node.text("owner"))
    if owner is None:
        raise node.wrong("owner", f"there is no account {node.text('owner')!r}")
    app, _ = apps.register(
        forge,
        node.text("slug"),
        owner=owner,
        permissions=node.mapping("permissions", _LEVELS),
        public_key=node.text("public_key"),
        app_id=node.number("id"),
    )
    for each in node.items("installed_on"):
        account = forge.account(each.login())
        if account is None:
            raise each.wrong("", f"there is no account {each.login()!r}")
        apps.install(forge, app, account)
