"""The forge port on GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from hive.decisions.merge_message import merge_title
from hive.errors import Missing, Moved, Refused
from hive.facts.activity import Activity
from hive.facts.actors import Actor, ActorKind, same_login
from hive.facts.forge import Comment, CommitSighting, Issue, Label, PullRequest, RepositorySnapshot
from hive.facts.pull_details import DetailsWanted, PullDetails
from hive.shells.github import nouns
from hive.shells.github.activity import activity_of
from hive.shells.github.answers import PORT
from hive.shells.github.calls import Calls
from hive.shells.github.details import Details
from hive.shells.github.filed import marked_issue
from hive.shells.github.histories import Histories, History
from hive.shells.github.pulls import Pulls, outline, said
from hive.shells.github.queries import DEQUEUE, ENQUEUE, PULL_REQUEST_ID, REVERT
from hive.shells.github.standing import Standings

_RECENT = "30"
"""Ended pull requests that a look still sees, newest first."""


class GitHubForge:
    """Implements `ports.forge.Forge`. One thread at a time.

    `now` is for how long an answer is believed, and for when a head was first seen: GitHub tells of no
    time of a push. `timeout` is seconds that a connection or a part of an answer may take. `up_to_date`:
    whether heads have to contain their base's tip in a repository.
    """

    def __init__(
        self,
        api_url: str,
        credential: Callable[[], str],
        *,
        now: Callable[[], datetime],
        timeout: int = 20,
        up_to_date: Callable[[str], bool] = lambda repo: False,
    ) -> None:
        self._calls = Calls(api_url, credential, timeout)
        self._histories = Histories(self._calls, now)
        self._standings = Standings(self._calls, now)
        self._pulls = Pulls(self._calls, self.account, now, up_to_date)
        self._details = Details(self._calls)
        self._login = ""

    def close(self) -> None:
        self._calls.close()

    def account(self) -> str:
        if not self._login:
            self._login = str(self._calls.get("/user")["login"])
        return self._login

    def look(self, repo: str) -> RepositorySnapshot:
        """Raises also `Refused` for a repository that has another name by now, is archived or disabled."""
        before = self._calls.requests
        base = f"/repos/{repo}"
        about = self._calls.get(base)
        _check_usable(repo, about)
        has_issues = about.get("has_issues") is not False
        listed = self._open(f"{base}/issues") if has_issues else []
        issues = [one for one in listed if "pull_request" not in one]
        pulls = self._open(f"{base}/pulls")
        ended = self._calls.get(
            f"{base}/pulls",
            {"state": "closed", "sort": "updated", "direction": "desc", "per_page": _RECENT},
        )
        return RepositorySnapshot(
            repo=repo,
            default_branch=str(about["default_branch"]),
            issues=self._issues(repo, issues, _claims(pulls, repo)),
            pull_requests=self._pulls.open(repo, pulls, (int(one["number"]) for one in issues)),
            recent=tuple(outline(repo, one) for one in ended),
            requests=self._calls.requests - before,
        )

    def _open(self, path: str) -> list[Mapping[str, Any]]:
        """The oldest first, so that a new one moves no other to the next page; each once."""
        found = self._calls.pages(path, {"state": "open", "sort": "created", "direction": "asc"})
        return list({int(one["number"]): one for one in found}.values())

    def activity(self, repo: str, approval_label: str = "") -> Activity:
        return activity_of(self._calls, self._standings, repo, self.account(), approval_label)

    def details(self, repo: str, wanted: Sequence[DetailsWanted]) -> Mapping[int, PullDetails]:
        return self._details.read(repo, wanted)

    def pull_request(self, repo: str, number: int) -> PullRequest:
        item = self._calls.get(f"/repos/{repo}/pulls/{number}")
        linked = nouns.closes(said(item), repo)
        return self._pulls.one(repo, item, [one for one in linked if self._is_open(repo, one)])

    def _is_open(self, repo: str, number: int) -> bool:
        try:
            return str(self._calls.get(f"/repos/{repo}/issues/{number}")["state"]) == "open"
        except Missing:
            return False

    def _issues(
        self,
        repo: str,
        items: Sequence[Mapping[str, Any]],
        claims: Mapping[int, Sequence[Mapping[str, Any]]],
    ) -> tuple[Issue, ...]:
        histories = self._histories.of(repo, items)
        return tuple(
            self._issue(repo, item, histories[int(item["number"])], claims.get(int(item["number"]), ()))
            for item in items
        )

    def _issue(
        self,
        repo: str,
        item: Mapping[str, Any],
        history: History,
        claims: Sequence[Mapping[str, Any]],
    ) -> Issue:
        labels = nouns.labels(item, history.labelings)
        return Issue(
            number=int(item["number"]),
            title=history.title,
            body=history.body,
            repo=repo,
            author=nouns.actor(item.get("user"), item.get("author_association")),
            created_at=nouns.moment(item.get("created_at")),
            title_edited_at=history.title_edited_at,
            edited_at=history.edited_at,
            title_edited_by=history.title_edited_by,
            edited_by=history.edited_by,
            labels=tuple(self._put_on(repo, label) for label in labels),
            comments=tuple(self._said(comment) for comment in history.comments),
            assignees=tuple(one for one in map(nouns.actor, item.get("assignees") or ()) if one is not None),
            pull_requests=tuple(nouns.claim(one) for one in claims),
        )

    def _put_on(self, repo: str, label: Label) -> Label:
        return replace(label, by=self._standings.with_standing(repo, self._own(label.by)))

    def _said(self, comment: Comment) -> Comment:
        return replace(comment, by=self._own(comment.by))

    def _own(self, actor: Actor | None) -> Actor | None:
        """Hive's own account speaks for its agents, whose labels and comments are no person's word."""
        if actor is not None and same_login(actor.login, self.account()):
            return replace(actor, kind=ActorKind.AGENT)
        return actor

    def merge(self, repo: str, number: int, *, head: str, method: str, marker: str) -> str:
        path = f"/repos/{repo}/pulls/{number}"
        body = {"sha": head, "merge_method": method}
        if method != "rebase":
            item = self._calls.get(path)
            body["commit_title"] = merge_title(str(item.get("title") or ""), number)
            body["commit_message"] = f"{marker}"
        try:
            answer = self._calls.write("PUT", f"{path}/merge", body)
        except Refused as error:
            if str(self._calls.get(path)["head"]["sha"]) != head:
                raise Moved(error.port, error.message) from error
            raise
        return str(answer["sha"])

    def commit(self, repo: str, ref: str) -> CommitSighting:
        sha = str(self._calls.get(f"/repos/{repo}/commits/{quote(ref, safe='')}")["sha"])
        return CommitSighting(sha, self._pulls.checks_of(repo, sha))

    def enqueue(self, repo: str, number: int, *, head: str) -> None:
        variables = {"id": self._node_id(repo, number), "head": head}
        try:
            self._calls.mutate(ENQUEUE, variables)
        except Refused as error:
            if str(self._calls.get(f"/repos/{repo}/pulls/{number}")["head"]["sha"]) != head:
                raise Moved(error.port, error.message) from error
            raise

    def dequeue(self, repo: str, number: int) -> None:
        self._calls.mutate(DEQUEUE, {"id": self._node_id(repo, number)})

    def delete_branch(self, repo: str, branch: str, *, head: str) -> None:
        path = f"/repos/{repo}/git/{{}}/heads/{quote(branch)}"
        try:
            at = str(self._calls.get(path.format("ref"))["object"]["sha"])
            if at != head:
                raise Moved(PORT, f"{branch} is at {at[:12]} by now, not at {head[:12]}: it is left alone")
            self._calls.write("DELETE", path.format("refs"))
        except Missing:
            return

    def revert(self, repo: str, number: int, *, title: str, body: str) -> PullRequest:
        """REST cannot (documented: only GraphQL's mutation can)."""
        variables = {"id": self._node_id(repo, number), "title": title, "body": body}
        made = self._calls.mutate(REVERT, variables)["revertPullRequest"]["revertPullRequest"]
        return outline(repo, self._calls.get(f"/repos/{repo}/pulls/{made['number']}"))

    def _node_id(self, repo: str, number: int) -> str:
        owner, name = repo.split("/")
        data = self._calls.query(PULL_REQUEST_ID, {"owner": owner, "name": name, "number": number})
        pull = (data.get("repository") or {}).get("pullRequest")
        if pull is None:
            raise Missing(PORT, f"there is no pull request {repo}#{number}")
        return str(pull["id"])

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        self._calls.write("POST", f"/repos/{repo}/issues/{number}/labels", {"labels": list(labels)})

    def remove_label(self, repo: str, number: int, label: str) -> None:
        try:
            self._calls.write("DELETE", f"/repos/{repo}/issues/{number}/labels/{quote(label, safe='')}")
        except Missing:
            return

    def comment(self, repo: str, number: int, body: str) -> None:
        self._calls.write("POST", f"/repos/{repo}/issues/{number}/comments", {"body": body})

    def open_pull_request(
        self, repo: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        item = self._calls.write(
            "POST",
            f"/repos/{repo}/pulls",
            {"head": head, "base": base, "title": title, "body": body, "draft": draft},
        )
        return outline(repo, item)

    def set_draft(self, repo: str, number: int, draft: bool) -> None:
        """REST cannot change it (documented: only GraphQL's two mutations can)."""
        node_id = self._node_id(repo, number)
        field = "convertPullRequestToDraft" if draft else "markPullRequestReadyForReview"
        self._calls.mutate(
            f"mutation($id: ID!) {{ {field}(input: {{pullRequestId: $id}}) {{ clientMutationId }} }}",
            {"id": node_id},
        )

    def file_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str]) -> int:
        item = self._calls.write(
            "POST", f"/repos/{repo}/issues", {"title": title, "body": body, "labels": list(labels)}
        )
        return int(item["number"])

    def labels(self, repo: str, number: int) -> tuple[Label, ...]:
        path = f"/repos/{repo}/issues/{number}"
        # Events first: a label that is put on in between has no time, and counts as older.
        put_on = nouns.labelings(self._calls.pages(f"{path}/events"))
        return nouns.labels(self._calls.get(path), put_on)

    def marked_issue(self, repo: str, marker: str, *, since: datetime | None = None) -> int | None:
        return marked_issue(self._calls, repo, self.account(), marker, since)

    def edit_issue(self, repo: str, number: int, *, body: str) -> None:
        self._calls.write("PATCH", f"/repos/{repo}/issues/{number}", {"body": body})


def _check_usable(repo: str, about: Mapping[str, Any]) -> None:
    """Raise `Refused` where agents could do nothing in a repository, or not in this one."""
    name = str(about.get("full_name") or repo)
    if not same_login(name, repo):
        # Redirections are followed on reading; writes and the rules for agents go by the name.
        raise Refused(PORT, f"{repo} has been renamed to {name}: list it by that name")
    for state in ("archived", "disabled"):
        if about.get(state):
            raise Refused(PORT, f"{repo} is {state}: nothing can be changed there; take it off the list")


def _claims(pulls: Iterable[Mapping[str, Any]], repo: str) -> dict[int, list[Mapping[str, Any]]]:
    """Open pull requests by the issue that they say they close, whoever opened them."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for pull in pulls:
        for number in dict.fromkeys(nouns.closes(said(pull), repo)):
            found.setdefault(number, []).append(pull)
    return found
