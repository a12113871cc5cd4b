"""What a command line of `git` would do to the forge, in the words of the autonomy table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hive.decisions.requests import Caller
from hive.decisions.tool_use.model import Attempt, forbidden
from hive.facts.autonomy import Action

_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
_PUSH_VALUED = ("-o", "--push-option", "--repo", "--receive-pack", "--exec")
_WAY = re.compile(
    r"(?i)(?:http(?:\..*)?\.(?:proxy|sslverify|sslcainfo|extraheader)|url\..*\.(?:insteadof|pushinsteadof)"
    r"|credential\..*|remote\..*\.proxy|core\.(?:sshcommand|gitproxy))"
)
_DEFAULTS = ("main", "master", "trunk")


def git_attempts(words: Sequence[str], caller: Caller) -> Iterator[Attempt]:
    """`words` without the program's own name."""
    shown = " ".join(["git", *words])[:200]
    repo = caller.repos[0] if len(caller.repos) == 1 else ""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        option = words[at]
        value = words[at + 1] if option in _VALUED and at + 1 < len(words) else ""
        if option == "-c" and _WAY.match(value):
            yield _another_way(repo, shown)
        at += 2 if value else 1
    verb, rest = (words[at], words[at + 1 :]) if at < len(words) else ("", ())
    if verb in ("push", "send-pack"):
        yield from _push(rest, caller, repo, shown)
    elif verb == "config":
        named = [word for word in rest if not word.startswith("-")]
        named = named[1:] if named and named[0] in ("set", "unset", "get", "list") else named
        reads = any(word in ("--get", "--get-all", "--list", "-l", "get", "list") for word in rest)
        if (
            named
            and _WAY.match(named[0])
            and not reads
            and (len(named) > 1 or "--unset" in rest or "unset" in rest)
        ):
            yield _another_way(repo, shown)


def _another_way(repo: str, shown: str) -> Attempt:
    because = "git reaches the forge through hive's gateway and by no other way"
    return Attempt(Action.UNKNOWN, repo, shown, refused=forbidden("another-way", because))


def _push(words: Sequence[str], caller: Caller, repo: str, shown: str) -> Iterator[Attempt]:
    flags, plain = _options(words)
    if plain and re.match(r"\.{0,2}/|file:|~", plain[0]):
        return  # a repository of this machine
    force = bool(flags & {"-f", "--force", "--force-with-lease", "--force-if-includes"})
    if flags & {"--mirror", "--all", "--branches", "--prune"}:
        yield Attempt(Action.PUSH_OTHER_BRANCH, repo, shown)
    if flags & {"--tags", "--follow-tags"}:
        yield Attempt(Action.PUSH_TAG, repo, shown)
    refspecs = plain[1:]
    if not refspecs and not flags & {"--mirror", "--all", "--branches"}:
        yield Attempt(Action.PUSH_OWN_BRANCH, repo, shown)
    for refspec in refspecs:
        yield _refspec(refspec, caller, repo, shown, deletes=bool(flags & {"-d", "--delete"}), force=force)


def _options(words: Sequence[str]) -> tuple[set[str], list[str]]:
    flags: set[str] = set()
    plain: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word in _PUSH_VALUED:
            at += 1
        elif word.startswith("--"):
            flags.add(word.partition("=")[0])
        elif word.startswith("-"):
            flags.update(f"-{letter}" for letter in word[1:])
        else:
            plain.append(word)
        at += 1
    return flags, plain


def _refspec(refspec: str, caller: Caller, repo: str, shown: str, *, deletes: bool, force: bool) -> Attempt:
    force = force or refspec.startswith("+")
    source, colon, goal = refspec.lstrip("+").partition(":")
    goal = goal if colon else source
    if goal.startswith("refs/tags/") or source == "tag":
        return Attempt(Action.PUSH_TAG, repo, shown)
    branch = goal.removeprefix("refs/heads/")
    target = f"{repo}@refs/heads/{branch}"
    if caller.owns_branch(branch) or branch in ("HEAD", "@") or branch.startswith("$"):
        return Attempt(Action.PUSH_OWN_BRANCH, target, shown)
    if deletes or (colon and not source):
        return Attempt(Action.DELETE_BRANCH, target, shown)
    if branch in (caller.default_branches.get(repo), *_DEFAULTS):
        return Attempt(Action.FORCE_PUSH_DEFAULT if force else Action.PUSH_DEFAULT_BRANCH, target, shown)
    return Attempt(Action.PUSH_OTHER_BRANCH, target, shown)
