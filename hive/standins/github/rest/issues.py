"""Issues, their comments, assignees and history."""

from hive.standins.github import access, issues, labels
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records import Comment, Event, Issue, Repository, Review
from hive.standins.github.rest import dependencies
from hive.standins.github.rest.bodies import issues as bodies
from hive.standins.github.rest.bodies import pulls as pull_bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes

_ISSUES = "/repos/{owner}/{repo}/issues"
_ISSUE = _ISSUES + "/{number}"


def wanted_state(query: dict[str, str], state: str) -> bool:
    """Whether `state` is asked for; `open` where nothing was said."""
    return query.get("state", "open") in ("all", state)


def in_order(call: Call, found: list[Issue]) -> list[Issue]:
    """Issues sorted as the query asks: by creation, newest first, where it does not."""
    keys = {"updated": "updated_at", "comments": "number"}
    attribute = keys.get(call.query.get("sort", "created"), "created_at")
    descending = call.query.get("direction", "desc") == "desc"
    return sorted(found, key=lambda issue: (getattr(issue, attribute), issue.number), reverse=descending)


def _matches(call: Call, repo: Repository, issue: Issue) -> bool:
    query, forge = call.query, call.forge
    names = {label.name.lower() for label in labels.on(forge, issue)}
    if not {name.strip().lower() for name in query.get("labels", "").split(",") if name.strip()} <= names:
        return False
    if query.get("creator", "").lower() not in ("", forge.login(issue.author).lower()):
        return False
    if query.get("since", "") > issue.updated_at:
        return False
    assignee = query.get("assignee")
    if assignee in (None, "*", "none"):
        return assignee is None or bool(issue.assignees) == (assignee == "*")
    return assignee.lower() in {forge.login(number).lower() for number in issue.assignees}


@routes.add("GET", _ISSUES)
def list_issues(call: Call) -> Reply:
    """Issues and pull requests."""
    repo = call.repo()
    found = [
        issue
        for issue in call.forge.issues_of(repo)
        if wanted_state(call.query, issue.state) and _matches(call, repo, issue)
    ]
    return paged(in_order(call, found), lambda issue: bodies.issue(call.view, repo, issue))


@routes.add("POST", _ISSUES)
def create(call: Call) -> Reply:
    """Open an issue; labels and assignees of those who may not set them are dropped, as GitHub does."""
    me, repo = call.me(), call.repo()
    trusted = access.may(call.forge, me, repo, "triage")
    assignees = call.texts("assignees") + call.texts("assignee")
    issue = issues.create(
        call.forge,
        repo,
        me,
        call.needed("Issue", "title"),
        call.text("body"),
        label_names=call.texts("labels") if trusted else [],
        assignees=assignees if trusted else [],
    )
    if trusted:
        dependencies.take(call, repo, issue)
    return Reply(bodies.single_issue(call.view, repo, issue), 201)


@routes.add("GET", _ISSUES + "/comments/{comment}")
def get_comment(call: Call) -> Reply:
    """One comment."""
    repo = call.repo()
    return Reply(bodies.comment(call.view, repo, _comment(call, repo)))


@routes.add("PATCH", _ISSUES + "/comments/{comment}")
def edit_comment(call: Call) -> Reply:
    """Change a comment: its author, or who may write."""
    repo = call.repo()
    comment = _comment(call, repo)
    me = call.own(repo, comment.author)
    issues.edit_comment(call.forge, repo, comment, me, call.needed("IssueComment", "body"))
    return Reply(bodies.comment(call.view, repo, comment))


@routes.add("DELETE", _ISSUES + "/comments/{comment}")
def delete_comment(call: Call) -> Reply:
    """Remove a comment."""
    repo = call.repo()
    comment = _comment(call, repo)
    me = call.own(repo, comment.author)
    call.forge.store.comments.remove(comment)
    call.forge.record(me, "comment.delete", f"{repo.full_name}#{comment.number}")
    return Reply(status=204)


def _comment(call: Call, repo: Repository) -> Comment:
    text = call.params["comment"]
    comment = call.forge.store.comments.get(int(text)) if text.isascii() and text.isdigit() else None
    if comment is None or comment.repo != repo.id:
        raise not_found()
    return comment


@routes.add("GET", _ISSUES + "/events")
def all_events(call: Call) -> Reply:
    """What happened to any issue or pull request, newest first."""
    repo = call.repo()
    found = sorted(
        (
            event
            for issue in call.forge.issues_of(repo)
            for event in call.forge.store.events.of(repo.id, issue.number)
        ),
        key=lambda event: -event.id,
    )
    return paged(found, lambda event: bodies.event_with_issue(call.view, repo, event))


