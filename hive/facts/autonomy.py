"""The ladder of autonomy (ACMM): levels, roles, modes and the actions that they grant.

The tables themselves are data (`config/acmm.yaml`); the spelling of actions is a contract
(`hive acmm decide`).
"""

from __future__ import annotations

from enum import IntEnum, StrEnum


class AcmmLevel(IntEnum):
    L1 = 1
    L2 = 2
    L3 = 3
    L4 = 4
    L5 = 5
    L6 = 6

    @property
    def label(self) -> str:
        return LEVEL_NAMES[self]


LEVEL_NAMES = {
    AcmmLevel.L1: "Assisted",
    AcmmLevel.L2: "Instructed",
    AcmmLevel.L3: "Measured",
    AcmmLevel.L4: "Adaptive",
    AcmmLevel.L5: "Semi-automated",
    AcmmLevel.L6: "Fully autonomous",
}


class Mode(StrEnum):
    """What an agent may do, from least to most; `rank` orders them."""

    ADVISORY = "advisory"
    MEASURED = "measured"
    HOLDGATED = "holdgated"
    FULL = "full"

    @property
    def rank(self) -> int:
        return list(Mode).index(self)


class Action(StrEnum):
    """Everything an agent can try, by the names of `hive acmm decide`."""

    READ = "read"
    RECORD_FINDING = "record-finding"
    FILE_ISSUE = "file-issue"
    COMMENT = "comment"
    LABEL_OWN = "label-own"
    CLOSE_OWN = "close-own"
    PUSH_OWN_BRANCH = "push-own-branch"
    OPEN_PR = "open-pr"
    UPDATE_OWN_PR = "update-own-pr"
    REVIEW_COMMENT = "review-comment"
    REQUEST_CHANGES = "request-changes"
    APPROVE = "approve"
    REQUEST_MERGE = "request-merge"
    # Never allowed, at any level, by any route.
    PUSH_DEFAULT_BRANCH = "push-default-branch"
    PUSH_OTHER_BRANCH = "push-other-branch"
    FORCE_PUSH_DEFAULT = "force-push-default"
    DELETE_BRANCH = "delete-branch"
    PUSH_TAG = "push-tag"
    MERGE_DIRECTLY = "merge-directly"
    ADMIN_MERGE = "admin-merge"
    ENABLE_AUTO_MERGE = "enable-auto-merge"
    REMOVE_HOLD = "remove-hold"
    EDIT_OTHERS_TEXT = "edit-others-text"
    FORGE_SIGNAL = "forge-signal"
    CHANGE_SETTINGS = "change-settings"
    CHANGE_PROTECTION = "change-protection"
    CHANGE_SECRETS = "change-secrets"
    CHANGE_COLLABORATORS = "change-collaborators"
    CHANGE_WEBHOOKS = "change-webhooks"
    CHANGE_WORKFLOW = "change-workflow"
    DISPATCH_WORKFLOW = "dispatch-workflow"
    COMMAND_BOT = "command-bot"
    RELEASE = "release"
    UNKNOWN = "unknown"
