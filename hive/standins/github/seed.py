"""The first state of a stand-in, from a description in a file: accounts, repositories and their issues."""

import secrets
import shutil
from pathlib import Path

from hive.standins.github import issues, labels
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GitFailure, GitRepo, git
from hive.standins.github.records import Account, Comment, Issue, Repository
from hive.standins.github.seed_apps import sow_app
from hive.standins.github.seed_reading import Node, read

_KINDS = ("person", "organization", "bot", "app", "agent")
_ASSOCIATIONS = (
    "OWNER",
    "MEMBER",
    "COLLABORATOR",
    "CONTRIBUTOR",
    "FIRST_TIME_CONTRIBUTOR",
    "FIRST_TIMER",
    "NONE",
)
# The triage file's, of which those after `assignees` say nothing to a forge; and the state.
_ISSUE_KEYS = (
    *("number", "title", "body", "author", "created_at", "title_edited_at", "edited_at", "labels"),
    *("comments", "assignees", "blocked_by", "pull_requests", "state"),
)
_PERMISSIONS = ("admin", "maintain", "write", "triage", "read", "none")
_AUTHOR = {"GIT_AUTHOR_NAME": "seed", "GIT_AUTHOR_EMAIL": "seed@users.noreply.github.com"}
_COMMITTER = {"GIT_COMMITTER_NAME": "seed", "GIT_COMMITTER_EMAIL": "seed@users.noreply.github.com"}

GIT_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "http.receivepack": "true",
    "receive.hideRefs": "refs/pull",
    "uploadpack.allowAnySHA1InWant": "true",
    "gc.auto": "0",
    "receive.autogc": "false",
}
"""The configuration of every bare repository."""


def sow(forge: Forge, path: Path) -> None:
    """Read the description at `path` and make what it says.

    Raises `ConfigError` with the file and the object for whatever cannot be made.
    """
    seed = read(path)
    seed.known("accounts", "repos", "apps")
    with forge.transaction():
        for node in seed.items("accounts"):
            _account(forge, node)
        for node in seed.items("repos"):
            _repository(forge, node, path.parent)
        for node in seed.items("apps"):
            sow_app(forge, node)


def _account(forge: Forge, node: Node) -> None:
    names = ("association", "associations", "permission", "permissions")
    node.known("login", "kind", "token", "fine_grained", "name", *names)
    account = ensure_account(forge, node.text("login"), node.choice("kind", _KINDS, "person"))
    account.token = node.optional_text("token") or account.token
    if node.flag("fine_grained"):
        account.scopes = None
    account.name = node.optional_text("name")
    account.associations |= node.mapping("associations", _ASSOCIATIONS)
    account.permissions |= node.mapping("permissions", _PERMISSIONS)
    if "association" in node.value:
        given = node.mapping("association", _ASSOCIATIONS)
        account.associations |= given or {"*": node.choice("association", _ASSOCIATIONS, "NONE")}
    if "permission" in node.value:
        account.permissions["*"] = node.choice("permission", _PERMISSIONS, "read")
    forge.store.accounts.put(account)


def ensure_account(forge: Forge, login: str, kind: str = "person") -> Account:
    """The account of `login`, made where there is none."""
    found = forge.account(login)
    if found is not None:
        return found
    # What surfaces call an agent is an account like a person's, to GitHub.
    kind = "person" if kind == "agent" else kind
    return forge.store.accounts.put(Account(forge.store.accounts.next_id(), login, kind))


def _repository(forge: Forge, node: Node, folder: Path) -> None:
    node.known(
        "full_name",
        "from_git",
        "from_folder",
        "default_branch",
        "issues",
        "description",
        "private",
        "labels",
        "delete_branch_on_merge",
    )
    name = node.text("full_name")
    owner, slash, short = name.partition("/")
    if not slash or not owner or not short or "/" in short or ".." in name or name.startswith("."):
        raise node.wrong("full_name", f"{name!r} is not `owner/name`")
    if forge.repository(name) is not None:
        raise node.wrong("full_name", f"{name} is there twice")
    branch = _make_git(forge, node, folder, name)
    now = forge.clock.now()
    repo = Repository(
        id=forge.store.repositories.next_id(),
        owner=ensure_account(forge, owner, "organization").id,
        full_name=name,
        default_branch=branch,
        created_at=now,
        pushed_at=now,
        description=node.optional_text("description"),
        private=node.flag("private"),
        delete_branch_on_merge=node.flag("delete_branch_on_merge"),
        heads=GitRepo(forge.path_of(name)).heads(),
    )
    forge.store.repositories.put(repo)
    for label in node.items("labels"):
        label.known("name", "color", "description")
        color = label.optional_text("color") or "ededed"
        labels.create(forge, repo, label.text("name"), color, label.optional_text("description"))
    _issues(forge, repo, node, folder)


