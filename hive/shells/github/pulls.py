"""Pull requests: in outline with what they claim, and in full what the merge gate judges.

Only hive's own are read in full: others are never judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from hive.decisions.lookup import reverted
from hive.facts.actors import ActorKind, same_login
from hive.facts.forge import ChangedFile, Check, Label, LinkedIssue, PullRequest, PullRequestRef
from hive.shells.github import nouns
from hive.shells.github.bases import Bases
from hive.shells.github.calls import Calls
from hive.shells.github.issues import is_settled, labels_put_on
from hive.shells.github.judged import changed_files, with_judged
from hive.shells.github.outlines import outline_of_node
from hive.shells.github.questions import Told, Wanted

Node = Mapping[str, Any]


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a pull request says it closes: numbers, with their states where GitHub tells them."""

    labels: tuple[Label, ...]
    closes: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Change:
    files: tuple[ChangedFile, ...] | None
    labels: Mapping[str, Label]


@dataclass(frozen=True, slots=True)
class _Kept(Generic[_T]):
    state: tuple[str, ...]
    at: datetime
    what: _T

    def holds(self, state: tuple[str, ...]) -> bool:
        return self.state == state and is_settled(state[0], self.at)


class Pulls:
    """`account` tells hive's login; `up_to_date` is as in `Bases`."""

    def __init__(
        self,
        calls: Calls,
        account: Callable[[], str],
        up_to_date: Callable[[str], bool] = lambda repo: False,
    ) -> None:
        self._calls = calls
        self._account = account
        self._bases = Bases(calls, self.every_run, up_to_date)
        self._first_seen: dict[str, dict[str, datetime]] = {}
        self._claims: dict[tuple[str, int], _Kept[_Claim]] = {}
        self._changes: dict[tuple[str, int], _Kept[_Change]] = {}

    def wanted(self, repo: str, nodes: Sequence[Node]) -> Wanted:
        """What has to be asked of open pull requests."""
        ours = [one for one in nodes if self._is_ours(outline_of_node(repo, one, None))]
        return Wanted(
            claims=tuple(one["id"] for one in nodes if not _at_hand(self._claims, repo, one)),
            judged=tuple(one["id"] for one in ours),
            changes=tuple(one["id"] for one in ours if not _at_hand(self._changes, repo, one)),
            bases=tuple(sorted({str(one["baseRefName"]) for one in ours})),
        )

    def open(
        self, repo: str, nodes: Sequence[Node], told: Told, open_issues: Iterable[int], now: datetime
    ) -> tuple[PullRequest, ...]:
        """All that are open; hive's own in full. What is kept of others is dropped."""
        still_open = frozenset(open_issues)
        read = tuple(self.one(repo, one, told, still_open.__contains__, now) for one in nodes)
        self._forget(repo, read)
        return read

    def one(
        self, repo: str, node: Node, told: Told, is_open: Callable[[int], bool], now: datetime
    ) -> PullRequest:
        """`is_open` says of an issue whose state GitHub did not tell whether it is open."""
        claim = self._claim(repo, node, told, now)
        pull = outline_of_node(repo, node, claim.labels if claim else None)
        if not self._is_ours(pull):
            return pull
        full = self._full(repo, pull, node, told, now)
        if claim is not None:
            linked = (LinkedIssue(n, state or _word(is_open(n))) for n, state in claim.closes.items())
            full = replace(full, linked_issues=tuple(linked))
        if pull.state == "open":
            [full] = self._bases.fill(repo, [full], told.bases)
        return full

    def claims(self, repo: str, pulls: Iterable[PullRequest]) -> dict[int, list[PullRequestRef]]:
        """Open pull requests by the issue that they say they close, whoever opened them."""
        found: dict[int, list[PullRequestRef]] = {}
        for pull in pulls:
            kept = self._claims.get((repo, pull.number))
            closes = kept.what.closes if kept else dict.fromkeys(nouns.closes(_said(pull), repo), "")
            for number in closes:
                found.setdefault(number, []).append(PullRequestRef(pull.number, pull.state, pull.author))
        return found

    def _claim(self, repo: str, node: Node, told: Told, now: datetime) -> _Claim | None:
        key, about = (repo, int(node["number"])), told.claims.get(node["id"])
        if about is not None:
            read = self._read_claim(repo, node, about)
            if read is None:
                self._claims.pop(key, None)
                return None
            self._claims[key] = _Kept(_state(node), now, read)
        return self._claims[key].what if key in self._claims else None

    def _read_claim(self, repo: str, node: Node, about: Node) -> _Claim | None:
        """`None` where a part is missing, or more than a page of issues are named."""
        try:
            linked = about["closingIssuesReferences"]
            if linked["pageInfo"]["hasNextPage"]:
                return None
            said = dict.fromkeys(nouns.closes(f"{node['title']}\n{node['body'] or ''}", repo), "")
            here = (
                one
                for one in linked["nodes"]
                if str(one["repository"]["nameWithOwner"]).casefold() == repo.casefold()
            )
            closes = {**said, **{int(one["number"]): str(one["state"]).lower() for one in here}}
            names = (str(one["name"]) for one in about["labels"]["nodes"])
            return _Claim(tuple(map(Label, names)), closes)
        except (KeyError, TypeError):
            return None

    def _full(self, repo: str, pull: PullRequest, node: Node, told: Told, now: datetime) -> PullRequest:
        author = replace(pull.author, kind=ActorKind.AGENT) if pull.author else None
        about = told.judged.get(node["id"]) or {}
        full = with_judged(replace(pull, author=author, labels=None), about, self._calls, self.every_run)
        change = self._change(repo, node, told, about, now)
        return replace(
            full,
            labels=_labels(about, change),
            files=change.files if change else None,
            pushed_at=self._pushed_at(repo, str(pull.head), full.pushed_at, now),
        )

    def _change(self, repo: str, node: Node, told: Told, judged: Node, now: datetime) -> _Change | None:
        key, about = (repo, int(node["number"])), told.changes.get(node["id"])
        if about:
            files = changed_files(repo, key[1], about, self._calls)
            try:
                names = [str(one["name"]) for one in judged["labels"]["nodes"]]
                labels = labels_put_on(self._calls, repo, key[1], names, about["labelings"])
            except (KeyError, TypeError):
                labels = ()
            put_on = {one.name.casefold(): one for one in labels}
            self._changes[key] = _Kept(_state(node), now, _Change(files, put_on))
        kept = self._changes.get(key)
        return kept.what if kept is not None and kept.state == _state(node) else None

    def _is_ours(self, pull: PullRequest) -> bool:
        """By hive's own account and from a branch of this repository; a fork may use any branch name."""
        return (
            (pull.head_ref.startswith("hive/") or reverted(pull) > 0)
            and pull.author is not None
            and same_login(pull.author.login, self._account())
            and (pull.head_repo or "").casefold() == pull.repo.casefold()
        )

    def every_run(self, repo: str, head: str) -> tuple[tuple[Check, ...], int, datetime | None]:
        """Check runs and statuses of `head`, every page; how many there are; when the first one began."""
        base = f"/repos/{repo}/commits/{head}"
        runs, run_count = self._calls.counted_pages(f"{base}/check-runs", "check_runs", {"filter": "all"})
        statuses, status_count = self._calls.counted_pages(f"{base}/status", "statuses")
        began = [one for one in (nouns.moment(run.get("started_at")) for run in runs) if one]
        checks = (
            *map(nouns.check_run, runs),
            *(nouns.status(one, head) for one in statuses),
        )
        return checks, run_count + status_count, min(began, default=None)

    def _pushed_at(self, repo: str, head: str, started: datetime | None, now: datetime) -> datetime:
        """When `head` arrived: hive's first sight of it, or the start of its first check if that is earlier.

        The commit's own date is the agent's to choose, and GitHub tells of no other.
        """
        seen = self._first_seen.setdefault(repo, {}).setdefault(head, now)
        return min(seen, started) if started is not None else seen

    def _forget(self, repo: str, pulls: Sequence[PullRequest]) -> None:
        """Drop what is kept of `repo` beside these."""
        heads, numbers = {str(pull.head) for pull in pulls}, {pull.number for pull in pulls}
        seen = self._first_seen.get(repo, {})
        self._first_seen[repo] = {head: at for head, at in seen.items() if head in heads}
        self._claims = _of(self._claims, repo, numbers)
        self._changes = _of(self._changes, repo, numbers)
        self._bases.forget(repo, pulls)
        self._calls.forget_commits(repo, heads)


