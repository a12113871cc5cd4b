"""The writes of one round on the hub: policies, Bindings with their record, and status.

Each is guarded by the version that was seen: where somebody was faster, the next round looks again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ParamSpec, TypeVar

from hive.decisions.delivery import Apply, Deliver, Forget, Step
from hive.decisions.delivery.bindings import with_record, without_finalizer
from hive.decisions.delivery.policies import policy_manifest, request_key_of
from hive.decisions.delivery.requests import Placed, orphans
from hive.decisions.delivery.status import delivery_status
from hive.decisions.placement.binding import policy_id
from hive.errors import InDoubt, Missing, Moved, Refused, Throttled, Unreachable
from hive.facts.fleet import Problem, object_id
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    Manifest,
    ResourceType,
    annotations_of,
    is_deleting,
    labels_of,
    name_of,
    namespace_of,
)
from hive.fleet.carried import Carried, foreign
from hive.fleet.hub import Hub, HubLook
from hive.fleet.reports import Results, errors_of

P = ParamSpec("P")
T = TypeVar("T")

_PASSING = (Missing, Refused, Throttled, InDoubt)
"""Of one write: the rest goes on, and the next round looks again."""


class HubRound:
    """The writes of one round on the hub, all within `seconds`, and what is wrong in it."""

    def __init__(self, hub: Hub, now: datetime, seconds: float) -> None:
        self._hub = hub
        self._now = now
        self._end = time.monotonic() + seconds
        self.problems: list[Problem] = []

    def problem(self, subject: str, message: str) -> None:
        self.problems.append(Problem(subject, message))

    def check(self) -> None:
        """Raises `Unreachable` when the round took too long: whoever waits for it has another one begun by
        then, and two at a time are one too many."""
        if time.monotonic() > self._end:
            raise Unreachable("fleet", "the hub and the members took too long for one round")

    def write_policies(self, look: HubLook, placed: Mapping[str, Placed]) -> dict[str, Manifest]:
        """Those that requests need are there and say where; the others that hive wrote go. What lives."""
        policies = dict(look.policies)
        for policy in orphans(look.policies, placed, look.requests):
            name = name_of(policy)
            del policies[name]
            self._try(policy_id(name), self._hub.remove, BINDING_POLICIES, policy)
        for one in placed.values():
            if one.claim is None or one.problem:
                continue
            name = one.claim.request.binding
            there = policies.get(name)
            wanted = policy_manifest(one.claim, one.cluster)
            if there is None and one.cluster is not None:
                written = self._try(policy_id(name), self._hub.create, BINDING_POLICIES, wanted)
            elif there is not None and not is_deleting(there) and not _says(there, wanted):
                merged = _merged(there, wanted)
                written = self._try(policy_id(name), self._hub.replace, BINDING_POLICIES, merged)
            else:
                continue
            if written is not None:
                policies[name] = written
        return policies

    def withdraw(self, carried: Iterable[Carried]) -> None:
        """Ask for the Bindings that go to be deleted; the finalizer keeps them as long as they are needed."""
        for one in carried:
            if one.target is None and one.found is not None and not is_deleting(one.found):
                found = one.found
                left = self._try(_binding_id(one.name), self._hub.remove, BINDINGS, found)
                one.found = left if left is not None else found

    def record(self, carried: Iterable[Carried], steps: Sequence[Step]) -> frozenset[str]:
        """Write each Binding with its record. The names of those that say what they have to say."""
        notes: dict[str, list[Step]] = defaultdict(list)
        for step in steps:
            notes[step.binding].append(step)
        recorded: set[str] = set()
        for one in carried:
            clusters = set(one.delivered)
            for step in notes[one.name]:
                if isinstance(step, Deliver):
                    clusters.add(step.cluster)
                elif isinstance(step, Forget):
                    clusters.discard(step.cluster)
            if self._write(one, clusters):
                recorded.add(one.name)
        return frozenset(recorded)

    def report(self, kind: ResourceType, manifest: Manifest, status: Mapping[str, Any] | None) -> None:
        if status is not None:
            subject = object_id(
                kind.group, kind.version, kind.plural, namespace_of(manifest), name_of(manifest)
            )
            self._try(subject, self._hub.report, kind, manifest, status)

    def report_deliveries(
        self,
        look: HubLook,
        policies: Mapping[str, Manifest],
        steps: Sequence[Step],
        results: Results,
    ) -> None:
        """Onto each policy and its Binding."""
        # What was applied just now is delivered, or is among the troubles.
        busy = {each.binding for each in steps if not isinstance(each, Deliver | Apply)}
        theirs = foreign(look)
        for name, policy in policies.items():
            one = results.carried.get(name)
            errors = errors_of(one, results) if one is not None else []
            if name in theirs:
                errors = ["its Binding is carried out by KubeStellar's own transport; hive leaves it alone"]
            for each in errors:
                if request_key_of(policy) is None:
                    self.problem(policy_id(name), each)
            done = one is not None and name not in busy and name in results.recorded
            self.report(
                BINDING_POLICIES,
                policy,
                delivery_status(policy, errors, is_delivered=done, now=self._now),
            )
            if one is not None and one.found is not None and one.target is not None:
                status = delivery_status(one.found, errors, is_delivered=done, now=self._now)
                self.report(BINDINGS, one.found, status)

    def report_leaving(self, results: Results) -> None:
        """Of Bindings that outlive their policies: what they wait for."""
        for one in results.carried.values():
            if one.target is None and one.found is not None and one.policy is None:
                errors = errors_of(one, results)
                for each in errors:
                    self.problem(_binding_id(one.name), each)
                if name_of(one.found) in results.recorded and errors:
                    status = delivery_status(one.found, errors, is_delivered=False, now=self._now)
                    self.report(BINDINGS, one.found, status)

    def _write(self, one: Carried, clusters: set[str]) -> bool:
        kinds = one.kinds if clusters else ()
        if one.target is None:
            return self._write_leaving(one, clusters, kinds)
        wanted = with_record(one.target, clusters, kinds)
        if one.found is None:
            written = self._try(_binding_id(one.name), self._hub.create, BINDINGS, wanted)
        elif wanted != one.found:
            written = self._try(_binding_id(one.name), self._hub.replace, BINDINGS, wanted)
        else:
            return True
        one.found = written if written is not None else one.found
        return written is not None

    def _write_leaving(self, one: Carried, clusters: set[str], kinds: Iterable[ResourceType]) -> bool:
        if one.found is None:
            return False
        wanted = with_record(one.found, clusters, kinds)
        if not clusters and is_deleting(one.found):
            wanted = without_finalizer(wanted)
        if wanted == one.found:
            return True
        written = self._try(_binding_id(one.name), self._hub.replace, BINDINGS, wanted)
        return written is not None

    def _try(self, subject: str, write: Callable[P, T], *args: P.args, **named: P.kwargs) -> T | None:
        """None where it was not done: then it is told, and the next round sees what is left to do."""
        self.check()
        try:
            return write(*args, **named)
        except Moved:
            return None  # somebody was faster: no news for a person
        except _PASSING as error:
            self.problem(subject, error.message)
            return None


def _says(found: Manifest, wanted: Manifest) -> bool:
    """Whether a policy of hive's is as hive would write it, whatever else stands on it."""
    spec = found.get("spec") or {}
    notes, marks = annotations_of(found), annotations_of(wanted)
    return (
        (spec.get("clusterSelectors") or []) == wanted["spec"]["clusterSelectors"]
        and (spec.get("downsync") or []) == wanted["spec"]["downsync"]
        and labels_of(wanted).items() <= labels_of(found).items()
        and all(notes.get(key) == value for key, value in marks.items())
    )


def _merged(found: Manifest, wanted: Manifest) -> dict[str, Any]:
    metadata = {
        **found["metadata"],
        "labels": {**labels_of(found), **labels_of(wanted)},
        "annotations": {**annotations_of(found), **annotations_of(wanted)},
    }
    return {**found, "metadata": metadata, "spec": wanted["spec"]}


def _binding_id(name: str) -> str:
    return object_id(BINDINGS.group, BINDINGS.version, BINDINGS.plural, "", name)
