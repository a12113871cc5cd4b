"""Labels of a repository and on its issues, with who put them there and when."""

from hive.standins.github.failures import invalid, not_found
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Applied, Issue, Label, Repository


def find(forge: Forge, repo: Repository, name: str) -> Label | None:
    """A repository's label by name, in any case."""
    return next(
        (label for label in forge.store.labels.of(repo.id) if label.name.lower() == name.lower()), None
    )


def get(forge: Forge, repo: Repository, name: str) -> Label:
    """As `find`; a 404 where there is none."""
    label = find(forge, repo, name)
    if label is None:
        raise not_found()
    return label


def create(
    forge: Forge, repo: Repository, name: str, color: str = "ededed", description: str | None = None
) -> Label:
    """A new label; 422 `already_exists` for a name that is taken."""
    if not name.strip():
        raise invalid("Label", "name", "missing_field")
    if find(forge, repo, name):
        raise invalid("Label", "name", "already_exists")
    label = Label(forge.store.labels.next_id(), repo.id, name, color.lstrip("#") or "ededed", description)
    return forge.store.labels.put(label)


def delete(forge: Forge, repo: Repository, name: str) -> None:
    """Remove a label from the repository and from every issue."""
    label = get(forge, repo, name)
    for issue in forge.issues_of(repo):
        if any(applied["label"] == label.id for applied in issue.labels):
            issue.labels = [applied for applied in issue.labels if applied["label"] != label.id]
            forge.store.issues.put(issue)
    forge.store.labels.remove(label)


def on(forge: Forge, issue: Issue) -> list[Label]:
    """The labels on an issue, in the order in which they were put there."""
    found = (forge.store.labels.get(applied["label"]) for applied in issue.labels)
    return [label for label in found if label is not None]


def add(
    forge: Forge,
    repo: Repository,
    issue: Issue,
    names: list[str],
    actor: Account | None,
    *,
    at: str | None = None,
) -> None:
    """Put labels on an issue, making what the repository lacks; what is there already stays as it is."""
    for name in names:
        label = find(forge, repo, name) or create(forge, repo, name)
        if any(applied["label"] == label.id for applied in issue.labels):
            continue
        when = at or forge.clock.now()
        issue.labels.append(Applied(label=label.id, by=actor.id if actor else None, at=when))
        forge.event(
            issue, "labeled", actor.id if actor else None, at=when, label=label.name, color=label.color
        )


def take_off(forge: Forge, repo: Repository, issue: Issue, name: str, actor: Account | None) -> None:
    """Remove a label from an issue; 404 `Label does not exist` where it is not on it."""
    label = find(forge, repo, name)
    kept = [applied for applied in issue.labels if label is None or applied["label"] != label.id]
    if label is None or len(kept) == len(issue.labels):
        failure = not_found()
        failure.message = "Label does not exist"
        raise failure
    issue.labels = kept
    forge.event(issue, "unlabeled", actor.id if actor else None, label=label.name, color=label.color)


def replace(forge: Forge, repo: Repository, issue: Issue, names: list[str], actor: Account | None) -> None:
    """Make `names` the labels of an issue; what stays keeps who put it there."""
    wanted = {name.lower() for name in names}
    for label in on(forge, issue):
        if label.name.lower() not in wanted:
            take_off(forge, repo, issue, label.name, actor)
    add(forge, repo, issue, names, actor)
