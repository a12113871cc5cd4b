"""What delivery decides on, and the steps that it decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from hive.facts.kubernetes import ResourceType


@dataclass(frozen=True, slots=True, order=True)
class ObjectKey:
    """One object within a cluster, whatever version it is spoken of in; `namespace` is empty for a
    cluster-scoped one."""

    group: str
    plural: str
    namespace: str
    name: str

    @property
    def text(self) -> str:
        """``deployments.apps hive/trainer``, for people."""
        resource = f"{self.plural}.{self.group}" if self.group else self.plural
        return f"{resource} {self.namespace}/{self.name}" if self.namespace else f"{resource} {self.name}"


def key_of(kind: ResourceType, namespace: str, name: str) -> ObjectKey:
    return ObjectKey(kind.group, kind.plural, namespace if kind.is_namespaced else "", name)


@dataclass(frozen=True, slots=True)
class Desired:
    """An object that has to be on a cluster.

    Attributes:
        digest: Of its content as hive would write it now.
        is_create_only: Made where it is not there, and never changed.
    """

    key: ObjectKey
    digest: str
    is_create_only: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """An object that was seen on a cluster and carries hive's label.

    Attributes:
        binding: The value of its label, which `marks.label_value` makes of a Binding's name.
        digest: Of what hive wrote there last; empty where somebody has changed it since.
        is_derived: A controller of the cluster made it and removes it with its owner: a pod.
        going_since: When its deletion was asked for.
    """

    key: ObjectKey
    binding: str
    uid: str = ""
    digest: str = ""
    is_derived: bool = False
    going_since: str | None = None


@dataclass(frozen=True, slots=True)
class SeenMember:
    """All that carries hive's label on a cluster, pods too, at one look."""

    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True)
class AwayMember:
    """A cluster of which nothing is known now: what was delivered there may be running."""

    since: datetime
    because: str


MemberView: TypeAlias = SeenMember | AwayMember


@dataclass(frozen=True, slots=True)
class Delivery:
    """One Binding.

    Attributes:
        label: What its objects carry.
        is_single: There may be one live copy in the whole fleet.
        wanted: What each of its destinations has to have; None for one whose objects are not known now:
            what is there stays as it is. Empty for a Binding that goes.
        delivered: Clusters on which its objects may be, by its own record.
    """

    name: str
    label: str
    is_single: bool = False
    wanted: Mapping[str, tuple[Desired, ...] | None] = field(default_factory=dict)
    delivered: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Deliver:
    """Note on the hub that the cluster may hold a copy, before anything is applied there."""

    binding: str
    cluster: str


@dataclass(frozen=True, slots=True)
class Apply:
    """`over` is the object that is there already, by uid; empty where there is none of hive's."""

    binding: str
    cluster: str
    key: ObjectKey
    over: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """`uid` as it was seen, so that nothing else of that name is removed."""

    binding: str
    cluster: str
    key: ObjectKey
    uid: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Take the note back: the cluster was seen without a copy, or is gone for good (`is_lost`)."""

    binding: str
    cluster: str
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing can be done about the Binding on the cluster now, and why."""

    binding: str
    cluster: str
    because: str
    is_away: bool = False
    is_fenced: bool = False
    """A copy elsewhere stands in the way."""


Step: TypeAlias = Deliver | Apply | Remove | Forget | Wait
