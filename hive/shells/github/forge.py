"""The forge port on GitHub."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import quote

from hive.decisions.merge_message import merge_title
from hive.errors import Missing, Moved, Refused, Unreachable
from hive.facts.activity import Activity
from hive.facts.actors import Actor, ActorKind, same_login
from hive.facts.forge import (
    Comment,
    CommitSighting,
    Issue,
    Label,
    PullRequest,
    PullRequestRef,
    RepositorySnapshot,
)
from hive.facts.knowledge import KnowledgeFile
from hive.facts.pull_details import DetailsWanted, PullDetails
from hive.facts.quotas import Quota
from hive.shells.github import nouns
from hive.shells.github.activities import Activities
from hive.shells.github.answers import PORT
from hive.shells.github.calls import Calls
from hive.shells.github.details import Details
from hive.shells.github.filed import marked_issue
from hive.shells.github.issues import Issues
from hive.shells.github.knowledge import Knowledge
from hive.shells.github.limits import Limits
from hive.shells.github.look_queries import PULL_REQUEST, VIEWER
from hive.shells.github.outlines import outline, outline_of_node
from hive.shells.github.overview import overview
from hive.shells.github.pulls import Pulls
from hive.shells.github.queries import DEQUEUE, ENQUEUE, PULL_REQUEST_ID, REVERT
from hive.shells.github.questions import ask
from hive.shells.github.standing import Standings


class GitHubForge:
    """Implements `ports.forge.Forge`. One thread at a time.

    `now` is for how long an answer is believed, and for when a head was first seen: GitHub tells of no
    time of a push. `timeout` is seconds that a connection or a part of an answer may take. `up_to_date`:
    whether heads have to contain their base's tip in a repository. `limits` are what others who use the same
    credential, or did before, know of what is left of it. `refused` is as in `Calls`; `login` tells
    hive's account where it is known otherwise.
    """

    def __init__(
        self,
        api_url: str,
        credential: Callable[[], str],
        *,
        now: Callable[[], datetime],
        timeout: int = 20,
        up_to_date: Callable[[str], bool] = lambda repo: False,
        limits: Limits | None = None,
        refused: Callable[[str], None] = lambda token: None,
        login: Callable[[], str] | None = None,
    ) -> None:
        limits = limits or Limits("the token", now)
        self._calls = Calls(api_url, credential, timeout, limits=limits, refused=refused)
        self._now = now
        self._issues = Issues(self._calls)
        self._standings = Standings(self._calls, now)
        self._details = Details(self._calls)
        self._knowledge = Knowledge(self._calls)
        self._activities = Activities(self._calls, self._standings)
        self._pulls = Pulls(self._calls, self.account, up_to_date)
        self._login = ""
        self._known_login = login

    def close(self) -> None:
        self._calls.close()

    def account(self) -> str:
        if not self._login and self._known_login is not None:
            self._login = self._known_login()
        if not self._login:
            self._login = str(self._calls.query(VIEWER, {})["viewer"]["login"])
        return self._login

    def look(self, repo: str) -> RepositorySnapshot:
        """Raises also `Refused` for a repository that has another name by now, is archived or disabled."""
        before, now = self._calls.requests, self._now()
        seen = overview(self._calls, repo)
        self._login = seen.account
        self._activities.saw(repo, seen.pulse, now)
        self._knowledge.saw(repo, seen.pushed_at)
        wanted = replace(
            self._pulls.wanted(repo, seen.pulls), issues=self._issues.wanted(repo, seen.issues, now)
        )
        told = ask(self._calls, repo, wanted)
        issues = self._issues.of(repo, seen.issues, told.issues, now)
        pulls = self._pulls.open(repo, seen.pulls, told, (one.number for one in issues), now)
        claims = self._pulls.claims(repo, pulls)
        return RepositorySnapshot(
            repo=repo,
            default_branch=seen.default_branch or str(self._calls.get(f"/repos/{repo}")["default_branch"]),
            issues=tuple(self._issue(repo, one, claims.get(one.number, ())) for one in issues),
            pull_requests=pulls,
            recent=tuple(outline_of_node(repo, one, None) for one in seen.ended),
            requests=self._calls.requests - before,
        )

    def activity(self, repo: str, approval_label: str = "") -> Activity:
        """Asked anew where something was done since, as far as looks tell."""
        return self._activities.of(repo, self.account(), approval_label, self._now())

    def details(self, repo: str, wanted: Sequence[DetailsWanted]) -> Mapping[int, PullDetails]:
        return self._details.read(repo, wanted)

    def knowledge(self, repo: str) -> tuple[KnowledgeFile, ...]:
        return self._knowledge.of(repo)

    def pull_request(self, repo: str, number: int) -> PullRequest:
        owner, name = repo.split("/")
        variables = {"owner": owner, "name": name, "number": number}
        data, errors = self._calls.ask(PULL_REQUEST, variables)
        node = (data.get("repository") or {}).get("pull")
        if node is None:
            raise (Missing if all(one.says_no for one in errors) else Unreachable)(
                PORT, f"{repo}#{number} was not told: {'; '.join(one.message for one in errors)}"
            )
        self._login = str(data["viewer"]["login"])
        told = ask(self._calls, repo, self._pulls.wanted(repo, [node]))
        return self._pulls.one(repo, node, told, lambda issue: self._is_open(repo, issue), self._now())

    def _is_open(self, repo: str, number: int) -> bool:
        try:
            return str(self._calls.get(f"/repos/{repo}/issues/{number}")["state"]) == "open"
        except Missing:
            return False

    def _issue(self, repo: str, issue: Issue, claims: Sequence[PullRequestRef]) -> Issue:
        return replace(
            issue,
            author=self._written(issue.author),
            title_edited_by=self._written(issue.title_edited_by),
            edited_by=self._written(issue.edited_by),
            labels=tuple(self._put_on(repo, label) for label in issue.labels),
            comments=tuple(self._said(comment) for comment in issue.comments),
            pull_requests=tuple(claims),
        )

    def _put_on(self, repo: str, label: Label) -> Label:
        return replace(label, by=self._standings.with_standing(repo, self._own(label.by)))

    def _said(self, comment: Comment) -> Comment:
        return replace(comment, by=self._own(comment.by))

    def _written(self, actor: Actor | None) -> Actor | None:
        """What agents write is no owner's word, even where hive acts on an owner's account."""
        own = self._own(actor)
        return own if own is actor or own is None else replace(own, association=None)

    def _own(self, actor: Actor | None) -> Actor | None:
        """Hive's own account speaks for its agents, whose labels and comments are no person's word."""
        if actor is not None and same_login(actor.login, self.account()):
            return replace(actor, kind=ActorKind.AGENT)
        return actor

    def quotas(self, repo: str) -> tuple[Quota, ...]:
        return self._calls.limits.quotas()

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
        return CommitSighting(sha, self._pulls.every_run(repo, sha)[0])

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

    def update_branch(self, repo: str, number: int, *, head: str) -> None:
        path = f"/repos/{repo}/pulls/{number}"
        try:
            self._calls.write("PUT", f"{path}/update-branch", {"expected_head_sha": head})
        except Refused as error:
            if str(self._calls.get(path)["head"]["sha"]) != head:
                raise Moved(error.port, error.message) from error
            raise

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
