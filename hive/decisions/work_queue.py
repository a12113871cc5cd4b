"""The issues of a repository as work, in the order in which hive takes them now."""

from __future__ import annotations

from collections.abc import Iterator

from hive.decisions.lookup import snapshot
from hive.decisions.policy import Policy
from hive.decisions.triage import TriageItem, by_urgency, names_of, rings_across, timely_words, triage_of
from hive.facts.forge import Issue, RepositorySnapshot
from hive.facts.world import Seen, World

_KNOWN = 4096
_named: dict[str, tuple[tuple[Issue, ...], dict[int, tuple[str, ...]]]] = {}
"""What the texts of a repository's last look name, by repository: they are read once a look."""


def work_queue(world: World, repo: str, policy: Policy) -> tuple[TriageItem, ...]:
    """What triage says of each open issue, by rank; none where the repository could not be looked at.

    An issue that another of `world` blocks by its text waits for it. One that is overdue goes first.
    """
    look = snapshot(world, repo)
    if look is None:
        return ()
    named = _names(look) if policy.triage.dependencies else {}
    items = triage_of(
        look.issues, policy.triage, named, _elsewhere(named, look, world), _across(named, look, world)
    )
    return by_urgency(items, look.issues, policy.triage, policy.governor.sla, world.now)


def why_there(item: TriageItem, issue: Issue, policy: Policy, world: World) -> list[str]:
    """Everything that put `item` where it is in the queue, and what time does to it."""
    timely = timely_words(item, issue, policy.triage, policy.governor.sla, world.now)
    return [*item.why, *timely]


def _names(look: RepositorySnapshot) -> dict[int, tuple[str, ...]]:
    known = _named.get(look.repo)
    if known is None or known[0] is not look.issues:
        while len(_named) >= _KNOWN:
            _named.pop(next(iter(_named)), None)
        known = _named[look.repo] = (look.issues, names_of(look.issues))
    return known[1]


def _elsewhere(named: dict[int, tuple[str, ...]], look: RepositorySnapshot, world: World) -> dict[str, bool]:
    """Whether what is named is open, but for issues of the look itself. What could not be looked at is."""
    keys = {key for each in named.values() for key in each}
    if not keys:
        return {}
    own = {issue.number for issue in look.issues}
    sections = {repo.casefold(): section for repo, section in world.repos.items()}
    found = {}
    for key in keys:
        repo, _, digits = key.rpartition("#")
        number = int(digits)
        if not repo:
            found[key] = number not in own and any(pull.number == number for pull in look.pull_requests)
        elif repo in sections:
            section = sections[repo]
            found[key] = not isinstance(section, Seen) or _is_open(section.value, number)
    return found


def _across(
    named: dict[int, tuple[str, ...]], look: RepositorySnapshot, world: World
) -> dict[int, tuple[str, ...]]:
    """Rings that lead through other repositories."""
    begin = [number for number, keys in named.items() if any(not key.startswith("#") for key in keys)]
    return rings_across(look.repo, begin, _OpenIssues(world).blockers) if begin else {}


class _OpenIssues:
    """Those of all repositories that were seen, by number; read where they are asked for."""

    def __init__(self, world: World) -> None:
        sections = world.repos.items()
        self._looks = {repo.casefold(): one.value for repo, one in sections if isinstance(one, Seen)}
        self._issues: dict[str, dict[int, Issue]] = {}

    def blockers(self, repo: str, number: int) -> Iterator[str]:
        """What an issue waits for and is open, by link and by text."""
        issue = self._of(repo).get(number)
        if issue is None:
            return
        said = _names(self._looks[repo]).get(number, ())
        own = (f"#{one}" for one in issue.blocked_by)
        for key in (f"{repo}{one}" if one.startswith("#") else one for one in (*own, *said)):
            where, _, digits = key.rpartition("#")
            if int(digits) in self._of(where):
                yield key

    def _of(self, repo: str) -> dict[int, Issue]:
        if repo not in self._issues:
            look = self._looks.get(repo)
            self._issues[repo] = {issue.number: issue for issue in look.issues} if look is not None else {}
        return self._issues[repo]


def _is_open(look: RepositorySnapshot, number: int) -> bool:
    numbers = (*(one.number for one in look.issues), *(one.number for one in look.pull_requests))
    return number in numbers
