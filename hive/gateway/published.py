"""What an agent's words become before they are published: defused, and marked as that agent's."""

from __future__ import annotations

from dataclasses import dataclass

from hive.decisions import markers
from hive.decisions.defusing import Scope, defuse, defuse_line
from hive.ports.authority import Identity


@dataclass(frozen=True, slots=True)
class Words:
    """Of one agent, in one repository."""

    agent: str
    task: str
    scope: Scope

    def body(self, text: str) -> str:
        """Markdown under hive's account: nobody is called by it, and whose it is can be told."""
        return markers.mark(defuse(text, self.scope), self.agent, self.task)

    def line(self, text: str) -> str:
        """A title or a commit's message."""
        return defuse_line(text, self.scope)


def words_of(identity: Identity, repo: str, web: str) -> Words:
    """How `identity` may write in `repo`; `web` is the forge's host as agents know it."""
    task = identity.task
    if task is None or task.repo.casefold() != repo.casefold():
        return Words(identity.agent, "", Scope(repo, identity.repos, None, web))
    return Words(identity.agent, task.id, Scope(repo, identity.repos, task.about_issue or None, web))
