"""Labels of repositories and issues."""

from hive.standins.github import labels
from hive.standins.github.failures import invalid
from hive.standins.github.records import Issue, Repository
from hive.standins.github.rest.bodies import repositories as bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes

_LABELS = "/repos/{owner}/{repo}/labels"
_ON_ISSUE = "/repos/{owner}/{repo}/issues/{number}/labels"


@routes.add("GET", _LABELS)
def list_labels(call: Call) -> Reply:
    """A repository's labels."""
    repo = call.repo()
    return paged(call.forge.store.labels.of(repo.id), lambda label: bodies.label(call.view, repo, label))


@routes.add("POST", _LABELS)
def create(call: Call) -> Reply:
    """A new label."""
    repo = call.repo("write")
    name = call.needed("Label", "name")
    label = labels.create(call.forge, repo, name, call.text("color") or "ededed", call.text("description"))
    call.forge.record(call.me(), "label.create", f"{repo.full_name}:{name}")
    return Reply(bodies.label(call.view, repo, label), 201)


@routes.add("GET", _LABELS + "/{name}")
def get(call: Call) -> Reply:
    """One label."""
    repo = call.repo()
    return Reply(bodies.label(call.view, repo, labels.get(call.forge, repo, call.params["name"])))


@routes.add("PATCH", _LABELS + "/{name}")
def edit(call: Call) -> Reply:
    """Rename, recolour or describe a label."""
    repo = call.repo("write")
    label = labels.get(call.forge, repo, call.params["name"])
    new = call.text("new_name") or call.text("name")
    if new and new.lower() != label.name.lower() and labels.find(call.forge, repo, new):
        raise invalid("Label", "name", "already_exists")
    label.name = new or label.name
    label.color = (call.text("color") or label.color).lstrip("#")
    label.description = call.text("description") if "description" in call.body else label.description
    call.forge.store.labels.put(label)
    call.forge.record(call.me(), "label.edit", f"{repo.full_name}:{label.name}")
    return Reply(bodies.label(call.view, repo, label))


@routes.add("DELETE", _LABELS + "/{name}")
def delete(call: Call) -> Reply:
    """Remove a label everywhere."""
    repo = call.repo("write")
    labels.delete(call.forge, repo, call.params["name"])
    call.forge.record(call.me(), "label.delete", f"{repo.full_name}:{call.params['name']}")
    return Reply(status=204)


def _shown(call: Call, repo: Repository, issue: Issue) -> Reply:
    return paged(labels.on(call.forge, issue), lambda label: bodies.label(call.view, repo, label))


def _changed(call: Call, repo: Repository, issue: Issue, what: str, names: list[str]) -> Reply:
    call.forge.record(call.me(), f"issue.{what}", f"{repo.full_name}#{issue.number}", ", ".join(names))
    return _shown(call, repo, issue)


@routes.add("GET", _ON_ISSUE)
def on_issue(call: Call) -> Reply:
    """The labels on an issue."""
    repo = call.repo()
    return _shown(call, repo, call.issue(repo))


def _names(call: Call) -> list[str]:
    """The names of a body that is an object with `labels`, or itself a list (kept under an empty key)."""
    return call.texts("labels") or call.texts("")


@routes.add("POST", _ON_ISSUE)
def add(call: Call) -> Reply:
    """Put labels on an issue."""
    repo = call.repo("triage")
    issue, names = call.issue(repo), _names(call)
    labels.add(call.forge, repo, issue, names, call.me())
    return _changed(call, repo, issue, "label", names)


@routes.add("PUT", _ON_ISSUE)
def replace(call: Call) -> Reply:
    """Make these the labels of an issue."""
    repo = call.repo("triage")
    issue, names = call.issue(repo), _names(call)
    labels.replace(call.forge, repo, issue, names, call.me())
    return _changed(call, repo, issue, "set-labels", names)


@routes.add("DELETE", _ON_ISSUE)
def clear(call: Call) -> Reply:
    """Take every label off an issue."""
    repo = call.repo("triage")
    issue = call.issue(repo)
    labels.replace(call.forge, repo, issue, [], call.me())
    _changed(call, repo, issue, "set-labels", [])
    return Reply(status=204)


@routes.add("DELETE", _ON_ISSUE + "/{name}")
def take_off(call: Call) -> Reply:
    """Take one label off an issue."""
    repo = call.repo("triage")
    issue = call.issue(repo)
    labels.take_off(call.forge, repo, issue, call.params["name"], call.me())
    return _changed(call, repo, issue, "unlabel", [call.params["name"]])
