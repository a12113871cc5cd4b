"""A document: plain values (mappings, lists, text, None), and where each of them stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from hive.documents.json_text import read_json
from hive.documents.limits import Limits
from hive.documents.tree import Location, Value
from hive.documents.yaml_text import read_yaml
from hive.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed document.

    Attributes:
        lines: Line (from 1) by location; a mapping entry's is that of its key. May lack some: JSON is
            located only when something is wrong with it.
    """

    value: Value
    source: str
    text: str
    lines: Mapping[Location, int]

    def line(self, location: Location) -> int | None:
        """The line of `location`, or of the nearest thing around it."""
        lines = self.lines or _lines_of(self.text, self.source)
        for end in range(len(location), -1, -1):
            if location[:end] in lines:
                return lines[location[:end]]
        return None

    def error(self, message: str, location: Location = ()) -> ConfigError:
        return ConfigError(message, source=self.source, line=self.line(location))

    def parse(self, model: type[M]) -> M:
        """Read the document into `model`.

        Raises `ConfigError` for the first thing that is wrong, with its line and, for an unknown key,
        the nearest known one.
        """
        from hive.documents.models import parse  # pydantic is slow to import

        return parse(self, model)


def read(data: bytes, source: str, *, limits: Limits | None = None) -> Document:
    """Read exactly one document. Raises `ConfigError`; an empty one is an error."""
    documents = read_all(data, source, limits=limits)
    if not documents:
        raise ConfigError("the document is empty", source=source)
    if len(documents) > 1:
        raise ConfigError(
            "there are several documents, one is expected; remove what follows the first '---'",
            source=source,
            line=documents[1].line(()),
        )
    return documents[0]


def read_all(data: bytes, source: str, *, limits: Limits | None = None) -> tuple[Document, ...]:
    """Read all documents of a YAML stream (a JSON text is one). Empty documents are left out."""
    limits = limits or Limits()
    text = _decode(data, source, limits)
    if text.lstrip()[:1] in ("{", "["):
        value = read_json(text, source, limits)
        if value is not None:
            return (Document(value.value, source, text, {}),)
    return tuple(
        Document(tree.value, source, text, tree.lines)
        for tree in read_yaml(text, source, limits)
        if tree.value is not None
    )


def _decode(data: bytes, source: str, limits: Limits) -> str:
    if len(data) > limits.size:
        raise ConfigError(f"the input is larger than {limits.size // 1024} KiB", source=source)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError("this is not UTF-8 text; save it as UTF-8", source=source, line=line) from error
    return text


def _lines_of(text: str, source: str) -> Mapping[Location, int]:
    try:
        trees = read_yaml(text, source, Limits())
    except ConfigError:
        return {}
    return trees[0].lines if trees else {}
