"""What is hive's own on an agent's machine: its terminal, its files, the way to its gateway."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from hive.decisions.requests.model import names
from hive.decisions.tool_use.model import Attempt, ToolUse, forbidden
from hive.decisions.tool_use.programs import name_of
from hive.decisions.tool_use.shell import Command
from hive.facts.autonomy import Action

_WAY = re.compile(
    r"(?i)(?:https?|all|no|ftp)_proxy|GIT_(?:CONFIG.*|SSL_.*|PROXY_.*|SSH.*)|GH_(?:TOKEN|HOST|CONFIG_DIR|"
    r"ENTERPRISE_TOKEN)|GITHUB_(?:ENTERPRISE_)?TOKEN|HIVE_.*"
)
_WRITERS = names("rm mv cp tee sed chmod chown ln truncate dd install touch rsync unlink shred patch")
_FOLDERS = (".hive", ".config/hive", ".config/gh")
_FILES = (
    *(".claude/hive.json", ".claude/settings.json", ".copilot/settings.json", ".copilot/config.json"),
    *(".gemini/settings.json", ".gemini/hive.toml", ".gemini/trustedFolders.json"),
    *(".codex/config.toml", ".codex/hooks.json"),
    *(".config/opencode/hive.json", ".curlrc", ".gitconfig"),
)
_OFF = re.compile(r"disableAllHooks|hooksConfig")
_WRITING_TOOL = re.compile(r"(?i)write|edit|create|replace|patch|insert")
_TERMINAL = re.compile(r"(?:kill|send|respawn|paste|detach|set|run|switch|link|move|swap|break)[a-z-]*")


def own_attempts(command: Command, use: ToolUse) -> Iterator[Attempt]:
    name = name_of(command)
    shown = " ".join([*(f"{key}={value}" for key, value in command.sets), *command.words])[:200]
    yield from _way(command, name, shown)
    if name == "tmux" and not any(word.startswith(("-L", "-S")) for word in command.words[1:]):
        if any(_TERMINAL.fullmatch(word) for word in command.words[1:]):
            yield _refused(
                shown, "terminal", "the terminal that agents run in is hive's; start another with tmux -L"
            )
    elif name in ("pkill", "killall") and any(
        re.search(r"tmux|\bhive\b", word) for word in command.words[1:]
    ):
        yield _refused(
            shown, "terminal", "the terminal that agents run in, and hive itself, are not to be ended"
        )
    touched = [*command.writes, *(command.words[1:] if name in _WRITERS else ())]
    if any(_is_hives(path, use) for path in touched):
        yield _refused(shown, "own-files", "hive's own files for this agent are hive's to write")
    switched_off = _OFF.search(f"{shown}\n{command.stdin}")
    if switched_off and (command.writes or name in _WRITERS):
        yield _refused(shown, "hooks", f"{switched_off[0]} would switch hive's hooks off")


def file_attempts(use: ToolUse) -> Iterator[Attempt]:
    """Of a tool that writes files without a shell."""
    path = next((use.given[key] for key in ("file_path", "path", "absolute_path") if use.given.get(key)), "")
    if not path or not _WRITING_TOOL.search(use.tool):
        return
    shown = f"{use.tool} {path}"[:200]
    if _is_hives(path, use):
        yield _refused(shown, "own-files", "hive's own files for this agent are hive's to write")
    in_settings = re.search(r"\.(?:claude|gemini|copilot)/|/copilot/", path) is not None
    if in_settings and any(_OFF.search(value) for value in use.given.values()):
        yield _refused(shown, "hooks", "this would switch hive's hooks off")


def _way(command: Command, name: str, shown: str) -> Iterator[Attempt]:
    changed = [key for key, _ in command.sets]
    if name in ("export", "unset", "declare", "typeset"):
        changed += [word.partition("=")[0] for word in command.words[1:]]
    found = next((key for key in changed if _WAY.fullmatch(key)), "")
    if found:
        because = f"{found} is part of the way to hive's gateway, which is the only one to the forge"
        yield _refused(shown, "another-way", because)


def _refused(shown: str, rule: str, because: str) -> Attempt:
    return Attempt(Action.UNKNOWN, "", shown, refused=forbidden(rule, because), instead="leave it as it is")


def _is_hives(path: str, use: ToolUse) -> bool:
    home = use.home.rstrip("/")
    for spelt in ("$HOME", "${HOME}", "~"):
        if path.startswith(spelt):
            path = (home or "/~") + path[len(spelt) :]
            break
    whole = posixpath.normpath(posixpath.join(use.folder or "/", path))
    below = whole.removeprefix(f"{home or '/~'}/")
    if below == whole:
        return False
    return below in _FILES or any(below == folder or below.startswith(f"{folder}/") for folder in _FOLDERS)
