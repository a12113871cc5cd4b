"""YAML, from the event stream: no tags, no duplicate keys, no implicit types, bounded aliases.

Events rather than PyYAML's node tree, since composing nodes recurses without a bound and building
Python objects guesses types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from hive.documents.json_text import too_deep
from hive.documents.limits import Limits
from hive.documents.tree import Location, Tree, Value
from hive.errors import ConfigError

_STANDARD = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset(
    f"{_STANDARD}{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")
)
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, source: str, limits: Limits) -> list[Tree]:
    """Read all documents of a YAML stream. Raises `ConfigError` with the line."""
    try:
        return list(_documents(text, source, limits))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "the text cannot be read"
        raise ConfigError(
            f"this is not valid YAML: {problem}", source=source, line=mark.line + 1 if mark else None
        ) from error
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1 if isinstance(error.position, int) else None
        raise ConfigError(
            "the text holds a control character that YAML does not allow; write it as an escape in quotes",
            source=source,
            line=line,
        ) from error


@dataclass(slots=True)
class _Open:
    """A collection that is being read, or the document itself (`value` None)."""

    value: dict[str, Value] | list[Value] | None
    location: Location
    anchor: str | None
    first: int
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    source: str
    limits: Limits
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Value, int]] = field(default_factory=dict)
    tree: Tree = field(default_factory=lambda: Tree(None))
    count: int = 0

    def fail(self, message: str, event: yaml.Event) -> ConfigError:
        return ConfigError(message, source=self.source, line=_line(event))

    def spend(self, amount: int, event: yaml.Event) -> None:
        self.count += amount
        if self.count > self.limits.values:
            raise self.fail(f"the input has more than {self.limits.values} values", event)

    def place(self, event: yaml.Event) -> Location:
        """Where the next value goes; checks a key that is being read."""
        top = self.stack[-1] if self.stack else None
        if top is None:
            return ()
        if isinstance(top.value, list):
            return (*top.location, len(top.value))
        assert top.key is not None
        return (*top.location, top.key)

    def wants_key(self) -> bool:
        top = self.stack[-1] if self.stack else None
        return top is not None and isinstance(top.value, dict) and top.key is None

    def put(self, value: Value, location: Location, event: yaml.Event) -> None:
        self.tree.lines.setdefault(location, _line(event))
        if not self.stack:
            self.tree.value = value
            return
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif isinstance(top.value, dict):
            assert top.key is not None
            top.value[top.key] = value
            top.key = None

    def take_key(self, event: yaml.Event) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise self.fail("a key must be plain text", event)
        top = self.stack[-1]
        assert isinstance(top.value, dict)
        if event.value in top.value:
            raise self.fail(f"the key '{event.value}' is given twice", event)
        top.key = event.value
        self.tree.lines[(*top.location, event.value)] = _line(event)

    def scalar(self, event: yaml.ScalarEvent) -> None:
        value = _scalar(event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        self.put(value, self.place(event), event)

    def open(self, event: yaml.CollectionStartEvent) -> None:
        if len(self.stack) >= self.limits.depth:
            raise too_deep(self.source, self.limits, _line(event))
        value: dict[str, Value] | list[Value] = {} if isinstance(event, yaml.MappingStartEvent) else []
        location = self.place(event)
        self.put(value, location, event)
        self.stack.append(_Open(value, location, event.anchor, self.count))

    def close(self) -> None:
        done = self.stack.pop()
        if done.anchor:
            self.anchors[done.anchor] = (done.value, self.count - done.first + 1)

    def alias(self, event: yaml.AliasEvent) -> None:
        known = self.anchors.get(event.anchor or "")
        if known is None:
            raise self.fail(f"the alias '*{event.anchor}' names nothing that is complete before it", event)
        value, size = known
        self.spend(size, event)
        self.put(value, self.place(event), event)


def _documents(text: str, source: str, limits: Limits) -> Iterator[Tree]:
    builder = _Builder(source, limits)
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.DocumentStartEvent):
            builder = _Builder(source, limits, tree=Tree(None, {(): _line(event)}))
        elif isinstance(event, yaml.DocumentEndEvent):
            yield builder.tree
        elif isinstance(event, yaml.NodeEvent):
            _node(builder, event)
        elif isinstance(event, yaml.CollectionEndEvent):
            builder.close()


def _node(builder: _Builder, event: yaml.NodeEvent) -> None:
    builder.spend(1, event)
    _refuse_tags(builder, event)
    if builder.wants_key():
        builder.take_key(event)
    elif isinstance(event, yaml.ScalarEvent):
        builder.scalar(event)
    elif isinstance(event, yaml.AliasEvent):
        builder.alias(event)
    elif isinstance(event, yaml.CollectionStartEvent):
        builder.open(event)


def _refuse_tags(builder: _Builder, event: yaml.NodeEvent) -> None:
    tag = getattr(event, "tag", None)
    if tag not in (None, "!") and tag not in _PLAIN_TAGS:
        short = str(tag).replace(_STANDARD, "!!")
        raise builder.fail(f"the tag '{short}' is not allowed; write the plain value", event)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _scalar(event: yaml.ScalarEvent) -> str | None:
    plain = not event.style and event.tag in (None, f"{_STANDARD}null")
    if plain and event.value in ("", "~", "null", "Null", "NULL"):
        return None
    return str(event.value)
