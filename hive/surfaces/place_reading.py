"""Documents into the facts that placement decides on, and what of them takes no part.

Every text is read as it is written: a label ``"23034"`` and a label ``23034`` are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from hive.decisions.manifests.kinds import CRD, Defined, Kinds, kinds_of
from hive.decisions.manifests.shapes import BindingPolicySpec, ClusterFactsShape, SandboxRequestShape
from hive.documents.models import first_error, nearest
from hive.documents.values import moment
from hive.facts.fleet import (
    BindingPolicy,
    Cluster,
    Fleet,
    Observation,
    Problem,
    RequestBinding,
    SandboxRequest,
    WorkloadObject,
    object_id,
)
from hive.surfaces.place_objects import (
    Item,
    cluster_of,
    defined_of,
    items_of,
    labels_of,
    mapping,
    request_binding_of,
    text,
)

NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""The label that the API server puts on every Namespace: its name."""
OURS = "hive.fleet"
_MANAGED_CLUSTER = ("cluster.open-cluster-management.io", "ManagedCluster")
_POLICY = ("control.kubestellar.io", "BindingPolicy")
_BINDING = ("control.kubestellar.io", "Binding")

M = TypeVar("M", bound=BaseModel)
Fact = Cluster | Observation | SandboxRequest | BindingPolicy | RequestBinding | WorkloadObject


@dataclass(frozen=True, slots=True)
class Read:
    """One object: what names it, and its fact, or what is wrong with it. Neither: it asks for nothing."""

    identity: tuple[str, str, str, str]
    id: str
    fact: Fact | None = None
    wrong: str | None = None


@dataclass(slots=True)
class _Sorted:
    clusters: list[Cluster] = field(default_factory=list)
    observations: dict[str, Observation] = field(default_factory=dict)
    requests: list[SandboxRequest] = field(default_factory=list)
    policies: list[BindingPolicy] = field(default_factory=list)
    objects: list[WorkloadObject] = field(default_factory=list)
    last: list[RequestBinding] = field(default_factory=list)


def read_fleet(inputs: Iterable[tuple[bytes, str]]) -> tuple[Fleet, tuple[Problem, ...]]:
    """All documents of all inputs (bytes, and how to call them in messages), as `read_facts` reads them."""
    facts, problems = read_facts(inputs)
    return _fleet(facts), problems


def read_facts(inputs: Iterable[tuple[bytes, str]]) -> tuple[tuple[Fact, ...], tuple[Problem, ...]]:
    """The fact of each document, and what is wrong with those that have none.

    Raises `ConfigError` for what cannot be parsed, and for an unknown key, an unknown enumerated value or
    a time without zone in what hive knows every key of.
    """
    items = tuple(items_of(inputs))
    kinds = kinds_of(_definitions(items))
    read = [_read(item, kinds) for item in items]
    problems = {Problem(each.id, each.wrong) for each in read if each.wrong is not None}
    facts: list[Fact] = []
    for same in _by_identity(read):
        if len(same) == 1 or not same[0].identity[3]:
            facts.extend(each.fact for each in same if each.fact is not None)
            continue
        problems.add(Problem(min(each.id for each in same), f"it is given {_times(len(same))}; keep one"))
        if any(isinstance(each.fact, BindingPolicy) for each in same):
            facts.append(BindingPolicy(same[0].identity[3], is_inert=True))
    return tuple(facts), tuple(problems)


def _by_identity(read: Iterable[Read]) -> Iterable[list[Read]]:
    """All that name one object; those without a name stand together."""
    found: dict[tuple[str, str, str, str], list[Read]] = {}
    for each in read:
        found.setdefault(each.identity, []).append(each)
    return found.values()


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _definitions(items: Sequence[Item]) -> Iterator[Defined]:
    for item in items:
        if (item.group, item.kind) == CRD:
            try:
                defined = defined_of(item)
            except ValueError:
                continue  # its own reading says so
            if defined is not None:
                yield defined


