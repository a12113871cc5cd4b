"""One good proposal, to change a field of, and a log as git prints it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hive.contracts.guardrail import Configurable, Guardrail, Proposal
from hive.facts.autonomy import Action
from hive.facts.verdicts import Verdict
from hive.kernel.plugins import guardrails

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)  # a Monday
REPO = "o/r"

_COMMENT = Proposal(
    agent="ann", role="quality", action=Action.COMMENT, target=f"{REPO}#7", at=NOW, text="I look into it."
)
_LOG = """\
commit 1f7a7a472abf3dd9643fd615f6da379c4acb3e3a
Author:     {author}
AuthorDate: Mon Nov 30 12:00:00 2026 +0000
Commit:     {committer}
CommitDate: Mon Nov 30 12:00:00 2026 +0000

    {message}

diff --git a/widgets.py b/widgets.py
index 257cc56..5716ca5 100644
--- a/widgets.py
+++ b/widgets.py
@@ -1,2 +1,2 @@
 {context}
-{removed}
+{added}
"""


def comment(**changes: Any) -> Proposal:
    return replace(_COMMENT, **changes)


def log(**parts: str) -> str:
    """A commit that replaces a line of one file."""
    ann = "Ann <ann@hive.example>"
    usual = {
        "author": ann,
        "committer": ann,
        "message": "Fix it",
        "context": "a",
        "removed": "b",
        "added": "c",
    }
    return _LOG.format(**{**usual, **parts})


def push(text: str | None = None, **changes: Any) -> Proposal:
    usual: dict[str, Any] = {
        "action": Action.PUSH_OWN_BRANCH,
        "target": f"{REPO}@refs/heads/hive/ann/7",
        "paths": ("widgets.py",),
        "text": log() if text is None else text,
    }
    return replace(_COMMENT, **{**usual, **changes})


def installed(name: str, **settings: Any) -> Guardrail:
    """The installed guardrail with these settings, as `hive.yaml` would give them."""
    found = guardrails()[name]
    assert isinstance(found, Configurable)
    return found.configured(found.settings.model_validate(settings))


def said(verdict: Verdict | None) -> tuple[str, str] | None:
    return None if verdict is None else (verdict.ruling.value, verdict.because)
