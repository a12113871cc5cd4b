"""The rules on a branch, from classic protection and rulesets together, and who need not keep them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from hive.standins.github import access
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Repository
from hive.standins.github.records_rules import Protection, Ruleset

METHODS = frozenset({"merge", "squash", "rebase"})
_ROLES = {1: "read", 2: "maintain", 3: "triage", 4: "write", 5: "admin"}
"""GitHub's own ids of repository roles, by which rulesets name who may pass them by."""


@dataclass(frozen=True, slots=True)
class Context:
    """A check that has to succeed; `app` is the id of the App that has to report it, None for any."""

    name: str
    app: int | None = None


@dataclass(frozen=True, slots=True)
class Requirements:
    """What all rules on a branch add up to; where they differ, the strictest counts."""

    contexts: tuple[Context, ...] = ()
    strict: bool = False
    """The head has to contain the base."""
    reviews: int = 0
    reviewed: bool = False
    """Changes come by pull request alone."""
    dismiss_stale: bool = False
    code_owners: bool = False
    last_push: bool = False
    threads: bool = False
    linear: bool = False
    no_force_push: bool = False
    no_deletion: bool = False
    locked: bool = False
    methods: frozenset[str] = METHODS
    queue: dict[str, Any] | None = None
    """The parameters of the merge queue, where there is one."""

    def with_(self, other: Requirements) -> Requirements:
        """Both together."""
        return Requirements(
            contexts=tuple(dict.fromkeys((*self.contexts, *other.contexts))),
            reviews=max(self.reviews, other.reviews),
            methods=self.methods & other.methods,
            queue=other.queue or self.queue,
            **{name: getattr(self, name) or getattr(other, name) for name in _FLAGS},
        )


_FLAGS = (
    *("strict", "reviewed", "dismiss_stale", "code_owners", "last_push", "threads", "linear"),
    *("no_force_push", "no_deletion", "locked"),
)


def protection_of(forge: Forge, repo: Repository, branch: str) -> Protection | None:
    """The classic protection of a branch: the one of its very name, else the first whose pattern fits."""
    found = forge.store.protections.of(repo.id)
    exact = next((each for each in found if each.pattern == branch), None)
    return exact or next((each for each in found if fnmatchcase(branch, each.pattern)), None)


def rulesets_of(forge: Forge, repo: Repository, branch: str) -> list[Ruleset]:
    """The active rulesets that a branch is under."""
    found = forge.store.rulesets.of(repo.id)
    return [each for each in found if each.enforcement == "active" and covers(each, repo, branch)]


def covers(ruleset: Ruleset, repo: Repository, branch: str) -> bool:
    """Whether a ruleset's conditions name a branch."""
    if ruleset.target != "branch" or any(_names(each, repo, branch) for each in ruleset.exclude):
        return False
    return any(_names(each, repo, branch) for each in ruleset.include)


def _names(pattern: str, repo: Repository, branch: str) -> bool:
    if pattern == "~ALL":
        return True
    if pattern == "~DEFAULT_BRANCH":
        return branch == repo.default_branch
    return fnmatchcase(f"refs/heads/{branch}", pattern) or fnmatchcase(branch, pattern)


def requirements(forge: Forge, repo: Repository, branch: str, actor: Account | None = None) -> Requirements:
    """What is required of changes to a branch: of `actor`, or of somebody without privileges."""
    total = Requirements()
    protection = protection_of(forge, repo, branch)
    if protection is not None and not _above(forge, repo, protection, actor):
        total = total.with_(of_protection(protection))
    for ruleset in rulesets_of(forge, repo, branch):
        if actor is None or not may_bypass(forge, repo, ruleset, actor):
            for rule in ruleset.rules:
                total = total.with_(of_rule(rule))
    return total


def _above(forge: Forge, repo: Repository, protection: Protection, actor: Account | None) -> bool:
    """Whether an administrator passes a protection that does not include them."""
    included = bool(protection.settings.get("enforce_admins"))
    return actor is not None and not included and access.may(forge, actor, repo, "admin")


def may_bypass(forge: Forge, repo: Repository, ruleset: Ruleset, actor: Account) -> bool:
    """Whether a ruleset lists the actor among those who need not keep it."""
    return any(_is_named(forge, repo, entry, actor) for entry in ruleset.bypass)


def _is_named(forge: Forge, repo: Repository, entry: dict[str, Any], actor: Account) -> bool:
    number = entry.get("actor_id")
    match entry.get("actor_type"):
        case "RepositoryRole":
            return access.may(forge, actor, repo, _ROLES.get(int(number or 0), "admin"))
        case "OrganizationAdmin":
            return access.may(forge, actor, repo, "admin")
        case "Team":
            team = forge.store.teams.get(number)
            return team is not None and actor.id in team.members
        case "Integration":
            app = forge.store.apps.get(number)
            return app is not None and app.bot == actor.id
    return False


def of_protection(protection: Protection) -> Requirements:
    """What a classic protection requires."""
    settings = protection.settings
    checks = settings.get("required_status_checks") or {}
    reviews = settings.get("required_pull_request_reviews")
    return Requirements(
        contexts=_contexts(checks),
        strict=bool(checks.get("strict")),
        reviews=int((reviews or {}).get("required_approving_review_count", 1 if reviews is not None else 0)),
        reviewed=reviews is not None,
        dismiss_stale=bool((reviews or {}).get("dismiss_stale_reviews")),
        code_owners=bool((reviews or {}).get("require_code_owner_reviews")),
        last_push=bool((reviews or {}).get("require_last_push_approval")),
        threads=bool(settings.get("required_conversation_resolution")),
        linear=bool(settings.get("required_linear_history")),
        no_force_push=not settings.get("allow_force_pushes"),
        no_deletion=not settings.get("allow_deletions"),
        locked=bool(settings.get("lock_branch")),
    )


def _contexts(checks: dict[str, Any]) -> tuple[Context, ...]:
    """`checks` with their Apps, and the older `contexts` without."""
    named = [
        Context(each["context"], app if (app := each.get("app_id")) not in (None, -1) else None)
        for each in checks.get("checks") or []
    ]
    known = {each.name for each in named}
    return (*named, *(Context(name) for name in checks.get("contexts") or [] if name not in known))


def of_rule(rule: dict[str, Any]) -> Requirements:
    """What one rule of a ruleset requires; nothing for kinds that the stand-in only lists."""
    given = rule.get("parameters") or {}
    nothing = Requirements()
    match rule["type"]:
        case "required_status_checks":
            contexts = tuple(
                Context(each["context"], each.get("integration_id"))
                for each in given.get("required_status_checks", [])
            )
            return replace(
                nothing, contexts=contexts, strict=bool(given.get("strict_required_status_checks_policy"))
            )
        case "pull_request":
            return Requirements(
                reviews=int(given.get("required_approving_review_count", 0)),
                reviewed=True,
                dismiss_stale=bool(given.get("dismiss_stale_reviews_on_push")),
                code_owners=bool(given.get("require_code_owner_review")),
                last_push=bool(given.get("require_last_push_approval")),
                threads=bool(given.get("required_review_thread_resolution")),
                methods=frozenset(given.get("allowed_merge_methods") or METHODS),
            )
        case "merge_queue":
            return replace(nothing, queue=given, reviewed=True)
        case "required_linear_history":
            return replace(nothing, linear=True)
        case "non_fast_forward":
            return replace(nothing, no_force_push=True)
        case "deletion":
            return replace(nothing, no_deletion=True)
        case "update":
            return replace(nothing, locked=True)
    return nothing
