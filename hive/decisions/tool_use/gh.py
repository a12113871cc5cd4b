"""What a command line of `gh` would do, in the words of the autonomy table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from hive.decisions import requests
from hive.decisions.requests import Caller, Listed, Request
from hive.decisions.requests.effects import commands_a_bot
from hive.decisions.requests.model import names
from hive.decisions.tool_use.model import Attempt, forbidden
from hive.facts.autonomy import Action

_VERBS: dict[tuple[str, str], Action] = {
    ("pr", "create"): Action.OPEN_PR,
    ("pr", "new"): Action.OPEN_PR,
    ("pr", "revert"): Action.OPEN_PR,
    ("pr", "ready"): Action.UPDATE_OWN_PR,
    ("pr", "update-branch"): Action.UPDATE_OWN_PR,
    ("pr", "comment"): Action.COMMENT,
    ("pr", "close"): Action.CLOSE_OWN,
    ("pr", "reopen"): Action.CLOSE_OWN,
    ("issue", "create"): Action.FILE_ISSUE,
    ("issue", "new"): Action.FILE_ISSUE,
    ("issue", "comment"): Action.COMMENT,
    ("issue", "close"): Action.CLOSE_OWN,
    ("issue", "reopen"): Action.CLOSE_OWN,
    ("issue", "delete"): Action.EDIT_OTHERS_TEXT,
    ("issue", "transfer"): Action.EDIT_OTHERS_TEXT,
}
_WRITES: dict[str, tuple[Action, tuple[str, ...]]] = {
    "release": (Action.RELEASE, ("create", "new", "delete", "delete-asset", "edit", "upload")),
    "secret": (Action.CHANGE_SECRETS, ("set", "delete", "remove")),
    "variable": (Action.CHANGE_SECRETS, ("set", "delete", "remove")),
    "repo": (
        Action.CHANGE_SETTINGS,
        ("edit", "delete", "archive", "unarchive", "rename", "create", "fork", "sync", "deploy-key"),
    ),
    "label": (Action.CHANGE_SETTINGS, ("create", "edit", "delete", "clone")),
    "ssh-key": (Action.CHANGE_SETTINGS, ("add", "delete")),
    "gpg-key": (Action.CHANGE_SETTINGS, ("add", "delete")),
    "workflow": (Action.DISPATCH_WORKFLOW, ("run", "enable", "disable")),
    "run": (Action.DISPATCH_WORKFLOW, ("rerun", "cancel", "delete")),
    "cache": (Action.DISPATCH_WORKFLOW, ("delete",)),
}
_OWN_SETTINGS = {
    "config": ("set", "clear-cache"),
    "alias": ("set", "import", "delete"),
    "extension": ("install",),
}
_VALUED = names(
    "-R --repo -b --body -t --title -F --body-file -f --field --raw-field -H --head -B --base -l "
    "--label -a --assignee -m --milestone -r --reviewer -X --method --input --header --hostname "
    "--add-label --remove-label -q --jq --template -p --preview --match-head-commit -A --author-email "
    "-S --subject"
)


def gh_attempts(words: Sequence[str], caller: Caller) -> Iterator[Attempt]:
    """`words` without the program's own name."""
    plain, options = _taken_apart(words)
    shown = " ".join(["gh", *words])[:200]
    group, verb = [*plain, "", ""][:2]
    repo = options.get("-R", options.get("--repo", "")) or (caller.repos[0] if len(caller.repos) == 1 else "")
    repo = caller.repo(repo.removeprefix("https://github.com/").removeprefix("github.com/")) or repo
    number = next((word for word in plain[2:] if word.isdigit()), "")
    target = f"{repo}#{number}" if number else repo
    if group == "api":
        yield from _api(plain[1:], words, options, caller, repo, shown)
        return
    if group == "auth" and verb not in ("status", ""):
        because = "the login of gh is hive's to keep: an agent has no credential of the forge"
        yield Attempt(Action.UNKNOWN, target, shown, refused=forbidden("credentials", because))
    elif verb in _OWN_SETTINGS.get(group, ()):
        because = "how gh is set up is hive's to decide: it leads through hive's gateway"
        yield Attempt(Action.UNKNOWN, target, shown, refused=forbidden("client-settings", because))
    for action in _actions(group, verb, words, options, caller):
        text = (
            f"{options.get('-t', options.get('--title', ''))}\n{options.get('-b', options.get('--body', ''))}"
        )
        yield Attempt(action, target, shown, text=text if text.strip() else "")


def _actions(
    group: str, verb: str, words: Sequence[str], options: dict[str, str], caller: Caller
) -> Iterator[Action]:
    text = options.get("-b", options.get("--body", ""))
    if text and group in ("pr", "issue") and commands_a_bot(caller, text):
        yield Action.COMMAND_BOT
    if (group, verb) == ("pr", "merge"):
        yield from _merge(words)
    elif (group, verb) == ("pr", "review"):
        yield _review(words)
    elif verb == "edit" and group in ("pr", "issue"):
        removed = options.get("--remove-label", "").split(",")
        if any(caller.is_hold(label) for label in removed):
            yield Action.REMOVE_HOLD
        yield Action.UPDATE_OWN_PR if group == "pr" else Action.LABEL_OWN
    elif (group, verb) in _VERBS:
        yield _VERBS[group, verb]
    elif group in _WRITES and verb in _WRITES[group][1]:
        yield _WRITES[group][0]


def _merge(words: Sequence[str]) -> Iterator[Action]:
    if "--admin" in words:
        yield Action.ADMIN_MERGE
    if "--auto" in words:
        yield Action.ENABLE_AUTO_MERGE
    yield Action.REQUEST_MERGE


def _review(words: Sequence[str]) -> Action:
    if "--approve" in words or "-a" in words:
        return Action.APPROVE
    return Action.REQUEST_CHANGES if "--request-changes" in words or "-r" in words else Action.REVIEW_COMMENT


def _taken_apart(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Words that are no options, and the last value of each option."""
    plain: list[str] = []
    options: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        name, equals, value = word.partition("=")
        if word.startswith("--") and equals:
            options[name] = value
        elif word in _VALUED and at + 1 < len(words) and not (word == "-a" and "review" in plain):
            at += 1
            options[word] = words[at]
        elif word[:2] in ("-X", "-R", "-b") and len(word) > 2 and not word.startswith("--"):
            options[word[:2]] = word[2:].lstrip("=")
        elif not word.startswith("-"):
            plain.append(word)
        at += 1
    return plain, options


def _api(
    plain: Sequence[str],
    words: Sequence[str],
    options: dict[str, str],
    caller: Caller,
    repo: str,
    shown: str,
) -> Iterator[Attempt]:
    """By the gateway's own reading of the request that gh would send. What it would have to look up first is
    left to the gateway."""
    if not plain:
        return
    fields = dict(
        words[at + 1].partition("=")[::2]
        for at, word in enumerate(words[:-1])
        if word in ("-f", "-F", "--field", "--raw-field")
    )
    method = options.get("-X", options.get("--method", "POST" if fields or "--input" in options else "GET"))
    path = plain[0].replace("{owner}/{repo}", repo).replace(":owner/:repo", repo).lstrip("/")
    headers = (("Host", caller.hosts.api), ("Content-Type", "application/json"))
    asked = Request(method.upper(), f"/{path}", headers, json.dumps(fields).encode() if fields else b"")
    for one in requests.classify(asked, caller, Listed()):
        if one.action is Action.READ or (one.refused_by and one.action is not Action.REQUEST_MERGE):
            continue
        yield Attempt(one.action, one.target if "/" in one.target else repo, shown, text=one.text)
