"""The section `notify` into a policy and addresses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hive.decisions.notice_policy import Channel, NoticePolicy, QuietHours
from hive.documents import Document
from hive.errors import ConfigError
from hive.settings.configured import require_configured
from hive.settings.github import read_token
from hive.settings.interpolation import Interpolation
from hive.settings.notify_model import ChannelModel, NotifyModel
from hive.settings.secret import Secret

_NAME = r"[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a channel is: a secret, or the file that holds it."""

    url: Secret | None = None
    file: Path | None = None

    def read(self) -> str:
        """The address as it is now. Raises `ConfigError` when its file cannot be read, or by others too."""
        if self.file is not None:
            return read_token(self.file)
        assert self.url is not None
        return self.url.reveal()


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """`addresses` are by channel."""

    policy: NoticePolicy = field(default_factory=NoticePolicy)
    addresses: Mapping[str, Address] = field(default_factory=dict)

    def readers(self) -> dict[str, Callable[[], str]]:
        return {name: address.read for name, address in self.addresses.items()}

    def secrets(self) -> tuple[str, ...]:
        """What must not be logged; files that cannot be read hold none that could be."""
        found = []
        for address in self.addresses.values():
            try:
                found.append(address.read())
            except ConfigError:
                continue
        return tuple(found)


def read_notify(
    document: Document,
    model: NotifyModel,
    path: Path,
    interpolation: Interpolation,
    *,
    agents: Collection[str],
    repositories: Collection[str],
) -> NotifySettings:
    """Return the settings. Raises `ConfigError` for a channel without address, with two, with one that
    others can read, and for names of agents or repositories that there are not."""
    addresses, channels = {}, []
    for name, entry in model.channels.items():
        at = ("notify", "channels", name)
        if re.fullmatch(_NAME, name) is None:
            said = "a name has lower case letters, digits and inner hyphens, at most 39"
            raise document.error(f"notify.channels: '{name}': {said}", at)
        addresses[name] = _address(document, name, entry, path, interpolation)
        require_configured(document, (*at, "agents"), entry.agents, agents)
        require_configured(document, (*at, "repos"), entry.repos, repositories)
        channels.append(_channel(name, entry))
    quiet = model.quiet_hours
    policy = NoticePolicy(
        channels=tuple(channels),
        delay=model.delay,
        remind=model.remind,
        quiet=None if quiet is None else QuietHours(quiet.begins, quiet.ends, model.zone),
        urgent=frozenset(model.urgent),
        zone=model.zone,
        limited_after=model.limited_after,
    )
    return NotifySettings(policy, addresses)


def _channel(name: str, entry: ChannelModel) -> Channel:
    return Channel(
        name=name,
        kinds=frozenset(entry.kinds),
        agents=frozenset(entry.agents),
        repos=frozenset(repo.casefold() for repo in entry.repos),
        per_hour=entry.per_hour,
        digest=tuple(entry.digest),
        resolved=entry.resolved,
    )


def _address(
    document: Document, name: str, entry: ChannelModel, path: Path, interpolation: Interpolation
) -> Address:
    at = ("notify", "channels", name)
    if (entry.url is None) == (entry.url_file is None):
        said = "url and url_file are both given; keep one" if entry.url else "there is no url or url_file"
        raise document.error(f"notify.channels.{name}: {said}", at)
    if entry.url_file is not None:
        file = Path(os.path.abspath(path.parent / Path(entry.url_file).expanduser()))
        try:
            read_token(file)
        except ConfigError as error:
            said = f"notify.channels.{name}.url_file: {file}: {error.message}"
            raise document.error(said, (*at, "url_file")) from error
        return Address(file=file)
    if not interpolation.used.get((*at, "url")) and path.exists() and path.stat().st_mode & 0o077:
        said = f"others may read it in this file; write ${{NAME}}, or chmod 600 {path}"
        raise document.error(f"notify.channels.{name}.url: {said}", (*at, "url"))
    assert entry.url is not None
    return Address(url=Secret(entry.url))
