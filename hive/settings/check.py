"""What a configuration would do, for `hive check`.

With ``--json`` the document is::

    {"source": "hive.yaml", "digest": "…", "state": "/abs/.hive",
     "level": 4, "level_name": "Adaptive", "strict": false, "tick": "5s", "poll": "1m",
     "github": {"api_url": "…", "graphql_url": "…", "git_url": "…", "credential": "token|token_file"},
     "gateway": {"host": "127.0.0.1", "port": 0, "hold_label": "hold", "keep_draft": false,
                 "approval_label": null or "hive-approved", "repeat_window": "10m", "body_size": 8,
                 "connections": 1024, "model_requests_each": 32,
                 "pods": {"listen": "10.0.0.1:8443", "address": "hive.example.com:443"} or null},
     "incidents": {"shared_account": false},
     "isolation": {"mode": "auto", "taken": "uid|userns|none" or null, "because": "…", "remedy": "…",
                   "network": "gateway|host", "allow": ["api.example.com:443"], "readable": [],
                   "memory": null or 4294967296, "cpus": null or 2.0, "processes": 2000,
                   "uids": [60000, 64999], "degrade": false},
     "fleet": null or {"kubeconfig": "/abs/config", "hub": "hub", "namespace": "hive", "stale_after": "5m",
                       "members": [{"name": "east", "context": "east", "labels": {…}}],
                       "inventory": "/abs/clusters.yaml" or null, "image": "…" or null,
                       "problems": [{"object": "…", "message": "…"}]},
     "repositories": [{"name": "o/r", "level": 4, "merge_method": "squash",
                       "required": ["build"] or null, "approvals": 0}],
     "modes": {"holdgated": {"allow": ["read", …], "hold": ["open-pr", …]}, …},
     "models": [{"name": "anthropic", "dialect": "anthropic", "base_url": "…", "account": "…",
                 "credential": "key|key_file", "backends": ["claude"]}],
     "agents": [{"name": "quality-1", "role": "quality", "backend": "claude", "model": null, "lanes": [],
                 "provider": "anthropic" or null, "login": false, "fallback": ["gemini (flash, by google)"],
                 "level": 3 or null, "started": true, "because": "…" or null,
                 "repositories": [{"name": "o/r", "level": 3, "mode": "holdgated" or null}]}],
     "guardrails": ["protected-paths", …],
     "rejected": [{"names": ["scan"], "line": 9, "message": "hive.yaml:9: …"}],
     "raised": [{"role": "outreach", "level": 5, "mode": "holdgated", "why": "…"}]}

The levels under `repositories` are those in force, the lowest of all that are set. An agent's own `level`
is its cap. `mode` null: not started there; `started` is false where that is so in every one. What a mode
allows is listed once under `modes`, for the modes in use. A port of 0 is any that is free. `guardrails` are
those in force. `taken` is what isolation would be here (null: agents would not be started, or nobody has
tried), `because` what is missing. `problems` are those of objects in the inventory file; they take no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from hive.decisions.autonomy import AutonomyTable, effective_level, mode
from hive.decisions.durations import spell
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import AcmmLevel, Mode
from hive.facts.isolation import IsolationOptions
from hive.facts.verdicts import Ruling
from hive.settings.fleet import FleetSettings
from hive.settings.models import ModelProvider
from hive.settings.pods_door import PodsOptions
from hive.settings.settings import RepositorySettings, Settings


def check_document(settings: Settings) -> dict[str, Any]:
    """Return what `hive check --json` prints; no secret is in it."""
    agents = [*_agents(settings)]
    used = {place["mode"] for agent in agents for place in agent["repositories"] if place["mode"]}
    return {
        "source": settings.source,
        "digest": settings.digest,
        "state": str(settings.state),
        "level": int(settings.level),
        "level_name": settings.level.label,
        "strict": settings.strict,
        "tick": spell(settings.tick),
        "poll": spell(settings.poll),
        "github": _github(settings),
        "gateway": {
            "host": settings.gateway.host,
            "port": settings.gateway.port,
            "hold_label": settings.gateway.hold_label,
            "keep_draft": settings.gateway.keep_draft,
            "approval_label": settings.gateway.approval_label,
            "repeat_window": spell(settings.gateway.repeat_window),
            "body_size": settings.gateway.body_size,
            "connections": settings.gateway.connections,
            "model_requests_each": settings.gateway.model_requests_each,
            "pods": None if settings.gateway.pods is None else _pods(settings.gateway.pods),
        },
        "incidents": {"shared_account": settings.incidents.shared_account},
        "isolation": _isolation(settings.isolation),
        "fleet": None if settings.fleet is None else _fleet(settings.fleet),
        "repositories": [_repository(settings, one) for one in settings.repositories],
        "modes": {name: _grants(settings.table, name) for name in Mode if name in used},
        "models": [_provider(one) for one in settings.models.values()],
        "agents": agents,
        "guardrails": [one.name for one in settings.guardrails],
        "rejected": [
            {"names": list(one.names), "line": one.line, "message": one.message} for one in settings.rejected
        ],
        "raised": [
            {"role": one.role, "level": int(one.level), "mode": one.mode.value, "why": one.why}
            for one in settings.raised
        ],
    }


def exit_code(document: Mapping[str, Any]) -> int:
    """0 for a configuration all of which counts, 1 when agents or objects of the inventory do not."""
    fleet = document["fleet"]
    return 1 if document["rejected"] or (fleet is not None and fleet["problems"]) else 0


def _pods(pods: PodsOptions) -> dict[str, str]:
    return {
        "listen": _host_and_port(pods.host, pods.port),
        "address": _host_and_port(pods.name, pods.named_port),
    }


def _host_and_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _isolation(options: IsolationOptions) -> dict[str, Any]:
    limits = options.limits
    return {
        "mode": "auto" if options.mode is None else options.mode.value,
        "taken": None,
        "because": "",
        "remedy": "",
        "network": options.network.value,
        "allow": [str(each) for each in options.allow],
        "readable": list(options.readable),
        "memory": limits.memory,
        "cpus": limits.cpus,
        "processes": limits.processes,
        "uids": list(options.uids),
        "degrade": options.degrade,
    }


def _github(settings: Settings) -> dict[str, str]:
    github = settings.github
    return {
        "api_url": github.api_url,
        "graphql_url": github.graphql_url,
        "git_url": github.git_url,
        "credential": "app"
        if github.app is not None
        else "token"
        if github.token is not None
        else "token_file",
    }


def _fleet(fleet: FleetSettings) -> dict[str, Any]:
    return {
        "kubeconfig": fleet.kubeconfig,
        "hub": fleet.hub,
        "namespace": fleet.namespace,
        "stale_after": spell(fleet.stale_after),
        "members": [
            {"name": each.name, "context": each.context, "labels": dict(each.labels)}
            for each in fleet.members
        ],
        "inventory": None if fleet.inventory is None else str(fleet.inventory),
        "image": fleet.image,
        "problems": [],
    }


def _provider(one: ModelProvider) -> dict[str, Any]:
    return {
        "name": one.name,
        "dialect": one.dialect.value,
        "base_url": one.base_url,
        "account": one.account,
        "credential": "key" if one.key is not None else "key_file",
        "backends": list(one.backends),
    }


def _repository(settings: Settings, one: RepositorySettings) -> dict[str, Any]:
    required = one.merge.required
    return {
        "name": one.name,
        "level": int(effective_level(settings.level, one.level)),
        "merge_method": one.merge_method,
        "required": None if required is None else [check.name for check in required],
        "approvals": one.merge.approvals,
    }


def _grants(table: AutonomyTable, granted: Mode) -> dict[str, list[str]]:
    return {
        ruling.value: [
            action.value for action, by_mode in table.rulings.items() if by_mode[granted] is ruling
        ]
        for ruling in (Ruling.ALLOW, Ruling.HOLD)
    }


def _agents(settings: Settings) -> Iterator[dict[str, Any]]:
    # A fleet has few pairs of level and role, and telling a role from a misspelt one takes a while.
    ask = lru_cache(maxsize=None)(lambda level, role: mode(settings.table, level, role))
    for spec in settings.agents:
        levels = {repo: _level(settings, repo, spec) for repo in spec.repos}
        places = [
            {"name": repo, "level": int(level), "mode": _value(ask(level, spec.role))}
            for repo, level in levels.items()
        ]
        started = any(place["mode"] for place in places)
        yield {
            "name": spec.name,
            "role": spec.role,
            "backend": spec.backend,
            "model": spec.model,
            "provider": spec.provider or None,
            "login": spec.name in settings.logins,
            "fallback": [one.label for one in spec.choices[1:]],
            "lanes": list(spec.lanes),
            "level": None if spec.level is None else int(spec.level),
            "started": started,
            "because": None if started else _why_not(spec, levels.values()),
            "repositories": places,
        }


def _level(settings: Settings, repo: str, spec: AgentSpec) -> AcmmLevel:
    return effective_level(settings.level, settings.repository(repo).level, spec.level)


def _value(granted: Mode | None) -> str | None:
    return None if granted is None else granted.value


def _why_not(spec: AgentSpec, levels: Iterable[AcmmLevel]) -> str:
    words = " or ".join(f"L{level} ({level.label})" for level in sorted(set(levels)))
    return f"role {spec.role} is not started at {words}"
