"""CODEOWNERS: who has to look at a change of which files."""

import re

from hive.standins.github import diffs
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GitFailure, GitRepo
from hive.standins.github.records import Account, Pull, Repository
from hive.standins.github.records_access import Team

_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
Rule = tuple[re.Pattern[str], tuple[str, ...]]


def rules(git: GitRepo, tip: str) -> list[Rule]:
    """The patterns of the first CODEOWNERS file at `tip`, in order; the last one that fits a path counts."""
    for place in _PLACES:
        try:
            text = git.once((f"owners {place}", tip), lambda place=place: git.run("show", f"{tip}:{place}"))  # type: ignore[misc]  # mypy has no type for a lambda with a default
        except GitFailure:
            continue
        lines = (line.split("#", 1)[0].split() for line in text.splitlines())
        return [(_pattern(words[0]), tuple(words[1:])) for words in lines if words]
    return []


def _pattern(written: str) -> re.Pattern[str]:
    """A pattern as gitignore has them, without negation and character ranges, which GitHub does not take."""
    anchored = "/" in written.rstrip("/")
    body = re.escape(written.strip("/"))
    body = body.replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    start = "^" if anchored else "^(?:.*/)?"
    direct = written.endswith("/*") and not written.endswith("**/*")
    return re.compile(start + body.replace(r"\?", "[^/]") + ("$" if direct else "(?:/.*)?$"))


def owners_of(found: list[Rule], path: str) -> tuple[str, ...]:
    """The owners of one path, as written: `@login`, `@org/team` or an address."""
    return next((owners for pattern, owners in reversed(found) if pattern.match(path)), ())


def groups(forge: Forge, repo: Repository, pull: Pull) -> list[set[int]]:
    """For each changed file that has owners: the accounts of whom one has to approve."""
    git, tip = forge.git(repo), repo.heads.get(pull.base, pull.base_sha)
    found = rules(git, tip)
    if not found:
        return []
    start = git.merge_base(tip, pull.head_sha) or tip
    named = {owners_of(found, change.path) for change in diffs.between(git, start, pull.head_sha)}
    return [accounts for owners in sorted(named) if (accounts := _accounts(forge, repo, owners))]


def to_ask(forge: Forge, repo: Repository, pull: Pull) -> tuple[list[Account], list[Team]]:
    """The people and teams whom GitHub asks by itself."""
    git, tip = forge.git(repo), repo.heads.get(pull.base, pull.base_sha)
    found = rules(git, tip)
    if not found:
        return [], []
    start = git.merge_base(tip, pull.head_sha) or tip
    changed = diffs.between(git, start, pull.head_sha)
    written = dict.fromkeys(owner for change in changed for owner in owners_of(found, change.path))
    people = [who for owner in written if (who := forge.account(owner.removeprefix("@"))) is not None]
    return people, [team for owner in written if (team := team_of(forge, repo, owner)) is not None]


def team_of(forge: Forge, repo: Repository, owner: str) -> Team | None:
    """The team that `@org/slug` names."""
    slug = owner.partition("/")[2]
    return next((team for team in forge.store.teams.of(repo.owner) if team.slug == slug), None)


def _accounts(forge: Forge, repo: Repository, owners: tuple[str, ...]) -> set[int]:
    found: set[int] = set()
    for owner in owners:
        team, who = team_of(forge, repo, owner), forge.account(owner.removeprefix("@"))
        found |= set(team.members) if team else set()
        found |= {who.id} if who else set()
    return found
