"""The rules on a branch, out of what GraphQL tells of classic protection and of rulesets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hive.facts.bases import METHODS, NO_RULES, BaseRules, RequiredContext

_NOT_ABOUT_MERGES = frozenset(
    {
        "CREATION",
        "DELETION",
        "NON_FAST_FORWARD",
        "BRANCH_NAME_PATTERN",
        "TAG_NAME_PATTERN",
        "MAX_REF_UPDATES",
        "FILE_PATH_RESTRICTION",
        "FILE_EXTENSION_RESTRICTION",
        "MAX_FILE_PATH_LENGTH",
        "MAX_FILE_SIZE",
        "SECRET_SCANNING",
        "AUTHORIZATION",
    }
)
"""Kinds of rules about branches, tags and pushes: what is in a pull request has passed them."""


def rules_of(ref: Mapping[str, Any]) -> BaseRules:
    """All of them together. Raises `KeyError` where a part was not told or not whole."""
    found = _classic(ref["refUpdateRule"] or {}).with_(_protection(ref["branchProtectionRule"] or {}))
    if ref["rules"]["pageInfo"]["hasNextPage"]:
        raise KeyError("there are more rules than one page")
    for rule in ref["rules"]["nodes"]:
        found = found.with_(_rule(str(rule["type"]), rule["parameters"] or {}))
    return found


def _classic(given: Mapping[str, Any]) -> BaseRules:
    """What anybody may see of what applies to a branch; checks without their apps."""
    if not given:
        return NO_RULES
    return BaseRules(
        contexts=tuple(RequiredContext(str(name)) for name in given["requiredStatusCheckContexts"] or ()),
        approvals=given["requiredApprovingReviewCount"] or 0,
        code_owners=bool(given["requiresCodeOwnerReviews"]),
        threads=bool(given["requiresConversationResolution"]),
        linear=bool(given["requiresLinearHistory"]),
        signatures=bool(given["requiresSignatures"]),
    )


def _protection(given: Mapping[str, Any]) -> BaseRules:
    """What only administrators see."""
    if not given:
        return NO_RULES
    return BaseRules(
        contexts=tuple(
            RequiredContext(str(one["context"]), (one["app"] or {}).get("databaseId"))
            for one in given["requiredStatusChecks"] or ()
        ),
        strict=bool(given["requiresStrictStatusChecks"]),
        approvals=given["requiredApprovingReviewCount"] or 0,
        code_owners=bool(given["requiresCodeOwnerReviews"]),
        last_push=bool(given["requireLastPushApproval"]),
        threads=bool(given["requiresConversationResolution"]),
        linear=bool(given["requiresLinearHistory"]),
        signatures=bool(given["requiresCommitSignatures"]),
        deployments=tuple(given["requiredDeploymentEnvironments"] or ()),
        locked=bool(given["lockBranch"]),
    )


def _rule(kind: str, given: Mapping[str, Any]) -> BaseRules:
    if kind in _NOT_ABOUT_MERGES:
        return NO_RULES
    match kind:
        case "PULL_REQUEST":
            return _reviews(given)
        case "REQUIRED_STATUS_CHECKS":
            contexts = (
                RequiredContext(str(one["context"]), one["integrationId"])
                for one in given["requiredStatusChecks"]
            )
            return BaseRules(contexts=tuple(contexts), strict=bool(given["strictRequiredStatusChecksPolicy"]))
        case "REQUIRED_LINEAR_HISTORY":
            return BaseRules(linear=True)
        case "REQUIRED_SIGNATURES":
            return BaseRules(signatures=True)
        case "REQUIRED_REVIEW_THREAD_RESOLUTION":
            return BaseRules(threads=True)
        case "UPDATE" | "LOCK_BRANCH":
            return BaseRules(locked=True)
        case "MERGE_QUEUE":
            return BaseRules(queue=True)
    return BaseRules(others=(kind.lower(),))


def _reviews(given: Mapping[str, Any]) -> BaseRules:
    methods = frozenset(str(one).lower() for one in given["allowedMergeMethods"] or METHODS)
    return replace(
        NO_RULES,
        approvals=given["requiredApprovingReviewCount"] or 0,
        code_owners=bool(given["requireCodeOwnerReview"]),
        last_push=bool(given["requireLastPushApproval"]),
        threads=bool(given["requiredReviewThreadResolution"]),
        methods=methods & METHODS,
    )
