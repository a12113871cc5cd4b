"""A credential in what is published is refused; what was found is never repeated.

Settings (``secrets``; in force unless it is set to ``false``):

- ``allow``: whole texts that look like a credential and are none, such as a vendor's documented example.
- ``ruling``: ``deny`` or ``hold``.

The shapes are those that vendors document, with their prefixes and lengths: a text that only looks random
is let through. What is longer than hive looks at is put to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import Field

from hive.contracts.guardrail import CUT_OFF, Proposal
from hive.facts.autonomy import Action
from hive_guardrails.log import brought
from hive_guardrails.rule import Rule, Settings, Tightened, listed

_KEY_HEAD = r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
# No repetition here is followed by what its own characters could begin anew: hostile text costs no more than
# its length.
_SHAPES = {
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b",
    "a token of hive's": r"\bhive_[A-Za-z0-9_-]{32,}",
    "a GitLab token": r"\bgl(?:pat|dt|rt|ptt|soat|agent|oas)-[A-Za-z0-9_-]{20,}",
    "an AWS key id": r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b",
    "an AWS secret key": r"(?i:aws_?secret_?access_?key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
    r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
    "an Anthropic key": r"\bsk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,}",
    "an OpenAI key": r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,200}T3BlbkFJ[A-Za-z0-9_-]{20,}",
    "a Google API key": r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
    "a Google client secret": r"\bGOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])",
    "a Slack token": r"\bxox[abposr]-(?:[0-9]+-){1,3}[A-Za-z0-9-]{10,}"
    r"|\bxapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{32,}",
    "a Slack webhook": r"hooks\.slack\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{24}",
    "a Stripe live key": r"\b[sr]k_live_[A-Za-z0-9]{24,}",
    "a SendGrid key": r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])",
    "an npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "a PyPI token": r"\bpypi-AgE[A-Za-z0-9_-]{50,}",
    "a Hugging Face token": r"\bhf_[A-Za-z]{34}\b",
    "a DigitalOcean token": r"\bdo[opr]_v1_[a-f0-9]{64}\b",
    "a Docker token": r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}",
    "an Azure storage key": r"AccountKey=[A-Za-z0-9+/]{86}==",
    "an age key": r"\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b",
    # With some of what it encloses: the line alone stands in many a manual.
    "a private key": _KEY_HEAD + r"(?:\\r|\\n|\s){1,4}[A-Za-z0-9+/=:,\- ]{20,}",
}
_PATTERNS = {what: re.compile(shape) for what, shape in _SHAPES.items()}
_EXAMPLE = re.compile(r"EXAMPLE(?:KEY)?$")
"""How AWS marks the credentials of its own manuals."""


class Secrets(Settings):
    allow: list[str] = Field(default=[], description="Whole texts that are no credentials.")
    ruling: Tightened = "deny"


def judge(proposal: Proposal, settings: Secrets) -> tuple[Tightened, str] | None:
    if proposal.action is Action.READ:
        return None
    text = "\n".join([brought(proposal).published, *proposal.paths])
    found = list(dict.fromkeys(_found(text, frozenset(settings.allow))))
    if found:
        return settings.ruling, f"it holds what looks like {listed(found)}; {_remedy(proposal)}"
    if proposal.text.endswith(CUT_OFF):
        return "hold", "it is longer than hive looks for secrets in; split it, and leave large files out"
    return None


def _found(text: str, allowed: frozenset[str]) -> Iterator[str]:
    for what, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            if match[0] not in allowed and not _EXAMPLE.search(match[0]):
                yield what
                break


def _remedy(proposal: Proposal) -> str:
    if proposal.paths:
        return "take it out of every commit (amend or rebase), and tell a person if it is a real one"
    return "say where it is, not what it is, and tell a person if it is a real one"


guardrail = Rule("secrets", Secrets, is_on=True, judge=judge)
