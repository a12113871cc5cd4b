"""Tokens of agents' sandboxes: each good for one agent on one cluster, as long as that copy lives."""

from __future__ import annotations

import hmac

from hive.facts.events import SandboxTokenIssued, SandboxTokenRevoked
from hive.facts.memory import AgentMemory
from hive.kernel.ledger import Ledger
from hive.kernel.tokens import digest_of, new_token


class SandboxTokens:
    """Thread-safe. All methods raise `JournalError` where nothing can be recorded; then nothing changed.

    Whoever writes the sandbox's Secret first asks `is_current` about the token in it: `mint` makes the
    one before void, and a running pod would be nobody until it has read the next.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def mint(self, agent: str, cluster: str) -> str:
        """A new token for the sandbox of `agent` on `cluster`; good at once, and the one before void.

        Its digest is on record before it is returned. Raises `ValueError` for an empty name.
        """
        if not agent or not cluster:
            raise ValueError("a sandbox's token is bound to an agent and to a cluster")
        token = new_token()
        self._ledger.record([SandboxTokenIssued(agent=agent, cluster=cluster, digest=digest_of(token))])
        return token

    def is_current(self, agent: str, cluster: str, token: str) -> bool:
        """Whether `token` is the one that the sandbox has to show."""
        return hmac.compare_digest(self._digest(agent, cluster) or "-", digest_of(token))

    def revoke(self, agent: str, cluster: str) -> None:
        """From now on the sandbox's token is nobody's. Content when there is none."""
        if self._digest(agent, cluster):
            self._ledger.record([SandboxTokenRevoked(agent=agent, cluster=cluster)])

    def clusters(self, agent: str) -> frozenset[str]:
        """Where sandboxes of `agent` have a token that is good."""
        return frozenset(self._known(agent).sandbox_digests)

    def _digest(self, agent: str, cluster: str) -> str:
        return self._known(agent).sandbox_digests.get(cluster, "")

    def _known(self, agent: str) -> AgentMemory:
        return self._ledger.memory.agents.get(agent, AgentMemory())
