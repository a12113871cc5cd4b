"""A world of clusters for the laws of delivery: what is there, who can be seen, and what steps do to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hypothesis import strategies as st

from hive.decisions.delivery import (
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
    plan,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CLUSTERS = ("east", "north", "west")
KEYS = tuple(
    ObjectKey(group, plural, namespace, "trainer")
    for group, plural in (("apps", "deployments"), ("", "configmaps"))
    for namespace in ("a", "a-b")
)


@dataclass
class World:
    """`held` is the truth, whether or not it can be seen."""

    deliveries: dict[str, Delivery]
    held: dict[str, dict[ObjectKey, Held]]
    away: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset(CLUSTERS)
    log: list[Step] = field(default_factory=list)

    def views(self) -> dict[str, MemberView]:
        return {
            cluster: AwayMember(NOW, "timed out")
            if cluster in self.away
            else SeenMember(tuple(objects.values()))
            for cluster, objects in self.held.items()
        }

    def plan(self) -> tuple[Step, ...]:
        return plan(tuple(self.deliveries.values()), self.views(), self.known)

    def do(self, step: Step) -> None:
        """What the step promises to do, and no more."""
        self.log.append(step)
        delivery = self.deliveries[step.binding]
        match step:
            case Deliver():
                delivered = delivery.delivered | {step.cluster}
                self.deliveries[step.binding] = replace(delivery, delivered=delivered)
            case Forget():
                delivered = delivery.delivered - {step.cluster}
                self.deliveries[step.binding] = replace(delivery, delivered=delivered)
            case Apply():
                wanted = delivery.wanted[step.cluster] or ()
                desired = next(each for each in wanted if each.key == step.key)
                held = Held(step.key, delivery.label, f"uid-{len(self.log)}", desired.digest)
                self.held[step.cluster][step.key] = held
            case Remove():
                if self.held[step.cluster][step.key].uid == step.uid:
                    del self.held[step.cluster][step.key]
            case Wait():
                pass

    def settle(self) -> None:
        """Rounds until there is nothing to do."""
        for _ in range(12):
            steps = [each for each in self.plan() if not isinstance(each, Wait)]
            if not steps:
                return
            for step in steps:
                self.do(step)
        raise AssertionError(f"it does not converge: {steps}")

    def copies(self, binding: str) -> set[str]:
        """The clusters that really hold something of it."""
        label = self.deliveries[binding].label
        return {
            cluster
            for cluster, objects in self.held.items()
            if any(each.binding == label for each in objects.values())
        }


_digests = st.sampled_from(["1", "2"])
_objects = st.lists(
    st.builds(Desired, st.sampled_from(KEYS), _digests), max_size=3, unique_by=lambda one: one.key
).map(tuple)
_clusters = st.sampled_from(CLUSTERS)


@st.composite
def deliveries(draw: st.DrawFn, name: str, *, is_single: bool | None = None) -> Delivery:
    single = draw(st.booleans()) if is_single is None else is_single
    most = 1 if single else len(CLUSTERS)
    wanted = draw(st.dictionaries(_clusters, _objects, max_size=most))
    delivered = draw(st.frozensets(_clusters))
    return Delivery(name, name, single, wanted, delivered)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Any mess: objects without a record, records without objects, labels of nobody."""
    names = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True))
    held: dict[str, dict[ObjectKey, Held]] = {}
    for cluster in CLUSTERS:
        found = draw(
            st.lists(
                st.builds(
                    Held,
                    st.sampled_from(KEYS),
                    st.sampled_from([*names, "stranger"]),
                    st.just("uid-old"),
                    st.sampled_from(["", "1", "2"]),
                    going_since=st.sampled_from([None, None, None]),
                ),
                max_size=3,
                unique_by=lambda one: one.key,
            )
        )
        held[cluster] = {each.key: each for each in found}
    return World({name: draw(deliveries(name)) for name in names}, held, draw(st.frozensets(_clusters)))
