"""Files by which a repository tells how work is done in it, read from its default branch.

They are asked for when something was pushed since, by conditional requests, and the content of a file once
for each of its versions: a repository at rest costs nothing, and one that is pushed to elsewhere a 304.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from hive.errors import Missing, Refused
from hive.facts.knowledge import FOLDER, LARGEST, MOST_FILES, ROOT_FILES, KnowledgeFile
from hive.shells.github.calls import Calls


class Knowledge:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._pushed: dict[str, str] = {}
        self._read: dict[str, tuple[str, tuple[KnowledgeFile, ...]]] = {}

    def saw(self, repo: str, pushed_at: str) -> None:
        """When a look saw that `repo` was pushed to last, in the forge's writing."""
        self._pushed[repo] = pushed_at

    def of(self, repo: str) -> tuple[KnowledgeFile, ...]:
        """In the order of `ROOT_FILES`, then the folder's by name; none of what cannot be read."""
        pushed = self._pushed.get(repo, "")
        known = self._read.get(repo)
        if known is not None and pushed and known[0] == pushed:
            return known[1]
        before = {(one.path, one.id): one for one in (known[1] if known is not None else ())}
        found: dict[str, KnowledgeFile] = {}
        for entry in self._entries(repo):
            file = before.get((str(entry["path"]), str(entry["sha"]))) or self._file(repo, entry)
            if file is not None:
                # The same content under two names is told once.
                found.setdefault(file.id, file)
        files = tuple(found.values())
        self._read[repo] = (pushed, files)
        return files

    def _entries(self, repo: str) -> Iterator[Mapping[str, Any]]:
        top = {str(one["name"]): one for one in self._list(repo, "")}
        yield from (top[name] for name in ROOT_FILES if name in top and _is_file(top[name]))
        if top.get(FOLDER.partition("/")[0], {}).get("type") == "dir":
            inside = [one for one in self._list(repo, FOLDER) if _is_file(one)]
            yield from sorted(inside, key=lambda one: str(one["name"]))[:MOST_FILES]

    def _list(self, repo: str, folder: str) -> list[Mapping[str, Any]]:
        try:
            told = self._calls.get(f"/repos/{repo}/contents" + (f"/{folder}" if folder else ""))
        except (Missing, Refused):
            return []
        return told if isinstance(told, list) else []

    def _file(self, repo: str, entry: Mapping[str, Any]) -> KnowledgeFile | None:
        try:
            told = self._calls.get(f"/repos/{repo}/contents/{entry['path']}")
        except (Missing, Refused):
            return None
        if not isinstance(told, dict) or told.get("encoding") != "base64":
            return None
        text = base64.b64decode(str(told["content"])).decode(errors="replace")
        return KnowledgeFile(str(entry["path"]), str(told["sha"]), text)


def _is_file(entry: Mapping[str, Any]) -> bool:
    """A Markdown file of its own: a link or a submodule may lead anywhere."""
    return (
        entry.get("type") == "file"
        and str(entry["name"]).endswith(".md")
        and int(entry.get("size") or 0) <= LARGEST
    )
