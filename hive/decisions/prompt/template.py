"""Templates of prompts: plain text with named places, and no code.

A place is ``{{name}}``. What is put into it is never looked at for places again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

PLACES: Mapping[str, str] = {
    "first_line": "hive's own first line, by which the prompt's arrival is proved",
    "permissions": "what the agent's mode permits, and the folder that it works in",
    "task": "the block of keys and values, none of which is foreign text",
    "foreign": "what others wrote, fenced",
    "repository": "OWNER/NAME",
    "number": "of the issue, or of the pull request",
    "branch": "the only branch to push to",
    "base": "the branch that it goes into",
}
"""Every place, and what is put there."""
_WHOLE_LINES = ("first_line", "task", "foreign")
"""Without these an agent would not know what to do: each stands once, alone on its line."""
_PLACE = re.compile(r"\{\{([^{}\n]*)\}\}")


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """`source` names the file, for people."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """What is wrong with a template, and on which line (from 1)."""

    line: int
    complaint: str


def fault(text: str) -> TemplateFault | None:
    """The first fault of a template; `None` where it has none."""
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        complaint = _complaint(line)
        if complaint:
            return TemplateFault(number, complaint)
    for name in _WHOLE_LINES:
        at = [number for number, line in enumerate(lines, start=1) if line.strip() == f"{{{{{name}}}}}"]
        if len(at) != 1:
            said = "is missing" if not at else "stands there twice"
            return TemplateFault(at[-1] if at else 1, f"{{{{{name}}}}} on a line of its own {said}")
    if lines[0].strip() != "{{first_line}}":
        return TemplateFault(1, "its first line has to be {{first_line}}")
    return None


def _complaint(line: str) -> str:
    names = [found.strip() for found in _PLACE.findall(line)]
    for name in names:
        if name not in PLACES:
            return f"there is no place {{{{{name}}}}}; there are {', '.join(PLACES)}"
        if name in _WHOLE_LINES and line.strip() != f"{{{{{name}}}}}":
            return f"{{{{{name}}}}} has to stand alone on its line"
    rest = _PLACE.sub("", line)
    return "'{{' and '}}' have to enclose one name on one line" if "{{" in rest or "}}" in rest else ""


def filled(template: PromptTemplate, values: Mapping[str, str]) -> str:
    """The text with every place filled. A paragraph that is left empty goes.

    Args:
        values: By name of place; of those that are missing nothing is put there.
    """
    paragraphs = []
    for paragraph in re.split(r"\n{2,}", template.text.strip("\n")):
        text = _PLACE.sub(lambda found: values.get(found[1].strip(), ""), paragraph)
        if text.strip():
            paragraphs.append(text.strip("\n"))
    return "\n\n".join(paragraphs) + "\n"
