"""In which order objects are applied: what others need first, what runs last."""

from __future__ import annotations

from hive.decisions.delivery.model import ObjectKey

_FIRST = (
    "namespaces",
    "customresourcedefinitions",
    "priorityclasses",
    "storageclasses",
    "resourcequotas",
    "limitranges",
    "serviceaccounts",
    "secrets",
    "configmaps",
    "persistentvolumes",
    "persistentvolumeclaims",
    "clusterroles",
    "clusterrolebindings",
    "roles",
    "rolebindings",
    # Before anything that runs: a pod is not open to the network for a moment.
    "networkpolicies",
    "services",
)
_LAST = (
    "replicasets",
    "deployments",
    "statefulsets",
    "daemonsets",
    "jobs",
    "cronjobs",
    "pods",
    "sandboxes",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfigurations",
)


def rank(key: ObjectKey) -> tuple[int, ObjectKey]:
    """To sort by."""
    if key.plural in _FIRST:
        return _FIRST.index(key.plural), key
    last = _LAST.index(key.plural) if key.plural in _LAST else -1
    return len(_FIRST) + 1 + last, key


def runs(key: ObjectKey) -> bool:
    """Whether something may be running because of it."""
    return key.plural in _LAST
