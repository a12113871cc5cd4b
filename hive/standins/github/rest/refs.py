"""git refs, read and written through REST."""

import re

from hive.standins.github import enforcing, refs
from hive.standins.github.failures import ApiFailure
from hive.standins.github.records import Repository
from hive.standins.github.rest.bodies import repositories as bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes

_GIT = "/repos/{owner}/{repo}/git"
_ABSENT = "0" * 40


def _shown(call: Call, repo: Repository, name: str, status: int = 200) -> Reply:
    found = call.forge.git(repo).refs(name).get(name)
    if found is None:
        raise ApiFailure(404, "Not Found")
    return Reply(bodies.ref(call.view, repo, name, found[0], found[1]), status)


@routes.add("GET", _GIT + "/ref/{ref:path}")
def get(call: Call) -> Reply:
    """One ref, by its name without `refs/`."""
    return _shown(call, call.repo(), f"refs/{call.params['ref']}")


@routes.add("GET", _GIT + "/matching-refs/{ref:path}")
def matching(call: Call) -> Reply:
    """The refs whose names begin so."""
    repo = call.repo()
    found = call.forge.git(repo).refs(f"refs/{call.params['ref']}")
    return paged(list(found.items()), lambda pair: bodies.ref(call.view, repo, pair[0], *pair[1]))


def _writable(name: str) -> str:
    if not name.startswith(("refs/heads/", "refs/tags/")):
        raise ApiFailure(422, "Reference name must start with 'refs/heads/' or 'refs/tags/'.")
    return name


def _commit(call: Call, repo: Repository) -> str:
    sha = call.needed("Reference", "sha")
    is_sha = re.fullmatch(r"[0-9a-f]{40}", sha) is not None
    if not is_sha or call.forge.git(repo).run("cat-file", "-t", sha, ok=(0, 128)).strip() not in (
        "commit",
        "tag",
    ):
        raise ApiFailure(422, "Object does not exist")
    return sha


def _check(call: Call, repo: Repository, name: str, sha: str | None) -> None:
    """Refuse what the rules on a branch do not let in."""
    if name.startswith("refs/heads/"):
        enforcing.check_push(call.forge, repo, call.me(), name.removeprefix("refs/heads/"), sha)


@routes.add("POST", _GIT + "/refs")
def create(call: Call) -> Reply:
    """A new branch or tag."""
    me, repo = call.me(), call.repo("write")
    name = _writable(call.needed("Reference", "ref"))
    git, sha = call.forge.git(repo), _commit(call, repo)
    _check(call, repo, name, sha)
    if name in git.refs(name):
        raise ApiFailure(422, "Reference already exists")
    if git.run("check-ref-format", name, ok=(0, 1)) or not git.update(name, sha, _ABSENT):
        raise ApiFailure(422, "Reference could not be created")
    refs.take_in(call.forge, repo, me)
    return _shown(call, repo, name, 201)


@routes.add("PATCH", _GIT + "/refs/{ref:path}")
def update(call: Call) -> Reply:
    """Move a branch or tag; forward only, unless forced."""
    me, repo = call.me(), call.repo("write")
    name = _writable(f"refs/{call.params['ref']}")
    git, sha = call.forge.git(repo), _commit(call, repo)
    old = git.refs(name).get(name)
    if old is None:
        raise ApiFailure(422, "Reference does not exist")
    _check(call, repo, name, sha)
    if call.body.get("force") is not True and not git.is_ancestor(old[0], sha):
        raise ApiFailure(422, "Update is not a fast forward")
    if not git.update(name, sha, old[0]):
        raise ApiFailure(409, "Reference cannot be updated")
    refs.take_in(call.forge, repo, me)
    return _shown(call, repo, name)


@routes.add("DELETE", _GIT + "/refs/{ref:path}")
def delete(call: Call) -> Reply:
    """Remove a branch or tag; the default branch stays."""
    me, repo = call.me(), call.repo("write")
    name = _writable(f"refs/{call.params['ref']}")
    if name not in call.forge.git(repo).refs(name):
        raise ApiFailure(422, "Reference does not exist")
    if name == f"refs/heads/{repo.default_branch}":
        raise ApiFailure(422, "Cannot delete the default branch")
    _check(call, repo, name, None)
    call.forge.git(repo).delete(name)
    refs.take_in(call.forge, repo, me)
    return Reply(status=204)
