"""The maps of a memory while they are folded."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from hive.decisions.copy_on_write import CopyOnWrite
from hive.decisions.deeds import DeedsFold
from hive.decisions.recall_acts import ActsFold
from hive.decisions.spending import SpendingFold
from hive.facts import events as e
from hive.facts.memory import AgentMemory, IssueMemory, Memory, SandboxMemory

_KEPT_ENDED_TASKS = 2000
"""Ended tasks beyond these are forgotten, oldest first; their issues' memories stay."""


class Maps:
    """The maps, changed in place: replay of a long journal copies once what it changes, and nothing else."""

    def __init__(self, memory: Memory) -> None:
        self.seq = memory.seq
        self.level = memory.level
        self.repo_levels = CopyOnWrite(memory.repo_levels)
        self.agent_levels = CopyOnWrite(memory.agent_levels)
        self.agents = CopyOnWrite(memory.agents)
        self.tasks = CopyOnWrite(memory.tasks)
        self.issues = CopyOnWrite(memory.issues)
        self.pulls = CopyOnWrite(memory.pulls)
        self.findings = {one.id: one for one in memory.findings}
        self.tracking = CopyOnWrite(memory.tracking)
        self.leases = CopyOnWrite(memory.leases)
        self.standing = CopyOnWrite(memory.standing)
        self.in_doubt = CopyOnWrite(memory.in_doubt)
        self.rulings = CopyOnWrite(memory.rulings)
        self.ports = CopyOnWrite(memory.ports)
        self.holds = CopyOnWrite(memory.holds)
        self.limits = CopyOnWrite(memory.limits)
        self.trees = CopyOnWrite(memory.trees)
        self.merges = CopyOnWrite(memory.merges)
        self.merging = CopyOnWrite(memory.merging)
        self.deeds = DeedsFold(memory.deeds)
        self.acts = ActsFold(memory)
        self.spending = SpendingFold(memory.spending)
        self.needs = CopyOnWrite(memory.needs)
        self.channels = CopyOnWrite(memory.channels)
        self.rejected_configuration = memory.rejected_configuration
        self.boot = memory.boot
        self.load = memory.load

    def memory(self) -> Memory:
        return Memory(
            seq=self.seq,
            level=self.level,
            repo_levels=self.repo_levels.now,
            agent_levels=self.agent_levels.now,
            agents=self.agents.now,
            tasks=self.tasks.now,
            issues=self.issues.now,
            pulls=self.pulls.now,
            findings=tuple(self.findings.values()),
            tracking=self.tracking.now,
            leases=self.leases.now,
            standing=self.standing.now,
            in_doubt=self.in_doubt.now,
            rulings=self.rulings.now,
            ports=self.ports.now,
            holds=self.holds.now,
            limits=self.limits.now,
            trees=self.trees.now,
            merges=self.merges.now,
            merging=self.merging.now,
            deeds=self.deeds.deeds(),
            leaves=self.acts.leaves,
            incidents=self.acts.incidents,
            watched=self.acts.watched,
            spending=self.spending.spending(),
            needs=self.needs.now,
            channels=self.channels.now,
            rejected_configuration=self.rejected_configuration,
            boot=self.boot,
            load=self.load,
        )

    def agent(self, name: str, **changes: object) -> None:
        known = self.agents.get(name, AgentMemory())
        self.agents[name] = replace(known, **changes)  # type: ignore[arg-type]  # checked by the tests

    def task(self, task: str, **changes: object) -> None:
        if task in self.tasks:
            self.tasks[task] = replace(self.tasks[task], **changes)  # type: ignore[arg-type]  # as above

    def issue(self, key: str, **changes: object) -> None:
        known = self.issues.get(key, IssueMemory())
        self.issues[key] = replace(known, **changes)  # type: ignore[arg-type]  # as above

    def pull(self, key: str, **changes: object) -> None:
        if key in self.pulls:
            self.pulls[key] = replace(self.pulls[key], **changes)  # type: ignore[arg-type]  # as above

    def level_event(self, event: e.LevelChanged) -> None:
        if event.scope == "hive":
            self.level = event.level
            return
        levels = self.repo_levels if event.scope == "repo" else self.agent_levels
        if event.level is None:
            levels.pop(event.name, None)
        else:
            levels[event.name] = event.level

    def port_event(self, event: e.PortFailed | e.PortRecovered) -> None:
        if isinstance(event, e.PortFailed):
            self.ports[event.port] = event.message
        else:
            self.ports.pop(event.port, None)

    def moved_event(self, event: e.SandboxChanged, at: datetime) -> None:
        known = self.agents.get(event.agent, AgentMemory()).sandbox
        since = known.since if known is not None and known.phase == event.phase else at
        if not event.phase:
            self.agent(event.agent, sandbox=None)
            return
        sandbox = SandboxMemory(
            event.phase, since, event.cluster, event.node, event.pod, event.message, event.why
        )
        self.agent(event.agent, sandbox=sandbox)

    def forget_old_tasks(self) -> None:
        if len(self.tasks) <= 2 * _KEPT_ENDED_TASKS:
            return
        ended = [task.id for task in self.tasks.values() if not task.is_open]
        for task in ended[:-_KEPT_ENDED_TASKS]:
            del self.tasks[task]
