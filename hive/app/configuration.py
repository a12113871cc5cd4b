"""The configuration file, read again when it changes: all of it or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

from hive.contracts.backend import Backend
from hive.contracts.command import BackendKind
from hive.contracts.guardrail import Guardrail
from hive.decisions.fallback import in_force
from hive.decisions.policy import Policy
from hive.errors import ConfigError
from hive.facts.agents import AgentSpec
from hive.facts.events import AgentRejected, ConfigurationLoaded, ConfigurationRejected, Event
from hive.facts.memory import AgentMemory
from hive.settings.github import GithubSettings
from hive.settings.loading import load
from hive.settings.prices import load_prices
from hive.settings.settings import Settings

_Stamp = tuple[int, int, int]


class LiveConfiguration:
    """Implements `kernel.configuration.Configuration`. Raises `ConfigError` when the first reading fails."""

    def __init__(
        self,
        path: Path,
        *,
        environ: Mapping[str, str],
        backends: Mapping[str, Backend],
        guardrails: Mapping[str, Guardrail],
        kinds: Mapping[str, BackendKind] | None = None,
    ) -> None:
        self._path = path
        self._environ = environ
        self._backends = backends
        self._guardrails = guardrails
        self._kinds = kinds or {}
        self._stamp = _stamp(path)
        self._complaint = ""
        self._told = False
        self._agents: Callable[[], Mapping[str, AgentMemory]] = dict
        self._take(self._load())

    def follow(self, agents: Callable[[], Mapping[str, AgentMemory]]) -> None:
        """Give each agent as its newest start has it: it may have fallen back on another program."""
        self._agents = agents

    def _load(self) -> Settings:
        return load(
            self._path,
            environ=self._environ,
            backends=self._backends,
            guardrails=self._guardrails,
            kinds=self._kinds,
        )

    def _take(self, settings: Settings) -> None:
        self.settings = settings
        self._policy = policy_of(settings)
        self._falls_back = any(spec.choices for spec in settings.agents)
        self._force(self._policy)

    def _force(self, policy: Policy) -> None:
        self._in_force = policy, {spec.name: spec for spec in policy.agents}

    @property
    def backends(self) -> Mapping[str, Backend]:
        """Those of the configuration in force; follows a change of it."""
        return _BackendsInForce(self)

    @property
    def policy(self) -> Policy:
        return self._now_in_force()[0]

    @property
    def specs(self) -> Mapping[str, AgentSpec]:
        return self._now_in_force()[1]

    def _now_in_force(self) -> tuple[Policy, Mapping[str, AgentSpec]]:
        if self._falls_back:
            policy = in_force(self._policy, self._agents())
            if policy.agents != self._in_force[0].agents:
                self._force(policy)
        return self._in_force

    @property
    def tick(self) -> timedelta:
        return self.settings.tick

    @property
    def poll(self) -> timedelta:
        return self.settings.poll

    def has_changed(self) -> bool:
        return _stamp(self._path) != self._stamp

    def refresh(self, *, force: bool = False) -> tuple[Event, ...]:
        """The first call tells of the first reading; later ones of what changed since."""
        if not self._told:
            self._told = True
            return self._loaded()
        stamp = _stamp(self._path)
        if stamp == self._stamp and not force:
            return ()
        self._stamp = stamp
        try:
            settings = self._load()
            _same_ground(self.settings, settings)
        except ConfigError as error:
            return self._rejected(str(error), force)
        self._complaint = ""
        if settings.digest == self.settings.digest and not force:
            return ()
        self._take(settings)
        return self._loaded()

    def _rejected(self, complaint: str, force: bool) -> tuple[Event, ...]:
        if complaint == self._complaint and not force:
            return ()
        self._complaint = complaint
        return (ConfigurationRejected(message=complaint),)

    def _loaded(self) -> tuple[Event, ...]:
        return (
            ConfigurationLoaded(
                digest=self.settings.digest,
                source=self.settings.source,
                raised=tuple(
                    f"{one.role} at L{int(one.level)} is {one.mode}: {one.why}"
                    for one in self.settings.raised
                ),
            ),
            *(
                AgentRejected(agent=name, message=rejected.message)
                for rejected in self.settings.rejected
                for name in rejected.names
            ),
        )


class _BackendsInForce(Mapping[str, Backend]):
    """For those who keep the mapping: a configuration that is read again may describe others."""

    def __init__(self, configuration: LiveConfiguration) -> None:
        self._configuration = configuration

    def __getitem__(self, name: str) -> Backend:
        return self._configuration.settings.backends[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._configuration.settings.backends)

    def __len__(self) -> int:
        return len(self._configuration.settings.backends)


def _stamp(path: Path) -> _Stamp:
    """Changes when the file does, also when it is replaced by another."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (status.st_mtime_ns, status.st_ino, status.st_size)


def _same_ground(old: Settings, new: Settings) -> None:
    if old.fleet != new.fleet:
        raise ConfigError(
            "'fleet' cannot change while hive runs; stop hive first, agents stay",
            source=new.source,
        )
    if old.state != new.state:
        raise ConfigError(
            f"'state' cannot move while hive runs (from {old.state} to {new.state}); stop hive first",
            source=new.source,
        )
    before, after = _ground_of(old.github), _ground_of(new.github)
    for name, value in after.items():
        if before[name] != value:
            raise ConfigError(
                f"{name} cannot change while hive runs (from {before[name]} to {value}); stop hive first, "
                "agents stay",
                source=new.source,
            )


def _ground_of(github: GithubSettings) -> dict[str, str]:
    """What clients, gateway and listener are built upon. Tokens, keys and secrets are read at each use."""
    webhooks = github.webhooks
    return {
        "the credential of 'github'": f"the App {github.app.id}" if github.app else "a token",
        "'github.api_url'": github.api_url,
        "'github.graphql_url'": github.graphql_url,
        "'github.git_url'": github.git_url,
        "'github.webhooks.listen'": f"{webhooks.host}:{webhooks.port}" if webhooks else "nowhere",
    }


def _backends(agents: Iterable[AgentSpec]) -> set[str]:
    """All that are used, or may be."""
    return {spec.backend for spec in agents} | {one.backend for spec in agents for one in spec.choices}


def policy_of(settings: Settings) -> Policy:
    """What deciding needs of a configuration; `account` is not known before the forge was asked."""
    repositories = settings.repositories
    return Policy(
        level=settings.level,
        agents=settings.agents,
        table=settings.table,
        traits={name: settings.backends[name].traits for name in _backends(settings.agents)},
        account="",
        repo_levels={one.name: one.level for one in repositories if one.level is not None},
        lifecycle=settings.lifecycle,
        triage=settings.triage,
        merge={one.name: one.merge for one in repositories},
        guardrails=settings.guardrails,
        hold_label=settings.gateway.hold_label,
        retired=settings.retired(),
        trees=True,
        budgets=settings.budgets,
        findings=settings.findings,
        leases=settings.claims,
        standing=settings.standing,
        governor=settings.governor,
        dialogs=settings.dialogs,
        notices=settings.notify.policy,
        incidents=settings.incidents,
        approval_label=settings.gateway.approval_label or "",
        prices=load_prices(settings.prices),
        rounds=settings.pull_requests,
        prompts=settings.prompts,
        knowledge=settings.knowledge,
    )
