"""Commits, the files they change, branches, comparisons and file contents."""

import base64

from hive.standins.github.diffs import FileChange
from hive.standins.github.gitrepo import Commit, Signature
from hive.standins.github.records import Account, Repository
from hive.standins.github.rest.bodies import people
from hive.standins.github.rest.call import Json, View

_NOREPLY = "@users.noreply.github.com"
_UNVERIFIED = {
    "verified": False,
    "reason": "unsigned",
    "signature": None,
    "payload": None,
    "verified_at": None,
}


def account_of(view: View, signature: Signature) -> Account | None:
    """The account whose private address this is: `ID+login@users.noreply.github.com`, or without the id."""
    if not signature.email.endswith(_NOREPLY):
        return None
    return view.forge.account(signature.email.removesuffix(_NOREPLY).split("+", 1)[-1])


def _signature(signature: Signature) -> Json:
    return {"name": signature.name, "email": signature.email, "date": signature.date}


def commit(view: View, repo: Repository, shown: Commit) -> Json:
    """`commit` without files."""
    url = view.urls.repo(repo.full_name, "commits", shown.sha)
    author, committer = account_of(view, shown.author), account_of(view, shown.committer)
    return {
        "sha": shown.sha,
        "node_id": f"C_{repo.id}_{shown.sha}",
        "url": url,
        "html_url": view.urls.page(repo.full_name, "commit", shown.sha),
        "comments_url": f"{url}/comments",
        "commit": {
            "url": view.urls.repo(repo.full_name, "git", "commits", shown.sha),
            "author": _signature(shown.author),
            "committer": _signature(shown.committer),
            "message": shown.message,
            "comment_count": 0,
            "tree": {"sha": shown.tree, "url": view.urls.repo(repo.full_name, "git", "trees", shown.tree)},
            "verification": _UNVERIFIED,
        },
        "author": people.account(view, author) if author else None,
        "committer": people.account(view, committer) if committer else None,
        "parents": [
            {
                "sha": parent,
                "url": view.urls.repo(repo.full_name, "commits", parent),
                "html_url": view.urls.page(repo.full_name, "commit", parent),
            }
            for parent in shown.parents
        ],
    }


def file(view: View, repo: Repository, head: str, shown: FileChange) -> Json:
    """`diff-entry`."""
    body = {
        "sha": shown.blob,
        "filename": shown.path,
        "status": shown.status,
        "additions": shown.additions,
        "deletions": shown.deletions,
        "changes": shown.additions + shown.deletions,
        "blob_url": view.urls.page(repo.full_name, "blob", head, shown.path),
        "raw_url": view.urls.page(repo.full_name, "raw", head, shown.path),
        "contents_url": view.urls.repo(repo.full_name, "contents", shown.path) + f"?ref={head}",
    }
    if shown.patch is not None:
        body["patch"] = shown.patch
    if shown.previous is not None:
        body["previous_filename"] = shown.previous
    return body


def with_files(view: View, repo: Repository, shown: Commit, files: list[FileChange]) -> Json:
    """`commit` with its files and their sums."""
    added, deleted = sum(file.additions for file in files), sum(file.deletions for file in files)
    return {
        **commit(view, repo, shown),
        "stats": {"additions": added, "deletions": deleted, "total": added + deleted},
        "files": [file(view, repo, shown.sha, entry) for entry in files],
    }


def short_branch(view: View, repo: Repository, name: str, sha: str) -> Json:
    """`short-branch`."""
    return {
        "name": name,
        "commit": {"sha": sha, "url": view.urls.repo(repo.full_name, "commits", sha)},
        "protected": False,
    }


def branch(view: View, repo: Repository, name: str, head: Commit) -> Json:
    """`branch-with-protection`."""
    url = view.urls.repo(repo.full_name, "branches", name)
    return {
        "name": name,
        "commit": commit(view, repo, head),
        "_links": {"self": url, "html": view.urls.page(repo.full_name, "tree", name)},
        "protected": False,
        "protection": {
            "enabled": False,
            "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []},
        },
        "protection_url": f"{url}/protection",
    }


def content(view: View, repo: Repository, ref: str, path: str, *, kind: str, sha: str, size: int) -> Json:
    """What `content-file` and the entries of `content-directory` have in common."""
    shown = {"blob": "file", "tree": "dir", "commit": "submodule"}[kind]
    url = view.urls.repo(repo.full_name, "contents", path) + f"?ref={ref}"
    page = view.urls.page(repo.full_name, kind, ref, path)
    git_url = view.urls.repo(repo.full_name, "git", "trees" if kind == "tree" else "blobs", sha)
    return {
        "name": path.rsplit("/", 1)[-1],
        "path": path,
        "sha": sha,
        "size": size,
        "url": url,
        "html_url": page,
        "git_url": git_url,
        "download_url": view.urls.page(repo.full_name, "raw", ref, path) if kind == "blob" else None,
        "type": shown,
        "_links": {"self": url, "git": git_url, "html": page},
    }


def content_file(entry: Json, data: bytes) -> Json:
    """`content-file` of an entry and its bytes, in lines of sixty characters as GitHub writes them."""
    return {**entry, "encoding": "base64", "content": base64.encodebytes(data).decode()}
