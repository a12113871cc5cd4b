"""Facts for the classifier, asked of the forge with the gateway's own credential and kept for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from hive.decisions import markers
from hive.decisions.requests import Caller, Node, Operation, Reading
from hive.errors import Unreachable
from hive.gateway.installations import Installations
from hive.gateway.upstream import Upstream
from hive.ports.authority import Authority

_LASTING_S = 300.0
"""For ids: what an id stands for never changes, its name, labels and head may (those are asked anew)."""

_QUERY = """
query HiveNodes($ids: [ID!]!) { nodes(ids: $ids) {
  __typename id
  ... on Repository { nameWithOwner }
  ... on Issue { number body viewerDidAuthor author { login } labels(first: 100) { nodes { name } }
    repository { nameWithOwner } }
  ... on PullRequest { number body viewerDidAuthor author { login } headRefName headRefOid baseRefName
    isCrossRepository labels(first: 100) { nodes { name } } repository { nameWithOwner } }
  ... on IssueComment { body viewerDidAuthor author { login } issue { number }
    repository { nameWithOwner } }
  ... on PullRequestReview { body viewerDidAuthor author { login } pullRequest { number }
    repository { nameWithOwner } }
  ... on PullRequestReviewComment { body viewerDidAuthor author { login } pullRequest { number }
    repository { nameWithOwner } }
  ... on PullRequestReviewThread { pullRequest { number } repository { nameWithOwner }
    comments(first: 1) { nodes { body viewerDidAuthor author { login } } } }
  ... on Label { name repository { nameWithOwner } }
  ... on Ref { name prefix repository { nameWithOwner } }
} }"""

_KINDS = {
    "Repository": "repository",
    "PullRequest": "pull-request",
    "Issue": "issue",
    "IssueComment": "comment",
    "PullRequestReviewComment": "comment",
    "PullRequestReview": "review",
    "PullRequestReviewThread": "thread",
    "Ref": "ref",
    "Label": "label",
    "User": "user",
    "Bot": "user",
    "Organization": "user",
}
# A label can be renamed, to a hold's name too.
_STABLE = frozenset({"repository", "user"})

JsonObject = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Known:
    """Facts of one request. What was asked and not found is in neither."""

    nodes: dict[str, Node] = field(default_factory=dict)
    branches: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def node(self, key: str) -> Node | None:
        return self.nodes.get(key)

    def pulls_on(self, repo: str, branch: str) -> tuple[int, ...]:
        return self.branches.get(f"{repo}@{branch}", ())


class Resolver:
    """Thread-safe."""

    def __init__(
        self, upstream: Upstream, authority: Authority, installations: Installations | None = None
    ) -> None:
        self._upstream = upstream
        self._installations = installations or Installations()
        self._authority = authority
        self._lasting: dict[str, tuple[float, Node]] = {}
        self._defaults: dict[str, tuple[float, str]] = {}
        self._login = ""
        self._lock = threading.Lock()

    def operations(self, caller: Caller, read: Callable[[Known], Reading]) -> tuple[Operation, ...]:
        """What is read once there is no question left that the forge can answer, after three rounds at most.

        Raises `Unreachable` when the forge does not answer.
        """
        known, asked = Known(), set[str]()
        reading = read(known)
        for _ in range(3):
            new = [question for question in reading.missing if question not in asked]
            if not new:
                break
            asked.update(new)
            self._answer(caller, new, known)
            reading = read(known)
        return reading.operations

    def known(self, caller: Caller, questions: Iterable[str]) -> Known:
        """The facts that answer `questions`. Raises `Unreachable`."""
        known = Known()
        self._answer(caller, [*dict.fromkeys(questions)], known)
        return known

    def _answer(self, caller: Caller, questions: list[str], known: Known) -> None:
        ids = []
        for question in questions:
            repo, hash_mark, number = question.partition("#")
            if hash_mark and caller.repo(repo) and number.isdigit():
                self._numbered(repo, int(number), known)
            elif question.count("/") > 1 and caller.repo("/".join(question.split("/")[:2])):
                self._part(question, known)
            elif "@" in question and caller.repo(question.partition("@")[0]):
                self._branch(question, known)
            elif "/" not in question:
                ids.append(question)
        if ids:
            self._ids(caller, ids[:100], known)

    def _numbered(self, repo: str, number: int, known: Known) -> None:
        reply = self._upstream.rest("GET", f"/repos/{repo}/issues/{number}")
        issue = _checked(reply.status, reply.json())
        if issue is None:
            return
        labels = tuple(str(_object(label).get("name")) for label in _list(issue.get("labels")))
        node = Node("issue", repo, number, labels=labels)
        if issue.get("pull_request"):
            reply = self._upstream.rest("GET", f"/repos/{repo}/pulls/{number}")
            pull = _checked(reply.status, reply.json()) or {}
            head, base = _object(pull.get("head")), _object(pull.get("base"))
            node = Node(
                "pull-request",
                repo,
                number,
                head=_text(head.get("ref")) if _is_of(head, repo) else None,
                base=_text(base.get("ref")),
                labels=labels,
                commit=_text(head.get("sha")),
            )
        known.nodes[f"{repo}#{number}"] = self._written_by(node, issue)

    def _part(self, question: str, known: Known) -> None:
        """A comment or review by its REST path below ``/repos/``."""
        reply = self._upstream.rest("GET", f"/repos/{question}")
        part = _checked(reply.status, reply.json())
        if part is None:
            return
        of = _text(part.get("issue_url")) or _text(part.get("pull_request_url")) or ""
        number = of.rpartition("/")[2]
        owner, name = question.split("/")[:2]
        kind = "review" if "/reviews/" in question else "comment"
        node = Node(kind, f"{owner}/{name}", int(number) if number.isdigit() else None)
        known.nodes[question] = self._written_by(node, part)

    def _branch(self, question: str, known: Known) -> None:
        repo, _, branch = question.partition("@")
        known.branches[question] = tuple(self.open_pulls(repo, branch))

    def open_pulls(self, repo: str, branch: str) -> dict[int, JsonObject]:
        """Open pull requests from `branch` of `repo` itself, by number. Raises `Unreachable`."""
        head = quote(f"{repo.split('/', 1)[0]}:{branch}", safe="")
        reply = self._upstream.rest("GET", f"/repos/{repo}/pulls?state=open&per_page=100&head={head}")
        if reply.status != 200:
            raise Unreachable("github", f"listing the pull requests of {repo} was answered {reply.status}")
        found: dict[int, JsonObject] = {}
        for item in _list(reply.json()):
            pull = _object(item)
            number = pull.get("number")
            if isinstance(number, int) and _object(pull.get("head")).get("ref") == branch:
                found[number] = pull
        return found

    def _ids(self, caller: Caller, ids: list[str], known: Known) -> None:
        """An id does not tell whose it is: each installation of the caller's is asked for what is missing."""
        now = time.monotonic()
        with self._lock:
            for key in ids:
                until, node = self._lasting.get(key, (0.0, None))
                if node is not None and until > now:
                    known.nodes[key] = node
        if all(key in known.nodes for key in ids):
            return
        for repo in self._installations.among(caller.repos):
            missing = [key for key in ids if key not in known.nodes]
            if missing:
                self._look_up(missing, repo, known)

    def _look_up(self, missing: list[str], repo: str, known: Known) -> None:
        """What the credential for `repo` shows under some ids."""
        until = time.monotonic() + _LASTING_S
        question = {"query": _QUERY, "variables": {"ids": missing}}
        reply = self._upstream.graphql(question, writes=False, repo=repo)
        # One id that does not resolve is an error beside the data of the others.
        data = _object(_object(reply.json()).get("data"))
        for key, value in zip(missing, _list(data.get("nodes")), strict=False):
            node = self._node(_object(value))
            if node is None:
                continue
            known.nodes[key] = node
            if node.number is not None and node.kind in ("issue", "pull-request"):
                known.nodes[node.target] = node
            if node.kind in _STABLE:
                with self._lock:
                    self._lasting[key] = (until, node)

    def _node(self, value: JsonObject) -> Node | None:
        kind = _KINDS.get(str(value.get("__typename")))
        if kind is None:
            return None
        if kind == "user":
            return Node("user")
        repo = _text(value.get("nameWithOwner")) or _text(
            _object(value.get("repository")).get("nameWithOwner")
        )
        owner = _object(value.get("issue")) or _object(value.get("pullRequest")) or value
        number = owner.get("number")
        name = _text(value.get("name"))
        if kind == "ref" and name is not None:
            name = f"{_text(value.get('prefix')) or 'refs/heads/'}{name}"
        labels = value.get("labels")
        node = Node(
            kind,
            repo or "",
            number if isinstance(number, int) else None,
            # The branch of a fork is none of the repository's, whatever its name.
            head=_text(value.get("headRefName")) if value.get("isCrossRepository") is False else None,
            base=_text(value.get("baseRefName")),
            labels=tuple(str(_object(item).get("name")) for item in _list(_object(labels).get("nodes")))
            if isinstance(labels, dict)
            else None,
            name=name,
            commit=_text(value.get("headRefOid")),
        )
        comments = _list(_object(value.get("comments")).get("nodes"))
        return self._written_by(node, _object(comments[0]) if kind == "thread" and comments else value)

    def _written_by(self, node: Node, item: JsonObject) -> Node:
        """`node` with its author. All agents write under one account: which of them it was is told by
        hive's records, and else by the marker in what hive's own account wrote."""
        if node.kind == "pull-request" and node.number is not None:
            opened = self._authority.opened(node.repo, node.number)
            if opened is not None:
                return replace(node, author=opened.agent, author_kind="agent")
        login = _text((_object(item.get("author")) or _object(item.get("user"))).get("login"))
        if login is None:
            return node
        ours = item.get("viewerDidAuthor") is True or login == self.account()
        agent = markers.agent_of(_text(item.get("body")) or "") if ours else None
        if agent is not None:
            return replace(node, author=agent, author_kind="agent")
        return replace(node, author=login, author_kind="bot" if ours else "person")

    def account(self) -> str:
        """Hive's own login. Raises `Unreachable`."""
        if not self._login:
            reply = self._upstream.graphql({"query": "{ viewer { login } }"}, writes=False)
            viewer = _object(_object(_object(reply.json()).get("data")).get("viewer"))
            self._login = _text(viewer.get("login")) or ""
        return self._login

    def default_branch(self, repo: str) -> str:
        """The repository's default branch, asked at most once in five minutes. Raises `Unreachable`."""
        now = time.monotonic()
        until, name = self._defaults.get(repo, (0.0, ""))
        if until > now:
            return name
        reply = self._upstream.rest("GET", f"/repos/{repo}")
        name = _text((_checked(reply.status, reply.json()) or {}).get("default_branch")) or ""
        if not name:
            raise Unreachable("github", f"it did not tell the default branch of {repo} ({reply.status})")
        self._defaults[repo] = (now + _LASTING_S, name)
        return name


def _checked(status: int, value: object) -> JsonObject | None:
    """The object of a good answer, `None` for what is not there. Raises `Unreachable` for the rest."""
    if status == 200:
        return _object(value)
    if status in (404, 410):
        return None
    raise Unreachable("github", f"it answered {status}")


def _is_of(head: JsonObject, repo: str) -> bool:
    """Whether the head of a pull request is a branch of `repo` itself, not a fork's of the same name."""
    name = _text(_object(head.get("repo")).get("full_name"))
    return name is not None and name.lower() == repo.lower()


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
