"""Misbehaviour on demand: marks in a prompt, in ``~/.scripted/script.json`` or in ``SCRIPTED_SCRIPT``.

A mark in a prompt is a line of its own, ``@script NAME ARGUMENTS``; in the file and the variable it is
a string of a JSON list, ``["NAME ARGUMENTS", …]``. Arguments are split like words of a shell: quotes
keep one together.

| mark | does |
|---|---|
| ``start-delay S``, ``trust-box [yes-first]``, ``picker-box`` | at start-up: wait; a chain of boxes |
| ``strange-screen [S]`` | at start-up: a dialog that no classifier knows |
| ``exit-at-start N [once]`` | end before anything is drawn, with that status |
| ``no-paste``, ``ignore-enter [N]``, ``double-enter`` | plain paste; lose N Enters (all), each other |
| ``ignore-prompt [N] [once]``, ``die-in-paste [always]`` | drop N prompts (all) unsaid; die by SIGKILL |
| ``log-states`` | keep a log of what state it is in (see `truth`) |
| ``slow S``, ``stream N``, ``flood [S]``, ``hang`` | take time; print N lines, or all it can; never end |
| ``stop [once]``, ``freeze [S] [once]`` | be stopped as by SIGSTOP; stand still, the screen too |
| ``crash-once [POINT]``, ``crash-at-start``, ``crash-before-push``, ``crash-after-pr`` | die by SIGKILL |
| ``exit N [once]``, ``signal [NAME] [once]`` | end the program with that status, by that signal |
| ``out-of-memory [MIB] [once]`` | take that much, then die as the kernel would have it |
| ``ask QUESTION [OPTION…]``, ``permission [QUESTION]`` | a box after, or amid, the turn |
| ``limit TEXT [S [stays]]`` | refuse prompts under a banner, for S seconds; shown until the next one |
| ``logged-out``, ``out-of-credit``, ``context-full`` | the same under other banners |
| ``strange-dialog [S] [once]`` | amid the turn: a dialog that no classifier knows |
| ``compact S``, ``fail TEXT``, ``refuse TEXT`` | a compacting line; a turn that fails or is refused |
| ``wrong-turn`` | its transcript tells of the end of a turn that nobody asked for |
| ``push-main``, ``merge-own``, ``remove-hold`` | try what no agent may do |
| ``quote-banner``, ``print-env``, ``fork-children N`` | look-alikes; its environment; children that stay |
"""

from __future__ import annotations

import os

PREFIX = "@script "

KNOWN = frozenset(
    {
        "start-delay",
        "trust-box",
        "picker-box",
        "strange-screen",
        "no-paste",
        "ignore-enter",
        "slow",
        "stream",
        "hang",
        "crash-once",
        "crash-at-start",
        "crash-before-push",
        "crash-after-pr",
        "exit",
        "ask",
        "permission",
        "limit",
        "logged-out",
        "out-of-credit",
        "context-full",
        "compact",
        "fail",
        "push-main",
        "merge-own",
        "remove-hold",
        "quote-banner",
        "print-env",
        "fork-children",
        "exit-at-start",
        "double-enter",
        "ignore-prompt",
        "die-in-paste",
        "log-states",
        "flood",
        "stop",
        "freeze",
        "signal",
        "out-of-memory",
        "strange-dialog",
        "refuse",
        "wrong-turn",
    }
)


class Marks:
    """Marks by name, each with its arguments; a later one of the same name wins."""

    def __init__(self, lines: list[str]) -> None:
        self._found: dict[str, tuple[str, ...]] = {}
        self.unknown: list[str] = []
        for line in lines:
            self._add(line)

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def words(self, name: str) -> tuple[str, ...]:
        return self._found.get(name, ())

    def text(self, name: str, default: str = "") -> str:
        return next(iter(self.words(name)), default)

    def number(self, name: str, default: float = 0, *, at: int = 0) -> float:
        """The argument at position `at` as a number; the default where it is missing or none."""
        words = self.words(name)
        try:
            return float(words[at])
        except (IndexError, ValueError):
            return default

    def without(self, names: tuple[str, ...]) -> Marks:
        kept = Marks([])
        kept._found = {name: words for name, words in self._found.items() if name not in names}
        return kept

    def over(self, below: Marks) -> Marks:
        """These marks, and those of `below` that they do not name."""
        merged = Marks([])
        merged._found = {**below._found, **self._found}
        merged.unknown = list(self.unknown)
        return merged

    def _add(self, line: str) -> None:
        words = split(line)
        if not words:
            return
        if words[0] in KNOWN:
            self._found[words[0]] = tuple(words[1:])
        else:
            self.unknown.append(words[0])


def in_text(text: str) -> Marks:
    """Marks on lines of their own in `text`."""
    lines = [line.strip() for line in text.splitlines()]
    return Marks([line[len(PREFIX) :] for line in lines if line.startswith(PREFIX)])


def of_the_seat(home: str) -> tuple[Marks, str]:
    """Marks from the environment and the script file, and what could not be read of them."""
    texts: list[tuple[str, str]] = []
    path = os.path.join(home, ".scripted", "script.json")
    try:
        with open(path, encoding="utf-8") as file:
            texts.append((path, file.read()))
    except OSError:
        pass  # no script is the ordinary case
    if os.environ.get("SCRIPTED_SCRIPT"):
        texts.append(("SCRIPTED_SCRIPT", os.environ["SCRIPTED_SCRIPT"]))
    marks, problems = Marks([]), []
    for source, text in texts:
        lines = _lines_of(text)
        if lines is None:
            problems.append(f"{source} is not a JSON list of strings; it is ignored")
        else:
            marks = Marks(lines).over(marks)
    return marks, "; ".join(problems)


def _lines_of(text: str) -> list[str] | None:
    import json

    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        return None
    return found


def split(line: str) -> list[str]:
    """Words, with double quotes keeping one together; a quote that is never closed ends with the line."""
    words: list[str] = []
    word: str | None = None
    quoted = False
    for character in line:
        if character == '"':
            quoted = not quoted
            word = word or ""
        elif character.isspace() and not quoted:
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + character
    return words if word is None else [*words, word]
