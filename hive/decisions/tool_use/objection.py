"""Whether hive lets a tool be used: the same ruling as at the gateway, before anything runs.

A courtesy: it saves a turn and says what to do instead. It reads commands as they are written, so scripts and
programs that it does not know pass; what reaches the forge is ruled on there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hive.decisions.requests import Caller, NotUnderstood
from hive.decisions.tool_use.gh import gh_attempts
from hive.decisions.tool_use.git import git_attempts
from hive.decisions.tool_use.model import Attempt, Objection, Rule, ToolUse, forbidden
from hive.decisions.tool_use.own_things import file_attempts, own_attempts
from hive.decisions.tool_use.programs import name_of, really
from hive.facts.autonomy import Action
from hive.facts.verdicts import Ruling

_FORGE = re.compile(r"\bgh\b|\bgit\b[^\n]*\bpush\b|github|\btmux\b")
_COMMAND = ("command", "cmd", "script")


def objection(use: ToolUse, caller: Caller, rule: Rule) -> Objection | None:
    """What there is against `use`; None where it may go on. What is held by hive goes on: the hold is put on
    where it reaches the forge."""
    for attempt in _attempts(use, caller):
        verdict = attempt.refused or rule(attempt.action, attempt.target, attempt.text)
        if verdict.ruling is Ruling.DENY:
            return Objection(attempt.action, attempt.target, attempt.shown, verdict, attempt.instead)
    return None


def _attempts(use: ToolUse, caller: Caller) -> Iterator[Attempt]:
    if use.unread:
        because = "the program told of a tool in a way that hive cannot read"
        yield Attempt(Action.UNKNOWN, "", use.tool, refused=forbidden("not-understood", because))
        return
    yield from file_attempts(use)
    for key in _COMMAND:
        if use.given.get(key):
            yield from _of_command(use.given[key], use, caller)


def _of_command(text: str, use: ToolUse, caller: Caller) -> Iterator[Attempt]:
    only = caller.repos[0] if caller.repos else ""
    try:
        found = list(really(text))
    except NotUnderstood as reason:
        if _FORGE.search(text):
            verdict = forbidden("not-understood", f"hive cannot read the command: {reason}")
            yield Attempt(Action.UNKNOWN, only, text[:200], refused=verdict, instead="write it more simply")
        return
    for command in found:
        yield from own_attempts(command, use)
        name = name_of(command)
        if name in ("gh", "hub"):
            attempts = gh_attempts(command.words[1:], caller)
        elif name == "git":
            attempts = git_attempts(command.words[1:], caller)
        else:
            continue
        yield from (replace(one, target=one.target or only) for one in attempts)
