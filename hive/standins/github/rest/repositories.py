"""Repositories, branches, commits, comparisons, contents and search."""

import base64
import binascii

from hive.standins.github import diffs, enforcing, refs, writing
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.gitrepo import GitFailure
from hive.standins.github.records import Repository
from hive.standins.github.rest.bodies import commits as commit_bodies
from hive.standins.github.rest.bodies import repositories as bodies
from hive.standins.github.rest.call import Call, Json, Reply, paged
from hive.standins.github.rest.checks import commit_of
from hive.standins.github.rest.routing import routes

_REPO = "/repos/{owner}/{repo}"


@routes.add("GET", _REPO)
def get(call: Call) -> Reply:
    """One repository."""
    return Reply(bodies.full_repository(call.view, call.repo()))


@routes.add("PATCH", _REPO)
def edit(call: Call) -> Reply:
    """Change how the repository merges, or archive it."""
    repo = call.repo("admin")
    for name in ("allow_auto_merge", "allow_update_branch", "archived", "delete_branch_on_merge"):
        setattr(repo, name, bool(call.body.get(name, getattr(repo, name))))
    methods = {"merge": "allow_merge_commit", "squash": "allow_squash_merge", "rebase": "allow_rebase_merge"}
    repo.merge_methods = [
        method for method, name in methods.items() if call.body.get(name, method in repo.merge_methods)
    ]
    call.forge.store.repositories.put(repo)
    call.forge.record(call.me(), "repository.edit", repo.full_name, ", ".join(call.body))
    return Reply(bodies.full_repository(call.view, repo))


@routes.add("GET", _REPO + "/branches")
def branches(call: Call) -> Reply:
    """Every branch."""
    repo = call.repo()
    return paged(
        sorted(repo.heads.items()), lambda head: commit_bodies.short_branch(call.view, repo, head[0], head[1])
    )


@routes.add("GET", _REPO + "/branches/{branch:path}")
def branch(call: Call) -> Reply:
    """One branch."""
    repo, name = call.repo(), call.params["branch"]
    if name not in repo.heads:
        raise ApiFailure(404, "Branch not found")
    head = call.forge.git(repo).commit(repo.heads[name])
    return Reply(commit_bodies.branch(call.view, repo, name, head))


@routes.add("GET", _REPO + "/commits")
def commits(call: Call) -> Reply:
    """The history of a branch or of one path, newest first; the newest 250."""
    repo = call.repo()
    start = commit_of(call, repo, call.query.get("sha") or repo.default_branch)
    found = call.forge.git(repo).log(start, path=call.query.get("path"))
    return paged(found, lambda commit: commit_bodies.commit(call.view, repo, commit))


@routes.add("GET", _REPO + "/commits/{ref:path}")
def commit(call: Call) -> Reply:
    """One commit with its files."""
    repo = call.repo()
    git = call.forge.git(repo)
    found = git.commit(commit_of(call, repo, call.params["ref"]))
    before = found.parents[0] if found.parents else git.run("hash-object", "-t", "tree", "/dev/null").strip()
    return Reply(commit_bodies.with_files(call.view, repo, found, diffs.between(git, before, found.sha)))


@routes.add("GET", _REPO + "/compare/{basehead:path}")
def compare(call: Call) -> Reply:
    """How two commits differ: `base...head`."""
    repo = call.repo()
    base_name, dots, head_name = call.params["basehead"].partition("...")
    if not dots:
        raise not_found()
    git = call.forge.git(repo)
    base, head = (git.resolve(name.split(":", 1)[-1]) for name in (base_name, head_name))
    common = git.merge_base(base, head) if base and head else None
    if base is None or head is None or common is None:
        raise not_found()
    return Reply(_comparison(call, repo, base, head, common))


def _comparison(call: Call, repo: Repository, base: str, head: str, common: str) -> Json:
    git = call.forge.git(repo)
    ahead, behind = git.count(f"{base}..{head}"), git.count(f"{head}..{base}")
    kind = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
    page = call.view.urls.page(repo.full_name, "compare", f"{base}...{head}")
    shown = git.log(f"{base}..{head}", reverse=True) if ahead else []
    return {
        "url": call.view.urls.repo(repo.full_name, "compare", f"{base}...{head}"),
        "html_url": page,
        "permalink_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": commit_bodies.commit(call.view, repo, git.commit(base)),
        "merge_base_commit": commit_bodies.commit(call.view, repo, git.commit(common)),
        "status": kind,
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [commit_bodies.commit(call.view, repo, entry) for entry in shown],
        "files": [
            commit_bodies.file(call.view, repo, head, file) for file in diffs.between(git, common, head)
        ],
    }


