"""Values of a seed description, each knowing where it stands, so that an error can say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hive.documents import Document, Limits
from hive.documents import read as read_document
from hive.documents.tree import spell
from hive.errors import ConfigError

# Thousands of issues with long bodies fit; a wrong file is refused before it is read (chosen).
_LARGEST_FILE = 64 * 1024 * 1024


def read(path: Path, *, bare_list: str | None = None) -> Node:
    """The document at `path`; with `bare_list`, a list stands for an object with that one key."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise ConfigError(f"larger than {_LARGEST_FILE >> 20} MiB", source=str(path))
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(error.strerror or "cannot be read", source=str(path)) from error
    document = read_document(data, str(path), limits=Limits(size=_LARGEST_FILE))
    if bare_list is not None and isinstance(document.value, list):
        return Node({bare_list: document.value}, document, (), bare=True)
    if not isinstance(document.value, dict):
        raise document.error("must be an object")
    return Node(document.value, document, ())


@dataclass(frozen=True, slots=True)
class Node:
    """One value of the file, and the keys and positions that lead to it."""

    value: Any
    document: Document
    location: tuple[str | int, ...]
    bare: bool = False
    """Whether the one list of this object is the whole document."""

    def wrong(self, key: str, problem: str) -> ConfigError:
        """The error for `key` of this value, or for all of it where the key is empty."""
        location = (*self.location, key) if key else self.location
        place = spell(location)
        return self.document.error(f"{place}: {problem}" if place else problem, location)

    def known(self, *keys: str) -> None:
        """Refuse keys other than these."""
        if not isinstance(self.value, dict):
            raise self.wrong("", "must be an object")
        for key in self.value:
            if key not in keys:
                raise self.wrong(str(key), f"not a key here; the keys are {', '.join(keys)}")

    def child(self, key: str) -> Node:
        """The value of `key`."""
        return Node(self.value[key], self.document, (*self.location, key))

    def items(self, key: str) -> Iterator[Node]:
        """The entries of the list `key`; none where it is absent."""
        if not isinstance(self.value, dict):
            raise self.wrong("", "must be an object")
        found = self.value.get(key)
        if found is None:
            return
        if not isinstance(found, list):
            raise self.wrong(key, "must be a list")
        base = () if self.bare else (*self.location, key)
        for position, entry in enumerate(found):
            yield Node(entry, self.document, (*base, position))

    def text(self, key: str) -> str:
        """A text that has to be there."""
        found = self.optional_text(key)
        if not found:
            raise self.wrong(key, "must be there, as a text")
        return found

    def optional_text(self, key: str) -> str | None:
        """A text, or None where it is absent or null."""
        if not isinstance(self.value, dict):
            raise self.wrong("", "must be an object")
        found = self.value.get(key)
        if found is None or isinstance(found, str):
            return found
        raise self.wrong(key, f"must be a text, not {found!r}")

    def number(self, key: str) -> int | None:
        """A positive whole number; None where it is absent."""
        found = self.optional_text(key)
        if found is None:
            return None
        if found.isascii() and found.isdigit() and len(found) < 10 and int(found) > 0:
            return int(found)
        raise self.wrong(key, f"must be a positive number, not {found!r}")

    def flag(self, key: str) -> bool:
        """`true` or `false`; false where it is absent."""
        return self.choice(key, ("true", "false"), "false") == "true"

    def moment(self, key: str) -> str | None:
        """A time as GitHub writes it: UTC, whole seconds; None where it is absent."""
        found = self.optional_text(key)
        if found is None:
            return None
        try:
            when = datetime.fromisoformat(found)
        except ValueError:
            when = None
        if when is None or when.tzinfo is None:
            raise self.wrong(
                key, f"must be a time with its zone, such as 2026-11-30T12:00:00Z, not {found!r}"
            )
        return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def choice(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        """One of a few words."""
        found = self.optional_text(key)
        if found is None:
            return default
        if found not in allowed:
            raise self.wrong(key, f"{found!r} is none of {', '.join(allowed)}")
        return found

    def mapping(self, key: str, allowed: tuple[str, ...]) -> dict[str, str]:
        """Words by name; empty where it is absent or a single word."""
        found = self.value.get(key)
        if not isinstance(found, dict):
            return {}
        child = self.child(key)
        return {name: child.choice(name, allowed, allowed[-1]) for name in found}

    def login(self) -> str:
        """The login of an actor, who may be written as the login alone."""
        return self.value if isinstance(self.value, str) and self.value else self.text("login")
