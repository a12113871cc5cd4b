"""The branch that a pull request is merged into: what its rules ask, and where it stands.

Rules are those of branch protection and of rulesets together; where they differ, the strictest counts.
"""

from __future__ import annotations

from dataclasses import dataclass

METHODS = frozenset({"merge", "squash", "rebase"})


@dataclass(frozen=True, slots=True)
class RequiredContext:
    """A check that the base requires; `app_id` is the id of the app that has to report it, None for any."""

    name: str
    app_id: int | None = None


@dataclass(frozen=True, slots=True)
class BaseRules:
    """What the rules on a base ask of a merge.

    Attributes:
        strict: The head has to contain the base's tip.
        approvals: How many approving reviews.
        code_owners: One of them by an owner of each file that has any.
        last_push: One of them by somebody else than who pushed last.
        threads: No review thread may be unresolved.
        linear: No merge commits.
        signatures: Every commit that gets in has to be signed.
        deployments: Environments that the head has to have been deployed to.
        locked: Nothing gets in at all.
        methods: Ways of merging that are allowed.
        queue: It has a merge queue, which does the merging.
        others: Rules that hive does not know how to check, by GitHub's names.
    """

    contexts: tuple[RequiredContext, ...] = ()
    strict: bool = False
    approvals: int = 0
    code_owners: bool = False
    last_push: bool = False
    threads: bool = False
    linear: bool = False
    signatures: bool = False
    deployments: tuple[str, ...] = ()
    locked: bool = False
    methods: frozenset[str] = METHODS
    queue: bool = False
    others: tuple[str, ...] = ()

    def with_(self, other: BaseRules) -> BaseRules:
        """Both together."""
        flags = ("strict", "code_owners", "last_push", "threads", "linear", "signatures", "locked", "queue")
        return BaseRules(
            contexts=tuple(dict.fromkeys((*self.contexts, *other.contexts))),
            approvals=max(self.approvals, other.approvals),
            deployments=tuple(dict.fromkeys((*self.deployments, *other.deployments))),
            methods=self.methods & other.methods,
            others=tuple(dict.fromkeys((*self.others, *other.others))),
            **{name: getattr(self, name) or getattr(other, name) for name in flags},
        )


NO_RULES = BaseRules()


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A place in a merge queue. `state` is GitHub's, in lower case; `position` counts from 1."""

    position: int
    state: str
