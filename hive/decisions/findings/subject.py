"""What a finding is about, so that the same one in other words is known again."""

from __future__ import annotations

import hashlib
import posixpath
import re

_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_EXPLANATION = re.compile(r"\s(?:—|–|-|--)\s.*", re.DOTALL)
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/])")
_WORD = re.compile(r"[^\W_](?:[\w.'/-]*\w)?")
_NUMBER = re.compile(r"[\d.,:/'-]+")
_FILLING = frozenset(
    {"a", "an", "and", "at", "by", "for", "from", "in", "into", "is", "it", "its", "of", "on", "or"}
    | {"that", "the", "this", "to", "with"}
)
_MEASURES = frozenset(
    {
        "line",
        "lines",
        "loc",
        "byte",
        "bytes",
        "kb",
        "mb",
        "character",
        "characters",
        "chars",
        "now",
        "currently",
    }
)


def fingerprint(repo: str, *, issue: int | None, path: str, rule: str, about: str, title: str) -> str:
    """16 hex digits, equal for findings about one and the same.

    The file and the rule that it breaks, where the agent told them. A file that the title names is taken
    for one. Without a rule, the subject's words (`about`, else the title's) without numbers, asides and
    what follows a dash: these are what changes when the same is said again.
    """
    named = clean_path(path) or path_in(title)
    parts = [repo.casefold()]
    if named:
        parts.append(f"path {named}")
    elif issue is not None:
        parts.append(f"issue {issue}")
    parts.append(f"rule {rule.strip().casefold()}" if rule.strip() else f"words {words(about or title)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def clean_path(path: str) -> str:
    """`path` from the repository's root, in one spelling; empty for what names no file in it."""
    given = path.strip().replace("\\", "/")
    if not given or "\0" in given or "\n" in given:
        return ""
    clean = posixpath.normpath(given.lstrip("/"))
    return "" if clean == "." or clean.split("/")[0] == ".." else clean


def path_in(title: str) -> str:
    """The first file that a title names; empty for none."""
    found = _PATH.search(title.replace("`", " "))
    return clean_path(found[0]) if found else ""


def words(text: str) -> str:
    """The words that carry the subject, in one order."""
    told = _EXPLANATION.sub("", _ASIDE.sub(" ", text.replace("`", " ")))
    found = {word.casefold() for word in _WORD.findall(told)}
    kept = {one for one in found if not _NUMBER.fullmatch(one)} - _FILLING - _MEASURES
    return " ".join(sorted(kept or {one.casefold() for one in _WORD.findall(text)}))
