"""Pull requests: opening, editing, merging, files, commits and reviewers."""

from hive.standins.github import access, auto_merge, diffs, issues, merging, pulls
from hive.standins.github.failures import ApiFailure
from hive.standins.github.records import Pull, Repository
from hive.standins.github.rest.bodies import commits as commit_bodies
from hive.standins.github.rest.bodies import people
from hive.standins.github.rest.bodies import pulls as bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.issues import in_order, wanted_state
from hive.standins.github.rest.routing import routes

_PULLS = "/repos/{owner}/{repo}/pulls"
_PULL = _PULLS + "/{number}"


def _matches(call: Call, pull: Pull) -> bool:
    head = call.query.get("head", "").split(":", 1)[-1]
    issue = call.forge.issue_of(pull)
    return (
        wanted_state(call.query, issue.state)
        and head in ("", pull.head)
        and call.query.get("base", "") in ("", pull.base)
    )


@routes.add("GET", _PULLS)
def list_pulls(call: Call) -> Reply:
    """Pull requests, newest first."""
    repo = call.repo()
    found = {pull.number: pull for pull in call.forge.pulls_of(repo) if _matches(call, pull)}
    ordered = in_order(call, [call.forge.issue_of(pull) for pull in found.values()])
    return paged([found[issue.number] for issue in ordered], lambda pull: bodies.pull(call.view, repo, pull))


@routes.add("POST", _PULLS)
def create(call: Call) -> Reply:
    """Open a pull request."""
    me, repo = call.me(), call.repo("write")
    wanted = pulls.Proposal(
        title=call.needed("PullRequest", "title"),
        body=call.text("body"),
        head=call.needed("PullRequest", "head"),
        base=call.needed("PullRequest", "base"),
        draft=call.body.get("draft") is True,
        maintainer_can_modify=call.body.get("maintainer_can_modify") is True,
    )
    pull = pulls.create(call.forge, repo, me, wanted)
    return Reply(bodies.full_pull(call.view, repo, pull), 201)


@routes.add("GET", _PULL)
def get(call: Call) -> Reply:
    """One pull request, or its diff where that is what the caller accepts."""
    repo = call.repo()
    pull = call.pull(repo)
    kind = "diff" if ".diff" in call.accept else "patch" if ".patch" in call.accept else None
    if kind is None:
        return Reply(bodies.full_pull(call.view, repo, pull))
    return Reply(_text(call, repo, pull, kind), headers={"Content-Type": f"application/vnd.github.v3.{kind}"})


def _text(call: Call, repo: Repository, pull: Pull, kind: str) -> str:
    git, start = call.forge.git(repo), pulls.compared_with(call.forge, repo, pull)
    if kind == "diff":
        return git.run("diff", "--find-renames", start, pull.head_sha)
    return git.run("format-patch", "--stdout", f"{start}..{pull.head_sha}")


@routes.add("PATCH", _PULL)
def edit(call: Call) -> Reply:
    """Change title, body, base or state."""
    repo = call.repo()
    pull = call.pull(repo)
    issue = call.forge.issue_of(pull)
    me = call.own(repo, issue.author)
    issues.edit(call.forge, repo, issue, me, title=call.text("title"), body=call.text("body"))
    pulls.edit(call.forge, repo, pull, me, base=call.text("base"), state=call.text("state"))
    return Reply(bodies.full_pull(call.view, repo, pull))


@routes.add("GET", _PULL + "/files")
def files(call: Call) -> Reply:
    """What it changes."""
    repo = call.repo()
    pull = call.pull(repo)
    found = diffs.between(call.forge.git(repo), pulls.compared_with(call.forge, repo, pull), pull.head_sha)
    return paged(found, lambda file: commit_bodies.file(call.view, repo, pull.head_sha, file))


@routes.add("GET", _PULL + "/commits")
def commits(call: Call) -> Reply:
    """Its commits, oldest first."""
    repo = call.repo()
    found = pulls.commits(call.forge, repo, call.pull(repo))
    return paged(found, lambda commit: commit_bodies.commit(call.view, repo, commit))


@routes.add("GET", _PULL + "/merge")
def is_merged(call: Call) -> Reply:
    """204 where it was merged, else a 404."""
    repo = call.repo()
    if call.pull(repo).merged_at is None:
        raise ApiFailure(404, "Not Found")
    return Reply(status=204)


@routes.add("PUT", _PULL + "/merge")
def merge(call: Call) -> Reply:
    """Merge it, on the head that the caller judged."""
    repo = call.repo("write")
    method = call.text("merge_method") or "merge"
    if method not in merging.METHODS:
        raise ApiFailure(422, 'Invalid request.\n\nNo subschema in "merge_method" matched.')
    how = merging.Merge(method, call.text("commit_title"), call.text("commit_message"))
    commit = merging.merge(call.forge, repo, call.pull(repo), call.me(), how, sha=call.text("sha"))
    return Reply({"sha": commit, "merged": True, "message": "Pull Request successfully merged"})


@routes.add("PUT", _PULL + "/update-branch")
def update_branch(call: Call) -> Reply:
    """Merge the base into the head."""
    repo = call.repo()
    pull = call.pull(repo)
    me = call.own(repo, call.forge.issue_of(pull).author)
    auto_merge.update_branch(call.forge, repo, pull, me, sha=call.text("expected_head_sha"))
    url = call.view.urls.repo(repo.full_name, "pulls", pull.number)
    return Reply({"message": "Updating pull request branch.", "url": url}, 202)


@routes.add("GET", _PULL + "/requested_reviewers")
def reviewers(call: Call) -> Reply:
    """Who was asked for a review and has not given one."""
    repo = call.repo()
    pull = call.pull(repo)
    users, teams = people.listed(call.view, pull.reviewers), people.teams(call.view, pull.teams)
    return Reply({"users": users, "teams": teams})


@routes.add("POST", _PULL + "/requested_reviewers")
def request_reviewers(call: Call) -> Reply:
    """Ask for reviews."""
    repo = call.repo()
    pull = call.pull(repo)
    me = call.own(repo, call.forge.issue_of(pull).author)
    pulls.request_reviewers(call.forge, repo, pull, me, call.texts("reviewers"))
    pulls.request_teams(call.forge, repo, pull, me, call.texts("team_reviewers"))
    return Reply(bodies.pull(call.view, repo, pull), 201)


@routes.add("DELETE", _PULL + "/requested_reviewers")
def drop_reviewers(call: Call) -> Reply:
    """Ask no longer."""
    repo = call.repo()
    pull = call.pull(repo)
    me = call.own(repo, call.forge.issue_of(pull).author)
    access.signed_in(me)
    pulls.drop_reviewers(call.forge, pull, me, call.texts("reviewers"))
    pulls.drop_teams(call.forge, repo, pull, me, call.texts("team_reviewers"))
    return Reply(bodies.pull(call.view, repo, pull))
