"""``${NAME}`` in values of a document, from the environment.

After the YAML is parsed, and never in keys: what a variable holds can change a value and nothing else.
``$${`` stands for a plain ``${``; a ``$`` elsewhere is itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hive.decisions.one_line import one_line
from hive.documents import Document
from hive.documents.models import nearest
from hive.documents.tree import Location, Value, spell
from hive.errors import ConfigError

VARIABLE = r"\$\{[A-Za-z_][A-Za-z0-9_]*\}"
"""One interpolation, as a pattern that JSON Schema understands too."""

_MARK = re.compile(r"\$(?P<escaped>\$\{)|\$\{(?P<name>[^}]*)(?P<closed>\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

TELLING = 8
"""Shorter texts are not looked for in others: no credential is that short, and many words are."""


@dataclass(slots=True)
class Interpolation:
    """Fills in variables and remembers which ones, where.

    Attributes:
        used: Names of the variables in the value at a location.
    """

    document: Document
    environ: Mapping[str, str]
    used: dict[Location, tuple[str, ...]] = field(default_factory=dict)

    def fill(self, value: Value, at: Location = ()) -> Value:
        """Return `value`, which stands at `at`, with its variables filled in.

        Raises `ConfigError` for a variable that is not set and for what is no variable's name.
        """
        if isinstance(value, dict):
            return {key: self.fill(entry, (*at, key)) for key, entry in value.items()}
        if isinstance(value, list):
            return [self.fill(entry, (*at, index)) for index, entry in enumerate(value)]
        return value if value is None or "${" not in value else self._text(value, at)

    def _text(self, text: str, at: Location) -> str:
        names: list[str] = []

        def replace(match: re.Match[str]) -> str:
            if match["escaped"]:
                return "${"
            names.append(self._known(match, at))
            return self.environ[names[-1]]

        filled = _MARK.sub(replace, text)
        self.used[at] = tuple(names)
        return filled

    def _known(self, match: re.Match[str], at: Location) -> str:
        name = match["name"]
        if not match["closed"] or _NAME.fullmatch(name) is None:
            raise self.document.error(
                f"{spell(at)}: '{match[0]}' names no variable; write ${{NAME}}, or $${{ for a plain ${{", at
            )
        if name not in self.environ:
            near = nearest(name, sorted(self.environ))
            hint = f"; did you mean '{near}'?" if near else "; set it, or write $${ for a plain ${"
            raise self.document.error(f"{spell(at)}: the variable {name} is not set{hint}", at)
        return name

    def conceal(self, error: ConfigError) -> ConfigError:
        """Return `error` on one line, with the names of variables in place of what they hold."""
        message = error.message
        names = sorted({name for used in self.used.values() for name in used})
        for name in sorted(names, key=lambda one: len(self.environ[one]), reverse=True):
            if len(self.environ[name]) >= TELLING:
                message = message.replace(self.environ[name], f"${{{name}}}")
        return ConfigError(one_line(message), source=error.source, line=error.line)
