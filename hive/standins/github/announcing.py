"""The webhook events of what is written to the audit, with GitHub's bodies."""

from hive.standins.github import hooks
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Event, Issue, Pull, Repository
from hive.standins.github.rest.bodies import checks as check_bodies
from hive.standins.github.rest.bodies import issues as issue_bodies
from hive.standins.github.rest.bodies import people, repositories
from hive.standins.github.rest.bodies import pulls as pull_bodies
from hive.standins.github.rest.call import Json, View
from hive.standins.github.urls import Urls

_ACTIONS = {
    "issue.create": "opened",
    "issue.close": "closed",
    "issue.reopen": "reopened",
    "issue.edit": "edited",
    "issue.rename": "edited",
    "pr.create": "opened",
    "pr.close": "closed",
    "pr.merge": "closed",
    "pr.reopen": "reopened",
    "pr.draft": "converted_to_draft",
    "pr.ready": "ready_for_review",
    "pr.retarget": "edited",
    "pr.head": "synchronize",
    "pr.auto-merge": "auto_merge_enabled",
    "pr.auto-merge-off": "auto_merge_disabled",
    "pr.enqueue": "enqueued",
    "pr.dequeue": "dequeued",
}
_OF_EVENTS = {
    "labeled": "labeled",
    "unlabeled": "unlabeled",
    "assigned": "assigned",
    "unassigned": "unassigned",
    "review_requested": "review_requested",
    "review_request_removed": "review_request_removed",
    "locked": "locked",
    "unlocked": "unlocked",
    "milestoned": "milestoned",
    "demilestoned": "demilestoned",
}
_OF_REVIEWS = {"review.submit": "submitted", "review.dismiss": "dismissed"}
_OF_COMMENTS = {"comment.create": "created", "comment.edit": "edited", "comment.delete": "deleted"}


class Announcer:
    """Listens to the forge, and puts a delivery in the way for every hook that wants to know."""

    def __init__(self, forge: Forge, urls: Urls) -> None:
        self.forge = forge
        self.urls = urls

    def wrote(self, actor: Account | None, what: str, subject: str, detail: str) -> None:
        """One line of the audit."""
        if len(self.forge.store.hooks) == 0:
            return
        name, at, branch = subject.partition("@")
        full_name, _, number = name.partition("#")
        repo = self.forge.repository(full_name)
        if repo is None:
            return
        if at:
            self._of_commit(repo, actor, what, branch, detail)
        elif number.isdigit():
            self._of_issue(repo, actor, what, int(number))

    def happened(self, issue: Issue, event: Event) -> None:
        """One event in the history of an issue or pull request."""
        action = _OF_EVENTS.get(event.kind)
        if action is None or len(self.forge.store.hooks) == 0:
            return
        repo, actor = self.forge.repo_of(issue.repo), self.forge.store.accounts.get(event.actor)
        shown = issue_bodies.event(self._view(), repo, event)
        extra = {name: shown[name] for name in ("label", "assignee", "requested_reviewer") if name in shown}
        pull = self.forge.pull(repo, issue.number) if issue.is_pull else None
        if pull is not None:
            self._pull(repo, actor, action, pull, **extra)
        else:
            body = issue_bodies.issue(self._view(), repo, issue)
            self._send(repo, actor, "issues", action, issue=body, **extra)

    def _of_issue(self, repo: Repository, actor: Account | None, what: str, number: int) -> None:
        issue, pull = self.forge.issue(repo, number), self.forge.pull(repo, number)
        if issue is None:
            return
        shown = issue_bodies.issue(self._view(), repo, issue) if pull is None or "comment" in what else {}
        if what in _OF_COMMENTS:
            comments = self.forge.store.comments.of(repo.id, number)
            if comments:
                newest = max(comments, key=lambda each: (each.updated_at, each.id))
                body = issue_bodies.comment(self._view(), repo, newest)
                self._send(repo, actor, "issue_comment", _OF_COMMENTS[what], issue=shown, comment=body)
        elif what in _OF_REVIEWS and pull is not None:
            reviews = self.forge.store.reviews.of(repo.id, number)
            newest_review = max(reviews, key=lambda each: (each.submitted_at, each.id))
            review = pull_bodies.review(self._view(), repo, newest_review)
            review["state"] = review["state"].lower()
            body = pull_bodies.pull(self._view(), repo, pull)
            self._send(
                repo, actor, "pull_request_review", _OF_REVIEWS[what], review=review, pull_request=body
            )
        elif what in ("thread.resolve", "thread.unresolve") and pull is not None:
            body = pull_bodies.pull(self._view(), repo, pull)
            action = what.removeprefix("thread.") + "d"
            self._send(repo, actor, "pull_request_review_thread", action, pull_request=body)
        elif what in _ACTIONS and pull is not None:
            self._pull(repo, actor, _ACTIONS[what], pull)
        elif what in _ACTIONS:
            self._send(repo, actor, "issues", _ACTIONS[what], issue=shown)

    def _pull(
        self, repo: Repository, actor: Account | None, action: str, pull: Pull, **extra: object
    ) -> None:
        body = pull_bodies.full_pull(self._view(), repo, pull)
        self._send(repo, actor, "pull_request", action, number=pull.number, pull_request=body, **extra)

    def _of_commit(self, repo: Repository, actor: Account | None, what: str, name: str, detail: str) -> None:
        store, view = self.forge.store, self._view()
        if what.startswith("ref."):
            self._push(repo, actor, what, name, detail)
        elif what == "status.create":
            status = store.statuses.of(repo.id, name)[-1]
            shown = check_bodies.status(view, repo, status)
            known = ("id", "context", "state", "description", "target_url", "created_at", "updated_at")
            kept = {key: shown[key] for key in known}
            self._send(repo, actor, "status", None, sha=name, name=repo.full_name, branches=[], **kept)
        elif what == "check.report":
            context = detail.rsplit(": ", 1)[0]
            run = [each for each in store.checks.of(repo.id, name) if each.name == context][-1]
            action = "completed" if run.status == "completed" else "created"
            self._send(repo, actor, "check_run", action, check_run=check_bodies.run(view, repo, run))

    def _push(self, repo: Repository, actor: Account | None, what: str, name: str, new: str) -> None:
        who = actor.login if actor else "ghost"
        gone = what == "ref.delete"
        payload: Json = {
            "ref": f"refs/heads/{name}",
            "after": "0" * 40 if gone else new,
            "created": what == "ref.create",
            "deleted": gone,
            "forced": False,
            "pusher": {"name": who, "email": None},
            "commits": [],
            "head_commit": None,
            "base_ref": None,
        }
        self._send(repo, actor, "push", None, **payload)

    def _view(self) -> View:
        return View(self.forge, self.urls, None)

    def _send(
        self, repo: Repository, actor: Account | None, event: str, action: str | None, **payload: object
    ) -> None:
        for hook in hooks.wanted(self.forge, repo, event):
            view = self._view()
            body: dict[str, object] = {
                **payload,
                "repository": repositories.repository(view, repo),
                "sender": people.account(view, actor) if actor else None,
            }
            if hook.app:
                found = self.forge.store.installations.of(hook.app)
                body["installation"] = {"id": next(i.id for i in found if i.account == repo.owner)}
            hooks.queue_delivery(self.forge, hook, event, action, body, repo.id)
