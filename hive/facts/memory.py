"""What hive remembers: folded from the journal by `decisions.recall`, never written by hand.

Msgspec can encode it, so that a snapshot of it spares a start from replaying the whole history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hive.facts.deeds import Deeds
from hive.facts.findings import Finding, Tracking
from hive.facts.governor import GovernorMemory
from hive.facts.holds import Hold
from hive.facts.incidents import Incident, Leave
from hive.facts.intents import Intent
from hive.facts.models import ModelStanding
from hive.facts.needs import ChannelMemory, NeedMemory
from hive.facts.spending import AccountLimit, Spending
from hive.facts.trees import TreeMemory
from hive.facts.verdicts import Verdict
from hive.facts.work import Task


@dataclass(frozen=True, slots=True)
class Pause:
    by: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SandboxMemory:
    """An agent's sandbox as it was last recorded; `since` is of its phase."""

    phase: str
    since: datetime
    cluster: str = ""
    node: str = ""
    pod: str = ""
    message: str = ""
    why: tuple[tuple[str, str], ...] = ()


CRASHES_KEPT = 100
"""The most restarts that a window may count."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The last box that hive answered by itself.

    Attributes:
        number: Of all answers to boxes of the agent.
        row: How often this box was answered in a row.
    """

    box: str
    at: datetime
    number: int
    row: int


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """What the journal says of one agent.

    Attributes:
        generation: Of its newest start; 0 before the first.
        token_digest: SHA-256 (hex) of the newest gateway token of that start; empty when revoked.
        token_until: When that one is good no longer; `None`: when it is revoked.
        former_tokens: Digests of those that it renewed, each with its own end.
        sandbox_digests: The same of each sandbox's token, by the cluster that it runs on.
        model_digest: Digest of the key of its newest start that is good at hive's relay of models.
        model: What keeps it from its model, as the relay saw it last; None for nothing.
        crashes: Starts in a row that ended without proven work.
        crash_times: When those that are the agent's own were seen to end, the newest last; at most
            `CRASHES_KEPT`. What took the terminal or the machine down is not among them.
        not_installed: The last start found no program.
        state, detail, since: Its last observed state.
        conversation: The newest that its program told of; empty once it cannot be gone on with.
        told_in: The generation of the start in which it told so.
        resumes: The conversation that its newest start was to go on with; empty for a new one.
        context_full: Its conversation takes no more.
        version: Of its program, as that said at its newest start; empty where it was not told.
        other_model: What its program used in place of the configured model; empty for that one.
        prompted: A task's prompt was typed since its newest conversation began.
        options: What the box on its screen offers; empty while there is none.
        choice: Of what it may run on (`AgentSpec.choices`) that of its newest start.
        wakes, woken_at: How often it was told to go on after a limit in this start, and when last.
        restart_wanted: An operator asked for a restart that has not happened yet.
    """

    generation: int = 0
    started_at: datetime | None = None
    token_digest: str = ""
    token_until: datetime | None = None
    former_tokens: tuple[tuple[str, datetime], ...] = ()
    sandbox_digests: Mapping[str, str] = field(default_factory=dict)
    model_digest: str = ""
    model: ModelStanding | None = None
    crashes: int = 0
    crashed_at: datetime | None = None
    crash_times: tuple[datetime, ...] = ()
    not_installed: bool = False
    conversation: str = ""
    told_in: int = 0
    resumes: str = ""
    prompted: bool = False
    version: str = ""
    other_model: str = ""
    context_full: bool = False
    pause: Pause | None = None
    restart_wanted: bool = False
    options: tuple[str, ...] = ()
    answered: Answered | None = None
    state: str = "absent"
    detail: str = ""
    since: datetime | None = None
    task: str = ""
    sandbox: SandboxMemory | None = None
    choice: int = 0
    wakes: int = 0
    woken_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class IssueMemory:
    """What was tried on an issue: attempts, and until when it rests (`None`: not at all)."""

    attempts: int = 0
    last_outcome: str = ""
    rests_until: datetime | None = None
    killed_agents: int = 0
    triaged: str = ""
    """The last recorded triage answer."""


@dataclass(frozen=True, slots=True)
class RoundMemory:
    """Tasks of one kind on one pull request.

    Attributes:
        count: How many there were; those that were moot before their agent was told are not counted.
        items: What the newest was for.
        ended_at: When the newest was over; `None` while it is open.
    """

    count: int = 0
    items: tuple[str, ...] = ()
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PeerReview:
    """What one agent said of another's pull request.

    Attributes:
        head: The commit that the forge has the review for.
        verdict: ``fine`` or ``changes``.
        key: Of the review itself, as `decisions.peers.review_key` spells it.
    """

    agent: str
    head: str
    verdict: str
    key: str


