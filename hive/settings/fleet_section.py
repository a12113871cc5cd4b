"""The section `fleet` into settings: contexts found in the kubeconfig, files in their places."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from hive import documents
from hive.documents import Document
from hive.documents.models import first_error, nearest
from hive.documents.tree import Location
from hive.errors import ConfigError
from hive.settings.fleet import FleetSettings, MemberSettings
from hive.settings.fleet_model import DNS_LABEL, FleetModel
from hive.settings.interpolation import Interpolation
from hive.settings.kubeconfig import Kubeconfig, kubeconfig_files, read_kubeconfig


def read_fleet_section(
    document: Document, model: FleetModel, path: Path, environ: Mapping[str, str]
) -> FleetSettings:
    """The settings of a fleet. No cluster is asked; the kubeconfig's contexts are looked up.

    Raises `ConfigError` for a kubeconfig that cannot be read, a context that it does not have, and a
    cluster that is there twice.
    """
    try:
        known = read_kubeconfig(kubeconfig_files(model.kubeconfig, path.parent, environ))
    except ConfigError as error:
        raise document.error(f"fleet: {error}", ("fleet", "kubeconfig")) from error
    hub = _hub(document, model, known)
    return FleetSettings(
        kubeconfig=known.files,
        hub=hub,
        members=_members(document, model, known, hub),
        inventory=_inventory(document, model, path),
        namespace=model.namespace,
        stale_after=model.stale_after,
        image=model.image,
        templates=_templates(document, model, path),
    )


def read_fleet(path: Path, environ: Mapping[str, str]) -> FleetSettings | None:
    """The section `fleet` of the configuration at `path` alone; None where it has none.

    Nothing else of the file is read: commands about clusters need no credential of the forge. Raises
    `ConfigError` as `read_fleet_section` does, and when the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", source=str(path)) from error
    document = documents.read(data, str(path))
    section = document.value.get("fleet") if isinstance(document.value, dict) else None
    if section is None:
        return None
    interpolation = Interpolation(document, environ)
    try:
        filled = interpolation.fill(section, ("fleet",))
        whole = replace(document, value={"fleet": filled})
        try:
            model = FleetModel.model_validate(filled)
        except ValidationError as error:
            raise first_error(whole, FleetModel, error, ("fleet",)) from error
        return read_fleet_section(whole, model, path, environ)
    except ConfigError as error:
        raise interpolation.conceal(error) from None


def _hub(document: Document, model: FleetModel, known: Kubeconfig) -> str:
    at = ("fleet", "hub")
    if model.hub is not None:
        return _context(document, model.hub, known, at, "fleet.hub")
    if known.current is None:
        raise document.error(f"fleet: {known.files} has no current context; write hub: CONTEXT", at)
    return _context(document, known.current, known, at, "fleet.hub (the current context)")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A member as it is asked for, and where."""

    context: str
    name: str
    labels: Mapping[str, str]
    at: Location
    where: str


def _members(
    document: Document, model: FleetModel, known: Kubeconfig, hub: str
) -> tuple[MemberSettings, ...]:
    members: list[MemberSettings] = []
    for wanted in _wanted(model, known, hub):
        _context(document, wanted.context, known, wanted.at, wanted.where)
        complaint = _why_not(wanted, members)
        if complaint is not None:
            raise document.error(f"{wanted.where}: {complaint}", wanted.at)
        members.append(MemberSettings(wanted.context, wanted.name, wanted.labels))
    return tuple(members)


def _wanted(model: FleetModel, known: Kubeconfig, hub: str) -> Iterator[_Wanted]:
    if model.members is None:
        # A fleet of one cluster runs its sandboxes beside its inventory.
        for context in [each for each in known.contexts if each != hub] or [hub]:
            yield _Wanted(context, context, {}, ("fleet",), "fleet.members")
        return
    for place, each in enumerate(model.members):
        at: Location = ("fleet", "members", place)
        yield _Wanted(each.context, each.name or each.context, each.labels, at, f"fleet.members[{place}]")


def _why_not(wanted: _Wanted, members: Sequence[MemberSettings]) -> str | None:
    context, name = wanted.context, wanted.name
    if DNS_LABEL.fullmatch(name) is None:
        return (
            f"the context '{context}' cannot name a cluster; "
            f"write {{context: '{context}', name: NAME}} with lower case letters, digits and hyphens"
        )
    if any(each.context == context for each in members):
        return f"the context '{context}' is there twice; remove one"
    same = next((each.context for each in members if each.name == name), None)
    return f"'{name}' names '{same}' already; take another name" if same is not None else None


def _context(document: Document, context: str, known: Kubeconfig, at: Location, where: str) -> str:
    if context not in known.contexts:
        near = nearest(context, known.contexts)
        names = ", ".join(known.contexts) or "none"
        hint = f"did you mean '{near}'?" if near else f"it has: {names}"
        raise document.error(f"{where}: there is no context '{context}' in {known.files}; {hint}", at)
    return context


def _templates(document: Document, model: FleetModel, path: Path) -> Path | None:
    if model.templates is None:
        return None
    folder = Path(os.path.abspath(path.parent / Path(model.templates).expanduser()))
    if not folder.is_dir():
        raise document.error(f"fleet.templates: there is no folder {folder}", ("fleet", "templates"))
    return folder


def _inventory(document: Document, model: FleetModel, path: Path) -> Path | None:
    if model.inventory is None:
        return None
    file = Path(os.path.abspath(path.parent / Path(model.inventory).expanduser()))
    if not file.is_file():
        raise document.error(f"fleet.inventory: there is no file {file}", ("fleet", "inventory"))
    return file
