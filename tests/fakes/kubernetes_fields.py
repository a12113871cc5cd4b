"""Who owns which field: server-side apply, as far as hive leans on it.

A field is a path to a leaf. Lists whose items all have a `name` are merged by it (containers, env, ports,
volumes), `ownerReferences` by `uid`, `finalizers` are a set; every other list is one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str, ...]

_NOT_OWNED = frozenset(
    {("apiVersion",), ("kind",)}
    | {
        ("metadata", key)
        for key in (
            "name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
            "deletionTimestamp", "managedFields",
        )
    }
)  # fmt: skip
_ITEM = "["


@dataclass(frozen=True, slots=True)
class Manager:
    name: str
    operation: str
    """``Apply`` or ``Update``: the same name under both is two managers, as on a real server."""
    subresource: str = ""


@dataclass
class Ownership:
    """Of one object."""

    owned: dict[Manager, set[Path]] = field(default_factory=dict)

    def conflicts(
        self, manager: Manager, live: Mapping[str, Any], wanted: Mapping[str, Any]
    ) -> dict[str, list[str]]:
        """The fields that `manager` would change and others own, by the others' names."""
        found: dict[str, list[str]] = {}
        have = dict(leaves(live))
        for path, value in leaves(wanted):
            if path in have and have[path] == value:
                continue
            for other, paths in self.owned.items():
                if other != manager and any(_touch(path, one) for one in paths):
                    found.setdefault(other.name, []).append(spelled(path))
        return found

    def apply(self, manager: Manager, live: dict[str, Any], wanted: Mapping[str, Any]) -> None:
        """Change `live` to hold `wanted`, less what `manager` applied before and does not any more."""
        new = dict(leaves(wanted))
        before = self.owned.get(manager, set())
        have = dict(leaves(live))
        for other in [other for other in self.owned if other != manager]:
            lost = {
                path for path, value in new.items() if path in self.owned[other] and have.get(path) != value
            }
            self._take(other, lost)
        for path in before - new.keys():
            if not any(path in paths for other, paths in self.owned.items() if other != manager):
                _remove(live, path)
        for path, value in new.items():
            _set(live, path, value)
        self.owned[manager] = set(new)

    def update(self, manager: Manager, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Somebody wrote without apply: what changed is theirs now."""
        old, new = dict(leaves(before)), dict(leaves(after))
        changed = {path for path, value in new.items() if path not in old or old[path] != value}
        gone = old.keys() - new.keys()
        for other in list(self.owned):
            self._take(other, gone if other == manager else gone | changed)
        if changed:
            self.owned[manager] = self.owned.get(manager, set()) | changed

    def _take(self, manager: Manager, paths: set[Path]) -> None:
        left = self.owned[manager] - paths
        if left:
            self.owned[manager] = left
        else:
            del self.owned[manager]


def leaves(value: Any, at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every field with its value; an empty mapping is a leaf."""
    if at in _NOT_OWNED:
        return
    if isinstance(value, Mapping) and (value or not at):
        for key, one in value.items():
            yield from leaves(one, (*at, str(key)))
    elif (key := _key(value, at)) is not None:
        for one in value:
            name = one if key == "" else one[key]
            yield from leaves(one, (*at, f"{_ITEM}{key}={name}"))
    else:
        yield at, value


def spelled(path: Path) -> str:
    """``.spec.containers[name="a"].image``, as the server's messages write it."""
    text = ""
    for part in path:
        if part.startswith(_ITEM):
            key, _, name = part[1:].partition("=")
            text += f'[{key}="{name}"]' if key else f'[="{name}"]'
        else:
            text += f".{part}"
    return text


def _key(value: Any, at: Path) -> str | None:
    """By what the items of a list are told apart; "" for a set, None for a list that is one value."""
    if not isinstance(value, list) or not value:
        return None
    if at == ("metadata", "finalizers"):
        return ""
    key = "uid" if at == ("metadata", "ownerReferences") else "name"
    return key if all(isinstance(one, Mapping) and key in one for one in value) else None


def _touch(path: Path, other: Path) -> bool:
    shorter = min(len(path), len(other))
    return path[:shorter] == other[:shorter]


def _set(live: Any, path: Path, value: Any) -> None:
    at = live
    for index, part in enumerate(path[:-1]):
        at = _step(at, part, makes=[] if path[index + 1].startswith(_ITEM) else {})
    last = path[-1]
    if last.startswith(_ITEM):
        if value not in at:
            at.append(deepcopy(value))
    else:
        at[last] = deepcopy(value)


def _step(at: Any, part: str, *, makes: Any) -> Any:
    if not part.startswith(_ITEM):
        if not isinstance(at.get(part), type(makes)):
            at[part] = makes
        return at[part]
    key, _, name = part[1:].partition("=")
    for one in at:
        if str(one[key]) == name:
            return one
    at.append({key: name})
    return at[-1]


def _remove(live: Any, path: Path) -> None:
    """The field, and the mappings that are empty without it."""
    part, rest = path[0], path[1:]
    if part.startswith(_ITEM):
        _remove_item(live, part, rest)
        return
    if not isinstance(live, dict) or part not in live:
        return
    if rest:
        _remove(live[part], rest)
    if not rest or live[part] in ({}, []):
        del live[part]


def _remove_item(live: Any, part: str, rest: Path) -> None:
    key, _, name = part[1:].partition("=")
    if not key:
        live[:] = [one for one in live if one != name]
        return
    for one in [one for one in live if str(one.get(key)) == name]:
        _remove(one, rest)
        if one == {}:
            live.remove(one)
