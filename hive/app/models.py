"""Model providers between the configuration, the relay and the agents' seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hive.contracts.backend import ModelWay
from hive.errors import ConfigError, Unreachable
from hive.facts.agents import AgentSpec
from hive.gateway.relay.providers import Provider, path_of
from hive.kernel.tokens import model_key_of
from hive.settings.models import ModelProvider
from hive.settings.settings import Settings


def relayed(settings: Callable[[], Settings]) -> Callable[[], Mapping[str, Provider]]:
    """The providers of the configuration as it is now, for the relay."""

    def providers() -> Mapping[str, Provider]:
        return {
            name: Provider(name, one.dialect, one.base_url, one.account, partial(_credential, one))
            for name, one in settings().models.items()
        }

    return providers


def _credential(provider: ModelProvider) -> str:
    try:
        return provider.credential()
    except ConfigError as error:
        # The file may come back: to those who ask, the provider is out of reach meanwhile.
        raise Unreachable("models", f"no key for the provider {provider.name}: {error}") from error


def keys(settings: Settings) -> tuple[str, ...]:
    """Those that can be read now, to be kept out of logs."""
    found = []
    for provider in settings.models.values():
        try:
            found.append(provider.credential())
        except ConfigError:
            continue  # what cannot be read is in no log
    return tuple(found)


def way_of(settings: Settings, spec: AgentSpec, root: str, token: str) -> ModelWay | None:
    """Where an agent's program asks for its model; None where it has no provider.

    `root` is the gateway's own address for it. `token` is that of its start; empty in a pod.
    """
    provider = settings.models.get(spec.provider)
    if provider is None:
        return None
    key = model_key_of(token) if token else ""
    return ModelWay(provider.dialect, f"{root}{path_of(provider.name, provider.dialect)}", key)
