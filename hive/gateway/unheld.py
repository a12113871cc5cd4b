"""A pull request that the forge will not let hive hold: kept from being merged otherwise, and told of."""

from __future__ import annotations

from hive.decisions.reconcile import incident_of_unheld
from hive.errors import Refused, WorldError
from hive.facts.events import IncidentRaised
from hive.facts.incidents import UNHELD
from hive.gateway.upstream import Reply, Upstream

_PASSES = frozenset({401, 408, 429})
"""Of 4xx, those that say nothing about the request itself: a credential, a slow line, too many requests."""


class NotHeld(Refused):
    """The forge did not take hive's hold.

    Attributes:
        is_for_good: The same asked again would be answered the same: nobody need wait for it.
    """

    def __init__(self, where: str, label: str, reply: Reply) -> None:
        super().__init__(
            "github", f"{where} could not be held (the label {label!r} was answered {reply.status})"
        )
        self.is_for_good = 400 <= reply.status < 500 and not _passes(reply)


def _passes(reply: Reply) -> bool:
    if reply.status in _PASSES:
        return True
    headers = {name.lower(): value for name, value in reply.headers}
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def kept_from_merging(upstream: Upstream, repo: str, number: int, *, is_draft: bool) -> str:
    """What now keeps an unheld pull request from being merged, in words: a draft stays one, others are
    closed at once."""
    if is_draft:
        return "it stays a draft"
    try:
        reply = upstream.rest("PATCH", f"/repos/{repo}/pulls/{number}", {"state": "closed"})
    except WorldError as error:
        return f"it is open and unheld: closing it failed ({error.message})"
    if reply.status != 200:
        return f"it is open and unheld: closing it was answered {reply.status}"
    return "it was closed"


def told(repo: str, number: int, because: str, what_now: str) -> IncidentRaised:
    """What people are told, and what stops merges in the repository until one of them has looked."""
    return IncidentRaised(
        incident_id=incident_of_unheld(repo, number),
        what=UNHELD,
        repo=repo,
        number=number,
        evidence=f"{because}; {what_now}",
    )
