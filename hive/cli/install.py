"""`hive install --crds`: the kinds of the fleet, on the API server that holds requests and policies."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.cli.output import print_json, print_text
from hive.decisions.counting import counted
from hive.errors import ConfigError

if TYPE_CHECKING:
    from hive.decisions.definitions import DefinitionOutcome
    from hive.fleet.definitions import Installed
    from hive.settings.fleet import FleetSettings

_CONFIG = "hive.yaml"


@dataclass(frozen=True, slots=True)
class _Target:
    kubeconfig: str
    context: str
    namespace: str


def install(options: Namespace) -> int:
    if not options.crds:
        raise ConfigError("say what to install: hive install --crds")
    target = _target(options)
    from hive.fleet.definitions import install as install_definitions
    from hive.fleet.definitions import shipped
    from hive.shells.kubernetes.cluster import KubernetesCluster

    cluster = KubernetesCluster.from_kubeconfig(target.kubeconfig, target.context)
    try:
        done = install_definitions(
            cluster,
            shipped(),
            target.namespace,
            dry_run=options.dry_run,
            tell=(lambda outcome: None) if options.json else partial(_tell, dry_run=options.dry_run),
        )
    finally:
        cluster.close()
    if options.json:
        print_json(_document(done, target, dry_run=options.dry_run))
    else:
        print_text(_summary(done, target, dry_run=options.dry_run))
    return 0 if done.is_complete else 1


def _target(options: Namespace) -> _Target:
    """Where to: what the options name, else the hub of the configuration, else the current context."""
    from hive.settings.fleet_model import DNS_LABEL
    from hive.settings.kubeconfig import kubeconfig_files, read_kubeconfig

    fleet = _fleet(options.config)
    if options.kubeconfig is None and fleet is not None:
        files, hub = fleet.kubeconfig, fleet.hub
    else:
        files, hub = kubeconfig_files(options.kubeconfig, Path(), os.environ), None
    known = read_kubeconfig(files)
    context = options.context or hub or known.current
    if context is None:
        raise ConfigError("there is no current context; name one with --context", source=files)
    if context not in known.contexts:
        names = ", ".join(known.contexts) or "none"
        raise ConfigError(f"there is no context '{context}'; the file has: {names}", source=files)
    namespace = options.namespace or (fleet.namespace if fleet is not None else "hive")
    if DNS_LABEL.fullmatch(namespace) is None:
        raise ConfigError(f"'{namespace}' names no namespace; lower case letters, digits and inner hyphens")
    return _Target(files, context, namespace)


def _fleet(config: str | None) -> FleetSettings | None:
    """The configuration's, where there is one: installing does not need it."""
    from hive.settings.fleet_section import read_fleet

    if config is None and not Path(_CONFIG).exists():
        return None
    return read_fleet(Path(config or _CONFIG), os.environ)


def _tell(outcome: DefinitionOutcome, *, dry_run: bool) -> None:
    from hive.decisions.one_line import one_line

    is_new = outcome.state == "created"
    word = "absent" if is_new and dry_run else outcome.state.value
    owner = f" ({one_line(outcome.owner)})" if outcome.owner and not is_new else ""
    message = f": {one_line(outcome.message)}" if outcome.message else ""
    left = "; left as it is" if outcome.state == "different" else ""
    print_text(f"{word:9}  {outcome.name}{owner}{message}{left}")


def _summary(done: Installed, target: _Target, *, dry_run: bool) -> str:
    counts = dict.fromkeys(("created", "present", "different", "failed"), 0)
    for each in done.definitions:
        counts[each.state] += 1
    words = {"created": "would be created" if dry_run else "created", "present": "there already"}
    parts = [f"{count} {words.get(state, state)}" for state, count in counts.items() if count]
    made = words["created"] if done.made_namespace else words["present"]
    kinds = f"{counted(len(done.definitions), 'kind')} on {target.context}: {', '.join(parts)}"
    return f"{kinds}; namespace {done.namespace} {made}"


def _document(done: Installed, target: _Target, *, dry_run: bool) -> dict[str, Any]:
    return {
        "context": target.context,
        "dry_run": dry_run,
        "definitions": [
            {
                "name": each.name,
                "state": each.state.value,
                "owner": each.owner,
                "message": each.message,
            }
            for each in done.definitions
        ],
        "namespace": {
            "name": done.namespace,
            "state": "created" if done.made_namespace else "present",
        },
    }
