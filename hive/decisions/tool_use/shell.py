"""A shell's command line, taken apart into the simple commands that it would run.

It knows quotes, variables set before, compound commands, substitutions, redirections and here-documents; what
the shell would only know while it runs (files, functions, unset variables) stays as it is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hive.decisions.requests import NotUnderstood

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?::?[-=][^}]*)?\})")
_REDIRECTION = re.compile(r"\d*(?:&>>?|<<<|<<-?|<>|>>|>\||[<>]&|[<>])")
_RESERVED = frozenset(
    {"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time"}
)
_DEEPEST = 12


@dataclass(slots=True)
class Command:
    """Attributes:
    sets: Variables set in front of it, or by it alone.
    writes: Files that its output goes to.
    stdin: Text that is handed to it by a here-document or a here-string.
    """

    words: list[str] = field(default_factory=list)
    sets: list[tuple[str, str]] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    stdin: str = ""


def commands(text: str, depth: int = 0, known: dict[str, str] | None = None) -> list[Command]:
    """All simple commands of `text`, those of substitutions too. Raises `NotUnderstood`: quotes without an
    end, or nesting beyond what anybody writes."""
    if depth > _DEEPEST:
        raise NotUnderstood("its commands are nested too deeply")
    return _Reader(text, depth, known if known is not None else {}).read()


class _Reader:
    def __init__(self, text: str, depth: int, known: dict[str, str]) -> None:
        self._text = text
        self._at = 0
        self._depth = depth
        self._known = known
        self._found: list[Command] = []
        self._command = Command()
        self._fields: list[str] | None = None
        """Of the word under way: a variable without quotes may make several of it."""
        self._is_bare = True
        self._redirection = ""
        self._documents: list[tuple[Command, str, bool]] = []

    def read(self) -> list[Command]:
        while self._at < len(self._text):
            self._step()
        self._end_command()
        return self._found

    def _step(self) -> None:
        text, at = self._text, self._at
        char = text[at]
        if char == "#" and self._fields is None:
            end = text.find("\n", at)
            self._at = len(text) if end < 0 else end
        elif char == "\n":
            self._at += 1
            self._end_command()
            self._read_documents()
        elif char in " \t\r":
            self._at += 1
            self._end_word()
        elif char in "<>" and text[at + 1 : at + 2] == "(":
            self._at += 1
            self._substitute("(", ")")
        elif (char in "<>&" or char.isdigit()) and self._redirects():
            pass
        elif char in ";&|()":
            self._at += 1
            self._end_command()
        else:
            self._character(char)

    def _redirects(self) -> bool:
        found = _REDIRECTION.match(self._text, self._at)
        digits = found is not None and found[0][0].isdigit()
        if found is None or (digits and self._fields is not None):
            return False
        self._end_word()
        self._at = found.end()
        self._redirection = found[0].lstrip("0123456789")
        return True

    def _character(self, char: str) -> None:
        if char == "\\":
            self._is_bare = False
            follows = self._text[self._at + 1 : self._at + 2]
            self._at += 2
            if follows != "\n":
                self._add(follows)
        elif char == "'":
            self._is_bare = False
            end = self._find("'", self._at + 1)
            self._add(self._text[self._at + 1 : end])
            self._at = end + 1
        elif char == '"':
            self._is_bare = False
            self._at += 1
            self._add("")
            self._quoted()
        elif char == "`" or self._text.startswith("$(", self._at) or char == "$":
            self._expand(split=True)
        else:
            self._add(char)
            self._at += 1

    def _quoted(self) -> None:
        while True:
            if self._at >= len(self._text):
                raise NotUnderstood("a quote has no end")
            char = self._text[self._at]
            if char == '"':
                self._at += 1
                return
            if char == "\\" and self._text[self._at + 1 : self._at + 2] in ('"', "\\", "$", "`", "\n"):
                self._add(self._text[self._at + 1].replace("\n", ""))
                self._at += 2
            elif char in "$`":
                self._expand(split=False)
            else:
                self._add(char)
                self._at += 1

    def _expand(self, *, split: bool) -> None:
        """A variable or a substitution at the place."""
        text = self._text
        if text[self._at] == "`":
            end = self._find("`", self._at + 1)
            self._inner(text[self._at + 1 : end].replace("\\`", "`"))
            self._at = end + 1
            self._add("")
        elif text.startswith("$((", self._at):
            end = text.find("))", self._at)
            self._at = len(text) if end < 0 else end + 2
            self._add("0")
        elif text.startswith("$(", self._at):
            self._at += 1
            self._substitute("(", ")")
        elif text.startswith("$'", self._at) and split:
            end = self._find("'", self._at + 2)
            self._add(text[self._at + 2 : end])
            self._at = end + 1
        else:
            self._variable(split=split)

    def _variable(self, *, split: bool) -> None:
        found = _VARIABLE.match(self._text, self._at)
        name = (found[1] or found[2]) if found else ""
        if found is None or name not in self._known:
            self._add(found[0] if found else "$")
            self._at = found.end() if found else self._at + 1
            return
        self._at = found.end()
        pieces = self._known[name].split() if split else [self._known[name]]
        for number, piece in enumerate(pieces):
            if number:
                assert self._fields is not None
                self._fields.append("")
            self._add(piece)

    def _substitute(self, opens: str, closes: str) -> None:
        """What stands in parentheses at the place, as commands of their own."""
        start, level = self._at + 1, 0
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "\\":
                self._at += 1
            elif char == "'":
                self._at = self._find("'", self._at + 1)
            elif char == opens:
                level += 1
            elif char == closes:
                level -= 1
                if level == 0:
                    self._inner(self._text[start : self._at])
                    self._at += 1
                    self._add("")
                    return
            self._at += 1
        raise NotUnderstood("a parenthesis has no end")

    def _inner(self, text: str) -> None:
        self._found.extend(commands(text, self._depth + 1, self._known))

    def _find(self, mark: str, start: int) -> int:
        end = self._text.find(mark, start)
        if end < 0:
            raise NotUnderstood("a quote has no end")
        return end

    def _add(self, text: str) -> None:
        if self._fields is None:
            self._fields = [""]
        self._fields[-1] += text

    def _end_word(self) -> None:
        if self._fields is None:
            return
        fields, self._fields = self._fields, None
        bare, self._is_bare = self._is_bare, True
        if self._redirection:
            self._redirect(self._redirection, "".join(fields), bare)
            self._redirection = ""
            return
        for word in fields:
            name, equals, value = word.partition("=")
            if equals and not self._command.words and _NAME.fullmatch(name):
                self._command.sets.append((name, value))
            elif not self._command.words and bare and word in _RESERVED:
                continue
            else:
                self._command.words.append(word)

    def _redirect(self, sign: str, word: str, bare: bool) -> None:
        if sign in ("<<", "<<-"):
            self._documents.append((self._command, word, bare))
        elif sign == "<<<":
            self._command.stdin = word
        elif ">" in sign and not word.isdigit():
            self._command.writes.append(word)

    def _end_command(self) -> None:
        self._end_word()
        command, self._command = self._command, Command()
        if not command.words:
            self._known.update(command.sets)
        elif command.words[0] in ("export", "declare", "local", "readonly", "typeset"):
            pairs = [word.partition("=") for word in command.words[1:]]
            self._known.update((name, value) for name, equals, value in pairs if equals)
        if command.words or command.sets or command.writes:
            self._found.append(command)

    def _read_documents(self) -> None:
        for command, mark, expands in self._documents:
            lines = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line = self._text[self._at : end]
                self._at = end + 1
                if line.strip("\t") == mark:
                    break
                lines.append(line)
            command.stdin = "\n".join(lines)
            if expands:
                for inner in re.findall(r"\$\(([^()]*)\)|`([^`]*)`", command.stdin):
                    self._inner("".join(inner))
        self._documents = []
