"""What is published of findings: the issue of one, and the tracking issue of many. Agents wrote it, so that
it is defused, and marked as theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from hive.decisions import markers
from hive.decisions.defusing import Scope, defuse, defuse_line
from hive.facts.findings import BODY_KEPT, Finding
from hive.facts.forge import Issue

TRACKING_TITLE = "What hive's agents found"
TRACKING_MARKER = "<!-- hive:findings -->"
_LONGEST_TITLE = 240
_MOST_LISTED = 200
_LONGEST_BODY = 50_000
"""Characters; GitHub takes 65,536 (documented)."""


def marker_of(finding: Finding) -> str:
    """The hidden line by which the issue of a finding is known again."""
    return f"<!-- hive:finding={finding.fingerprint} -->"


def is_tracking(issue: Issue) -> bool:
    """Whether `issue` is a list of findings, and no work. Whoever copies the marker keeps hive off it."""
    return TRACKING_MARKER in issue.body


def issue_text(finding: Finding) -> tuple[str, str]:
    """Title and body of the issue of a finding."""
    scope = Scope(finding.repo, (finding.repo,))
    title = defuse_line(" ".join(finding.title.split()), scope)[:_LONGEST_TITLE]
    said = finding.body.rstrip()
    cut = "\n\n(The rest is in hive's journal.)" if len(finding.body) >= BODY_KEPT else ""
    text = f"{said}{cut}\n\n---\n{_origin(finding)}".lstrip()
    return title, f"{markers.mark(defuse(text, scope), finding.agent)}\n{marker_of(finding)}"


def _origin(finding: Finding) -> str:
    parts = [f"Found by hive's agent {finding.agent} ({finding.id})"]
    if finding.path:
        parts.append(f"in `{_code(finding.path)}`")
    if finding.rule:
        parts.append(f"by the rule `{_code(finding.rule)}`")
    if finding.issue is not None:
        parts.append(f"about #{finding.issue}")
    if finding.times > 1:
        parts.append(f"{finding.times} times")
    return ", ".join(parts) + "."


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())[:200]


def tracking_text(repo: str, findings: Sequence[Finding]) -> str:
    """The body of the tracking issue: open findings, the newest first, as many as there is room for."""
    lines: list[str] = []
    size = 0
    for line in _lines(repo, findings):
        if len(lines) >= _MOST_LISTED or size + len(line) > _LONGEST_BODY:
            break
        lines.append(line)
        size += len(line) + 1
    left = len(findings) - len(lines)
    more = [f"\nAnd {left} more: `hive findings`."] if left else []
    head = "Nothing was filed for these. `hive findings accept ID` makes an issue of one of them.\n"
    return "\n".join([head, *(lines or ["Nothing is open."]), *more, "", TRACKING_MARKER])


def _lines(repo: str, findings: Sequence[Finding]) -> Iterator[str]:
    scope = Scope(repo, (repo,))
    for one in reversed(findings):
        where = f" `{_code(one.path)}`" if one.path else f" on issue {one.issue}" if one.issue else ""
        often = f", {one.times} times" if one.times > 1 else ""
        title = defuse_line(" ".join(one.title.split()), scope)[:_LONGEST_TITLE]
        yield f"- {one.id}{where}: {_inert(title)} ({one.agent}{often})"


def _inert(title: str) -> str:
    """No Markdown and no comment of HTML may begin in a list of many."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>!|#" else char for char in title)


def digest_of(title: str, body: str) -> str:
    return hashlib.sha256(f"{title}\n{body}".encode()).hexdigest()[:16]
