"""What an agent can do instead of what it may not."""

from __future__ import annotations

from hive.facts.autonomy import Action
from hive.facts.verdicts import Verdict

_OWN_BRANCH = "push to a branch under hive/{agent}/ and open a pull request from it"
_REPORT = "record a finding (POST /v1/findings) and go on"
_ASK = "file an issue, or record a finding (POST /v1/findings), that says what should change and why"
_INSTEAD = {
    Action.FILE_ISSUE: _REPORT,
    Action.COMMENT: _REPORT,
    Action.LABEL_OWN: _REPORT,
    Action.CLOSE_OWN: _REPORT,
    Action.PUSH_OWN_BRANCH: _REPORT,
    Action.OPEN_PR: _REPORT,
    Action.UPDATE_OWN_PR: _REPORT,
    Action.PUSH_DEFAULT_BRANCH: _OWN_BRANCH,
    Action.PUSH_OTHER_BRANCH: _OWN_BRANCH,
    Action.FORCE_PUSH_DEFAULT: _OWN_BRANCH,
    Action.MERGE_DIRECTLY: _OWN_BRANCH,
    Action.DELETE_BRANCH: "leave it; only branches under hive/{agent}/ are yours to delete",
    Action.PUSH_TAG: "leave tags and releases to people",
    Action.RELEASE: "leave tags and releases to people",
    Action.REQUEST_MERGE: "leave the pull request open; people or hive's merge gate decide on it",
    Action.ENABLE_AUTO_MERGE: "leave the pull request open; people or hive's merge gate decide on it",
    Action.REMOVE_HOLD: "leave the hold; a person releases it",
    Action.EDIT_OTHERS_TEXT: "write a comment of your own",
    Action.ADMIN_MERGE: "leave the pull request open; people or hive's merge gate decide on it",
    Action.REVIEW_COMMENT: _REPORT,
    Action.REQUEST_CHANGES: "say what you found in a comment, or record a finding (POST /v1/findings)",
    Action.APPROVE: "say what you found in a comment, or record a finding (POST /v1/findings)",
    Action.FORGE_SIGNAL: "leave checks, statuses, labels and the reviews of others to whose they are",
    Action.CHANGE_SETTINGS: _ASK,
    Action.CHANGE_PROTECTION: _ASK,
    Action.CHANGE_SECRETS: _ASK,
    Action.CHANGE_COLLABORATORS: _ASK,
    Action.CHANGE_WEBHOOKS: _ASK,
    Action.DISPATCH_WORKFLOW: "push a commit, and let its checks run by themselves",
    Action.COMMAND_BOT: "say it in words that are no bot's command",
    Action.UNKNOWN: "use the usual way that gh or git has for it",
    Action.CHANGE_WORKFLOW: "leave that file as it is and describe the change that you would make",
}

MERGES_ITSELF = "hive merges through its own gate when the pull request is green; there is nothing to do"


def refusal(action: Action, verdict: Verdict, agent: str) -> str:
    """One readable line: why not, which rule, what to do instead."""
    said = instead(action, agent)
    return f"hive: {verdict.because} (rule {verdict.rule})" + (f": {said}" if said else "")


def instead(action: Action, agent: str) -> str:
    """What to do in its place; empty where there is nothing to be said."""
    return _INSTEAD.get(action, "").format(agent=agent)
