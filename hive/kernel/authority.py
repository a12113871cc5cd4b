"""The supervisor's word to the gateway: who is this, may it, and write it down.

Called from the gateway's threads, and never waits for a tick: it rules on the memory as it is now.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from msgspec import structs

from hive.contracts.guardrail import Proposal
from hive.decisions import holds
from hive.decisions.findings import is_too_much, known_as, next_id, repeated, with_fingerprint
from hive.decisions.gate import rule_action
from hive.decisions.policy import Policy
from hive.decisions.reconcile import incident_behind
from hive.errors import Refused
from hive.facts.autonomy import Action
from hive.facts.events import Event, FindingRecorded, FindingRepeated, HoldUsed, PullRequestOpened
from hive.facts.findings import Finding
from hive.facts.holds import Hold
from hive.facts.memory import AgentMemory
from hive.facts.verdicts import Ruling, Verdict
from hive.kernel.ledger import Ledger
from hive.kernel.tokens import token_holder
from hive.ports.authority import Identity, Opened
from hive.ports.clock import Clock


class KernelAuthority:
    """`poke` is told the repository of each pull request that was opened, and "" for other records."""

    def __init__(
        self,
        ledger: Ledger,
        policy: Callable[[], Policy],
        clock: Clock,
        *,
        keeps_draft: Callable[[], bool],
        poke: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._policy = policy
        self._clock = clock
        self._keeps_draft = keeps_draft
        self._poke = poke
        self._findings = threading.Lock()
        self._holds = threading.Lock()

    def identify(self, token: str) -> Identity | None:
        memory = self._ledger.memory
        found = token_holder(memory.agents, token, self._clock.now())
        if found is None or incident_behind(found[0], memory) is not None:
            return None
        return self._identity(found[0], found[1])

    def identity_of(self, agent: str) -> Identity | None:
        return self._identity(agent, "")

    def holds(self) -> Mapping[str, Hold]:
        return self._ledger.memory.holds

    def _identity(self, agent: str, cluster: str) -> Identity | None:
        memory = self._ledger.memory
        spec = self._policy().agent(agent)
        if spec is None:
            return None
        task = memory.tasks.get(memory.agents.get(spec.name, AgentMemory()).task)
        return Identity(
            agent=spec.name,
            role=spec.role,
            repos=spec.repos,
            task=task if task is not None and task.is_open else None,
            cluster=cluster,
        )

    def rule(
        self,
        identity: Identity,
        action: Action,
        *,
        repo: str,
        target: str,
        paths: Sequence[str] = (),
        text: str = "",
    ) -> Verdict:
        policy = self._policy()
        spec = policy.agent(identity.agent)
        if spec is None:
            return Verdict(Ruling.DENY, "identity", "this agent is no longer configured")
        proposal = Proposal(
            agent=spec.name,
            role=spec.role,
            action=action,
            target=target,
            at=self._clock.now(),
            paths=tuple(paths),
            text=text,
        )
        return rule_action(policy, self._ledger.memory, spec, proposal, repo)

    def held(self, identity: Identity, wanted: Hold) -> Verdict:
        with self._holds:
            known, now = self._ledger.memory.holds, self._clock.now()
            found = holds.standing(known, wanted, now)
            if found is not None:
                return holds.verdict(found, now)
            if holds.is_too_much(known, identity.agent, now):
                because = f"{holds.MOST_WAITING} actions of {identity.agent} wait for a person already"
                return Verdict(Ruling.DENY, "hold.too-many", because)
            name = holds.next_id(known)
            self._ledger.record([holds.put(wanted, name)])
            made = self._ledger.memory.holds[name]
        self._poke("")
        return holds.verdict(made, now)

    def use(self, identity: Identity, wanted: Sequence[Hold], request_id: str) -> bool:
        with self._holds:
            known, now = self._ledger.memory.holds, self._clock.now()
            found = [holds.standing(known, one, now) for one in wanted]
            used = [one for one in found if one is not None and holds.is_approved(one, now)]
            if len(used) < len(wanted) or len({one.id for one in used}) < len(used):
                return False
            self._ledger.record(
                [HoldUsed(agent=identity.agent, hold_id=one.id, request_id=request_id) for one in used]
            )
        return True

    def opened(self, repo: str, number: int) -> Opened | None:
        wanted = f"{repo}#{number}".casefold()
        for key, pull in self._ledger.memory.pulls.items():
            if key.casefold() == wanted:
                return Opened(
                    repo=key.rpartition("#")[0], number=number, agent=pull.agent, head_ref=pull.head_ref
                )
        return None

    def hold_label(self) -> str:
        return self._policy().hold_label

    def keeps_draft(self) -> bool:
        return self._keeps_draft()

    def record(self, events: Sequence[Event]) -> None:
        self._ledger.record(events)
        for event in events:
            if isinstance(event, PullRequestOpened):
                self._poke(event.repo)
            elif isinstance(event, FindingRecorded | FindingRepeated):
                self._poke("")

    def wake(self, identity: Identity) -> None:
        self._poke("")

    def report(self, found: FindingRecorded) -> Finding:
        wanted = with_fingerprint(found)
        with self._findings:
            known = known_as(wanted, self._ledger.memory.findings)
            event: Event | None
            if known is not None:
                name, event = known.id, repeated(wanted, known)
            else:
                limit = self._policy().findings.per_task
                if is_too_much(wanted, self._ledger.memory.findings, limit):
                    raise Refused("findings", f"this task has given {limit} findings, which is enough")
                name = next_id(self._ledger.memory.findings)
                event = structs.replace(wanted, finding_id=name)
            if event is not None:
                self.record([event])
            return next(one for one in self._ledger.memory.findings if one.id == name)
