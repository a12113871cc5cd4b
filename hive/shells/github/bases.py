"""What pull requests are merged into: rules, tip, the tip's checks, and places in the merge queue.

One request for all of a repository's bases; nothing where hive has no pull request of its own open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive.errors import Missing, Refused, Unreachable
from hive.facts.bases import BaseRules, QueueEntry
from hive.facts.forge import Check, PullRequest
from hive.shells.github import nouns
from hive.shells.github.base_rules import rules_of
from hive.shells.github.calls import Calls
from hive.shells.github.queries import BASES

_STATES = {"PENDING": None, "EXPECTED": None, "SUCCESS": "success", "FAILURE": "failure", "ERROR": "failure"}

_FOR_ADMINISTRATORS = "branchProtectionRule"
"""Told to administrators alone. The forge holds everybody else to what only they see: who is no administrator
cannot pass it by."""


@dataclass(frozen=True, slots=True)
class _Base:
    tip: str
    rules: BaseRules
    checks: tuple[Check, ...]


class Bases:
    """`checks_of` reads every run of a commit, page by page; `up_to_date` says of which repositories it has
    to be known how far a head is behind, whatever their rules say."""

    def __init__(
        self,
        calls: Calls,
        checks_of: Callable[[str, str], tuple[Check, ...]],
        up_to_date: Callable[[str], bool] = lambda repo: False,
    ) -> None:
        self._calls = calls
        self._checks_of = checks_of
        self._up_to_date = up_to_date
        self._behind: dict[tuple[str, str, str], int] = {}

    def fill(self, repo: str, pulls: Sequence[PullRequest]) -> tuple[PullRequest, ...]:
        """`pulls` with what concerns their bases; with rules and checks `None` where they were not told."""
        if not pulls:
            return ()
        told = self._ask(repo, pulls)
        bases = {name: self._base(repo, told.get(f"b{index}")) for index, name in enumerate(_names(pulls))}
        filled = tuple(self._filled(repo, one, bases[str(one.base)], told) for one in pulls)
        kept = {(repo, one.base_tip, str(one.head)) for one in filled}
        self._behind = {key: n for key, n in self._behind.items() if key[0] != repo or key in kept}
        return filled

    def _ask(self, repo: str, pulls: Sequence[PullRequest]) -> Mapping[str, Any]:
        owner, name = repo.split("/")
        names = _names(pulls)
        variables = {f"r{index}": f"refs/heads/{base}" for index, base in enumerate(names)}
        asked = [f"b{index}: ref(qualifiedName: $r{index}) {{ ...Base }}" for index in range(len(names))]
        asked += [f"p{one.number}: pullRequest(number: {one.number}) {{ ...InQueue }}" for one in pulls]
        query = BASES.format(asked="\n    ".join(asked)).replace(
            "$name: String!", ", ".join(["$name: String!", *(f"${key}: String!" for key in variables)]), 1
        )
        try:
            data, failed = self._calls.query_in_part(query, {"owner": owner, "name": name, **variables})
        except (Refused, Unreachable):
            return {}
        untold = {path[1] for path in failed if len(path) > 1 and _FOR_ADMINISTRATORS not in path}
        told = data.get("repository") if all(len(path) > 1 for path in failed) else None
        return {alias: one for alias, one in (told or {}).items() if alias not in untold}

    def _base(self, repo: str, ref: Mapping[str, Any] | None) -> _Base | None:
        """`None` where any part is missing: what is not known never merges."""
        try:
            if ref is None:
                return None
            target = ref["target"]
            tip, rollup = str(target["oid"]), target["statusCheckRollup"]
            if rollup and rollup["contexts"]["pageInfo"]["hasNextPage"]:
                return _Base(tip, rules_of(ref), self._checks_of(repo, tip))
            runs = rollup["contexts"]["nodes"] if rollup else ()
            return _Base(tip, rules_of(ref), tuple(_run(node, tip) for node in runs))
        except (KeyError, TypeError):
            return None

    def _filled(
        self, repo: str, pull: PullRequest, base: _Base | None, told: Mapping[str, Any]
    ) -> PullRequest:
        about = told.get(f"p{pull.number}")
        if base is None or about is None:
            return replace(pull, rules=None, base_checks=None)
        entry = about.get("mergeQueueEntry")
        removed = (about.get("timelineItems") or {}).get("nodes") or ()
        return replace(
            pull,
            rules=base.rules,
            base_tip=base.tip,
            base_checks=base.checks,
            behind=self._how_far_behind(repo, base, str(pull.head)),
            review_decision=str(about.get("reviewDecision") or "").lower(),
            queued=QueueEntry(int(entry["position"]), str(entry["state"]).lower()) if entry else None,
            dequeued=str(removed[-1].get("reason") or "no reason was given") if removed else "",
        )

    def _how_far_behind(self, repo: str, base: _Base, head: str) -> int | None:
        """Asked once for each pair of commits, as it never changes."""
        if not (base.rules.strict or self._up_to_date(repo)):
            return None
        key = (repo, base.tip, head)
        if key not in self._behind:
            try:
                told = self._calls.get(f"/repos/{repo}/compare/{base.tip}...{head}", {"per_page": "1"})
            except (Missing, Refused):
                return None
            self._behind[key] = int(told["behind_by"])
        return self._behind[key]


def _names(pulls: Iterable[PullRequest]) -> list[str]:
    return sorted({str(one.base) for one in pulls})


def _run(node: Mapping[str, Any], head: str) -> Check:
    """The newest run of a check, or a status: of a name there is only one, so it needs no number."""
    if node["__typename"] == "CheckRun":
        app = (node.get("checkSuite") or {}).get("app") or {}
        return Check(
            id=int(node["databaseId"]),
            name=str(node["name"]),
            source="check",
            head=head,
            status=str(node["status"]).lower(),
            conclusion=str(node["conclusion"]).lower() if node["conclusion"] else None,
            app=app.get("slug"),
            app_id=app.get("databaseId"),
            completed_at=nouns.moment(node["completedAt"]),
        )
    conclusion = _STATES.get(str(node["state"]))
    return Check(
        id=0,
        name=str(node["context"]),
        source="status",
        head=head,
        status="completed" if conclusion else "in_progress",
        conclusion=conclusion,
    )
