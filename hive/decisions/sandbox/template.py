"""Sandbox templates: the objects of one pod, with leaves that a parameter's value takes the place of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from hive.decisions.one_line import one_line
from hive.errors import ConfigError

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
"""What a manifest is made of."""

Location: TypeAlias = tuple[str | int, ...]
"""Keys and list positions, from the root of the template's file."""


class ParameterType(StrEnum):
    STRING = "string"
    QUANTITY = "quantity"
    """Kubernetes': ``500m``, ``2Gi``; not less than nothing."""
    INTEGER = "integer"
    BOOLEAN = "boolean"
    ENUM = "enum"


@dataclass(frozen=True, slots=True)
class Parameter:
    """What an operator may choose. Values are text, as they are written in a file.

    Attributes:
        default: None where there is none: then a value has to be given, or, where it is not required,
            what would hold it is left out.
        minimum, maximum: Bounds of a quantity or an integer, both allowed.
        values: Of an enum.
        pattern: A regular expression that a whole string has to match.
    """

    type: ParameterType
    description: str
    default: str | None = None
    is_required: bool = False
    minimum: str | None = None
    maximum: str | None = None
    values: tuple[str, ...] = ()
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class SandboxTemplate:
    """One template.

    Attributes:
        objects: Manifests. A mapping ``{parameter: NAME}`` stands for that parameter's value,
            ``{given: NAME}`` for what hive knows of the sandbox, ``{when: …, then: …, else: …}`` for one of
            two; what has no value is left out together with its key.
        source, lines: The file, and the line (from 1) of each place in it, for messages.
    """

    name: str
    description: str
    parameters: Mapping[str, Parameter]
    objects: tuple[Json, ...]
    source: str = ""
    lines: Mapping[Location, int] = field(default_factory=dict)

    def error(self, message: str, at: Location = ()) -> ConfigError:
        """Names the template, its file and the line of `at`, or of the nearest thing around it."""
        known = (at[:end] for end in range(len(at), -1, -1))
        line = next((self.lines[place] for place in known if place in self.lines), None)
        text = one_line(f"sandbox template '{self.name}': {message}")
        return ConfigError(text, source=self.source or None, line=line)
