"""Many repositories with many issues at once, without git work for each: for a soak and a bench.

bulk.grow(forge, repositories=100, issues=500, pulls=60, seed=7)
"""

import random
import shutil

from hive.standins.github import labels, seed, writing
from hive.standins.github.clock import written
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GitRepo, git
from hive.standins.github.records import Account, Applied, Issue, Label, Pull, Repository

_LABELS = ("bug", "feature", "docs", "good first issue", "hold", "priority/high")
_DAY_S = 86_400
_FILES = {"README.md": b"# Grown\n", "counter.txt": b"0\n"}


def grow(
    forge: Forge,
    *,
    repositories: int,
    issues: int,
    pulls: int = 0,
    owner: str = "acme",
    seed: int = 0,
    closed_share: float = 0.0,
) -> list[str]:
    """Add repositories `OWNER/grown-NNN`, each with this many issues and pull requests; the names.

    The same `seed` grows the same.  The pull requests' branches differ by one small file each.
    """
    chance = random.Random(seed)  # noqa: S311 - the same in each run
    with forge.transaction():
        of = _owner(forge, owner)
        people = [_person(forge, f"person-{number}") for number in range(8)]
        template = _template(forge, pulls)
        names = []
        for number in range(repositories):
            repo = _repository(forge, of, f"{owner}/grown-{number:03}", template)
            known = [labels.create(forge, repo, name) for name in _LABELS]
            for _ in range(issues):
                _issue(forge, repo, chance, people, known, closed=chance.random() < closed_share)
            for branch in sorted(name for name in repo.heads if name != "main"):
                _pull(forge, repo, branch, _issue(forge, repo, chance, people, known, closed=False))
            forge.store.repositories.put(repo)
            names.append(repo.full_name)
        shutil.rmtree(template.path)
    return names


def _owner(forge: Forge, login: str) -> Account:
    return seed.ensure_account(forge, login, "organization")


def _person(forge: Forge, login: str) -> Account:
    return seed.ensure_account(forge, login)


def _template(forge: Forge, pulls: int) -> GitRepo:
    """A bare repository with the branches of all pull requests, which every repository is a copy of."""
    path = forge.root / "git" / "template.git"
    writing.start(path, _FILES)
    repo, author = GitRepo(path), Account(0, "seed", "person")
    tip = repo.heads()["main"]
    for number in range(pulls):
        files = {f"topic-{number:03}.txt": f"{number}\n".encode()}
        commit = writing.commit(repo, tip, files, f"Add topic {number}", author)
        repo.update(f"refs/heads/topic-{number:03}", commit)
    repo.run("pack-refs", "--all")
    for name, value in seed.GIT_SETTINGS.items():
        git(f"--git-dir={path}", "config", name, value)
    return repo


def _repository(forge: Forge, owner: Account, name: str, template: GitRepo) -> Repository:
    path, now = forge.path_of(name), forge.clock.now()
    shutil.copytree(template.path, path)
    repo = Repository(
        id=forge.store.repositories.next_id(),
        owner=owner.id,
        full_name=name,
        default_branch="main",
        created_at=now,
        pushed_at=now,
        heads=template.heads(),
    )
    return forge.store.repositories.put(repo)


def _issue(
    forge: Forge,
    repo: Repository,
    chance: random.Random,
    people: list[Account],
    known: list[Label],
    *,
    closed: bool,
) -> Issue:
    at = written(forge.clock.time() - chance.uniform(0, 60) * _DAY_S)
    author, number = chance.choice(people), repo.next_number
    repo.next_number += 1
    picked = chance.sample(known, chance.randint(0, 2))
    issue = Issue(
        id=forge.store.issues.next_id(),
        repo=repo.id,
        number=number,
        title=f"Item {number} of {repo.name}",
        body=f"What is wrong with part {number}, and how to see it.\n",
        author=author.id,
        created_at=at,
        updated_at=at,
        state="closed" if closed else "open",
        state_reason="completed" if closed else None,
        closed_at=at if closed else None,
        labels=[Applied(label=label.id, by=author.id, at=at) for label in picked],
    )
    return forge.store.issues.put(issue)


def _pull(forge: Forge, repo: Repository, branch: str, issue: Issue) -> None:
    issue.is_pull, issue.title = True, f"Add {branch}"
    pull = Pull(
        id=forge.store.pulls.next_id(),
        repo=repo.id,
        number=issue.number,
        base="main",
        head=branch,
        head_sha=repo.heads[branch],
        base_sha=repo.heads["main"],
        pushed_at=issue.created_at,
        pushed_by=issue.author,
    )
    forge.store.pulls.put(pull)
