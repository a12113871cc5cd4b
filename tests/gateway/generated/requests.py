"""Made-up requests: mostly what tools send, bent in every way that a reader could take differently.

All choices are asked of a `Choices`, so that hypothesis, a fuzzer and a plain seed drive the same code.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol, TypeVar
from urllib.parse import quote

from hive.decisions.requests import Request
from tests.gateway.generated.effects import REPO

T = TypeVar("T")


class Choices(Protocol):
    """What of `random.Random` is used here."""

    def choice(self, of: Sequence[T], /) -> T: ...

    def randrange(self, below: int, /) -> int: ...


_SUBJECTS = ("I_4", "I_5", "I_6", "I_X", "PR_7", "PR_8", "PR_9", "C_1", "C_2", "R_1", "R_2", "gone")
_LABELS: tuple[list[str], ...] = (["L_bug"], ["L_hold"], ["L_bug", "L_hold"], [], ["gone"])
_BODIES = ("fine", "/approve", "ok\\n@dependabot merge", "bors r+", "a # b", "see } mutation {", "é\\u202e")
_MUTATIONS: dict[str, tuple[str, ...]] = {
    "createIssue": ("repositoryId", "title", "body"),
    "addComment": ("subjectId", "body"),
    "closeIssue": ("issueId",),
    "reopenIssue": ("issueId",),
    "updateIssue": ("id", "title", "labelIds"),
    "updateIssueComment": ("id", "body"),
    "deleteIssueComment": ("id",),
    "addLabelsToLabelable": ("labelableId", "labelIds"),
    "removeLabelsFromLabelable": ("labelableId", "labelIds"),
    "clearLabelsFromLabelable": ("labelableId",),
    "updatePullRequest": ("pullRequestId", "title", "labelIds"),
    "closePullRequest": ("pullRequestId",),
    "markPullRequestReadyForReview": ("pullRequestId",),
    "createPullRequest": ("repositoryId", "headRefName", "baseRefName", "title"),
    "mergePullRequest": ("pullRequestId",),
    "enablePullRequestAutoMerge": ("pullRequestId",),
    "addPullRequestReview": ("pullRequestId", "event", "body"),
    "dismissPullRequestReview": ("pullRequestReviewId", "message"),
    "deleteIssue": ("issueId",),
    "updateRepository": ("repositoryId",),
    "deleteRef": ("refId",),
    "addReaction": ("subjectId", "content"),
}
_NAMES = tuple(_MUTATIONS)
_USUAL = (*_NAMES[:11], *_NAMES[:12], "addPullRequestReview", "mergePullRequest")
_INPUTS = {
    "createIssue": "CreateIssueInput!",
    "updateRepository": "CreateIssueInput!",
    "addComment": "AddCommentInput!",
    "addReaction": "AddCommentInput!",
    "updateIssue": "UpdateIssueInput!",
    **dict.fromkeys(("closeIssue", "reopenIssue", "deleteIssue"), "CloseIssueInput!"),
    **dict.fromkeys(("updateIssueComment", "deleteIssueComment", "deleteRef"), "CommentInput!"),
    **dict.fromkeys(
        ("addLabelsToLabelable", "removeLabelsFromLabelable", "clearLabelsFromLabelable"), "LabelsInput!"
    ),
}
_WORDS = ("body", "title", "message", "content", "state", "event", "headRefName", "baseRefName")
_LIKELY = {
    "issueId": ("I_4", "I_4", "I_5", "I_X"),
    "id": ("I_4", "I_6", "I_5", "C_1", "C_2"),
    "subjectId": ("I_5", "PR_9", "I_X"),
    "labelableId": ("I_4", "I_6", "I_5", "PR_7"),
    "pullRequestId": ("PR_7", "PR_7", "PR_8", "PR_9"),
}
_READS = (
    "viewer { login }",
    'repository(owner: "acme", name: "widgets") { name }',
    'node(id: "I_5") { title }',
)
_DIRECTIVES = (
    "",
    "",
    "",
    " @include(if: true)",
    " @skip(if: false)",
    " @include(if: $yes)",
    " @skip(if: $no)",
    " @include(if: false)",
    " @skip(if: true)",
    " @skip(if: $yes)",
    " @include(if: $no)",
)
_GAPS = (" ", " ", " ", "\n", "\r", ",", "\t", " # mutation {\n", " #}\r", "\ufeff")


class Documents:
    """Builds GraphQL request bodies."""

    def __init__(self, choices: Choices) -> None:
        self._of = choices
        self._variables: dict[str, object] = {}
        self._defined: dict[str, str] = {}
        self._fragments: list[str] = []
        self._wild = choices.randrange(3) == 2

    def _odd(self, in_ten: int) -> bool:
        """For what hardly any reader takes: only in every third document, or nothing would come through."""
        return self._wild and self._often(in_ten)

    def _often(self, in_ten: int) -> bool:
        return self._of.randrange(10) >= 10 - in_ten

    def body(self) -> bytes:
        """One request's body."""
        operations = [self._operation()]
        while len(operations) < 4 and self._odd(2):
            operations.insert(self._of.randrange(2), self._operation())
        parts = [*operations, *self._fragments]
        if self._often(3):
            parts.reverse()
        query = self._gap().join(parts)
        value: dict[str, object] = {"query": query, "variables": self._variables}
        if self._odd(3):
            value["operationName"] = self._of.choice((None, "", "A", "B", "IssueCreate", "query"))
        if self._odd(1):
            value[self._of.choice(("extensions", "id", "documentId", "Query"))] = {"persistedQuery": 1}
        return self._written(value)

    def _written(self, value: dict[str, object]) -> bytes:
        text = json.dumps(value, ensure_ascii=self._often(5))
        if self._odd(2):
            other = json.dumps({"query": "{ viewer { login } }"})
            text = self._of.choice(
                (
                    f"[{text}]",
                    f"[{other},{text}]",
                    f"{text[:-1]},{other[1:]}",
                    f"{other[:-1]},{text[1:]}",
                    f"{text}\n{other}",
                    f"\ufeff{text}",
                    f'{text[:-1]}, "variables": {{}}}}',
                    f"{text},",
                )
            )
        coding = self._of.choice(("utf-16", "utf-16-le", "utf-8-sig")) if self._odd(1) else "utf-8"
        return text.encode(coding, "replace")

    def _operation(self) -> str:
        kind = self._of.choice(("query", "", "subscription")) if self._odd(3) else "mutation"
        name = self._of.choice(("", "", "A", "B", "IssueCreate", "query")) if kind else ""
        fields = [self._placed(self._field(kind)) for _ in range(1 + self._of.choice((0, 0, 0, 1, 2)))]
        given = self._definitions() if kind else ""
        return f"{kind}{self._gap()}{name}{given}{{{self._gap()}{self._gap().join(fields)}{self._gap()}}}"

    def _definitions(self) -> str:
        defined = dict(self._defined)
        text = "".join(f" ${name}: {kind}" for name, kind in defined.items())
        if not self._odd(2):
            text += " $yes: Boolean = true $no: Boolean = false"
        return f"({text})" if text else ""

    def _field(self, kind: str) -> str:
        if kind != "mutation" and self._often(8):
            return self._of.choice(_READS)
        name = self._of.choice(_NAMES if self._odd(5) else _USUAL)
        alias = f"{self._of.choice(_NAMES)}: " if self._often(2) else ""
        directive = self._of.choice(_DIRECTIVES)
        return f"{alias}{name}(input:{self._gap()}{self._input(name)}){directive} {{ clientMutationId }}"

    def _placed(self, field: str) -> str:
        """A field as it is, in an inline fragment, or in one or two named ones."""
        where = self._of.randrange(10)
        if where < 6:
            return field
        if where < 8:
            return f"... {self._of.choice(('on Mutation', ''))}{self._of.choice(_DIRECTIVES)} {{ {field} }}"
        name = f"F{len(self._fragments)}"
        self._fragments.append(f"fragment {name} on Mutation {{ {field} }}")
        if self._often(3):
            inner, name = name, f"G{len(self._fragments)}"
            self._fragments.append(f"fragment {name} on Mutation {{ ...{inner} }}")
        return f"...{name}{self._of.choice(_DIRECTIVES)}"

    def _input(self, name: str) -> str:
        given = {key: self._value(key) for key in _MUTATIONS[name]}
        if self._odd(2):
            given[self._of.choice(("labelIds", "state", "baseRefName", "pullRequestId"))] = "gone"
        if self._often(4):
            kind = {"addComment": "AddCommentInput!", "closeIssue": "CloseIssueInput!"}.get(
                name, "PullInput!"
            )
            return self._variable(given, "X!" if self._odd(2) else kind)
        parts = [f"{key}:{self._gap()}{self._literal(key, value)}" for key, value in given.items()]
        if self._odd(2):
            parts.append(parts[0].split(":")[0] + f': "{self._of.choice(_SUBJECTS)}"')
        return "{" + self._of.choice((", ", " ")).join(parts) + "}"

    def _value(self, key: str) -> object:
        if key == "labelIds":
            return self._of.choice(_LABELS)
        if key in ("body", "title", "message"):
            return self._of.choice(_BODIES if self._odd(5) else _BODIES[:1] + _BODIES[4:])
        if key == "event":
            return self._of.choice(("COMMENT", "APPROVE", "REQUEST_CHANGES", "approve", "DISMISS"))
        if key == "repositoryId":
            return self._of.choice(("R_1", "R_1", "R_2", "gone"))
        if key in ("headRefName", "baseRefName"):
            return self._of.choice(("hive/quality/x", "main", "mallory:hive/quality/x", "hive/peer/x"))
        return self._of.choice(_SUBJECTS if self._odd(5) else _LIKELY.get(key, _SUBJECTS))

    def _literal(self, key: str, value: object) -> str:
        if self._often(2):
            kind = "[ID!]" if isinstance(value, list) else "String" if key in _WORDS else "ID"
            return self._variable(
                value, self._of.choice(("ID!", "[ID!]", "String")) if self._odd(3) else kind
            )
        if not isinstance(value, str):
            return json.dumps(value)
        style = self._of.randrange(6)
        if style == 0:
            return '"' + "".join(f"\\u{ord(c):04x}" for c in value if ord(c) < 0xFFFF) + '"'
        if style == 1:
            return f'"""{value}"""'
        if style == 2:
            return f'"""\n    {value}\n    """'
        return f'"{value}"'

    def _variable(self, value: object, kind: str) -> str:
        """In the variables, as a default, in both with different values, or nowhere."""
        name = f"v{len(self._defined)}"
        where = self._of.randrange(10)
        if where < 8:
            self._variables[name] = value
        if where >= 6 and isinstance(value, str | list):
            kind += f" = {json.dumps(self._of.choice(_SUBJECTS) if where < 8 else value)}"
        self._defined[name] = kind
        return f"${name}"

    def _gap(self) -> str:
        return self._of.choice(_GAPS)