def _read(item: Item, kinds: Kinds) -> Read:
    resource = kinds.resource(item.group, item.kind)
    namespace = name = ""
    try:
        metadata = mapping(item.value.get("metadata"), "metadata")
        name = text(metadata.get("name"), "metadata.name")
        if kinds.is_namespaced(item.group, item.kind):
            namespace = text(metadata.get("namespace"), "metadata.namespace") or "default"
        wrong = _why_no_name(name, namespace)
        fact = _fact(item, resource, namespace, name)
    except ValueError as error:
        wrong, fact = str(error), None
    return Read(
        (item.group, resource, namespace, name),
        object_id(item.group, item.version, resource, namespace, name),
        None if wrong else fact,
        wrong,
    )


def _why_no_name(name: str, namespace: str) -> str | None:
    if not name:
        return "metadata.name is missing; the object needs a name of its own"
    for key, word in (("name", name), ("namespace", namespace)):
        if "/" in word or any(not char.isprintable() or char.isspace() for char in word):
            return f"metadata.{key}: '{word}' is no name; write letters, digits, '-' and '.'"
    return None


def _fact(item: Item, resource: str, namespace: str, name: str) -> Fact | None:
    """Raises `ConfigError` for wrong text, `ValueError` for a wrong value."""
    if item.group == OURS:
        return _own(item)
    match item.group, item.kind:
        case kind if kind == _MANAGED_CLUSTER:
            return cluster_of(item, name, is_deleting=_is_deleting(item))
        case kind if kind == _POLICY:
            spec = _parse(item, BindingPolicySpec, "spec")
            return spec.fact(name, is_inert=_is_deleting(item))
        case kind if kind == _BINDING:
            return request_binding_of(item, name)
        case kind if kind == CRD:
            defined_of(item)  # for what it says of its form; it is sent like any other object
    labels = labels_of(item)
    if (item.group, resource) == ("", "namespaces"):
        labels[NAMESPACE_NAME] = name
    return WorkloadObject(item.group, item.version, resource, namespace, name, labels)


def _own(item: Item) -> Fact | None:
    if item.kind == "ClusterFacts":
        return _parse(item, ClusterFactsShape).fact()
    if item.kind == "SandboxRequest":
        request = _parse(item, SandboxRequestShape)
        # One that is being deleted asks for no place any more; its share is counted where it runs.
        return None if request.metadata.deletion_timestamp else request.fact()
    near = nearest(item.kind, ("ClusterFacts", "SandboxRequest"))
    hint = f"did you mean '{near}'?" if near else "known: ClusterFacts, SandboxRequest"
    raise item.document.error(f"there is no kind '{item.kind}' in {OURS}; {hint}", (*item.location, "kind"))


def _parse(item: Item, model: type[M], *at: str) -> M:
    """Read the object, or the part of it at `at`, into `model`; raises `ConfigError` with the line."""
    location = (*item.location, *at)
    value = item.value
    for key in at:
        inner = value.get(key)
        if inner is not None and not isinstance(inner, dict):
            raise item.document.error(f"{key}: a mapping of keys is expected", location)
        value = inner or {}
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise first_error(item.document, model, error, location) from error


def _is_deleting(item: Item) -> bool:
    when = text(mapping(item.value.get("metadata"), "metadata").get("deletionTimestamp"), "deletionTimestamp")
    if when:
        try:
            moment(when)
        except ValueError as error:
            at = (*item.location, "metadata", "deletionTimestamp")
            raise item.document.error(f"metadata.deletionTimestamp: {error}", at) from error
    return bool(when)


def _fleet(facts: Iterable[Fact]) -> Fleet:
    found = _Sorted()
    for fact in facts:
        match fact:
            case Cluster():
                found.clusters.append(fact)
            case Observation():
                found.observations[fact.cluster] = fact
            case SandboxRequest():
                found.requests.append(fact)
            case BindingPolicy():
                found.policies.append(fact)
            case RequestBinding():
                found.last.append(fact)
            case WorkloadObject():
                found.objects.append(fact)
    clusters = tuple(replace(each, seen=found.observations.get(each.name)) for each in found.clusters)
    return Fleet(
        clusters, tuple(found.requests), tuple(found.policies), tuple(found.objects), tuple(found.last)
    )
