"""Rules on branches: classic protection, rulesets, and what applies to one branch."""

from typing import Any

from hive.standins.github import rules
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records import Repository
from hive.standins.github.records_rules import Protection, Ruleset
from hive.standins.github.rest.bodies import protection as bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes

_REPO = "/repos/{owner}/{repo}"
_PROTECTION = _REPO + "/branches/{branch:path}/protection"
_RULESET = _REPO + "/rulesets/{ruleset}"


def _protection(call: Call, repo: Repository) -> Protection:
    branch = call.params["branch"]
    found = rules.protection_of(call.forge, repo, branch)
    if found is None:
        message = "Branch not protected" if branch in repo.heads else "Branch not found"
        raise ApiFailure(404, message)
    return found


@routes.add("GET", _PROTECTION)
def get(call: Call) -> Reply:
    """The protection of a branch; administrators alone may see it."""
    repo = call.repo("admin")
    return Reply(bodies.protection(call.view, repo, call.params["branch"], _protection(call, repo)))


@routes.add("GET", _PROTECTION + "/required_status_checks")
def get_checks(call: Call) -> Reply:
    """The checks that a branch's protection requires."""
    repo = call.repo("admin")
    branch, found = call.params["branch"], _protection(call, repo)
    if not found.settings.get("required_status_checks"):
        raise ApiFailure(404, "Required status checks not enabled")
    return Reply(bodies.status_checks(call.view, repo, branch, found))


@routes.add("PUT", _PROTECTION)
def put(call: Call) -> Reply:
    """Protect a branch; each of the four settings that GitHub insists on has to be said."""
    repo, branch = call.repo("admin"), call.params["branch"]
    needed = ("required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions")
    for name in needed:
        if name not in call.body:
            raise ApiFailure(422, f'Invalid request.\n\n"{name}" wasn\'t supplied.')
    if branch not in repo.heads:
        raise ApiFailure(404, "Branch not found")
    table = call.forge.store.protections
    exact = next((each for each in table.of(repo.id) if each.pattern == branch), None)
    found = table.put(exact or Protection(table.next_id(), repo.id, branch))
    found.settings = dict(call.body)
    call.forge.record(call.me(), "protection.set", f"{repo.full_name}@{branch}")
    return Reply(bodies.protection(call.view, repo, branch, found))


@routes.add("DELETE", _PROTECTION)
def delete(call: Call) -> Reply:
    """Protect it no longer."""
    repo = call.repo("admin")
    call.forge.store.protections.remove(_protection(call, repo))
    call.forge.record(call.me(), "protection.remove", f"{repo.full_name}@{call.params['branch']}")
    return Reply(status=204)


@routes.add("GET", _REPO + "/rules/branches/{branch:path}")
def of_branch(call: Call) -> Reply:
    """Every rule of the active rulesets that a branch is under; classic protection is no part of it."""
    repo = call.repo()
    found = [
        (ruleset, rule)
        for ruleset in rules.rulesets_of(call.forge, repo, call.params["branch"])
        for rule in ruleset.rules
    ]
    return paged(found, lambda pair: bodies.rule_of_branch(repo, *pair))


@routes.add("GET", _REPO + "/rulesets")
def list_rulesets(call: Call) -> Reply:
    """The rulesets, without their rules."""
    repo = call.repo()
    return paged(call.forge.store.rulesets.of(repo.id), lambda each: bodies.ruleset(call.view, repo, each))


@routes.add("POST", _REPO + "/rulesets")
def create(call: Call) -> Reply:
    """A new ruleset."""
    repo, now = call.repo("admin"), call.forge.clock.now()
    table = call.forge.store.rulesets
    made = Ruleset(
        id=table.next_id(),
        repo=repo.id,
        name=call.needed("Ruleset", "name"),
        enforcement=call.needed("Ruleset", "enforcement"),
        target=call.text("target") or "branch",
        include=[],
        exclude=[],
        rules=[],
        bypass=[],
        created_at=now,
        updated_at=now,
    )
    _take(call, made)
    call.forge.record(call.me(), "ruleset.create", repo.full_name, made.name)
    return Reply(bodies.full_ruleset(call.view, repo, table.put(made)), 201)


def _take(call: Call, ruleset: Ruleset) -> None:
    conditions: Any = (call.body.get("conditions") or {}).get("ref_name") or {}
    ruleset.include = list(conditions.get("include", ruleset.include))
    ruleset.exclude = list(conditions.get("exclude", ruleset.exclude))
    given = call.body.get("rules", ruleset.rules)
    if not isinstance(given, list) or not all(isinstance(rule, dict) and "type" in rule for rule in given):
        raise ApiFailure(422, "Invalid request.\n\nInvalid rules.")
    ruleset.rules, ruleset.bypass = given, call.body.get("bypass_actors", ruleset.bypass)
    ruleset.enforcement = call.text("enforcement") or ruleset.enforcement
    ruleset.name = call.text("name") or ruleset.name
    if ruleset.enforcement not in ("active", "evaluate", "disabled"):
        raise ApiFailure(422, "Invalid request.\n\nInvalid property /enforcement.")


def _ruleset(call: Call, repo: Repository) -> Ruleset:
    text = call.params["ruleset"]
    found = call.forge.store.rulesets.get(int(text)) if text.isascii() and text.isdigit() else None
    if found is None or found.repo != repo.id:
        raise not_found()
    return found


@routes.add("GET", _RULESET)
def get_ruleset(call: Call) -> Reply:
    """One ruleset with its rules."""
    repo = call.repo()
    return Reply(bodies.full_ruleset(call.view, repo, _ruleset(call, repo)))


@routes.add("PUT", _RULESET)
def update(call: Call) -> Reply:
    """Change a ruleset."""
    repo = call.repo("admin")
    found = _ruleset(call, repo)
    _take(call, found)
    found.updated_at = call.forge.clock.now()
    call.forge.store.rulesets.put(found)
    call.forge.record(call.me(), "ruleset.update", repo.full_name, found.name)
    return Reply(bodies.full_ruleset(call.view, repo, found))


@routes.add("DELETE", _RULESET)
def remove(call: Call) -> Reply:
    """Take a ruleset away."""
    repo = call.repo("admin")
    found = _ruleset(call, repo)
    call.forge.store.rulesets.remove(found)
    call.forge.record(call.me(), "ruleset.remove", repo.full_name, found.name)
    return Reply(status=204)