@routes.add("GET", _ISSUES + "/events/{event}")
def one_event(call: Call) -> Reply:
    """One event."""
    repo, text = call.repo(), call.params["event"]
    found = call.forge.store.events.get(int(text)) if text.isascii() and text.isdigit() else None
    if found is None or found.repo != repo.id:
        raise not_found()
    return Reply(bodies.event_with_issue(call.view, repo, found))


@routes.add("GET", _ISSUES + "/comments")
def all_comments(call: Call) -> Reply:
    """Every comment of a repository's conversations, oldest first."""
    repo, since = call.repo(), call.query.get("since", "")
    found = [c for c in call.forge.store.comments if c.repo == repo.id and c.updated_at >= since]
    key = "updated_at" if call.query.get("sort") == "updated" else "created_at"
    found.sort(key=lambda c: (getattr(c, key), c.id), reverse=call.query.get("direction") == "desc")
    return paged(found, lambda comment: bodies.comment(call.view, repo, comment))


@routes.add("GET", _ISSUE)
def get(call: Call) -> Reply:
    """One issue, or a pull request's issue part."""
    repo = call.repo()
    return Reply(bodies.single_issue(call.view, repo, call.issue(repo)))


@routes.add("PATCH", _ISSUE)
def edit(call: Call) -> Reply:
    """Change title, body, state, labels or assignees."""
    repo = call.repo()
    issue = call.issue(repo)
    me = call.own(repo, issue.author)
    issues.edit(call.forge, repo, issue, me, title=call.text("title"), body=call.text("body"))
    state = call.text("state")
    if state == "closed":
        issues.close(call.forge, repo, issue, me, call.text("state_reason"))
    elif state == "open":
        issues.reopen(call.forge, repo, issue, me)
    elif state is not None:
        raise ApiFailure(422, "Validation Failed", {"resource": "Issue", "field": "state", "code": "invalid"})
    if "labels" in call.body:
        labels.replace(call.forge, repo, issue, call.texts("labels"), me)
    dependencies.take(call, repo, issue)
    if "assignees" in call.body:
        issues.unassign(call.forge, issue, [call.forge.login(number) for number in issue.assignees], me)
        issues.assign(call.forge, issue, call.texts("assignees"), me)
    return Reply(bodies.single_issue(call.view, repo, issue))


@routes.add("GET", _ISSUE + "/comments")
def list_comments(call: Call) -> Reply:
    """The conversation, oldest first."""
    repo = call.repo()
    issue, since = call.issue(repo), call.query.get("since", "")
    found = [c for c in call.forge.store.comments.of(repo.id, issue.number) if c.updated_at >= since]
    return paged(found, lambda comment: bodies.comment(call.view, repo, comment))


@routes.add("POST", _ISSUE + "/comments")
def add_comment(call: Call) -> Reply:
    """Say something."""
    me, repo = call.me(), call.repo()
    comment = issues.comment(call.forge, repo, call.issue(repo), me, call.text("body") or "")
    return Reply(bodies.comment(call.view, repo, comment), 201)


@routes.add("POST", _ISSUE + "/assignees")
def assign(call: Call) -> Reply:
    """Add assignees."""
    repo = call.repo("triage")
    issue = call.issue(repo)
    issues.assign(call.forge, issue, call.texts("assignees"), call.me())
    return Reply(bodies.single_issue(call.view, repo, issue), 201)


@routes.add("DELETE", _ISSUE + "/assignees")
def unassign(call: Call) -> Reply:
    """Remove assignees."""
    repo = call.repo("triage")
    issue = call.issue(repo)
    issues.unassign(call.forge, issue, call.texts("assignees"), call.me())
    return Reply(bodies.single_issue(call.view, repo, issue))


@routes.add("GET", _ISSUE + "/events")
def events(call: Call) -> Reply:
    """What happened, oldest first."""
    repo = call.repo()
    issue = call.issue(repo)
    found = call.forge.store.events.of(repo.id, issue.number)
    return paged(found, lambda event: bodies.event(call.view, repo, event))


@routes.add("GET", _ISSUE + "/timeline")
def timeline(call: Call) -> Reply:
    """Events and comments together, oldest first."""
    repo = call.repo()
    issue, store = call.issue(repo), call.forge.store
    found: list[tuple[str, Event | Comment | Review]] = []
    found += [(event.at, event) for event in store.events.of(repo.id, issue.number)]
    reviews = store.reviews.of(repo.id, issue.number)
    found += [(review.submitted_at, review) for review in reviews if review.state != "PENDING"]
    found += [(comment.created_at, comment) for comment in store.comments.of(repo.id, issue.number)]

    def show(entry: Event | Comment | Review) -> object:
        if isinstance(entry, Review):
            return pull_bodies.reviewed(call.view, repo, entry)
        if isinstance(entry, Comment):
            return bodies.commented(call.view, repo, entry)
        return bodies.event(call.view, repo, entry)

    return paged([entry for _, entry in sorted(found, key=lambda pair: pair[0])], show)
