"""The members of the fleet in one round: what is seen there, and the steps that are done there."""

from __future__ import annotations

import base64
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hive.decisions.delivery import (
    Apply,
    AwayMember,
    Held,
    MemberView,
    ObjectKey,
    Remove,
    SeenMember,
    Step,
)
from hive.decisions.delivery.marks import BINDING
from hive.decisions.delivery.order import rank
from hive.errors import HiveError
from hive.facts.kubernetes import Manifest, ResourceType, labels_of
from hive.fleet.carried import Carried
from hive.fleet.credentials import Credentials
from hive.fleet.lanes import Connect, MemberLane, Work, together
from hive.fleet.loads import Load
from hive.fleet.member import Found, Outcome, Put, Take, Written, act, look, secret_data
from hive.ports.kubernetes import Kubernetes

_DOUBT = timedelta(seconds=10)
"""How long a write without an answer may take to come to pass: a server gives up what nobody waits for."""


class Members:
    """All members that hive has a connection to. One round at a time.

    Args:
        seconds: What a member has for its answers, in each of the two parts of a round.
    """

    def __init__(
        self, connections: Mapping[str, Connect], credentials: Credentials | None, *, seconds: float
    ) -> None:
        self._lanes = {name: MemberLane(name, connect) for name, connect in connections.items()}
        self._written = {name: Written() for name in connections}
        self._credentials = credentials
        self._unsent: dict[tuple[str, str], Mapping[str, bytes]] = {}
        """Minted and not known to be written: tried again with the same, by request and cluster."""
        self._seconds = seconds
        self._away: dict[str, datetime] = {}
        self._doubted: dict[str, datetime] = {}
        """When a write to a member was last in doubt."""
        self.seen_at: dict[str, datetime] = {}

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._lanes)

    def look(
        self, kinds: frozenset[ResourceType], now: datetime
    ) -> tuple[dict[str, Found], dict[str, AwayMember]]:
        """What of hive's is on each member, and which cannot be seen, since when."""
        work: dict[str, Work[Found]] = {name: (lambda api, _: look(api, kinds)) for name in self._lanes}
        found: dict[str, Found] = {}
        away: dict[str, AwayMember] = {}
        for name, result in together(self._lanes, work, seconds=self._seconds).items():
            if self._is_in_doubt(name, now):
                since = self._away.setdefault(name, now)
                away[name] = AwayMember(since, "a write there got no answer, and may still come to pass")
            elif isinstance(result, HiveError):
                since = self._away.setdefault(name, now)
                away[name] = AwayMember(since, getattr(result, "message", str(result)))
            else:
                self._away.pop(name, None)
                self.seen_at[name] = now
                found[name] = result
        return found, away

    def views(
        self, found: Mapping[str, Found], away: Mapping[str, AwayMember], carried: Iterable[Carried]
    ) -> dict[str, MemberView]:
        """As delivery decides on it: what was changed since hive wrote it is told from what was not."""
        loads: dict[str, dict[tuple[str, ObjectKey], tuple[Load, str]]] = defaultdict(dict)
        for one in carried:
            for cluster, brought in one.loads.items():
                for load in brought or ():
                    loads[cluster][one.label, load.desired.key] = (load, one.request)
        views: dict[str, MemberView] = dict(away)
        for name, seen in found.items():
            known = {(load.desired.key, load.desired.digest) for load, _ in loads[name].values()}
            self._written[name].keep(known)
            views[name] = SeenMember(
                tuple(
                    self._held(name, key, manifest, loads[name].get((labels_of(manifest)[BINDING], key)))
                    for key, (_, manifest) in seen.objects.items()
                )
            )
        return views

    def do(
        self,
        steps: Sequence[Step],
        carried: Mapping[str, Carried],
        found: Mapping[str, Found],
        now: datetime,
    ) -> tuple[dict[str, list[str]], dict[str, str]]:
        """The steps on members, all members at once: troubles by Binding, and members that failed."""
        outcomes: dict[str, list[Outcome]] = {}
        work: dict[str, Work[list[Outcome]]] = {}
        for cluster, actions in self._actions(steps, carried, found).items():
            outcomes[cluster] = []
            work[cluster] = _acting(actions, outcomes[cluster])
        results = together(self._lanes, work, seconds=self._seconds)
        troubles: dict[str, list[str]] = defaultdict(list)
        for cluster, done in outcomes.items():
            for each in tuple(done):
                if each.is_in_doubt:
                    self._doubted[cluster] = now
                if each.trouble:
                    troubles[each.binding].append(f"{cluster}: {each.trouble}")
                self._note(cluster, carried[each.binding], each)
        failed = {name: str(each) for name, each in results.items() if isinstance(each, HiveError)}
        return troubles, failed

    def revoke(self, request: str, cluster: str) -> None:
        """The copy there is gone."""
        self._unsent.pop((request, cluster), None)
        if self._credentials is not None:
            self._credentials.revoke(request, cluster)

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()

    def _is_in_doubt(self, name: str, now: datetime) -> bool:
        at = self._doubted.get(name)
        return at is not None and timedelta(0) <= now - at < _DOUBT

    def _held(self, cluster: str, key: ObjectKey, manifest: Manifest, known: tuple[Load, str] | None) -> Held:
        load, request = known or (None, "")
        held = self._written[cluster].held(key, manifest, load)
        if load is None or not load.is_credential or self._credentials is None:
            return held
        if self._credentials.is_current(request, cluster, secret_data(manifest)):
            return held
        return replace(held, digest="")

    def _actions(
        self, steps: Sequence[Step], carried: Mapping[str, Carried], found: Mapping[str, Found]
    ) -> dict[str, list[Put | Take]]:
        """By cluster; of each Binding first what comes, in order, then what goes."""
        actions: dict[str, list[Put | Take]] = defaultdict(list)
        for apply in sorted((each for each in steps if isinstance(each, Apply)), key=_first):
            one = carried[apply.binding]
            load = next(each for each in one.loads[apply.cluster] or () if each.desired.key == apply.key)
            manifest = self._with_data(load, one.request, apply.cluster)
            put = Put(apply.binding, load, manifest, apply.over, makes_namespace=bool(one.request))
            actions[apply.cluster].append(put)
        for remove in (each for each in steps if isinstance(each, Remove)):
            kind = found[remove.cluster].objects[remove.key][0]
            actions[remove.cluster].append(Take(remove.binding, remove.key, kind, remove.uid))
        return actions

    def _with_data(self, load: Load, request: str, cluster: str) -> Mapping[str, object]:
        """The manifest to write; of a credential with its data. Raises `JournalError`."""
        if not load.is_credential or self._credentials is None:
            return load.manifest
        if (request, cluster) not in self._unsent:
            self._unsent[request, cluster] = self._credentials.mint(request, cluster)
        data = self._unsent[request, cluster]
        return {
            **load.manifest,
            "data": {key: base64.b64encode(value).decode("ascii") for key, value in data.items()},
        }

    def _note(self, cluster: str, carried: Carried, outcome: Outcome) -> None:
        if outcome.answer is None:
            return
        for load in carried.loads.get(cluster) or ():
            if load.desired.key == outcome.key:
                if load.is_credential:
                    self._unsent.pop((carried.request, cluster), None)
                else:
                    self._written[cluster].note(load, outcome.answer)


def _acting(actions: Sequence[Put | Take], outcomes: list[Outcome]) -> Callable[..., list[Outcome]]:
    def work(api: Kubernetes, stop: threading.Event) -> list[Outcome]:
        return act(api, stop, actions, outcomes)

    return work


def _first(step: Apply) -> tuple[str, tuple[int, ObjectKey]]:
    return step.binding, rank(step.key)