def _make_git(forge: Forge, node: Node, folder: Path, name: str) -> str:
    """Make the bare repository, and return its default branch."""
    source = node.optional_text("from_git") or node.optional_text("from_folder")
    if source is None:
        raise node.wrong("from_git", "say `from_git` or `from_folder`")
    origin, target = (folder / source).resolve(), forge.path_of(name)
    if not origin.is_dir():
        raise node.wrong(
            "from_git" if "from_git" in node.value else "from_folder", f"{source} is not a folder"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    wanted = node.optional_text("default_branch")
    try:
        branch = (
            _clone(origin, target, wanted) if "from_git" in node.value else _commit(origin, target, wanted)
        )
        _configure(target)
    except GitFailure as failure:
        raise node.wrong("from_git", f"{source}: {str(failure).splitlines()[-1]}") from failure
    except LookupError as missing:
        raise node.wrong("default_branch", str(missing.args[0])) from missing
    return branch


def _clone(origin: Path, target: Path, wanted: str | None) -> str:
    git("clone", "--quiet", "--bare", "--no-hardlinks", f"{origin}", f"{target}")
    heads = GitRepo(target).heads()
    branch = wanted or git(f"--git-dir={target}", "symbolic-ref", "--short", "HEAD").decode().strip()
    if branch not in heads:
        raise LookupError(f"there is no branch {branch!r}; there are {', '.join(sorted(heads)) or 'none'}")
    git(f"--git-dir={target}", "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git(f"--git-dir={target}", "remote", "remove", "origin", ok=(0, 2, 128))
    return branch


def _commit(origin: Path, target: Path, wanted: str | None) -> str:
    branch = wanted or "main"
    git("init", "--quiet", "--bare", f"--initial-branch={branch}", f"{target}")
    tree = (f"--git-dir={target}", f"--work-tree={origin}", "-c", "core.bare=false")
    git(*tree, "add", "--all", f"{origin}")
    git(*tree, "commit", "--quiet", "--allow-empty", "-m", "Begin", variables=_AUTHOR | _COMMITTER)
    return branch


def _configure(target: Path) -> None:
    for name, value in GIT_SETTINGS.items():
        git(f"--git-dir={target}", "config", name, value)


def _issues(forge: Forge, repo: Repository, node: Node, folder: Path) -> None:
    given = node.value.get("issues")
    if given is None:
        return
    source = read(folder / given, bare_list="issues") if isinstance(given, str) else node
    taken: set[int] = set()
    for entry in source.items("issues"):
        _issue(forge, repo, entry, taken)


def _issue(forge: Forge, repo: Repository, node: Node, taken: set[int]) -> None:
    node.known(*_ISSUE_KEYS)
    number = node.number("number") or repo.next_number
    if number in taken:
        raise node.wrong("number", f"{number} is there twice")
    taken.add(number)
    issues.take_number(forge, repo, number)
    now = forge.clock.now()
    created = node.moment("created_at") or now
    author, association = _person(forge, node, "author", default=repo.owner)
    state = node.choice("state", ("open", "closed"), "open")
    issue = Issue(
        id=forge.store.issues.next_id(),
        repo=repo.id,
        number=number,
        title=node.optional_text("title") or f"Issue {number}",
        body=node.optional_text("body"),
        author=author,
        created_at=created,
        updated_at=created,
        association=association,
        state=state,
        state_reason="completed" if state == "closed" else None,
        closed_at=created if state == "closed" else None,
        title_edited_at=node.moment("title_edited_at"),
        edited_at=node.moment("edited_at"),
    )
    forge.store.issues.put(issue)
    _labels(forge, repo, issue, node)
    _conversation(forge, repo, issue, node)
    for entry in node.items("assignees"):
        issue.assignees.append(ensure_account(forge, entry.login()).id)
    if issue.title_edited_at:
        # The old title is not told; that there was another one is.
        titles = {"old": "", "new": issue.title}
        forge.event(issue, "renamed", author, at=issue.title_edited_at, **titles)
    issue.updated_at = _last_change(forge, issue)


def _last_change(forge: Forge, issue: Issue) -> str:
    """The newest of all times of an issue."""
    comments = forge.store.comments.of(issue.repo, issue.number)
    return max(
        issue.created_at,
        issue.title_edited_at or "",
        issue.edited_at or "",
        *(applied["at"] for applied in issue.labels),
        *(comment.updated_at for comment in comments),
    )


def _person(forge: Forge, node: Node, key: str, *, default: int | None) -> tuple[int | None, str | None]:
    """The account and association of an actor; null is a deleted account, absence the default."""
    if key not in node.value:
        return default, None
    if node.value[key] is None:
        return None, "NONE"
    actor = node.child(key)
    kind = actor.choice("kind", _KINDS, "person") if isinstance(actor.value, dict) else "person"
    account = ensure_account(forge, actor.login(), kind)
    association = actor.value.get("association") if isinstance(actor.value, dict) else None
    return account.id, association if isinstance(association, str) else None


def _labels(forge: Forge, repo: Repository, issue: Issue, node: Node) -> None:
    for entry in node.items("labels"):
        if isinstance(entry.value, str):
            owner = forge.store.accounts.get(repo.owner)
            labels.add(forge, repo, issue, [entry.value], owner, at=issue.created_at)
            continue
        by, _ = _person(forge, entry, "by", default=repo.owner)
        at = entry.moment("at") or issue.created_at
        labels.add(forge, repo, issue, [entry.text("name")], forge.store.accounts.get(by), at=at)


def _conversation(forge: Forge, repo: Repository, issue: Issue, node: Node) -> None:
    for entry in node.items("comments"):
        by, association = _person(forge, entry, "by", default=repo.owner)
        at = entry.moment("at") or issue.created_at
        edited = entry.moment("edited_at")
        table, body = forge.store.comments, entry.optional_text("body") or ""
        table.put(
            Comment(table.next_id(), repo.id, issue.number, by, body, at, edited or at, association, edited)
        )


def new_token() -> str:
    """A random control token."""
    return secrets.token_urlsafe(32)
