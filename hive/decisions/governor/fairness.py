"""Who is served next where not all can be: who has had the least of its share, and waited longest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hive.decisions.governor_policy import GovernorPolicy
from hive.facts.work import Task

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Served:
    """What each repository and role has: open tasks, tasks of all, and when it last got one."""

    policy: GovernorPolicy
    open_of: dict[str, int] = field(default_factory=dict)
    count_of: dict[str, int] = field(default_factory=dict)
    last_of: dict[str, datetime] = field(default_factory=dict)
    last_of_role: dict[str, datetime] = field(default_factory=dict)
    slots_used: int = 0

    @classmethod
    def of(cls, tasks: Iterable[Task], roles: dict[str, str], policy: GovernorPolicy) -> Served:
        """`roles` are agents' roles, by name; of agents that are gone nothing is counted for a role."""
        served = cls(policy)
        for task in tasks:
            served._count(task, roles.get(task.agent))
        return served

    def _count(self, task: Task, role: str | None) -> None:
        repo = task.repo.casefold()
        self.count_of[repo] = self.count_of.get(repo, 0) + 1
        if task.is_open:
            self.open_of[repo] = self.open_of.get(repo, 0) + 1
            self.slots_used += 1
        self.last_of[repo] = max(self.last_of.get(repo, _NEVER), task.claimed_at)
        if role is not None:
            self.last_of_role[role] = max(self.last_of_role.get(role, _NEVER), task.claimed_at)

    def give(self, repo: str, role: str, now: datetime) -> None:
        """One more task is given now."""
        key = repo.casefold()
        self.open_of[key] = self.open_of.get(key, 0) + 1
        self.count_of[key] = self.count_of.get(key, 0) + 1
        self.last_of[key] = now
        self.last_of_role[role] = now
        self.slots_used += 1

    def turn(self, repo: str) -> tuple[float, datetime, str]:
        """Sorts repositories: the least of its share first, then who waited longest."""
        key = repo.casefold()
        return (
            self.open_of.get(key, 0) / self.policy.share(repo),
            self.last_of.get(key, _NEVER),
            key,
        )

    def role_turn(self, role: str) -> datetime:
        """Sorts roles: who waited longest first."""
        return self.last_of_role.get(role, _NEVER)


def first_served(repos: Iterable[str], served: Served) -> list[str]:
    """The repositories in the order in which they are served."""
    return sorted(repos, key=served.turn)
