"""What the journal has of tokens: given out, renewed, revoked, refused. Never a token itself."""

from __future__ import annotations

from hive.facts.recorded import AgentEvent, RecordedEvent


class TokenIssued(AgentEvent, tag="token-issued", frozen=True, kw_only=True):
    """`digest` is SHA-256 of the agent's gateway token, in hex; the token itself is never recorded.

    Attributes:
        life_s: For how many seconds it is good; `None`: until it is revoked.
        model_digest: The same of the key by which the agent asks hive's relay for models; empty for none.
        renews: It takes the place of another of the same start, which stays good until its own end.
    """

    digest: str
    generation: int
    life_s: int | None = None
    renews: bool = False
    model_digest: str = ""


class SandboxTokenIssued(AgentEvent, tag="sandbox-token-issued", frozen=True, kw_only=True):
    """`digest` is SHA-256 (hex) of the token of the agent's sandbox on `cluster`; an earlier one of that
    sandbox is void by it."""

    cluster: str
    digest: str


class SandboxTokenRevoked(AgentEvent, tag="sandbox-token-revoked", frozen=True, kw_only=True):
    """The agent's sandbox on `cluster` is gone, or is to go."""

    cluster: str


class TokenRefused(RecordedEvent, tag="token-refused", frozen=True, kw_only=True):
    """Somebody showed the gateway a token that is nobody's: revoked, or never given out.

    Recorded at most once a minute for each address; `count` are those since the last record.

    Attributes:
        address: Of the peer, without its port; of this machine's agents ``agent NAME`` where each is a user
            of its own, and otherwise empty.
    """

    address: str
    count: int

    @property
    def subject(self) -> str:
        return self.address
