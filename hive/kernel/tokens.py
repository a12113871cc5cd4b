"""Tokens by which agents prove themselves to the gateway: how they are made, kept and compared."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import datetime

from hive.facts.memory import AgentMemory


def new_token() -> str:
    """A token of 256 random bits, recognisable by its beginning."""
    return f"hive_{secrets.token_urlsafe(32)}"


def digest_of(token: str) -> str:
    """What is recorded of `token`: SHA-256 in hex."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def token_holder(agents: Mapping[str, AgentMemory], token: str, now: datetime) -> tuple[str, str] | None:
    """The agent whose token this is, and the cluster of its sandbox ("" for an agent on this machine).

    Every digest is compared, so that the time tells nothing about which one matched.
    """
    digest = digest_of(token)
    found = None
    for name, known in agents.items():
        own = ((known.token_digest, known.token_until), *known.former_tokens)
        for mine, until in own:
            if mine and hmac.compare_digest(mine, digest) and (until is None or now < until):
                found = (name, "")
        for cluster, sandbox in known.sandbox_digests.items():
            if hmac.compare_digest(sandbox, digest):
                found = (name, cluster)
    return found
