"""Classic protection and rulesets, as REST shows them."""

from typing import Any

from hive.standins.github import rules
from hive.standins.github.records import Repository
from hive.standins.github.records_rules import Protection, Ruleset
from hive.standins.github.rest.call import Json, View

_SWITCHES = (
    *("required_linear_history", "allow_force_pushes", "allow_deletions", "block_creations"),
    *("required_conversation_resolution", "lock_branch", "allow_fork_syncing"),
)


def _url(view: View, repo: Repository, branch: str) -> str:
    return view.urls.repo(repo.full_name, "branches", branch, "protection")


def protection(view: View, repo: Repository, branch: str, shown: Protection) -> Json:
    """`branch-protection`, which is `protected-branch` too."""
    url, settings = _url(view, repo, branch), shown.settings
    body: Json = {
        "url": url,
        "enforce_admins": {"url": f"{url}/enforce_admins", "enabled": bool(settings.get("enforce_admins"))},
        "required_signatures": {"url": f"{url}/required_signatures", "enabled": False},
        **{name: {"enabled": bool(settings.get(name))} for name in _SWITCHES},
    }
    if settings.get("required_status_checks"):
        body["required_status_checks"] = status_checks(view, repo, branch, shown)
    if settings.get("required_pull_request_reviews") is not None:
        reviews, required = settings["required_pull_request_reviews"], rules.of_protection(shown)
        body["required_pull_request_reviews"] = {
            "url": f"{url}/required_pull_request_reviews",
            "dismiss_stale_reviews": required.dismiss_stale,
            "require_code_owner_reviews": required.code_owners,
            "require_last_push_approval": required.last_push,
            "required_approving_review_count": int(reviews.get("required_approving_review_count", 1)),
        }
    return body


def status_checks(view: View, repo: Repository, branch: str, shown: Protection) -> Json:
    """`status-check-policy`."""
    url, required = f"{_url(view, repo, branch)}/required_status_checks", rules.of_protection(shown)
    return {
        "url": url,
        "strict": required.strict,
        "contexts": [context.name for context in required.contexts],
        "contexts_url": f"{url}/contexts",
        "checks": [{"context": context.name, "app_id": context.app} for context in required.contexts],
    }


def rule_of_branch(repo: Repository, ruleset: Ruleset, rule: dict[str, Any]) -> Json:
    """`repository-rule-detailed`."""
    source = {
        "ruleset_source_type": "Repository",
        "ruleset_source": repo.full_name,
        "ruleset_id": ruleset.id,
    }
    return {**rule_body(rule), **source}


_PULL_REQUEST = {
    "allowed_merge_methods": ["merge", "squash", "rebase"],
    "dismiss_stale_reviews_on_push": False,
    "require_code_owner_review": False,
    "require_last_push_approval": False,
    "required_approving_review_count": 0,
    "required_review_thread_resolution": False,
}
_CHECKS = {
    "required_status_checks": [],
    "strict_required_status_checks_policy": False,
    "do_not_enforce_on_create": False,
}
QUEUE = {
    "check_response_timeout_minutes": 60,
    "grouping_strategy": "ALLGREEN",
    "max_entries_to_build": 5,
    "max_entries_to_merge": 5,
    "merge_method": "MERGE",
    "min_entries_to_merge": 1,
    "min_entries_to_merge_wait_minutes": 5,
}
_DEFAULTS = {"pull_request": _PULL_REQUEST, "required_status_checks": _CHECKS, "merge_queue": QUEUE}


def rule_body(rule: dict[str, Any]) -> Json:
    """A rule with every parameter that GitHub shows, said or not."""
    defaults = _DEFAULTS.get(rule["type"])
    given = rule.get("parameters")
    if defaults is None:
        return {"type": rule["type"], **({"parameters": given} if given else {})}
    return {"type": rule["type"], "parameters": {**defaults, **(given or {})}}


def ruleset(view: View, repo: Repository, shown: Ruleset) -> Json:
    """`repository-ruleset` as lists have it."""
    url = view.urls.repo(repo.full_name, "rulesets", shown.id)
    return {
        "id": shown.id,
        "node_id": f"RRS_kw{shown.id}",
        "name": shown.name,
        "target": shown.target,
        "source_type": "Repository",
        "source": repo.full_name,
        "enforcement": shown.enforcement,
        "created_at": shown.created_at,
        "updated_at": shown.updated_at,
        "_links": {
            "self": {"href": url},
            "html": {"href": view.urls.page(repo.full_name, "rules", shown.id)},
        },
    }


def full_ruleset(view: View, repo: Repository, shown: Ruleset) -> Json:
    """`repository-ruleset` by itself: with conditions, rules, and who may pass them by."""
    can = "never"
    if view.viewer is not None and rules.may_bypass(view.forge, repo, shown, view.viewer):
        can = "always"
    return {
        **ruleset(view, repo, shown),
        "conditions": {"ref_name": {"include": shown.include, "exclude": shown.exclude}},
        "rules": [rule_body(rule) for rule in shown.rules],
        "bypass_actors": shown.bypass,
        "current_user_can_bypass": can,
    }
