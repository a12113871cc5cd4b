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

_SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b",
    ),
    ("a token of hive's", ("hive_",), r"hive_[A-Za-z0-9_-]{32,}"),
    ("a GitLab token", ("glpat-", "gldt-", "glrt-", "glptt-", "glsoat-"), r"gl[a-z]+-[A-Za-z0-9_-]{20,}"),
    ("an AWS key id", ("AKIA", "ASIA"), r"(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    (
        "an AWS secret key",
        ("secret_access_key", "SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"),
        r"[A-Za-z_]{15,17}[\"']?\s{0,4}[:=]\s{0,4}[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
    ),
    ("an Anthropic key", ("sk-ant-",), r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,}"),
    # In the middle of every one of theirs; "OpenAI" in base64.
    ("an OpenAI key", ("T3BlbkFJ",), r"(?<=[A-Za-z0-9_-]{20})T3BlbkFJ[A-Za-z0-9_-]{20,}"),
    ("a Google API key", ("AIza",), r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("a Google client secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])"),
    (
        "a Slack token",
        ("xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxs-", "xoxr-", "xapp-"),
        r"xox[abposr]-(?:[0-9]+-){1,3}[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{32,}",
    ),
    (
        "a Slack webhook",
        ("hooks.slack.com/services/T",),
        r"hooks\.slack\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{24}",
    ),
    ("a Stripe live key", ("sk_live_", "rk_live_"), r"[sr]k_live_[A-Za-z0-9]{24,}"),
    ("a SendGrid key", ("SG.",), r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    ("an npm token", ("npm_",), r"npm_[A-Za-z0-9]{36}\b"),
    ("a PyPI token", ("pypi-AgE",), r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    ("a Hugging Face token", ("hf_",), r"hf_[A-Za-z]{34}\b"),
    ("a DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{64}\b"),
    ("a Docker token", ("dckr_pat_", "dckr_oat_"), r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    ("an Azure storage key", ("AccountKey=",), r"AccountKey=[A-Za-z0-9+/]{86}=="),
    ("an age key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}\b"),
    # With some of what it encloses: the line alone stands in many a manual.
    (
        "a private key",
        ("-----BEGIN ",),
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\\r|\\n|\s){1,4}[A-Za-z0-9+/=:,\- ]{20,}",
    ),
)
"""What it is, how it begins (or what it always holds), and its whole shape from there on.

Beginnings are looked for first: a search for all the shapes costs seconds for a megabyte.
"""
_INSIDE_WORDS = ("T3BlbkFJ", "secret_access_key", "SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey")
"""Beginnings before which a letter may stand."""
_PATTERNS = {what: re.compile(shape) for what, _, shape in _SHAPES}
_WORD = re.compile(r"[A-Za-z0-9_]")
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
    for what, beginnings, _ in _SHAPES:
        matches = (match for one in beginnings for match in _matches(text, one, _PATTERNS[what]))
        if any(match not in allowed and not _EXAMPLE.search(match) for match in matches):
            yield what


def _matches(text: str, beginning: str, pattern: re.Pattern[str]) -> Iterator[str]:
    at = text.find(beginning)
    while at >= 0:
        is_start = beginning in _INSIDE_WORDS or at == 0 or not _WORD.match(text[at - 1])
        if is_start and (match := pattern.match(text, at)):
            yield match[0]
        at = text.find(beginning, at + len(beginning))


def _remedy(proposal: Proposal) -> str:
    if proposal.paths:
        return "take it out of every commit (amend or rebase), and tell a person if it is a real one"
    return "say where it is, not what it is, and tell a person if it is a real one"


guardrail = Rule("secrets", Secrets, is_on=True, judge=judge)
