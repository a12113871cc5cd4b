"""A repository of the configuration: whether hive's account may do there what its agents need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hive.decisions.doctor.finding import Finding, ok, problem
from hive.decisions.doctor.forge import Reply, message
from hive.facts.autonomy import Mode

_STEPS = ("pull", "triage", "push", "maintain", "admin")
"""Permissions in a repository, each with those before it."""
_NEEDED = {Mode.MEASURED: "triage", Mode.HOLDGATED: "push", Mode.FULL: "push"}
"""Who labels issues needs triage, who pushes branches and merges needs push (GitHub, "Repository roles")."""
_MERGES = {"merge": "allow_merge_commit", "squash": "allow_squash_merge", "rebase": "allow_rebase_merge"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a hive does in one repository: the modes of its agents there, and how it would merge."""

    repository: str
    modes: frozenset[Mode]
    merge_method: str

    @property
    def permission(self) -> str:
        """The least that hive's account needs: hive acts for its agents."""
        return max((_NEEDED.get(each, "pull") for each in self.modes), key=_STEPS.index, default="pull")


def repository_findings(wanted: Wanted, reply: Reply) -> Iterator[Finding]:
    """`reply` is what ``GET /repos/OWNER/NAME`` said."""
    name = f"repository {wanted.repository}"
    if reply.status == 404:
        yield problem(name, "it is not there, or the token may not see it", "correct it, or let the token in")
        return
    if reply.status in {301, 302, 307, 308}:
        yield problem(name, "it has moved to another name", "write its new name into `repositories`")
        return
    if reply.status != 200 or not isinstance(reply.data, Mapping):
        said = f"{reply.status} {message(reply)}"
        yield problem(name, said, "let the token in: an organisation may want it authorised first (SSO)")
        return
    faults = [*_faults(wanted, reply.data)]
    yield from (problem(name, found, remedy) for found, remedy in faults)
    if not faults:
        yield ok(name, f"{_held(reply.data) or 'readable'}; agents need {wanted.permission}")


def _faults(wanted: Wanted, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    need, held = wanted.permission, _held(data)
    if held is not None and _STEPS.index(held) < _STEPS.index(need):
        modes = ", ".join(sorted(each.value for each in wanted.modes))
        yield (
            f"hive's account has {held}; agents in mode {modes} need {need}",
            f"give the account {need}, or lower the level there",
        )
    if data.get("archived") and need != "pull":
        yield "it is archived: nothing can be written", "take it out of `repositories`, or unarchive it"
    if Mode.FULL in wanted.modes and data.get(_MERGES.get(wanted.merge_method, "")) is False:
        yield (
            f"it does not allow the merge method {wanted.merge_method}",
            "allow it in the repository's settings, or set another merge.method",
        )
    if data.get("has_issues") is False and need != "pull":
        yield "its issues are switched off: there is no work to find", "switch issues on in its settings"


def _held(data: Mapping[str, Any]) -> str | None:
    """The highest permission; None where the forge does not tell (it does not to installations)."""
    held = data.get("permissions")
    if not isinstance(held, Mapping):
        return None
    return next((each for each in reversed(_STEPS) if held.get(each) is True), None)
