"""Hypothesis strategies for facts, built from the types themselves, so that a new event is tested unasked.

Text is any that UTF-8 can hold; whole numbers are those that JSON readers everywhere agree on.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any, cast

import msgspec
from hypothesis import strategies as st

from hive.facts.events import Event, Record
from hive.facts.intents import Intent
from hive.facts.memory import Memory

EVENT_TYPES: tuple[type[Event], ...] = typing.get_args(Event)
INTENT_TYPES: tuple[type[Intent], ...] = typing.get_args(Intent)


def texts() -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def moments() -> st.SearchStrategy[datetime]:
    """Aware, in UTC, between the years 2000 and 2100."""
    return st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds


def events() -> st.SearchStrategy[Event]:
    return st.one_of([of(kind) for kind in EVENT_TYPES])


def intents() -> st.SearchStrategy[Intent]:
    return st.one_of([of(kind) for kind in INTENT_TYPES])


def memories() -> st.SearchStrategy[Memory]:
    return cast(st.SearchStrategy[Memory], of(Memory))


def records(*, most: int = 30) -> st.SearchStrategy[list[Record]]:
    """A journal's content: gapless from 1, times in order."""
    lines = st.lists(st.tuples(moments(), st.integers(0, 9), events()), max_size=most)
    return lines.map(
        lambda drawn: [
            Record(seq, at, tick, event)
            for seq, (at, (_, tick, event)) in enumerate(
                zip(sorted(d[0] for d in drawn), drawn, strict=True), 1
            )
        ]
    )


def of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that facts are made of: structs, dataclasses, unions, tuples, mappings, plain ones.

    Raises `TypeError` for a kind of type that is new here.
    """
    plain = {
        str: texts(),
        int: st.integers(-(2**53) + 1, 2**53 - 1),
        bool: st.booleans(),
        float: st.floats(allow_nan=False, allow_infinity=False),
        type(None): st.none(),
        datetime: moments(),
    }
    if kind in plain:
        return plain[kind]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([of(argument) for argument in arguments])
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(of(arguments[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*[of(argument) for argument in arguments])
    if origin in (dict, Mapping):
        return st.dictionaries(of(arguments[0]), of(arguments[1]), max_size=3)
    if origin is frozenset:
        return st.frozensets(of(arguments[0]), max_size=3)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if isinstance(kind, type) and (is_dataclass(kind) or issubclass(kind, msgspec.Struct)):
        return _built(kind)
    raise TypeError(f"no strategy for {kind!r}: add one to tests/strategies.py")


def _built(kind: type[Any]) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind)
    names = kind.__struct_fields__ if issubclass(kind, msgspec.Struct) else [f.name for f in fields(kind)]
    return st.builds(kind, **{name: of(hints[name]) for name in names})