@dataclass(frozen=True, slots=True)
class PullMemory:
    """A pull request that an agent opened through hive.

    Attributes:
        rounds: By kind of task.
        answered: Reviews that an agent has dealt with, by key.
        heads: Commits that its branch was at by hive's leave, the newest last; `recall_rounds.ANY_HEAD`
            for one that is not known before it is seen.
        hands: Agents that pushed to it, besides the one that opened it.
        peers: What other agents said of it, the newest last.
        left: Why its agent does not go on with it until a person says so; empty where it does.
        held_head: The head on which hive put its own hold; empty when it has none of its own.
        rests_until, rests_head, rests_after: The forge did not do what hive asked on this head, with this
            outcome; it is not asked again before.
        judged: The last recorded verdict and obstacles, for telling change.
        state: open, merged or closed.
        merge_commit: What a look showed that it was merged as; empty until then.
        queued_head: The head that hive put into the merge queue of its base; empty when it is not there.
        reverts: The pull request that it undoes; 0 for none.
        red_before: Checks of the base that failed before hive merged it: for those it is not blamed.
        branch_settled: Its branch was deleted, or is left alone for good.
    """

    agent: str
    issue: int | None
    task: str
    head_ref: str
    held_head: str = ""
    verdict: str = ""
    judged: tuple[tuple[str, str, str], ...] = ()
    state: str = "open"
    rests_until: datetime | None = None
    rests_head: str = ""
    rests_after: str = ""
    merge_commit: str = ""
    queued_head: str = ""
    reverts: int = 0
    red_before: tuple[str, ...] = ()
    branch_settled: bool = False
    rounds: Mapping[str, RoundMemory] = field(default_factory=dict)
    answered: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    hands: tuple[str, ...] = ()
    peers: tuple[PeerReview, ...] = ()
    left: str = ""


@dataclass(frozen=True, slots=True)
class MergeWatch:
    """A merge whose checks on the base have not told yet."""

    repo: str
    number: int
    base: str
    commit: str
    at: datetime
    red_before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MergingHold:
    """Merging on hold in a repository, as `facts.merge_events.MergingHeld` has it."""

    base: str
    commit: str
    number: int
    because: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Memory:
    """Everything that outlives a restart.

    Attributes:
        seq: The journal position that this memory has folded.
        level, repo_levels, agent_levels: Operators' overrides; configuration supplies the rest.
        tasks: By id: open ones, and ended ones as long as they matter for claims.
        issues, pulls: By ``o/r#7``.
        in_doubt: Started intents without an outcome, by id.
        rulings: The last ruling recorded for an intent id that was not allowed.
        ports: Ports now failing, with the message.
        holds: Actions of agents that were put to a person, by id, oldest first; not those long over.
        deeds: What each agent was let do, by its name.
        leaves: What hive let through or did itself on the forge, oldest first.
        incidents: By id, closed ones too.
        watched: By repository, since when hive answers for every act of its account there.
        spending: Of models, by hour and purpose.
        needs: What waits for a person, by key, and for a while what did.
        channels: What went out on each channel of notices, by name.
        boot: Of the machine's kernel at hive's newest start.
        load: How hard the hive works; `None` before everything was seen once.
        rejected_configuration: What is wrong with the newest file; empty when it is in force.
        limits: Of providers, by account, until work proves that they are over.
        trees: Working copies, by task; of tasks that are over as long as they are not removed.
        merges: Merges whose checks are awaited, by ``o/r#7``.
        merging: By repository, why nothing is merged there.
        tracking: By repository, the issue that lists what was found.
        standing: By repository (lower case) and role, when its standing work was begun last.
        leases: By ``o/r#7``, when hive put its lease label on that it holds.
    """

    seq: int = 0
    level: int | None = None
    repo_levels: Mapping[str, int] = field(default_factory=dict)
    agent_levels: Mapping[str, int] = field(default_factory=dict)
    agents: Mapping[str, AgentMemory] = field(default_factory=dict)
    tasks: Mapping[str, Task] = field(default_factory=dict)
    issues: Mapping[str, IssueMemory] = field(default_factory=dict)
    pulls: Mapping[str, PullMemory] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    in_doubt: Mapping[str, Intent] = field(default_factory=dict)
    rulings: Mapping[str, Verdict] = field(default_factory=dict)
    ports: Mapping[str, str] = field(default_factory=dict)
    holds: Mapping[str, Hold] = field(default_factory=dict)
    deeds: Mapping[str, Deeds] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)
    leaves: tuple[Leave, ...] = ()
    incidents: Mapping[str, Incident] = field(default_factory=dict)
    watched: Mapping[str, datetime] = field(default_factory=dict)
    needs: Mapping[str, NeedMemory] = field(default_factory=dict)
    channels: Mapping[str, ChannelMemory] = field(default_factory=dict)
    rejected_configuration: str = ""
    boot: str = ""
    load: GovernorMemory | None = None
    limits: Mapping[str, AccountLimit] = field(default_factory=dict)
    trees: Mapping[str, TreeMemory] = field(default_factory=dict)
    merges: Mapping[str, MergeWatch] = field(default_factory=dict)
    merging: Mapping[str, MergingHold] = field(default_factory=dict)
    tracking: Mapping[str, Tracking] = field(default_factory=dict)
    leases: Mapping[str, datetime] = field(default_factory=dict)
    standing: Mapping[str, datetime] = field(default_factory=dict)
