"""What has to be done so that each cluster holds what its Bindings want, and nothing else of hive's.

Laws, each a property test:
1. Nothing of a single-copy Binding is applied to a cluster while any other cluster may hold a copy: one
   that was delivered to counts until it was seen without it, and one that cannot be seen counts.
2. Only what carries the label of that very Binding is removed.
3. A cluster that cannot be seen gets no step but `Wait`.
4. Once all steps were done, there are no more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hive.decisions.delivery.model import (
    Apply,
    AwayMember,
    Deliver,
    Delivery,
    Desired,
    Forget,
    Held,
    MemberView,
    ObjectKey,
    Remove,
    SeenMember,
    Step,
    Wait,
)
from hive.decisions.delivery.order import runs


def plan(
    deliveries: Sequence[Delivery], views: Mapping[str, MemberView], known: frozenset[str]
) -> tuple[Step, ...]:
    """Steps in the order in which they have to be done: notes of a Binding before its objects.

    `views` has the clusters that hive can talk to; `known` are the clusters of the inventory. A cluster
    in neither is gone for good, by the operator's word: its ManagedCluster was deleted.
    """
    fleet = _Fleet(deliveries, views, known)
    ordered = sorted(deliveries, key=lambda each: each.name)
    return tuple(step for each in ordered for step in fleet.steps(each))


@dataclass(slots=True)
class _Fleet:
    """Who holds and who wants what."""

    deliveries: Sequence[Delivery]
    views: Mapping[str, MemberView]
    known: frozenset[str]
    held: dict[str, dict[str, list[Held]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """By cluster and label."""
    owner: dict[tuple[str, ObjectKey], Held] = field(default_factory=dict)
    wanting: dict[tuple[str, ObjectKey], list[Delivery]] = field(default_factory=lambda: defaultdict(list))
    labels: dict[str, Delivery] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for cluster, view in self.views.items():
            for each in view.held if isinstance(view, SeenMember) else ():
                self.held[cluster][each.binding].append(each)
                self.owner[cluster, each.key] = each
        for delivery in sorted(self.deliveries, key=lambda each: each.name):
            self.labels[delivery.label] = delivery
            for cluster, wanted in delivery.wanted.items():
                for desired in wanted or ():
                    self.wanting[cluster, desired.key].append(delivery)

    def steps(self, delivery: Delivery) -> Iterator[Step]:
        holding = {cluster for cluster in self.held if self.held[cluster].get(delivery.label)}
        blocking: set[str] = set()
        for cluster in sorted((delivery.delivered | holding) - set(delivery.wanted)):
            if cluster in holding - delivery.delivered:
                # Its record was lost: it is written again, as the cluster may be out of sight next time.
                yield Deliver(delivery.name, cluster)
            steps = tuple(self._leave(delivery, cluster))
            yield from steps
            if not any(isinstance(each, Forget) for each in steps):
                blocking.add(cluster)
        if delivery.is_single and len(delivery.wanted) > 1:
            yield from self._several(delivery)
            return
        for cluster in sorted(delivery.wanted):
            yield from self._stay(delivery, cluster, blocking if delivery.is_single else set())

    def _several(self, delivery: Delivery) -> Iterator[Step]:
        """A single copy with several destinations: what is there stays, and nothing is begun."""
        names = ", ".join(sorted(delivery.wanted))
        for cluster in sorted(delivery.wanted):
            because = f"{names} are all chosen for what may run only once; let one carry the label"
            yield Wait(delivery.name, cluster, because)

    def _leave(self, delivery: Delivery, cluster: str) -> Iterator[Step]:
        view = self.views.get(cluster)
        if not isinstance(view, SeenMember):
            if cluster not in self.known:
                yield Forget(delivery.name, cluster, is_lost=True)
                return
            yield _away(delivery, cluster, view, "it may still run there")
            return
        going = self.held[cluster].get(delivery.label, [])
        left = [each for each in going if not self._is_inherited(delivery, cluster, each.key)]
        if not going:
            yield Forget(delivery.name, cluster)
        # What runs goes first: a pod that is still ending keeps the network policy that confines it.
        running = [each for each in left if each.is_derived or runs(each.key)]
        yield from self._remove(delivery, cluster, running or left)
        if going:
            yield Wait(delivery.name, cluster, _still_there(running or going))

    def _stay(self, delivery: Delivery, cluster: str, blocking: set[str]) -> Iterator[Step]:
        view = self.views.get(cluster)
        if not isinstance(view, SeenMember):
            yield _away(delivery, cluster, view, "nothing can be delivered to it")
            return
        if blocking:
            names = ", ".join(sorted(blocking))
            because = f"nothing is started on {cluster} until {names} was seen without it"
            yield Wait(delivery.name, cluster, because, is_fenced=True)
            return
        if cluster not in delivery.delivered:
            yield Deliver(delivery.name, cluster)
        wanted = delivery.wanted[cluster]
        if wanted is None:
            return
        for desired in wanted:
            yield from self._settle(delivery, cluster, desired)
        keys = {each.key for each in wanted}
        here = self.held[cluster].get(delivery.label, [])
        surplus = [
            each
            for each in here
            if each.key not in keys and not self._is_inherited(delivery, cluster, each.key)
        ]
        yield from self._remove(delivery, cluster, surplus)

    def _settle(self, delivery: Delivery, cluster: str, desired: Desired) -> Iterator[Step]:
        """One object that has to be there."""
        found = self.owner.get((cluster, desired.key))
        owner = self._owner(cluster, desired.key, found)
        if owner != delivery.label:
            holder = self.labels.get(owner)
            if holder is None or delivery.is_single or holder.is_single:
                name = holder.name if holder else owner
                yield Wait(delivery.name, cluster, f"{desired.key.text} belongs to the Binding {name}")
            return
        if found is None:
            yield Apply(delivery.name, cluster, desired.key)
        elif found.going_since is not None:
            yield Wait(delivery.name, cluster, f"{desired.key.text} is going since {found.going_since}")
        elif found.binding != delivery.label or (
            not desired.is_create_only and found.digest != desired.digest
        ):
            yield Apply(delivery.name, cluster, desired.key, over=found.uid)

    def _owner(self, cluster: str, key: ObjectKey, found: Held | None) -> str:
        """The label of the one Binding that may write an object which several may want.

        That is whose it is, while that one wants it or is not known, or may run only once; else the first
        by name of those that want it.
        """
        wanting = self.wanting[cluster, key]
        if found is not None:
            holder = self.labels.get(found.binding)
            if holder is None or holder.is_single or holder in wanting:
                return found.binding
            wanting = [each for each in wanting if not each.is_single] or wanting
            if wanting[0].is_single:
                return found.binding
        return wanting[0].label

    def _is_inherited(self, delivery: Delivery, cluster: str, key: ObjectKey) -> bool:
        """Whether another Binding takes the object over: then it is not removed in between."""
        wanting = self.wanting.get((cluster, key), ())
        return not delivery.is_single and any(each is not delivery and not each.is_single for each in wanting)

    def _remove(self, delivery: Delivery, cluster: str, held: Iterable[Held]) -> Iterator[Step]:
        for each in sorted(held, key=lambda one: one.key):
            if not each.is_derived and each.going_since is None:
                yield Remove(delivery.name, cluster, each.key, each.uid)


def _away(delivery: Delivery, cluster: str, view: AwayMember | None, so: str) -> Wait:
    if view is None:
        return Wait(delivery.name, cluster, f"hive has no connection to {cluster}; {so}", is_away=True)
    since = f"{view.since:%Y-%m-%dT%H:%M:%SZ}"
    return Wait(
        delivery.name, cluster, f"{cluster} cannot be seen since {since} ({view.because}); {so}", is_away=True
    )


def _still_there(held: Sequence[Held]) -> str:
    names = sorted(each.key.text for each in held)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    going = min((each.going_since for each in held if each.going_since), default=None)
    since = f"; going since {going}" if going else ""
    return f"still there: {', '.join(names[:3])}{more}{since}"