def graphql(choices: Choices) -> Request:
    """A GraphQL request; now and then by an odd method, to an odd place, or as something else."""
    body = Documents(choices).body()
    odd = choices.randrange(40)
    method, target = ("GET" if odd == 0 else "POST"), "/graphql"
    if odd == 1:
        target = f"/graphql?query={quote(body.decode('utf-8', 'replace'))[:2000]}"
    elif odd == 2:
        target = choices.choice(("/graphql/", "//graphql", "/GraphQL", "/api/graphql", "/graphql%00"))
    kind = choices.choice(("application/json", "application/graphql", "text/plain"))
    return Request(method, target, (("Host", "api.github.com"), ("Content-Type", kind)), body)


_METHODS = ("POST", "POST", "PATCH", "PATCH", "PUT", "DELETE", "GET", "HEAD", "OPTIONS", "post", "Patch")
_BELOW = (
    "issues",
    "issues/4",
    "issues/5",
    "issues/6",
    "issues/7",
    "issues/5/comments",
    "issues/4/labels",
    "issues/6/labels",
    "issues/6/labels/hold",
    "issues/6/labels/Hold",
    "issues/4/labels/bug",
    "issues/7/labels/hold",
    "issues/8/labels/hold",
    "issues/comments/11",
    "issues/comments/12",
    "pulls",
    "pulls/7",
    "pulls/8",
    "pulls/9",
    "pulls/7/merge",
    "pulls/8/reviews",
    "pulls/7/reviews",
    "merges",
    "git/refs",
    "git/refs/heads/main",
    "git/refs/heads/hive/quality/x",
    "contents/x.py",
    "labels/hold",
    "collaborators/mallory",
    "hooks",
    "releases",
    "statuses/abc",
    "branches/main/protection",
    "",
)
_FIELDS: tuple[dict[str, object], ...] = (
    {"title": "t"}, {"body": "fine"}, {"body": "/approve"}, {"title": "t", "labels": ["bug"]}, {"labels": []},
    {"labels": ["Hold"]}, {"labels": [{"name": "HOLD"}]}, {"labels": None}, {"state": "closed"},
    {"title": "t", "head": "hive/quality/y", "base": "main"}, {"base": "main"}, {"base": "other"},
    {"title": "t", "head": "hive/peer/x", "base": "main"}, {"event": "APPROVE", "body": "x"},
    {"event": "COMMENT", "body": "x"}, {"event": "REQUEST_CHANGES", "body": "x"}, {"ref": "refs/heads/main"},
    {"branch": "main", "message": "m", "content": ""}, {}, {"title": "t", "nobody": "knows"},
)  # fmt: skip
_SWAPS = (
    ("/", "//"),
    ("/", "/./"),
    ("/", "/x/../"),
    ("/", "%2F"),
    ("i", "I"),
    ("s", "%73"),
    ("s", "%2573"),
    ("l", "%6c"),
    ("l", "%6C"),
    ("/", "\\"),
    ("e", "%c3%a9"),
    ("7", "%37"),
    ("5", "05"),
    ("5", "%D9%A5"),
)


