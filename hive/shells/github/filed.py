"""Issues that hive itself filed, by their marker."""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.shells.github import nouns
from hive.shells.github.calls import Calls

_SKEW = timedelta(minutes=10)
"""By how much the forge's clock may differ from this machine's (chosen)."""


def marked_issue(calls: Calls, repo: str, account: str, marker: str, since: datetime | None) -> int | None:
    """By a list and not by the search, whose index is late; page by page back to `since`. GitHub's parameter
    of that name looks at when an issue was changed."""
    parameters = {"creator": account, "state": "all", "sort": "created", "direction": "desc"}
    found = None
    for page in calls.each_page(f"/repos/{repo}/issues", parameters):
        for item in page:
            made = nouns.moment(item.get("created_at"))
            if since is not None and made is not None and made < since - _SKEW:
                return found
            if "pull_request" not in item and marker in str(item.get("body") or ""):
                found = int(item["number"])
    return found
