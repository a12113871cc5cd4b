"""What a simple command really starts: through `env`, `timeout`, `bash -c` and their like."""

from __future__ import annotations

from collections.abc import Iterator

from hive.decisions.requests.model import names
from hive.decisions.tool_use.shell import Command, commands

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
_WRAPPERS = names(
    "env sudo doas su nohup nice ionice setsid stdbuf time timeout command exec builtin xargs "
    "parallel watch strace ltrace script flock unshare chroot busybox coproc proxychains proxychains4 "
    "find npx"
)
_INNER = SHELLS | frozenset(
    {"gh", "hub", "git", "tmux", "eval", "curl", "wget", "rm", "mv", "cp", "tee", "sed"}
)
_INNER_TOO = frozenset({"kill", "pkill", "killall", "chmod", "chown", "ln", "truncate", "unset", "export"})


def name_of(command: Command) -> str:
    return command.words[0].rpartition("/")[2] if command.words else ""


def really(text: str, depth: int = 0) -> Iterator[Command]:
    """All commands that `text` starts as far as it can be read. Raises `NotUnderstood`."""
    found = commands(text, depth)
    piped = [
        " ".join(one.words[1:]) for one in found if name_of(one) in ("echo", "printf") and len(one.words) > 1
    ]
    for command in found:
        yield from _opened(command, piped, depth)


def _opened(command: Command, piped: list[str], depth: int) -> Iterator[Command]:
    yield command
    name = name_of(command)
    if name == "eval":
        yield from really(" ".join(command.words[1:]), depth + 1)
    elif name in SHELLS:
        yield from _in_shell(command, piped, depth)
    elif name in _WRAPPERS:
        rest = command.words[1:]
        inner = next((at for at, word in enumerate(rest) if _is_inner(word)), None)
        if name == "env":
            command.sets.extend(_set_by_env(rest[: len(rest) if inner is None else inner]))
        if inner is not None:
            within = Command(rest[inner:], command.sets, command.writes, command.stdin)
            yield from _opened(within, piped, depth + 1)
        for at, word in enumerate(rest):
            if word in ("-c", "-S", "--split-string", "--command") and at + 1 < len(rest):
                yield from really(rest[at + 1], depth + 1)


def _is_inner(word: str) -> bool:
    name = word.rpartition("/")[2]
    return name in _INNER or name in _INNER_TOO or name in _WRAPPERS


def _set_by_env(words: list[str]) -> Iterator[tuple[str, str]]:
    """Variables that `env` sets, and with an empty value those that it takes away."""
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if word in ("-u", "--unset") and at + 1 < len(words):
            yield words[at + 1], ""
        elif word.startswith("--unset="):
            yield value, ""
        elif equals and name and not name.startswith("-"):
            yield name, value


def _in_shell(command: Command, piped: list[str], depth: int) -> Iterator[Command]:
    arguments = command.words[1:]
    for at, word in enumerate(arguments):
        if word.startswith("-") and not word.startswith("--") and "c" in word and at + 1 < len(arguments):
            yield from really(arguments[at + 1], depth + 1)
            return
    if command.stdin:
        yield from really(command.stdin, depth + 1)
    elif all(word.startswith("-") for word in arguments):
        for text in piped:
            yield from really(text, depth + 1)