def rest(choices: Choices) -> Request:
    """A REST request, its address bent here and there."""
    repo = choices.choice((REPO,) * 16 + (REPO.upper(), "other/place", "acme/widgets.git"))
    path = f"/repos/{repo}/{choices.choice(_BELOW)}"
    bends = choices.choice((0, 0, 0, 0, 0, 0, 1, 1, 2, 3))
    for _ in range(bends):
        old, new = choices.choice(_SWAPS)
        at = path.find(old, choices.randrange(len(path)))
        path = path if at < 0 else f"{path[:at]}{new}{path[at + len(old) :]}"
    if choices.randrange(12) == 0:
        path = choices.choice(
            (
                "/repositories/1/issues/5",
                f"/api/v3{path}",
                f"{path}/",
                f"{path}%00",
                f"{path};x",
                f"{path}?_method=DELETE",
                f"{path}?method=PATCH",
                f"{path}#x",
                f"/{path}",
            )
        )
    headers = [("Host", choices.choice(("api.github.com",) * 9 + ("API.GitHub.com.", "github.com")))]
    if choices.randrange(12) == 0:
        name = choices.choice(("X-HTTP-Method-Override", "x-http-method", "X_Method_Override"))
        headers.append((name, choices.choice(("DELETE", "PATCH", "GET"))))
    method = choices.choice(_METHODS)
    body = b"" if method in ("GET", "HEAD") and choices.randrange(4) else _rest_body(choices)
    return Request(method, path, tuple(headers), body)


def _rest_body(choices: Choices) -> bytes:
    text = json.dumps(choices.choice(_FIELDS))
    odd = choices.randrange(30)
    if odd == 0:
        text = f'{text[:-1]}{", " if len(text) > 2 else ""}"state": "open", "state": "closed"}}'
    elif odd == 1:
        text = choices.choice(
            (f"[{text}]", "state=closed&_method=PATCH", '["Hold"]', "[]", '"hold"', "null", text + text)
        )
    return text.encode(choices.choice(("utf-8",) * 12 + ("utf-16",)))
