"""Rules on branches: protection, rulesets, and what applies to a ref."""

from typing import Any

from hive.standins.github import access, nodeids, rules
from hive.standins.github.graphql.issues import repo_of
from hive.standins.github.graphql.resolving import Branch, Rule, connect, fields, simple
from hive.standins.github.records import Repository
from hive.standins.github.records_rules import Protection, Ruleset
from hive.standins.github.rest.bodies.protection import rule_body
from hive.standins.github.rest.call import View
from hive.standins.github.rules import Requirements


def _needs(it: Protection, view: View) -> Requirements:
    return rules.of_protection(it)


simple(
    "BranchProtectionRule",
    id=lambda it, view: nodeids.of(it),
    databaseId=lambda it, view: it.id,
    pattern=lambda it, view: it.pattern,
    repository=repo_of,
    creator=lambda it, view: None,
    isAdminEnforced=lambda it, view: bool(it.settings.get("enforce_admins")),
    requiresApprovingReviews=lambda it, view: _needs(it, view).reviewed,
    requiredApprovingReviewCount=lambda it, view: _needs(it, view).reviews,
    requiresCodeOwnerReviews=lambda it, view: _needs(it, view).code_owners,
    dismissesStaleReviews=lambda it, view: _needs(it, view).dismiss_stale,
    requireLastPushApproval=lambda it, view: _needs(it, view).last_push,
    requiresConversationResolution=lambda it, view: _needs(it, view).threads,
    requiresLinearHistory=lambda it, view: _needs(it, view).linear,
    requiresStatusChecks=lambda it, view: bool(it.settings.get("required_status_checks")),
    requiresStrictStatusChecks=lambda it, view: _needs(it, view).strict,
    requiredStatusCheckContexts=lambda it, view: [each.name for each in _needs(it, view).contexts],
    requiredStatusChecks=lambda it, view: [
        {"context": each.name, "app": {"databaseId": each.app} if each.app else None}
        for each in _needs(it, view).contexts
    ],
    allowsForcePushes=lambda it, view: not _needs(it, view).no_force_push,
    allowsDeletions=lambda it, view: not _needs(it, view).no_deletion,
    lockBranch=lambda it, view: _needs(it, view).locked,
    lockAllowsFetchAndMerge=lambda it, view: False,
    blocksCreations=lambda it, view: False,
    requiresCommitSignatures=lambda it, view: False,
    requiresDeployments=lambda it, view: False,
    requiredDeploymentEnvironments=lambda it, view: [],
    restrictsPushes=lambda it, view: False,
    restrictsReviewDismissals=lambda it, view: False,
)


@fields("Repository.branchProtectionRules")
def protections(repo: Repository, view: View, **arguments: Any) -> Any:
    """The classic protections; none for those who are no administrators, as on GitHub."""
    seen = access.may(view.forge, view.viewer, repo, "admin")
    return connect(view.forge.store.protections.of(repo.id) if seen else [], **arguments)


@fields("Repository.rulesets")
def rulesets(repo: Repository, view: View, **arguments: Any) -> Any:
    """The rulesets of a repository."""
    return connect(view.forge.store.rulesets.of(repo.id), **arguments)


@fields("Repository.ruleset")
def one_ruleset(repo: Repository, view: View, databaseId: int, **_: Any) -> Ruleset | None:  # noqa: N803
    """One ruleset by its number."""
    found = view.forge.store.rulesets.get(databaseId)
    return found if found and found.repo == repo.id else None


simple(
    "RepositoryRuleset",
    id=lambda it, view: nodeids.of(it),
    databaseId=lambda it, view: it.id,
    name=lambda it, view: it.name,
    enforcement=lambda it, view: it.enforcement.upper(),
    target=lambda it, view: it.target.upper(),
    createdAt=lambda it, view: it.created_at,
    updatedAt=lambda it, view: it.updated_at,
    source=repo_of,
    conditions=lambda it, view: {"refName": {"include": it.include, "exclude": it.exclude}},
)


@fields("RepositoryRuleset.rules")
def rules_of(ruleset: Ruleset, view: View, type: str | None = None, **arguments: Any) -> Any:
    """The rules of a ruleset."""
    found = [Rule(ruleset, position) for position in range(len(ruleset.rules))]
    return connect([each for each in found if type in (None, each.rule["type"].upper())], **arguments)


simple(
    "RepositoryRule",
    id=lambda it, view: f"RRU_{it.ruleset.id}_{it.position}",
    type=lambda it, view: it.rule["type"].upper(),
    repositoryRuleset=lambda it, view: it.ruleset,
)
_PARAMETERS = {
    "pull_request": "PullRequestParameters",
    "required_status_checks": "RequiredStatusChecksParameters",
    "merge_queue": "MergeQueueParameters",
}


@fields("RepositoryRule.parameters")
def parameters(it: Rule, view: View) -> dict[str, Any] | None:
    """What the rule says beyond its kind, where the kind has such a thing."""
    kind = _PARAMETERS.get(it.rule["type"])
    if kind is None:
        return None
    given = rule_body(it.rule)["parameters"]
    shown = {_camel(name): value for name, value in given.items()}
    if kind == "PullRequestParameters":
        shown["allowedMergeMethods"] = [name.upper() for name in given["allowed_merge_methods"]]
    if kind == "RequiredStatusChecksParameters":
        shown["requiredStatusChecks"] = [
            {"context": each["context"], "integrationId": each.get("integration_id")}
            for each in given["required_status_checks"]
        ]
    return {"__typename": kind, **shown}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.title() for other in others)


@fields("Ref.branchProtectionRule")
def of_ref(ref: Branch, view: View) -> Protection | None:
    """The classic protection of a branch, for administrators."""
    if not access.may(view.forge, view.viewer, ref.repo, "admin"):
        return None
    return rules.protection_of(view.forge, ref.repo, ref.name)


@fields("Ref.refUpdateRule")
def update_rule(ref: Branch, view: View) -> dict[str, Any] | None:
    """What the viewer has to keep to on a branch: all that somebody without privileges gets to see."""
    has_rules = rules.protection_of(view.forge, ref.repo, ref.name) or rules.rulesets_of(
        view.forge, ref.repo, ref.name
    )
    if not has_rules:
        return None
    needed = rules.requirements(view.forge, ref.repo, ref.name)
    return {
        "pattern": ref.name,
        "requiredApprovingReviewCount": needed.reviews if needed.reviewed else None,
        "requiredStatusCheckContexts": [context.name for context in needed.contexts],
        "requiresCodeOwnerReviews": needed.code_owners,
        "requiresConversationResolution": needed.threads,
        "requiresLinearHistory": needed.linear,
        "requiresSignatures": False,
        "allowsForcePushes": not needed.no_force_push,
        "allowsDeletions": not needed.no_deletion,
        "blocksCreations": False,
        "viewerAllowedToDismissReviews": access.may(view.forge, view.viewer, ref.repo, "write"),
        "viewerCanPush": access.may(view.forge, view.viewer, ref.repo, "write") and not needed.reviewed,
    }


@fields("Ref.rules")
def rules_of_ref(ref: Branch, view: View, **arguments: Any) -> Any:
    """The rules of the rulesets that a branch is under."""
    arguments.pop("orderBy", None)
    found = [
        Rule(ruleset, position)
        for ruleset in rules.rulesets_of(view.forge, ref.repo, ref.name)
        for position in range(len(ruleset.rules))
    ]
    return connect(found, **arguments)
