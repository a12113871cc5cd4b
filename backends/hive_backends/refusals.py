"""Limits and missing credit in errors that no pattern of a program's own knows: words of providers, which all
programs pass on.

For text that is surely the program's own: an agent may say the same words of anything.
"""

from __future__ import annotations

import re

from hive.facts.screens import ScreenState

_KINDS = (
    r"(?:usage|rate|quota|session|message|requests?|spending|hourly|daily|weekly|monthly|[0-9]+-hour|fast|model"
    r"|opus|sonnet|haiku|claude|ai|account|plan|organization(?:'|’)s|your|the)"
)
_LIMITED = re.compile(
    rf"\b(?:{_KINDS} ){{0,4}}(?<!context )(?<!token )limits? (?:has been |have been |is |was )?"
    r"(?:reached|hit|exceeded|exhausted)\b"
    r"|\b(?:hit|reached|exceeded|exhausted|used(?: up| all of)?) your (?:[\w-]+ ){0,3}"
    r"(?:limits?|quota|usage|allowance)\b"
    r"|\btoo many requests\b|\brate[ _-]limit(?:ed|_error|_exceeded)\b|\bquota (?:has been )?exceeded\b"
    r"|\bresource[ _](?:has been )?exhausted\b|\b429\b",
    re.IGNORECASE,
)
_OUT_OF_CREDIT = re.compile(
    r"\bpayment required\b|\binsufficient[ _](?:quota|credits?|funds|balance)\b"
    r"|\b(?:no|out of|0) (?:\w+ )?credits?\b"
    r"|\bcredits? (?:is |are |has been |have been )?(?:exhausted|depleted|used up)\b"
    r"|\bused (?:up |all (?:of )?|up all (?:of )?)?your (?:[\w-]+ ){0,2}(?:credits|premium requests)\b"
    r"|\bpremium requests?\b.*\b(?:exceeded|used up)\b|\b(?:exceeded|used up) your premium requests?\b"
    r"|\bbilling (?:account|hard limit|is)\b.*\b(?:disabled|reached|inactive|not active)\b|\b402\b",
    re.IGNORECASE,
)


def refusal(text: str) -> ScreenState | None:
    """Whether an error says that a provider takes nothing more, for a time or until it is paid; None else."""
    if _OUT_OF_CREDIT.search(text):
        return ScreenState.OUT_OF_CREDIT
    return ScreenState.LIMITED if _LIMITED.search(text) else None
