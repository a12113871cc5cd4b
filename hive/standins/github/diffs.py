"""What changed between two commits, as the files of a pull request."""

from dataclasses import dataclass

from hive.standins.github.gitrepo import GitRepo

_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
_ABSENT = "0" * 40
# GitHub leaves `patch` out of large diffs; a bound keeps the answers of big seeds small (chosen).
_LONGEST_PATCH = 200_000


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file; `mode` is the new one (`100644`, `120000`…), `patch` None for binary or huge ones."""

    path: str
    previous: str | None
    status: str
    blob: str
    mode: str
    additions: int
    deletions: int
    patch: str | None


def between(git: GitRepo, old: str, new: str) -> list[FileChange]:
    """The files that differ, renames found, by path."""
    return git.once(("files", old, new), lambda: _between(git, old, new))


def _between(git: GitRepo, old: str, new: str) -> list[FileChange]:
    flags = ("--find-renames", "--no-ext-diff", "--no-textconv")
    raw = git.run("diff", "--raw", "--no-abbrev", "-z", *flags, old, new)
    counts = git.run("diff", "--numstat", "-z", *flags, old, new)
    patches = _patches(git.run("diff", "--patch", *flags, old, new))
    changes = zip(_raw_entries(raw), _count_entries(counts), strict=True)
    return [
        FileChange(path, previous, status, blob, mode, added, deleted, patches.get(position))
        for position, ((mode, blob, status, previous, path), (added, deleted)) in enumerate(changes)
    ]


def totals(git: GitRepo, old: str, new: str) -> tuple[int, int, int]:
    """Files changed, lines added, lines deleted."""
    return git.once(("totals", old, new), lambda: _totals(git, old, new))


def _totals(git: GitRepo, old: str, new: str) -> tuple[int, int, int]:
    counts = _count_entries(git.run("diff", "--numstat", "-z", "--find-renames", "--no-ext-diff", old, new))
    return len(counts), sum(added for added, _ in counts), sum(deleted for _, deleted in counts)


def _raw_entries(output: str) -> list[tuple[str, str, str, str | None, str]]:
    """(mode, blob, status, previous path, path) from `git diff --raw -z`."""
    fields = iter(output.split("\0"))
    entries = []
    for head in fields:
        if not head.startswith(":"):
            continue
        old_mode, mode, old_blob, blob, letter = head[1:].split(" ")
        first = next(fields)
        second = next(fields) if letter[0] in "RC" else None
        path, previous = (second, first) if second is not None else (first, None)
        gone = blob == _ABSENT
        entries.append(
            (old_mode if gone else mode, old_blob if gone else blob, _STATUS[letter[0]], previous, path)
        )
    return entries


def _count_entries(output: str) -> list[tuple[int, int]]:
    """(added, deleted) from `git diff --numstat -z`; zeros for binary files."""
    fields = iter(output.split("\0"))
    entries = []
    for line in fields:
        if line.count("\t") < 2:
            continue
        added, deleted, path = line.split("\t", 2)
        if not path:  # a rename: both names follow, each in a field of its own
            next(fields)
            next(fields)
        entries.append((0 if added == "-" else int(added), 0 if deleted == "-" else int(deleted)))
    return entries


def _patches(output: str) -> dict[int, str]:
    """Position of the file to its hunks, from one `git diff --patch`."""
    patches: dict[int, str] = {}
    for position, part in enumerate(("\n" + output).split("\ndiff --git ")[1:]):
        start = part.find("\n@@ ")
        if start >= 0 and len(part) - start <= _LONGEST_PATCH:
            patches[position] = part[start + 1 :].rstrip("\n")
    return patches
