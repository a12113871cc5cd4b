"""Kubernetes objects out of documents, and tolerant looks into those whose keys are others' affair.

Whoever wrote an object may have put keys into it that hive has never heard of; only what hive reads must
have the form that it has in Kubernetes. `ValueError` says where it has not: the object's own problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hive import documents
from hive.decisions.manifests.kinds import Defined
from hive.documents import Document
from hive.documents.tree import Location, Value
from hive.facts.fleet import Cluster, RequestBinding, Taint

AVAILABLE = "ManagedClusterConditionAvailable"
_EFFECTS = ("NoSelect", "PreferNoSelect", "NoSelectIfNew")


@dataclass(frozen=True, slots=True)
class Item:
    """One object as it was written, and where."""

    document: Document
    location: Location
    value: Mapping[str, Value]
    group: str
    version: str
    kind: str


def items_of(inputs: Iterable[tuple[bytes, str]]) -> Iterator[Item]:
    """All objects of all documents, those in lists included.

    Raises `ConfigError` for what is no Kubernetes object.
    """
    for data, source in inputs:
        for document in documents.read_all(data, source):
            yield from _items(document, (), document.value, ("", ""))


def labels_of(item: Item) -> dict[str, str]:
    """Text as it is written; a label without a value is an empty one."""
    labels = mapping(mapping(item.value.get("metadata"), "metadata").get("labels"), "metadata.labels")
    return {key: text(value, f"metadata.labels {key}") for key, value in labels.items()}


def cluster_of(item: Item, name: str, *, is_deleting: bool) -> Cluster:
    """An OCM ManagedCluster."""
    spec = mapping(item.value.get("spec"), "spec")
    return Cluster(
        name=name,
        labels=labels_of(item),
        taints=tuple(_taints(spec.get("taints"))),
        is_accepted=flag(spec.get("hubAcceptsClient"), "spec.hubAcceptsClient"),
        is_deleting=is_deleting,
        available=_availability(mapping(item.value.get("status"), "status").get("conditions")),
    )


def request_binding_of(item: Item, name: str) -> RequestBinding:
    """A KubeStellar Binding, of which only requests for sandboxes and destinations are read."""
    spec = mapping(item.value.get("spec"), "spec")
    workload = mapping(spec.get("workload"), "spec.workload")
    entries = mappings(workload.get("namespaceScope"), "spec.workload.namespaceScope")
    requests = {
        f"{text(each.get('namespace'), 'namespace')}/{text(each.get('name'), 'name')}"
        for each in entries
        if each.get("resource") == "sandboxrequests" and each.get("group") in (None, "hive.fleet")
    }
    destinations = mappings(spec.get("destinations"), "spec.destinations")
    clusters = {text(each.get("clusterId"), "spec.destinations clusterId") for each in destinations}
    return RequestBinding(name, frozenset(requests), frozenset(clusters))


def defined_of(item: Item) -> Defined | None:
    """What a CRD says of its kind; None where it does not say it."""
    spec = mapping(item.value.get("spec"), "spec")
    names = mapping(spec.get("names"), "spec.names")
    group, kind, plural = spec.get("group"), names.get("kind"), names.get("plural")
    if isinstance(group, str) and isinstance(kind, str) and isinstance(plural, str):
        return Defined(group, kind, plural, spec.get("scope") != "Cluster")
    return None


def mapping(value: Value, where: str) -> Mapping[str, Value]:
    """Nothing is an empty mapping."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{where}: a mapping of keys is expected")
    return value


def mappings(value: Value, where: str) -> Sequence[Mapping[str, Value]]:
    """Nothing is an empty list."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"{where}: a list is expected")
    return [mapping(each, f"{where}[{place}]") for place, each in enumerate(value)]


def text(value: Value, where: str) -> str:
    """Nothing is empty text."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{where}: text is expected")
    return value


def flag(value: Value, where: str) -> bool:
    """Nothing is false."""
    if value in (None, "false", "False"):
        return False
    if value in ("true", "True"):
        return True
    raise ValueError(f"{where}: true or false is expected")


def _items(document: Document, at: Location, value: Value, inherited: tuple[str, str]) -> Iterator[Item]:
    if not isinstance(value, dict):
        raise document.error("a Kubernetes object is expected here: a mapping with apiVersion and kind", at)
    api_version = value.get("apiVersion", inherited[0] or None)
    kind = value.get("kind", inherited[1] or None)
    for key, word in (("apiVersion", api_version), ("kind", kind)):
        if not isinstance(word, str) or not word:
            raise document.error(f"this is no Kubernetes object: it has no {key}", at)
    assert isinstance(api_version, str)
    assert isinstance(kind, str)
    group, _, version = api_version.rpartition("/")
    if "/" in group or not version or api_version.startswith("/"):
        raise document.error(
            f"'{api_version}' is no apiVersion; write GROUP/VERSION, or v1", (*at, "apiVersion")
        )
    entries = _entries(value, kind)
    if entries is None:
        # What the list said for it, it says itself from here on.
        yield Item(document, at, {**value, "apiVersion": api_version, "kind": kind}, group, version, kind)
        return
    if not isinstance(entries, list):
        raise document.error("items: a list is expected", (*at, "items"))
    # The API server leaves out in a typed list what the list's own kind says.
    inner = ("", "") if kind == "List" else (api_version, kind.removesuffix("List"))
    for place, entry in enumerate(entries):
        yield from _items(document, (*at, "items", place), entry, inner)


def _entries(value: Mapping[str, Value], kind: str) -> Value:
    """The items of a list; None for what is none. An AllowList with a name is an object of its own."""
    if kind == "List":
        return value.get("items") or []
    metadata = value.get("metadata")
    is_named = isinstance(metadata, dict) and metadata.get("name") is not None
    if kind.endswith("List") and "items" in value and not is_named:
        return value["items"] or []
    return None


def _taints(value: Value) -> Iterator[Taint]:
    for place, each in enumerate(mappings(value, "spec.taints")):
        where = f"spec.taints[{place}]"
        effect = text(each.get("effect"), f"{where}.effect")
        if effect not in _EFFECTS:
            raise ValueError(f"{where}.effect: '{effect}' is none of {', '.join(_EFFECTS)}")
        yield Taint(text(each.get("key"), f"{where}.key"), text(each.get("value"), f"{where}.value"), effect)


def _availability(value: Value) -> str | None:
    """The condition's status; where it is there twice, any that is not True counts."""
    found = [
        text(each.get("status"), "status.conditions status")
        for each in mappings(value, "status.conditions")
        if each.get("type") == AVAILABLE
    ]
    return min(found, key=lambda one: (one == "True", one), default=None)
