"""The section `logins`: files with logins of subscriptions, each for one agent alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hive.contracts.backend import Backend, LoginFile
from hive.decisions.logins import MOST_BYTES, Login, read_login
from hive.documents import Document
from hive.documents.models import nearest
from hive.errors import ConfigError
from hive.facts.agents import AgentSpec


@dataclass(frozen=True, slots=True)
class AgentLogin:
    """Attributes:
    file: The operator's, absolute: what hive begins with; it is never written to.
    backend: Whose program it is for.
    """

    agent: str
    file: Path
    backend: str
    shape: LoginFile


def read_logins(
    document: Document,
    logins: Mapping[str, str],
    path: Path,
    agents: Sequence[AgentSpec],
    backends: Mapping[str, Backend],
) -> Mapping[str, AgentLogin]:
    """Logins by agent; a key names an agent, or a backend that one agent alone has.

    Raises `ConfigError` for a key that names neither or too many, for a file that is no login of the program
    or that others can read, and for one login that two agents would refresh.
    """
    found: dict[str, AgentLogin] = {}
    read: dict[str, Login] = {}
    for key, named in logins.items():
        try:
            spec = _agent(key, agents, logins, backends)
            login = _login(spec, path.parent / Path(named).expanduser(), backends[spec.backend].traits.login)
            read[spec.name] = _read(login)
            _one_agents_own(login, read, found)
        except ValueError as error:
            raise document.error(f"logins.{key}: {error}", ("logins", key)) from None
        found[spec.name] = login
    return found


def _agent(
    key: str, agents: Sequence[AgentSpec], logins: Mapping[str, str], backends: Mapping[str, Backend]
) -> AgentSpec:
    named = next((spec for spec in agents if spec.name == key), None)
    if named is not None:
        return named
    known = [*(spec.name for spec in agents), *backends]
    if key not in backends:
        near = nearest(key, known)
        hint = f"; did you mean '{near}'?" if near else ""
        raise ValueError(f"'{key}' is no agent and no backend{hint}")
    those = [spec for spec in agents if spec.backend == key and spec.name not in logins]
    if not those:
        raise ValueError(f"no agent is left that has the backend '{key}'; remove it")
    if len(those) > 1:
        names = ", ".join(spec.name for spec in those[:3]) + (", \u2026" if len(those) > 3 else "")
        raise ValueError(
            f"one login is for one agent, and '{key}' is the backend of {len(those)} ({names}): two that "
            "refresh it log each other out; name the agent, and give the others logins of their own"
        )
    return those[0]


def _login(spec: AgentSpec, file: Path, shape: LoginFile | None) -> AgentLogin:
    if spec.provider:
        raise ValueError(f"{spec.name} has the provider '{spec.provider}' already; keep one of the two")
    if spec.sandbox is not None:
        raise ValueError(
            f"{spec.name} runs in a pod, where hive puts no login; give it a provider of `models`"
        )
    if shape is None:
        raise ValueError(f"hive knows no file with a login of '{spec.backend}'")
    return AgentLogin(spec.name, Path(os.path.abspath(file)), spec.backend, shape)


def _read(login: AgentLogin) -> Login:
    try:
        return read_login(content_of(login.file), login.shape)
    except ConfigError as error:
        raise ValueError(f"{login.file}: {error.message}") from error
    except ValueError as error:
        raise ValueError(f"{login.file}: {error}") from None


def _one_agents_own(login: AgentLogin, read: Mapping[str, Login], found: Mapping[str, AgentLogin]) -> None:
    mine = read[login.agent]
    for other in found.values():
        if set(read[other.agent].secrets) & set(mine.secrets):
            raise ValueError(
                f"this is the login that {other.agent} has: two that refresh it log each other out; log in "
                "once more for the second"
            )


def content_of(file: Path) -> bytes:
    """The operator's file, its beginning where it is too large.

    Raises `ConfigError` where it cannot be read or is open to others.
    """
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise ConfigError("this is no file", source=str(file))
            if mode & 0o077:
                raise ConfigError(f"others may read this login; chmod 600 {file}", source=str(file))
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"it cannot be read: {error.strerror}", source=str(file)) from error
