"""Which effects the table denies, told from what the forge was made to do; nothing here asks hive's code.

An effect is a mutation's name with its input, whichever way it was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote

REPO = "acme/widgets"
AGENT = "quality"
LADDER = ("advisory", "measured", "holdgated", "full")
_COMMANDS = re.compile(r"^[\s\u200b]*(?:/approve|@dependabot|bors r\+)", re.IGNORECASE | re.MULTILINE)

Input = Mapping[str, Any]


@dataclass(frozen=True)
class Thing:
    """What an id or a number stands for; `owner` is an agent's name, or a person's."""

    kind: str
    number: int
    owner: str
    repo: str = REPO
    labels: tuple[str, ...] = ()


THINGS: Mapping[str, Thing] = {
    "R_1": Thing("repository", 0, ""),
    "R_2": Thing("repository", 0, "", "other/place"),
    "I_4": Thing("issue", 4, AGENT, labels=("bug",)),
    "I_5": Thing("issue", 5, "ada"),
    "I_6": Thing("issue", 6, AGENT, labels=("Hold",)),
    "I_X": Thing("issue", 1, AGENT, "other/place"),
    "PR_7": Thing("pull", 7, AGENT, labels=("hold",)),
    "PR_8": Thing("pull", 8, "peer"),
    "PR_9": Thing("pull", 9, "ada"),
    "PR_70": Thing("pull", 70, AGENT),
    "C_1": Thing("comment", 5, AGENT),
    "C_2": Thing("comment", 5, "ada"),
    "L_hold": Thing("label", 0, "hold"),
    "L_bug": Thing("label", 0, "bug"),
    "U_1": Thing("user", 0, "ada"),
}
COMMENTS = {11: "C_1", 12: "C_2"}


def subject(number: int) -> Thing | None:
    """The issue or pull request of that number in the agent's repository."""
    return next(
        (one for one in THINGS.values() if one.number == number and one.kind in ("issue", "pull")), None
    )


@dataclass(frozen=True)
class Effect:
    """Something that was done at the forge: to `thing`, where it is done to one."""

    name: str
    thing: Thing | None
    given: Input

    def is_denied_in(self, mode: str) -> bool:
        """Whether the table denies it in `mode`."""
        needed = _needed(self)
        return needed is None or LADDER.index(mode) < LADDER.index(needed)

    @property
    def updates(self) -> int | None:
        """The number of the agent's own pull request that this changes, if it does."""
        thing = self.thing
        changes = thing is not None and thing.kind == "pull" and thing.owner == AGENT
        return thing.number if changes and thing and self.name not in ("comment", "review") else None


def _needed(effect: Effect) -> str | None:
    """The mode that grants it; `None` where none does."""
    thing, given = effect.thing, effect.given
    if _COMMANDS.search("\n".join(_texts(given))):
        return None
    if effect.name == "open":
        own = str(given.get("head", "")).startswith(f"hive/{AGENT}/")
        return ("holdgated" if given.get("draft") is True else "full") if own else None
    if effect.name == "delete-ref":
        return "holdgated" if str(given["ref"]).startswith(f"heads/hive/{AGENT}/") else None
    if effect.name == "create-issue":
        return "measured" if thing and thing.kind == "repository" and thing.repo == REPO else None
    if thing is None or thing.repo != REPO:
        return None
    if effect.name == "comment":
        return "measured" if thing.kind in ("issue", "pull") else None
    if effect.name == "edit-comment":
        return "measured" if thing.owner == AGENT else None
    if effect.name == "review":
        return _review(thing, str(given.get("event") or "COMMENT"))
    if effect.name not in ("edit", "label", "unlabel", "replace-labels") or thing.owner != AGENT:
        return None
    held = {name.lower() for name in thing.labels} & {"hold"}
    named = {str(name).lower() for name in given.get("names", ())}
    lifts = (effect.name == "unlabel" and "hold" in named) or (
        effect.name == "replace-labels" and held - named
    )
    return None if lifts else "holdgated" if thing.kind == "pull" else "measured"


def _review(thing: Thing, event: str) -> str | None:
    if thing.kind != "pull":
        return None
    if event == "COMMENT":
        return "holdgated"
    if event == "REQUEST_CHANGES":
        return "holdgated" if thing.owner in (AGENT, "peer") else None
    return "full" if event == "APPROVE" and thing.owner == "peer" else None


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for child in children for text in _texts(child)]


