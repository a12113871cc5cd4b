"""What the classifier goes by and what it answers: who asks, what is known, and operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from hive.facts.autonomy import Action


class NotUnderstood(Exception):
    """The request cannot be read beyond doubt; the classifier turns this into `unknown`."""


def names(text: str) -> frozenset[str]:
    """A set of names from words separated by white space."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Hosts:
    """Names under which the forge is known.

    Attributes:
        enterprise: Another host that serves the API under ``/api/v3`` and ``/api/graphql``, and git.
    """

    api: str = "api.github.com"
    web: str = "github.com"
    enterprise: str | None = None


DEFAULT_BOT_COMMANDS = (
    r"/(?:approve|lgtm|merge|squash|rebase|hold|unhold|remove-hold|override|ok-to-test|retest|test|"
    r"cherry-?pick|backport|deploy|release|tide|assign|unassign|close|reopen|skip|run|ci|label|"
    r"remove-[a-z][a-z-]*|lifecycle|milestone|retitle|azp|gcbrun|gemini)\b",
    r"@(?:dependabot|renovate|mergify(?:io)?|bors|homu|kodiakhq|prow|k8s-ci-robot|copilot|claude|codex|"
    r"coderabbitai|gemini-code-assist|rustbot|pytorch(?:merge)?bot|meeseeksdev|cursor(?:agent)?|devin|"
    r"openhands(?:-agent)?|jules)(?:\[bot\])?[\s:,]+\S",
    r"bors[ \t]+(?:r[+=]|d[+=]|try|merge|delegate)",
)
"""Lines that begin like this are commands to other bots; the operator's configuration replaces them."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what it is bound to.

    Attributes:
        repos: ``OWNER/NAME`` that it may see at all.
        default_branches: By repository; ``main`` where one is missing.
        hold_labels: Whole names, compared in any case.
        bot_commands: Regular expressions for the beginning of a line.
    """

    agent: str
    repos: tuple[str, ...]
    default_branches: Mapping[str, str] = field(default_factory=dict)
    hold_labels: tuple[str, ...] = ("hold",)
    bot_commands: tuple[str, ...] = DEFAULT_BOT_COMMANDS
    hosts: Hosts = Hosts()

    def default_branch(self, repo: str) -> str:
        return self.default_branches.get(repo, "main")

    def repo(self, name: str) -> str | None:
        """A repository of the caller's as it is spelt in `repos`, whatever the case of `name`."""
        return next((repo for repo in self.repos if repo.lower() == name.lower()), None)

    def owns_branch(self, branch: str) -> bool:
        """Whether `branch` (without ``refs/heads/``) is under ``hive/<agent>/``."""
        prefix = f"hive/{self.agent}/"
        return branch.startswith(prefix) and len(branch) > len(prefix)

    def is_hold(self, label: str) -> bool:
        return label.strip().lower() in {name.lower() for name in self.hold_labels}


@dataclass(frozen=True, slots=True)
class Node:
    """What an id or a number stands for.

    Attributes:
        kind: repository, pull-request, issue, comment, review, thread, ref, label or user.
        author: An agent's name where `author_kind` is agent, else a login; `None` when not known.
        author_kind: agent, person, bot, app; `None` when not known.
        head, base: Branches of a pull request; `commit` is at its head.
        labels: Names; `None` when not known.
        name: Of a label or a ref (``refs/heads/x``).
    """

    kind: str
    repo: str = ""
    number: int | None = None
    author: str | None = None
    author_kind: str | None = None
    head: str | None = None
    base: str | None = None
    labels: tuple[str, ...] | None = None
    name: str | None = None
    commit: str | None = None

    @property
    def target(self) -> str:
        return f"{self.repo}#{self.number}" if self.number is not None else self.repo


class Facts(Protocol):
    """What is known about ids, numbers and branches."""

    def node(self, key: str) -> Node | None:
        """By node id, by ``o/r#7``, or by ``o/r/issues/comments/ID`` (and so on, as in a REST path)."""
        ...

    def pulls_on(self, repo: str, branch: str) -> tuple[int, ...]:
        """Numbers of open pull requests whose head is `branch` of `repo`."""
        ...


@dataclass(frozen=True, slots=True)
class Listed:
    """Facts from a list: what is not in it is not known."""

    nodes: Mapping[str, Node] = field(default_factory=dict)

    def node(self, key: str) -> Node | None:
        found = self.nodes.get(key)
        if found is not None or "#" not in key:
            return found
        numbered = (node for node in self.nodes.values() if node.kind in ("issue", "pull-request"))
        return next((node for node in numbered if node.target.lower() == key.lower()), None)

    def pulls_on(self, repo: str, branch: str) -> tuple[int, ...]:
        found = {
            node.number
            for node in self.nodes.values()
            if node.kind == "pull-request"
            and node.repo.lower() == repo.lower()
            and node.head == branch
            and node.number
        }
        return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class NewPullRequest:
    """A pull request that the request asks to open; `head` and `base` are branches of `repo`."""

    repo: str
    head: str
    base: str
    title: str
    body: str
    draft: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that the request would do.

    Attributes:
        target: ``o/r``, ``o/r#7``, ``o/r@refs/heads/x``, ``o/r:path``.
        refused_by: A rule that refuses it whatever the table says (``request.unknown-target``); else empty.
        because: Of `refused_by`.
        paths: Files that it touches, where the request tells.
        text: What it would publish.
        opens: Of `open-pr`.
        head: The commit that it is about, where it is about one: a review's, a push's new one.
    """

    action: Action
    target: str
    refused_by: str = ""
    because: str = ""
    paths: tuple[str, ...] = ()
    text: str = ""
    opens: NewPullRequest | None = None
    head: str = field(default="", compare=False)
