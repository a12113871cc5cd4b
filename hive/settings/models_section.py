"""The section `models` into providers with their keys, and which agent has which."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from hive.contracts.backend import Backend, BackendTraits
from hive.documents import Document
from hive.documents.models import nearest
from hive.documents.tree import Location
from hive.errors import ConfigError
from hive.facts.models import Dialect
from hive.settings.github import token_fault
from hive.settings.interpolation import Interpolation
from hive.settings.models import ModelProvider
from hive.settings.models_model import ModelProviderModel
from hive.settings.secret import Secret

_MAKERS = {
    Dialect.ANTHROPIC: "https://api.anthropic.com",
    Dialect.OPENAI: "https://api.openai.com/v1",
    Dialect.GEMINI: "https://generativelanguage.googleapis.com",
}


class _Entry(Protocol):
    """What of an agent's entry is looked at here."""

    @property
    def backend(self) -> str: ...

    @property
    def provider(self) -> str | None: ...

    @property
    def environment(self) -> Mapping[str, str]: ...


def read_models(
    document: Document,
    models: Mapping[str, ModelProviderModel],
    path: Path,
    interpolation: Interpolation,
    backends: Mapping[str, Backend],
) -> tuple[Mapping[str, ModelProvider], Mapping[str, Secret]]:
    """The providers by name, and their keys as they are now by what is said where one leaks.

    Raises `ConfigError` for one without a key or with two, one that others can read, and for two providers
    that are for the same backend.
    """
    found: dict[str, ModelProvider] = {}
    keys: dict[str, Secret] = {}
    for name, model in models.items():
        provider = _provider(document, name, model, path, backends)
        rival = next((one for one in found.values() if set(one.backends) & set(provider.backends)), None)
        if rival is not None:
            shared = sorted(set(rival.backends) & set(provider.backends))[0]
            said = f"'{rival.name}' is for the backend '{shared}' already; give one of them backends: [...]"
            raise document.error(f"models.{name}: {said}", ("models", name))
        found[name] = provider
        said = f"this is the key of the provider '{name}', which no agent gets"
        keys[said] = _key(document, provider, path, interpolation)
    return found, keys


def _provider(
    document: Document,
    name: str,
    model: ModelProviderModel,
    path: Path,
    backends: Mapping[str, Backend],
) -> ModelProvider:
    at: Location = ("models", name)
    if (model.key is None) == (model.key_file is None):
        said = "key and key_file are both given; keep one" if model.key else "there is no key"
        remedy = "" if model.key else "; write key: ${NAME_OF_A_VARIABLE}, or key_file: PATH"
        raise document.error(f"models.{name}: {said}{remedy}", at)
    file = None if model.key_file is None else path.parent / Path(model.key_file).expanduser()
    return ModelProvider(
        name=name,
        dialect=model.dialect,
        base_url=model.base_url or _MAKERS[model.dialect],
        key=None if model.key is None else Secret(model.key),
        key_file=None if file is None else Path(os.path.abspath(file)),
        account=model.account or name,
        backends=_backends(document, name, model, backends),
    )


def _backends(
    document: Document, name: str, model: ModelProviderModel, backends: Mapping[str, Backend]
) -> tuple[str, ...]:
    speaking = tuple(one for one in sorted(backends) if model.dialect in backends[one].traits.model_keys)
    if model.backends is None:
        return speaking
    for index, wanted in enumerate(model.backends):
        if wanted not in speaking:
            at: Location = ("models", name, "backends", index)
            hint = f"; those that do: {', '.join(speaking)}" if speaking else ""
            said = f"'{wanted}' is no backend that can be pointed at a provider of '{model.dialect}'{hint}"
            raise document.error(f"models.{name}.backends[{index}]: {said}", at)
    return tuple(model.backends)


def _key(document: Document, provider: ModelProvider, path: Path, interpolation: Interpolation) -> Secret:
    name = provider.name
    if provider.key is None:
        try:
            return Secret(provider.credential())
        except ConfigError as error:
            said = f"models.{name}.key_file: {provider.key_file}: {error.message}"
            raise document.error(said.replace("token", "key"), ("models", name, "key_file")) from error
    at: Location = ("models", name, "key")
    if complaint := token_fault(provider.key.reveal()):
        raise document.error(f"models.{name}.key: {complaint.replace('token', 'key')}", at)
    if not interpolation.used.get(at) and path.exists() and path.stat().st_mode & 0o077:
        said = f"others may read the key in this file; write ${{NAME_OF_A_VARIABLE}}, or chmod 600 {path}"
        raise document.error(f"models.{name}.key: {said}", at)
    return provider.key


def provider_of(wanted: str | None, backend: str, models: Mapping[str, ModelProvider]) -> str:
    """Which provider an agent has: the one that it names, or that of its backend; empty for none."""
    if wanted is not None:
        return wanted
    return next((one.name for one in models.values() if backend in one.backends), "")


def provider_faults(
    entry: _Entry, traits: BackendTraits, models: Mapping[str, ModelProvider]
) -> Iterator[tuple[str, Location]]:
    """What an agent's entry says against its provider, and under which key."""
    name = provider_of(entry.provider, entry.backend, models)
    if not name:
        return
    if name not in models:
        near = nearest(name, sorted(models))
        hint = f"; did you mean '{near}'?" if near else "; it is not under models"
        yield f"unknown provider '{name}'{hint}", ("provider",)
        return
    dialect = models[name].dialect
    if dialect not in traits.model_keys:
        speaks = ", ".join(sorted(traits.model_keys)) or "none"
        yield (
            f"'{entry.backend}' cannot be pointed at a provider of '{dialect}' (it can at: {speaks})",
            ("provider",),
        )
        return
    variable = traits.model_keys[dialect]
    if variable in entry.environment:
        said = f"hive itself sets {variable} for an agent of the provider '{name}'; remove it"
        yield said, ("environment", variable)