def of_mutation(name: str, given: Input) -> list[Effect]:
    """What a mutation does."""

    def at(key: str) -> Thing | None:
        return THINGS.get(str(given.get(key)))

    def names(key: str = "labelIds") -> list[str]:
        return [THINGS[each].owner if each in THINGS else each for each in given.get(key) or []]

    if name == "createIssue":
        return [Effect("create-issue", at("repositoryId"), given)]
    if name == "addComment":
        return [Effect("comment", at("subjectId"), given)]
    if name in ("closeIssue", "reopenIssue"):
        return [Effect("edit", at("issueId"), given)]
    if name in ("updateIssueComment", "deleteIssueComment"):
        return [Effect("edit-comment", at("id"), given)]
    if name in ("updateIssue", "updatePullRequest"):
        thing = at("id" if name == "updateIssue" else "pullRequestId")
        more = {**given, "names": names()} if given.get("labelIds") is not None else None
        found = [Effect("edit", thing, given)]
        return [*found, Effect("replace-labels", thing, more)] if more else found
    if name == "addLabelsToLabelable":
        return [Effect("label", at("labelableId"), {"names": names()})]
    if name == "removeLabelsFromLabelable":
        return [Effect("unlabel", at("labelableId"), {"names": names()})]
    if name == "clearLabelsFromLabelable":
        return [Effect("replace-labels", at("labelableId"), {"names": []})]
    if name == "addPullRequestReview":
        return [Effect("review", at("pullRequestId"), given)]
    if name in ("closePullRequest", "markPullRequestReadyForReview", "convertPullRequestToDraft"):
        return [Effect("edit", at("pullRequestId"), given)]
    return [Effect(name, None, given)]


def of_rest(method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> list[Effect]:
    """What the most forgiving server could take a request for: it decodes as often as it can, forgives
    empty and relative segments, capitals and trailing characters, and honours every override."""
    path, _, query = target.partition("?")
    given = _value(body)
    for name, value in headers.items():
        if "method" in name.lower():
            method = value.upper()
    for name, value in parse_qsl(query):
        method = value.upper() if name.lower().endswith("method") else method
    if method.upper() in ("GET", "HEAD"):
        return []
    words = _words(path)
    if words[:1] == ["repositories"]:
        words = ["repos", *REPO.split("/"), *words[2:]]
    if words[:3] != ["repos", *REPO.split("/")]:
        return [Effect(f"{method} {path}", None, {})]
    return _below(method.upper(), words[3:], given)


def _words(path: str) -> list[str]:
    for _ in range(5):
        path = unquote(path)
    found: list[str] = []
    for word in path.lower().replace("\\", "/").split("/"):
        plain = word.split(";")[0].split("#")[0].strip("\0 \t")
        if plain == "..":
            found = found[:-1]
        elif plain not in ("", "."):
            found.append(plain)
    while found and found[0] in ("api", "v3"):
        found = found[1:]
    return found


def _value(body: bytes | None) -> Any:
    try:
        return json.loads(body) if body else {}
    except ValueError:
        return {}


def _below(method: str, words: list[str], given: Any) -> list[Effect]:
    fields = given if isinstance(given, dict) else {}
    match words:
        case ["issues"] if method == "POST":
            return [Effect("create-issue", THINGS["R_1"], fields)]
        case ["pulls"] if method == "POST":
            return [Effect("open", None, fields)]
        case ["issues", "comments", number] if method in ("PATCH", "DELETE"):
            return [Effect("edit-comment", THINGS.get(COMMENTS.get(_int(number), "")), fields)]
        case ["issues", number, "comments"] if method == "POST":
            return [Effect("comment", subject(_int(number)), fields)]
        case ["issues" | "pulls", number] if method == "PATCH":
            found = [Effect("edit", subject(_int(number)), fields)]
            if "labels" in fields:
                names = _names(fields["labels"])
                found.append(Effect("replace-labels", subject(_int(number)), {"names": names}))
            return found
        case ["issues", number, "labels"]:
            names = _names(fields.get("labels", given) if fields else given)
            kinds = {"POST": "label", "PUT": "replace-labels", "DELETE": "replace-labels"}
            return [Effect(kinds.get(method, "?"), subject(_int(number)), {"names": names})]
        case ["issues", number, "labels", name] if method == "DELETE":
            return [Effect("unlabel", subject(_int(number)), {"names": [name]})]
        case ["git", "refs", *ref] if method == "DELETE":
            return [Effect("delete-ref", None, {"ref": "/".join(ref)})]
        case ["pulls", number, "reviews"] if method == "POST":
            return [Effect("review", subject(_int(number)), fields)]
    return [Effect(f"{method} {'/'.join(words)}", None, fields)]


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    listed = value if isinstance(value, list) else []
    return [str(item.get("name") if isinstance(item, dict) else item) for item in listed]


def _int(text: str) -> int:
    return int(text) if text.strip("+").isdigit() else -1
