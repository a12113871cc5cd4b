"""Where the API serves an object, and what a message calls it."""

from __future__ import annotations

from urllib.parse import quote

from hive.facts.kubernetes import ResourceType


def path_of(kind: ResourceType, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """``/apis/apps/v1/namespaces/east/deployments/trainer``; no namespace is all of them."""
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    parts = [root]
    if kind.is_namespaced and namespace:
        parts += ["namespaces", quote(namespace, safe="")]
    parts.append(kind.plural)
    if name:
        parts.append(quote(name, safe=""))
    if subresource:
        parts.append(subresource)
    return "/".join(parts)


def title(kind: ResourceType, namespace: str = "", name: str = "") -> str:
    """``Deployment east/trainer``; for a list ``deployments in east``."""
    where = namespace if kind.is_namespaced else ""
    if name:
        return f"{kind.kind} {where}/{name}" if where else f"{kind.kind} {name}"
    return f"{kind.plural} in {where}" if where else kind.plural