@routes.add("GET", _REPO + "/readme")
def readme(call: Call) -> Reply:
    """The README of the default branch's root."""
    repo = call.repo()
    tip = commit_of(call, repo, call.query.get("ref") or repo.default_branch)
    for entry in _entries(call, repo, repo.default_branch, tip, ""):
        if entry["type"] == "file" and entry["name"].lower().startswith("readme"):
            return Reply(_file(call, repo, entry))
    raise not_found()


@routes.add("GET", _REPO + "/contents")
@routes.add("GET", _REPO + "/contents/{path:path}")
def contents(call: Call) -> Reply:
    """A file with its bytes, or the entries of a folder."""
    repo, path = call.repo(), call.params.get("path", "").strip("/")
    ref = call.query.get("ref") or repo.default_branch
    tip = call.forge.git(repo).resolve(ref)
    if tip is None:
        raise ApiFailure(404, f"No commit found for the ref {ref}")
    if not path:
        return Reply(_entries(call, repo, ref, tip, ""))
    found = _entries(call, repo, ref, tip, path)
    if not found:
        raise not_found()
    if found[0]["type"] == "dir":
        return Reply(_entries(call, repo, ref, tip, f"{path}/"))
    return Reply(_file(call, repo, found[0]))


@routes.add("PUT", _REPO + "/contents/{path:path}")
def write_file(call: Call) -> Reply:
    """Put a file on a branch by one commit; 409 where it is not what the caller has seen."""
    repo, path = call.repo("write"), call.params["path"]
    try:
        data = base64.b64decode(call.text("content") or "", validate=False)
    except binascii.Error as error:
        raise ApiFailure(422, "content is not valid Base64") from error
    made, branch = _commit_file(call, repo, path, data)
    known = bool(call.text("sha"))
    entry = _entries(call, repo, branch, made, path)[0]
    shown = commit_bodies.commit(call.view, repo, call.forge.git(repo).commit(made))
    return Reply({"content": entry, "commit": _of_file(shown)}, 200 if known else 201)


@routes.add("DELETE", _REPO + "/contents/{path:path}")
def remove_file(call: Call) -> Reply:
    """Take a file from a branch by one commit."""
    repo = call.repo("write")
    made, _ = _commit_file(call, repo, call.params["path"], None)
    shown = commit_bodies.commit(call.view, repo, call.forge.git(repo).commit(made))
    return Reply({"content": None, "commit": _of_file(shown)})


def _of_file(shown: Json) -> Json:
    """A commit as `file-commit` has it."""
    top = {name: shown[name] for name in ("sha", "node_id", "url", "html_url", "parents")}
    kept = ("author", "committer", "message", "tree", "verification")
    return {**top, **{name: shown["commit"][name] for name in kept}}


def _commit_file(call: Call, repo: Repository, path: str, data: bytes | None) -> tuple[str, str]:
    me, branch = call.me(), call.text("branch") or repo.default_branch
    tip = repo.heads.get(branch)
    if tip is None:
        raise ApiFailure(404, f"Branch {branch} not found")
    found = _entries(call, repo, branch, tip, path)
    if found and call.text("sha") is None:
        raise ApiFailure(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
    if (found[0]["sha"] if found else None) != call.text("sha"):
        raise ApiFailure(409, f"{path} does not match {call.text('sha')}")
    message = call.needed("Commit", "message")
    made = writing.commit(call.forge.git(repo), tip, {path: data}, message, me)
    enforcing.check_push(call.forge, repo, me, branch, made)
    call.forge.git(repo).update(f"refs/heads/{branch}", made, tip)
    refs.take_in(call.forge, repo, me)
    return made, branch


def _entries(call: Call, repo: Repository, ref: str, tip: str, path: str) -> list[Json]:
    try:
        listed = call.forge.git(repo).run(
            "--literal-pathspecs", "ls-tree", "-z", "--long", "--full-tree", tip, *([path] if path else [])
        )
    except GitFailure as failure:
        raise not_found() from failure
    entries = []
    for line in filter(None, listed.split("\0")):
        facts, name = line.split("\t", 1)
        _, kind, sha, size = facts.split()
        entries.append(
            commit_bodies.content(
                call.view, repo, ref, name, kind=kind, sha=sha, size=0 if size == "-" else int(size)
            )
        )
    return entries


def _file(call: Call, repo: Repository, entry: Json) -> Json:
    return commit_bodies.content_file(entry, call.forge.git(repo).blob(entry["sha"]))
