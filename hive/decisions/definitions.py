"""CustomResourceDefinitions: whether a cluster has the kinds that hive needs, and whose they are.

A definition that is there is never touched: it may be a real installation's, and objects depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hive.facts.kubernetes import Manifest, annotations_of, labels_of, name_of

MANAGED_BY = "app.kubernetes.io/managed-by"
HIVE = "hive"
_RELEASE = "meta.helm.sh/release-name"


class DefinitionState(StrEnum):
    CREATED = "created"
    PRESENT = "present"
    """As hive would have it, whoever made it."""
    DIFFERENT = "different"
    """Somebody else's schema, or another version of hive's; left alone."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DefinitionOutcome:
    """One definition: what became of it, whose it is (empty: not known), and a line for a person."""

    name: str
    state: DefinitionState
    owner: str = ""
    message: str = ""


def compared(wanted: Manifest, existing: Manifest) -> DefinitionOutcome:
    """What is to be said of a definition that is there."""
    name, owner = name_of(wanted), owner_of(existing)
    missing = [version for version in _versions(wanted) if version not in _versions(existing)]
    if missing:
        served = ", ".join(_versions(existing)) or "none"
        return DefinitionOutcome(
            name, DefinitionState.DIFFERENT, owner, f"it has no version {', '.join(missing)}, but {served}"
        )
    if _essence(wanted) == _essence(existing):
        return DefinitionOutcome(name, DefinitionState.PRESENT, owner)
    return DefinitionOutcome(name, DefinitionState.DIFFERENT, owner, "its schema is another than hive's")


def owner_of(definition: Manifest) -> str:
    """Who says that it is theirs: by label, by Helm release, else by field manager; empty: nobody."""
    label = labels_of(definition).get(MANAGED_BY, "")
    release = annotations_of(definition).get(_RELEASE)
    if release:
        return f"{label or 'Helm'} release {release}"
    if label:
        return label
    entries: Sequence[Mapping[str, Any]] = definition["metadata"].get("managedFields") or ()
    managers = {str(each.get("manager", "")) for each in entries if not each.get("subresource")}
    return ", ".join(sorted(managers - {""}))


def is_established(definition: Manifest) -> bool:
    return _condition(definition, "Established").get("status") == "True"


def why_not(definition: Manifest) -> str:
    """Why it is not served: a name that another kind has, or what the API server says of its schema."""
    for type_, bad in (("NamesAccepted", "False"), ("NonStructuralSchema", "True"), ("Established", "False")):
        condition = _condition(definition, type_)
        if condition.get("status") == bad and condition.get("message"):
            return str(condition["message"])
    return "the API server has not taken it up yet"


def _condition(definition: Manifest, type_: str) -> Mapping[str, Any]:
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == type_), {})


def _versions(definition: Manifest) -> list[str]:
    return [str(each["name"]) for each in definition["spec"]["versions"] if each.get("served")]


def _essence(definition: Manifest) -> Any:
    """What decides which objects are taken: not descriptions, columns and short names."""
    spec = definition["spec"]
    return {
        "scope": spec["scope"],
        "kind": spec["names"]["kind"],
        "versions": {
            each["name"]: (
                bool(each.get("storage")),
                each.get("subresources") or {},
                _without_words(each.get("schema") or {}),
            )
            for each in spec["versions"]
        },
    }


def _without_words(schema: Any, *, is_naming: bool = False) -> Any:
    """`schema` without descriptions; below `properties` a `description` is a field like any other."""
    if isinstance(schema, list):
        return [_without_words(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: _without_words(value, is_naming=key == "properties" and not is_naming)
        for key, value in schema.items()
        if is_naming or key != "description"
    }
