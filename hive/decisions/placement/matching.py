"""KubeStellar's test of one object against one clause of a BindingPolicy.

Sources: its binding controller's selectors, as far as they are documented or were seen to work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive.decisions.placement.selectors import matches, why_broken
from hive.facts.fleet import DownsyncClause, LabelSelector, WorkloadObject

_GROUPS_NEVER_SENT = frozenset(
    {
        "flowcontrol.apiserver.k8s.io",
        "discovery.k8s.io",
        "apiregistration.k8s.io",
        "coordination.k8s.io",
        "control.kubestellar.io",
        # What an API server answers and does not keep: without list and watch nothing is matched.
        "authentication.k8s.io",
        "authorization.k8s.io",
        "metrics.k8s.io",
    }
)
_RESOURCES_NEVER_SENT = frozenset(
    {
        ("", "events"),
        ("events.k8s.io", "events"),
        ("", "nodes"),
        ("", "endpoints"),
        ("", "bindings"),
        ("", "componentstatuses"),
        ("storage.k8s.io", "csinodes"),
        ("storage.k8s.io", "csistoragecapacities"),
    }
)
_ANY = "*"


def is_ever_sent(item: WorkloadObject) -> bool:
    """Whether any policy at all can match `item`."""
    return item.group not in _GROUPS_NEVER_SENT and (item.group, item.resource) not in _RESOURCES_NEVER_SENT


def is_matched(
    clause: DownsyncClause, item: WorkloadObject, namespaces: Mapping[str, Mapping[str, str]]
) -> bool:
    """Whether all criteria of `clause` hold for `item`; `namespaces` are the labels of those given."""
    return (
        clause.api_group in (None, item.group)
        and _listed(item.resource, clause.resources)
        and _listed(item.namespace, clause.namespaces)
        and _listed(item.name, clause.object_names)
        and _any_selects(clause.object_selectors, item.labels)
        and _is_namespace_selected(clause.namespace_selectors, item, namespaces)
    )


def _listed(word: str, words: Sequence[str]) -> bool:
    """No list is no test. A cluster-scoped object's namespace is empty, which only ``""`` spells."""
    return not words or _ANY in words or word in words


def _any_selects(selectors: Sequence[LabelSelector], labels: Mapping[str, str]) -> bool:
    """Broken selectors are skipped; where all are broken, nothing is selected."""
    return not selectors or any(why_broken(each) is None and matches(each, labels) for each in selectors)


def _is_namespace_selected(
    selectors: Sequence[LabelSelector],
    item: WorkloadObject,
    namespaces: Mapping[str, Mapping[str, str]],
) -> bool:
    # An empty selector passes every object, also cluster-scoped ones and those of unknown namespaces.
    if not selectors or any(each.is_empty for each in selectors):
        return True
    labels = namespaces.get(item.namespace) if item.namespace else None
    return labels is not None and _any_selects(selectors, labels)
