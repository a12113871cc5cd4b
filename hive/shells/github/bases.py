"""What pull requests are merged into: rules, tip, the tip's checks, and how far a head is behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive.errors import Missing, Refused
from hive.facts.bases import BaseRules
from hive.facts.forge import Check, PullRequest
from hive.shells.github.base_rules import rules_of
from hive.shells.github.calls import Calls
from hive.shells.github.judged import EveryRun, run_of_node


@dataclass(frozen=True, slots=True)
class _Base:
    tip: str
    rules: BaseRules
    checks: tuple[Check, ...]


class Bases:
    """`every_run` reads the runs of a commit that has more than a page of them; `up_to_date` says of which
    repositories it has to be known how far a head is behind, whatever their rules say."""

    def __init__(
        self,
        calls: Calls,
        every_run: EveryRun,
        up_to_date: Callable[[str], bool] = lambda repo: False,
    ) -> None:
        self._calls = calls
        self._every_run = every_run
        self._up_to_date = up_to_date
        self._behind: dict[tuple[str, str, str], int] = {}

    def fill(
        self, repo: str, pulls: Sequence[PullRequest], told: Mapping[str, Mapping[str, Any] | None]
    ) -> tuple[PullRequest, ...]:
        """`pulls` with what concerns their bases (`told` by name); with rules and checks `None` where they
        were not told."""
        bases = {name: self._base(repo, told.get(name)) for name in {str(one.base) for one in pulls}}
        return tuple(self._filled(repo, one, bases[str(one.base)]) for one in pulls)

    def forget(self, repo: str, pulls: Sequence[PullRequest]) -> None:
        """Drop what is kept of `repo` beside these."""
        kept = {(repo, one.base_tip, str(one.head)) for one in pulls}
        self._behind = {key: n for key, n in self._behind.items() if key[0] != repo or key in kept}

    def _base(self, repo: str, ref: Mapping[str, Any] | None) -> _Base | None:
        """`None` where any part is missing: what is not known never merges."""
        try:
            if ref is None:
                return None
            target = ref["target"]
            tip, rollup = str(target["oid"]), target["statusCheckRollup"]
            if rollup and rollup["contexts"]["pageInfo"]["hasNextPage"]:
                return _Base(tip, rules_of(ref), self._every_run(repo, tip)[0])
            runs = rollup["contexts"]["nodes"] if rollup else ()
            return _Base(tip, rules_of(ref), tuple(run_of_node(node, tip) for node in runs))
        except (KeyError, TypeError):
            return None

    def _filled(self, repo: str, pull: PullRequest, base: _Base | None) -> PullRequest:
        if base is None:
            return replace(pull, rules=None, base_checks=None)
        return replace(
            pull,
            rules=base.rules,
            base_tip=base.tip,
            base_checks=base.checks,
            behind=self._how_far_behind(repo, base, str(pull.head)),
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
