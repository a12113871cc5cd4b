"""What the journal has of requests that the gateway let through: what the forge said to them."""

from __future__ import annotations

from hive.facts.recorded import AgentEvent


class RequestDone(AgentEvent, tag="request-done", frozen=True, kw_only=True):
    """A write that was let through has come to an end.

    Attributes:
        outcome: done, refused (by the forge), repeated (the answer of the first time was given again),
            found (it had been done already, though no answer had come), or in-doubt.
        status: The forge's; 0 where no answer came.
        made: What the answer names as made (``o/r/issues/comments/5``); empty where it names nothing.
    """

    request_id: str
    outcome: str
    status: int = 0
    made: str = ""


class ApprovalCarriedOut(AgentEvent, tag="approval-carried-out", frozen=True, kw_only=True):
    """Hive itself made the request that a person had approved; `detail` is the forge's or hive's word."""

    holds: tuple[str, ...]
    outcome: str
    detail: str = ""
