"""Tokens by which agents prove themselves to the gateway: how they are made, kept and compared."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import datetime

from hive.decisions.token_renewal import TOKEN_LIFE
from hive.facts.agents import AgentSpec
from hive.facts.events import TokenIssued
from hive.facts.memory import AgentMemory


def new_token() -> str:
    """A token of 256 random bits, recognisable by its beginning."""
    return f"hive_{secrets.token_urlsafe(32)}"


def digest_of(token: str) -> str:
    """What is recorded of `token`: SHA-256 in hex."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def model_key_of(token: str) -> str:
    """The key that goes with the first token of a start, for hive's relay of models.

    Programs read their model's key once, so that it lives as long as the start, where the token is renewed;
    it tells nothing of the token, and is good at the relay alone.
    """
    seed = hashlib.sha256(b"hive model key\0" + token.encode("utf-8", "surrogateescape")).digest()
    return f"hive_{base64.urlsafe_b64encode(seed).decode().rstrip('=')}"


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


def model_key_holder(agents: Mapping[str, AgentMemory], key: str) -> tuple[str, str] | None:
    """As `token_holder`, for the relay of models. A pod shows its sandbox's token there as well."""
    digest = digest_of(key)
    found = None
    for name, known in agents.items():
        if known.model_digest and hmac.compare_digest(known.model_digest, digest):
            found = (name, "")
        for cluster, sandbox in known.sandbox_digests.items():
            if hmac.compare_digest(sandbox, digest):
                found = (name, cluster)
    return found


def issue(spec: AgentSpec, generation: int) -> tuple[str, TokenIssued]:
    """A new token for this start of the agent, and the record of it, which holds digests alone."""
    token = new_token()
    issued = TokenIssued(
        agent=spec.name,
        digest=digest_of(token),
        model_digest=digest_of(model_key_of(token)) if spec.provider else "",
        generation=generation,
        life_s=int(TOKEN_LIFE.total_seconds()),
    )
    return token, issued
