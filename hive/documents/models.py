"""Documents into pydantic models, with errors that name the line and the remedy."""

from __future__ import annotations

import difflib
import os
import types
import typing
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from hive.documents.document import Document
from hive.documents.tree import Location, spell
from hive.errors import ConfigError

# Pydantic would look through all that is installed for plug-ins of its own, at each start of a command, and
# let them into hive's validation.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


class StrictModel(BaseModel):
    """Base of all models of input: frozen, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False, hide_input_in_errors=True)


M = TypeVar("M", bound=BaseModel)


def parse(document: Document, model: type[M]) -> M:
    """Validate `document.value`; raises the `ConfigError` of the first error in the text."""
    if not isinstance(document.value, dict):
        raise document.error("a mapping of keys is expected here")
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        raise first_error(document, model, error) from error


def first_error(
    document: Document, model: type[BaseModel], error: ValidationError, at: Location = ()
) -> ConfigError:
    """The earliest of a validation's errors; `at` is where in the document `model` was read."""
    errors = [dict(one) for one in error.errors(include_url=False)]
    # A misspelt key is often why another is missing: what stands there is named before what does not.
    told = [(one["type"] == "missing", _explain(document, model, one, at)) for one in errors]
    return min(told, key=lambda one: (one[0], one[1].line or 0))[1]


def _explain(document: Document, model: type[BaseModel], error: dict[str, Any], at: Location) -> ConfigError:
    location = (*at, *_located(document, tuple(error["loc"]), at))
    kind = str(error["type"])
    if kind == "extra_forbidden":
        known = known_keys(model, location[len(at) : -1])
        return document.error(unknown_key(str(location[-1]), known, spell(location[:-1])), location)
    if kind == "missing":
        inside = spell(location[:-1])
        return document.error(
            f"the key '{location[-1]}' is missing{f' in {inside}' if inside else ''}", location
        )
    if location and location[-1] == "[key]":
        location = location[:-1]
    return document.error(f"{spell(location)}: {_words(kind, error)}", location)


def unknown_key(key: str, known: Iterable[str], inside: str = "") -> str:
    """One line for an unknown key, with the nearest known one."""
    known = sorted(known)
    near = nearest(key, known)
    hint = f"; did you mean '{near}'?" if near else f"; known keys: {', '.join(known)}" if known else ""
    return f"unknown key '{key}'{f' in {inside}' if inside else ''}{hint}"


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The known word most like `word`, or None where none is near."""
    folded = {one.casefold().replace("-", "_"): one for one in known}
    match = difflib.get_close_matches(word.casefold().replace("-", "_"), list(folded), n=1, cutoff=0.6)
    return folded[match[0]] if match else None


_WORDS = {
    "string_type": "text is expected",
    "int_parsing": "a whole number is expected",
    "int_type": "a whole number is expected",
    "float_parsing": "a number is expected",
    "float_type": "a number is expected",
    "bool_parsing": "true or false is expected",
    "bool_type": "true or false is expected",
    "time_delta_type": "a duration is expected; write 90s, 5m, 4h or 2d",
    "datetime_type": "a time with zone is expected; write it like 2026-11-30T12:00:00Z",
    "list_type": "a list is expected",
    "tuple_type": "a list is expected",
    "frozen_set_type": "a list is expected",
    "set_type": "a list is expected",
    "dict_type": "a mapping of keys is expected",
    "model_type": "a mapping of keys is expected",
    "model_attributes_type": "a mapping of keys is expected",
}


def _words(kind: str, error: dict[str, Any]) -> str:
    if kind in ("enum", "literal_error"):
        expected = str(error.get("ctx", {}).get("expected", ""))
        words = [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]
        near = nearest(str(error.get("input", "")), words)
        return f"one of {expected} is expected" + (f"; did you mean '{near}'?" if near else "")
    if kind in ("too_short", "too_long"):
        context = error.get("ctx", {})
        least, most = context.get("min_length"), context.get("max_length")
        bound = f"at least {least}" if least is not None else f"at most {most}"
        return (
            f"{bound} {'is' if 1 in (least, most) else 'are'} expected, and it has {context['actual_length']}"
        )
    if kind == "value_error":
        return str(error.get("ctx", {}).get("error", error["msg"]))
    return _WORDS.get(kind) or str(error["msg"])[:1].lower() + str(error["msg"])[1:]


def _located(document: Document, location: Location, at: Location) -> Location:
    """Drop from pydantic's location what stands in no document: union members and validator names."""
    value: Any = document.value
    for part in at:
        value = value[part]
    kept: list[str | int] = []
    for index, part in enumerate(location):
        last = index == len(location) - 1
        if isinstance(value, dict) and (part in value or last):
            kept.append(part)
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            kept.append(part)
            value = value[part]
    return tuple(kept)


def known_keys(model: Any, location: Location) -> set[str]:
    """The keys that `model` knows at `location`."""
    options = _models(model)
    for part in location:
        options = [inner for option in options for inner in _models(_child(option, part))]
    return {
        field.alias or name
        for option in options
        if isinstance(option, type) and issubclass(option, BaseModel)
        for name, field in option.model_fields.items()
    }


def _child(option: Any, part: str | int) -> Any:
    if isinstance(option, type) and issubclass(option, BaseModel):
        for name, field in option.model_fields.items():
            if (field.alias or name) == part:
                return field.annotation
        return None
    arguments = get_args(option)
    return (
        arguments[-1] if arguments and arguments[-1] is not Ellipsis else arguments[0] if arguments else None
    )


def _models(annotation: Any) -> list[Any]:
    """Unwrap Optional, Union and Annotated into the types inside."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _models(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return [inner for option in get_args(annotation) for inner in _models(option)]
    if isinstance(annotation, typing.TypeAliasType if hasattr(typing, "TypeAliasType") else ()):
        return _models(annotation.__value__)
    return [] if annotation is None or annotation is type(None) else [annotation]