def _state(node: Node) -> tuple[str, ...]:
    """What is the same as long as nothing happened to a pull request: first GitHub's time of the last."""
    return (
        str(node["updatedAt"]),
        str(node["headRefOid"]),
        str(node["baseRefOid"]),
        str(node["baseRefName"]),
    )


def _at_hand(kept: Mapping[tuple[str, int], _Kept[Any]], repo: str, node: Node) -> bool:
    found = kept.get((repo, int(node["number"])))
    return found is not None and found.holds(_state(node))


def _of(
    kept: Mapping[tuple[str, int], _Kept[_T]], repo: str, numbers: Collection[int]
) -> dict[tuple[str, int], _Kept[_T]]:
    return {key: one for key, one in kept.items() if key[0] != repo or key[1] in numbers}


def _labels(judged: Node, change: _Change | None) -> tuple[Label, ...] | None:
    """Those that it has now; who put one on is known of the last change."""
    try:
        names = [str(one["name"]) for one in judged["labels"]["nodes"]]
    except (KeyError, TypeError):
        return None
    put_on = change.labels if change else {}
    return tuple(put_on.get(name.casefold(), Label(name)) for name in names)


def _said(pull: PullRequest) -> str:
    """Title and body, where closing keywords count."""
    return f"{pull.title}\n{pull.body}"


def _word(is_open: bool) -> str:
    return "open" if is_open else "closed"
