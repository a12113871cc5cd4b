"""What issues hang on: dependencies, parts, types, milestones and locks."""

from hive.standins.github import relations
from hive.standins.github.failures import ApiFailure, invalid, not_found
from hive.standins.github.records import Issue, Repository
from hive.standins.github.records_issues import Milestone
from hive.standins.github.rest.bodies import issues as bodies
from hive.standins.github.rest.bodies import milestones as milestone_bodies
from hive.standins.github.rest.bodies import people
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes

_REPO = "/repos/{owner}/{repo}"
_ISSUE = _REPO + "/issues/{number}"
_BLOCKED = _ISSUE + "/dependencies/blocked_by"
_LOCKS = ("off-topic", "too heated", "resolved", "spam")


def _listed(call: Call, found: list[Issue]) -> Reply:
    return paged(found, lambda each: bodies.issue(call.view, call.forge.repo_of(each.repo), each))


def _other(call: Call, name: str) -> Issue:
    """The issue whose id (not number) the body or path gives."""
    given = str(call.params.get(name) or call.body.get(name))
    found = call.forge.store.issues.get(int(given)) if given.isascii() and given.isdigit() else None
    if found is None or found.is_pull:
        raise not_found()
    return found


@routes.add("GET", _BLOCKED)
def blocked_by(call: Call) -> Reply:
    """What has to be closed first."""
    return _listed(call, relations.blocked_by(call.forge, call.issue(call.repo())))


@routes.add("GET", _ISSUE + "/dependencies/blocking")
def blocking(call: Call) -> Reply:
    """What waits for it."""
    return _listed(call, relations.blocking(call.forge, call.issue(call.repo())))


@routes.add("POST", _BLOCKED)
def block(call: Call) -> Reply:
    """Let it wait for another one."""
    repo = call.repo("triage")
    issue = call.issue(repo)
    relations.block(call.forge, issue, _other(call, "issue_id"), call.me())
    return Reply(bodies.issue(call.view, repo, issue), 201)


@routes.add("DELETE", _BLOCKED + "/{issue_id}")
def unblock(call: Call) -> Reply:
    """Let it wait no longer."""
    repo = call.repo("triage")
    issue = call.issue(repo)
    relations.unblock(call.forge, issue, _other(call, "issue_id"), call.me())
    return Reply(bodies.issue(call.view, repo, issue))


@routes.add("GET", _ISSUE + "/sub_issues")
def parts(call: Call) -> Reply:
    """Its parts."""
    return _listed(call, relations.parts(call.forge, call.issue(call.repo())))


@routes.add("GET", _ISSUE + "/parent")
def parent(call: Call) -> Reply:
    """What it is a part of."""
    found = call.forge.store.issues.get(call.issue(call.repo()).parent)
    if found is None:
        raise not_found()
    return Reply(bodies.issue(call.view, call.forge.repo_of(found.repo), found))


@routes.add("POST", _ISSUE + "/sub_issues")
def add_part(call: Call) -> Reply:
    """Make another issue a part of it."""
    repo = call.repo("triage")
    issue = call.issue(repo)
    relations.set_parent(call.forge, _other(call, "sub_issue_id"), issue, call.me())
    return Reply(bodies.issue(call.view, repo, issue), 201)


@routes.add("DELETE", _ISSUE + "/sub_issue")
def remove_part(call: Call) -> Reply:
    """A part no longer."""
    repo = call.repo("triage")
    part = _other(call, "sub_issue_id")
    if part.parent != call.issue(repo).id:
        raise not_found()
    relations.set_parent(call.forge, part, None, call.me())
    return Reply(bodies.issue(call.view, repo, call.issue(repo)))


@routes.add("PUT", _ISSUE + "/lock")
def lock(call: Call) -> Reply:
    """Let only those who may write say something."""
    repo, reason = call.repo("triage"), call.text("lock_reason")
    if reason not in (None, *_LOCKS):
        raise ApiFailure(422, "Invalid request.\n\nInvalid lock_reason.")
    relations.set_lock(call.forge, repo, call.issue(repo), call.me(), True, reason)
    return Reply(status=204)


@routes.add("DELETE", _ISSUE + "/lock")
def unlock(call: Call) -> Reply:
    """Let everybody speak again."""
    repo = call.repo("triage")
    relations.set_lock(call.forge, repo, call.issue(repo), call.me(), False)
    return Reply(status=204)


@routes.add("GET", "/orgs/{login}/issue-types")
def issue_types(call: Call) -> Reply:
    """The types that an organization's issues may have."""
    owner = call.forge.account(call.params["login"])
    if owner is None or owner.kind != "organization":
        raise not_found()
    return Reply([bodies.issue_type(name) for name in relations.TYPES])


@routes.add("GET", _REPO + "/assignees")
def assignees(call: Call) -> Reply:
    """Who may be assigned."""
    repo = call.repo()
    return paged(relations.assignable(call.forge, repo), lambda who: people.account(call.view, who))


def _milestone(call: Call, repo: Repository) -> Milestone:
    found = next((m for m in call.forge.store.milestones.of(repo.id) if m.number == call.number()), None)
    if found is None:
        raise not_found()
    return found


@routes.add("GET", _REPO + "/milestones")
def milestones(call: Call) -> Reply:
    """The open milestones, or those of the state asked for."""
    repo, state = call.repo(), call.query.get("state", "open")
    found = [m for m in call.forge.store.milestones.of(repo.id) if state in ("all", m.state)]
    return paged(found, lambda each: milestone_bodies.milestone(call.view, repo, each))


@routes.add("POST", _REPO + "/milestones")
def create_milestone(call: Call) -> Reply:
    """A new milestone."""
    repo, title = call.repo("triage"), call.needed("Milestone", "title")
    made = relations.create_milestone(
        call.forge, repo, call.me(), title, description=call.text("description"), due_on=call.text("due_on")
    )
    return Reply(milestone_bodies.milestone(call.view, repo, made), 201)


@routes.add("GET", _REPO + "/milestones/{number}")
def get_milestone(call: Call) -> Reply:
    """One milestone."""
    repo = call.repo()
    return Reply(milestone_bodies.milestone(call.view, repo, _milestone(call, repo)))


@routes.add("PATCH", _REPO + "/milestones/{number}")
def edit_milestone(call: Call) -> Reply:
    """Change a milestone."""
    repo = call.repo("triage")
    found = _milestone(call, repo)
    found.title, found.state = call.text("title") or found.title, call.text("state") or found.state
    found.updated_at = call.forge.clock.now()
    call.forge.store.milestones.put(found)
    return Reply(milestone_bodies.milestone(call.view, repo, found))


def take(call: Call, repo: Repository, issue: Issue) -> None:
    """Milestone and type of an issue, where the body gives them."""
    if "milestone" in call.body:
        given = call.body["milestone"]
        wanted = next((m for m in call.forge.store.milestones.of(repo.id) if m.number == given), None)
        if given is not None and wanted is None:
            raise invalid("Issue", "milestone")
        relations.set_milestone(call.forge, issue, wanted, call.me())
    if "type" in call.body:
        kind = call.text("type")
        if kind is not None and kind not in relations.TYPES:
            raise invalid("Issue", "type")
        issue.kind = kind
        call.forge.store.issues.put(issue)
