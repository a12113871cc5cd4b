"""The inventory: what clusters there are, what is free on them, and which cannot be looked at.

Kubeconfig contexts become ManagedClusters on the hub, unless Open Cluster Management has registered them
already; a file of the operator's adds what neither knows. Levels, not events: each look is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from hive.decisions.inventory.cluster_facts import observation_of
from hive.decisions.inventory.managed_clusters import (
    AVAILABLE,
    Away,
    cluster_of,
    condition_of,
    is_registered_by_hive,
)
from hive.decisions.inventory.observe import Look
from hive.decisions.inventory.roll import Declared, MemberState, Sources, roll
from hive.documents.values import moment
from hive.errors import ConfigError, Missing, WorldError
from hive.facts.fleet import Cluster, Observation, Problem, object_id
from hive.facts.kubernetes import CLUSTER_FACTS, MANAGED_CLUSTERS, Manifest, ResourceType, labels_of, name_of
from hive.fleet.members import Connect, Member, look_at
from hive.fleet.registration import Origin, Registrar
from hive.ports.kubernetes import Kubernetes


class Inventory:
    """The fleet's clusters. Used by one thread at a time; it owns what it makes of `members`, not `hub`.

    Args:
        members: How to connect to each, by the name of its ManagedCluster. Each gets a client of its own.
        origins: What else is known of members; where nothing is, the context has the member's name.
        declared: Reads the operator's file, at every look.
        stale_after: For so long a look at a member counts.
        deadline: Seconds that a member has for its answer.
        registers: Whether members are written to the hub; without, nothing is written.
    """

    def __init__(
        self,
        hub: Kubernetes,
        members: Mapping[str, Connect],
        *,
        origins: Mapping[str, Origin] | None = None,
        declared: Callable[[], Declared] = Declared,
        stale_after: timedelta = timedelta(minutes=5),
        deadline: float = 10.0,
        registers: bool = True,
    ) -> None:
        self._hub = hub
        self._members = {name: Member(name, connect) for name, connect in members.items()}
        given = origins or {}
        self.origins = {name: given.get(name, Origin(name)) for name in members}
        self._declared = declared
        self._stale_after = stale_after
        self._deadline = deadline
        self._registrar = Registrar(hub, self.origins) if registers else None
        self.looks: dict[str, Look] = {}
        """The last look that each member answered."""
        self.away: dict[str, Away] = {}
        """Members that do not answer."""
        self.problems: tuple[Problem, ...] = ()
        """What is wrong with objects, with the file, and with members, as of the last look."""

    def look(self, now: datetime) -> tuple[Cluster, ...]:
        """All clusters as they are now, by name; `away` and `problems` are of the same moment.

        Raises `Missing` with the remedy where the hub does not know ManagedClusters, and whatever else
        the hub fails with. A member that fails is in `away`.
        """
        answers = look_at(self._members, now, self._deadline)
        try:
            managed = {name_of(each): each for each in self._managed()}
        except (WorldError, ConfigError):
            self._take(answers, {}, now)
            raise
        problems: list[Problem] = []
        self._take(answers, managed, now)
        if self._registrar is not None:
            managed, complaints = self._registrar.register(managed, self.looks, self.away, now)
            problems += complaints
        declared = self._read_declared()
        sources = Sources(
            managed=tuple(_cluster(each, problems) for each in managed.values()),
            registered=frozenset(name for name, each in managed.items() if is_registered_by_hive(each)),
            facts={each.cluster: each for each in self._facts(problems)},
            members={name: MemberState(self.looks.get(name), self.away.get(name)) for name in self._members},
            declared=declared,
        )
        problems += declared.problems
        problems += [Problem(_id(MANAGED_CLUSTERS, name), each.because) for name, each in self.away.items()]
        self.problems = tuple(sorted(set(problems), key=lambda one: (one.object, one.message)))
        return roll(sources, now, self._stale_after)

    def close(self) -> None:
        for member in self._members.values():
            member.close()

    def _managed(self) -> tuple[Manifest, ...]:
        try:
            return self._hub.list(MANAGED_CLUSTERS).items
        except Missing as error:
            remedy = "run 'hive install --crds'"
            raise Missing(
                error.port, f"the hub {self._hub.name} knows no ManagedClusters; {remedy}"
            ) from error

    def _take(
        self,
        answers: Mapping[str, Look | WorldError | ConfigError],
        managed: Mapping[str, Manifest],
        now: datetime,
    ) -> None:
        for name, answer in answers.items():
            if isinstance(answer, Look):
                self.looks[name] = answer
                self.away.pop(name, None)
                continue
            before = self.away.get(name)
            since = before.since if before is not None else _away_since(managed.get(name)) or now
            self.away[name] = Away(since, answer.message)

    def _facts(self, problems: list[Problem]) -> tuple[Observation, ...]:
        try:
            listed = self._hub.list(CLUSTER_FACTS).items
        except Missing:
            return ()  # a hub of others' making; nobody writes them there
        found: list[Observation] = []
        for manifest in listed:
            try:
                found.append(observation_of(manifest))
            except ValueError as error:
                problems.append(Problem(_id(CLUSTER_FACTS, name_of(manifest)), str(error)))
        return tuple(found)

    def _read_declared(self) -> Declared:
        try:
            return self._declared()
        except ConfigError as error:
            return Declared(problems=(Problem(error.source or "fleet.inventory", str(error)),))


def _cluster(manifest: Manifest, problems: list[Problem]) -> Cluster:
    """One that cannot be read is there all the same: a cluster that is left out counts as gone for good."""
    name = name_of(manifest)
    try:
        return cluster_of(manifest)
    except ValueError as error:
        problems.append(Problem(_id(MANAGED_CLUSTERS, name), str(error)))
        return Cluster(name, labels_of(manifest), is_accepted=False, available="Unknown")


def _away_since(manifest: Manifest | None) -> datetime | None:
    """What an earlier run of hive wrote down."""
    if manifest is None or not is_registered_by_hive(manifest):
        return None
    condition = condition_of(manifest, AVAILABLE)
    if condition is None or condition.get("status") != "Unknown":
        return None
    try:
        return moment(str(condition.get("lastTransitionTime")))
    except ValueError:
        return None


def _id(kind: ResourceType, name: str) -> str:
    return object_id(kind.group, kind.version, kind.plural, "", name)
