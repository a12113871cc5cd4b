"""Every event of the journal in one sentence for a person: the feed and `hive explain` say the same."""

from __future__ import annotations

from typing import assert_never

from hive.decisions.counting import often
from hive.decisions.one_line import one_line
from hive.decisions.telling_acts import of_acts
from hive.decisions.telling_agents import doing_to_agent, of_program
from hive.decisions.telling_findings import MEANT_OF_FINDINGS, doing_with_findings, of_findings
from hive.decisions.telling_hands import of_hands
from hive.decisions.telling_load import of_load
from hive.decisions.telling_merges import MEANT, doing_on_forge, of_merges
from hive.decisions.telling_models import of_model
from hive.decisions.telling_needs import of_need
from hive.decisions.telling_trees import doing_to_tree, of_tree
from hive.decisions.telling_triage import of_triage
from hive.decisions.telling_usage import of_usage
from hive.facts.autonomy import LEVEL_NAMES, AcmmLevel
from hive.facts.events import (
    ActionHeld,
    AgentAttached,
    AgentChanged,
    AgentPaused,
    AgentRejected,
    AgentResumed,
    ApprovalCarriedOut,
    BudgetReached,
    ConfigurationLoaded,
    ConfigurationRejected,
    ConversationSeen,
    DialogAnswered,
    Event,
    FindingDecided,
    FindingRecorded,
    FindingRepeated,
    HoldDecided,
    HoldUsed,
    IncidentClosed,
    IncidentRaised,
    IntentFinished,
    IntentRuled,
    IntentStarted,
    IssueTriaged,
    LaneAbandoned,
    LevelChanged,
    LimitEnded,
    LimitSeen,
    LoadModeChanged,
    ModelRefused,
    ModelSeen,
    NeedCleared,
    NeedRaised,
    NoticeBegun,
    Noticed,
    NoticeEnded,
    PortFailed,
    PortRecovered,
    ProgramSeen,
    PromptArrived,
    PullRequestEnded,
    PullRequestJudged,
    PullRequestOpened,
    Record,
    RepositoryWatched,
    RequestDone,
    RequestRuled,
    RestartRequested,
    SandboxChanged,
    SandboxTokenIssued,
    SandboxTokenRevoked,
    SupervisorStarted,
    SupervisorStopped,
    TextSent,
    TokenIssued,
    TokenRefused,
    TreeKept,
    TreePrepared,
    TreeReleased,
    TreeRemoved,
    TurnEnded,
    UsageRecorded,
)
from hive.facts.intents import (
    ON_FORGE,
    ClaimWork,
    DropLease,
    FileFinding,
    FinishTask,
    Intent,
    PrepareTree,
    ReleaseTask,
    RemoveTree,
    TakeLease,
    UpdateTracking,
)
from hive.facts.merge_events import MERGE_EVENTS

_RULED = {"allow": "allowed", "hold": "held", "deny": "refused"}
_ENDED = {"done": "done", "in-doubt": "in doubt"}
_MEANT = {
    "start": "start",
    "stop": "stop",
    "sandbox": "request of a sandbox",
    "withdraw": "withdrawal of the sandbox",
    "claim": "claim",
    "prompt": "prompt",
    "submit": "second submit",
    "finish": "finish",
    "release": "release",
    "tree": "preparation of a working copy",
    "untree": "removal of a working copy",
    **MEANT,
    **MEANT_OF_FINDINGS,
}
"""By the first part of an intent's id."""


def tell(record: Record, limit: int = 400) -> str:
    """What happened, without its time, on one line of at most `limit` characters."""
    return one_line(sentence(record.event), limit)


def sentence(event: Event) -> str:
    """What happened, as it was recorded: foreign text in it is not yet made safe to show."""
    if isinstance(event, MERGE_EVENTS):
        return of_merges(event)
    match event:
        case SupervisorStarted() | SupervisorStopped() | ConfigurationLoaded() | ConfigurationRejected():
            return _of_supervisor(event)
        case LevelChanged() | AgentPaused() | AgentResumed() | RestartRequested() | TextSent():
            return _of_operator(event)
        case DialogAnswered() | AgentAttached():
            return of_hands(event)
        case TokenIssued() | SandboxTokenIssued() | SandboxTokenRevoked() | TokenRefused():
            return _of_token(event)
        case (
            AgentRejected()
            | AgentChanged()
            | SandboxChanged()
            | PromptArrived()
            | TurnEnded()
            | ConversationSeen()
            | ProgramSeen()
            | ModelSeen()
        ):
            return _of_agent(event)
        case ModelRefused():
            return of_model(event)
        case (
            ActionHeld()
            | HoldDecided()
            | HoldUsed()
            | RequestDone()
            | ApprovalCarriedOut()
            | RepositoryWatched()
            | IncidentRaised()
            | IncidentClosed()
        ):
            return of_acts(event)
        case IntentRuled() | IntentStarted() | IntentFinished() | RequestRuled():
            return _of_ruling(event)
        case PullRequestOpened() | PullRequestJudged() | PullRequestEnded() | IssueTriaged():
            return _of_outcome(event)
        case FindingRecorded() | FindingRepeated() | FindingDecided():
            return of_findings(event)
        case PortFailed() | PortRecovered() | LaneAbandoned() | Noticed():
            return _of_surroundings(event)
        case TreePrepared() | TreeRemoved() | TreeKept() | TreeReleased():
            return of_tree(event)
        case UsageRecorded() | BudgetReached() | LimitSeen() | LimitEnded():
            return of_usage(event)
        case LoadModeChanged():
            return of_load(event)
        case NeedRaised() | NeedCleared() | NoticeBegun() | NoticeEnded():
            return of_need(event)
        case _:
            assert_never(event)


def _of_supervisor(
    event: SupervisorStarted | SupervisorStopped | ConfigurationLoaded | ConfigurationRejected,
) -> str:
    match event:
        case SupervisorStarted(pid=pid, version=version):
            return f"hive {version} started, process {pid}"
        case SupervisorStopped(reason=reason):
            return _with("hive stopped", reason)
        case ConfigurationLoaded(source=source, raised=raised):
            return _with(f"configuration loaded from {source}", "; ".join(raised))
        case ConfigurationRejected(message=message):
            return f"configuration rejected, the old one stays: {message}"
        case _:
            assert_never(event)


def _of_operator(event: LevelChanged | AgentPaused | AgentResumed | RestartRequested | TextSent) -> str:
    match event:
        case LevelChanged():
            return _of_level(event)
        case AgentPaused(agent=agent, by=by, why=why):
            return _with(f"{agent} paused by {by}", why)
        case AgentResumed(agent=agent, by=by, why=why):
            return _with(f"{agent} resumed by {by}", why)
        case RestartRequested(agent=agent, by=by, why=why):
            return _with(f"restart of {agent} asked for by {by}", why)
        case TextSent(agent=agent, by=by, text=text):
            return f"{by} typed to {agent}: {text}"
        case _:
            assert_never(event)


def _of_level(event: LevelChanged) -> str:
    where = "the hive" if event.scope == "hive" else f"{event.scope} {event.name}"
    if event.level is None:
        return _with(f"level of {where} taken back by {event.by}", event.why)
    return _with(f"level of {where} set to {_level(event.level)} by {event.by}", event.why)


def _level(level: int) -> str:
    known = level in LEVEL_NAMES
    return f"L{level} {AcmmLevel(level).label}" if known else f"L{level}"


def _of_token(event: TokenIssued | SandboxTokenIssued | SandboxTokenRevoked | TokenRefused) -> str:
    match event:
        case TokenIssued(agent=agent, generation=generation, renews=renews):
            return f"{agent} got {'another' if renews else 'a'} gateway token for start {generation}"
        case SandboxTokenIssued(agent=agent, cluster=cluster):
            return f"{agent} got a gateway token for its sandbox on {cluster}"
        case SandboxTokenRevoked(agent=agent, cluster=cluster):
            return f"the gateway token of {agent}'s sandbox on {cluster} was revoked"
        case TokenRefused(address=address, count=count):
            return f"{address or 'this machine'} showed the gateway a token that is nobody's, {often(count)}"
        case _:
            assert_never(event)


def _of_agent(
    event: AgentRejected
    | AgentChanged
    | ConversationSeen
    | ProgramSeen
    | ModelSeen
    | SandboxChanged
    | PromptArrived
    | TurnEnded,
) -> str:
    match event:
        case AgentRejected(agent=agent, message=message):
            return f"{agent} left out: {message}"
        case AgentChanged(agent=agent, state=state, detail=detail, options=options):
            offered = f" [{' | '.join(options)}]" if options else ""
            return _with(f"{agent} is {state.replace('-', ' ')}", f"{detail}{offered}")
        case SandboxChanged(agent=agent, phase=phase, cluster=cluster, message=message):
            where = f" on {cluster}" if cluster else ""
            return _with(f"the sandbox of {agent} is {phase or 'gone'}{where}", message)
        case ProgramSeen() | ModelSeen():
            return of_program(event)
        case ConversationSeen(agent=agent, conversation=conversation):
            return f"{agent} is in its conversation {conversation}"
        case PromptArrived(agent=agent, task=task, evidence=evidence):
            return f"{agent} has the prompt of {task} (seen in its {evidence})"
        case TurnEnded(agent=agent, task=task, outcome=outcome, detail=detail):
            return _with(f"{agent} ended its turn on {task}: {outcome}", detail)
        case _:
            assert_never(event)


def _of_ruling(event: IntentRuled | IntentStarted | IntentFinished | RequestRuled) -> str:
    match event:
        case IntentRuled(intent_id=intent, about=about, ruling=ruling, rule=rule, because=because):
            return f"{_meant(intent)} of {about} {_RULED.get(ruling, ruling)}: {because} [{rule}]"
        case IntentStarted(body=intent):
            return _with(_doing(intent), intent.because)
        case IntentFinished(intent_id=intent_id, about=about, outcome=outcome, detail=detail):
            return _with(f"{_meant(intent_id)} of {about} {_ENDED.get(outcome, outcome)}", detail)
        case RequestRuled(agent=agent, action=action, target=target):
            ruled = _RULED.get(event.ruling, event.ruling)
            return f"{agent} {ruled}: {action} on {target}: {event.because} [{event.rule}]"
        case _:
            assert_never(event)


def _meant(intent_id: str) -> str:
    word = intent_id.partition("/")[0]
    return _MEANT.get(word, word)


def _doing(intent: Intent) -> str:
    if isinstance(intent, ON_FORGE):
        return doing_on_forge(intent)
    match intent:
        case ClaimWork(agent=agent, repo=repo, issue=0, items=(role,)):
            return f"giving the standing work of {role} in {repo} to {agent}"
        case ClaimWork(agent=agent, repo=repo, issue=issue, attempt=attempt):
            return f"giving {repo}#{issue} to {agent} (attempt {attempt})"
        case FinishTask(repo=repo, issue=issue, outcome=outcome, detail=detail):
            return _with(f"finishing {repo}#{issue} as {outcome}", detail)
        case ReleaseTask(repo=repo, issue=issue, until=until):
            return f"giving {repo}#{issue} back, to be tried again after {until:%Y-%m-%d %H:%M %Z}"
        case PrepareTree() | RemoveTree():
            return doing_to_tree(intent)
        case FileFinding() | UpdateTracking() | TakeLease() | DropLease():
            return doing_with_findings(intent)
        case _:
            return doing_to_agent(intent)


def _of_outcome(
    event: PullRequestOpened | PullRequestJudged | PullRequestEnded | IssueTriaged,
) -> str:
    match event:
        case IssueTriaged():
            return of_triage(event)
        case PullRequestOpened(agent=agent, repo=repo, number=number, issue=issue, held=held):
            origin = f" for #{issue}" if issue is not None else ""
            return f"{agent} opened {repo}#{number}{origin}{', held' if held else ''}"
        case PullRequestJudged(repo=repo, number=number, head=head, verdict=verdict, obstacles=obstacles):
            reasons = "; ".join(because for _, _, because in obstacles)
            return _with(f"{repo}#{number} judged '{verdict}' at {head[:8]}", reasons)
        case PullRequestEnded(repo=repo, number=number, state=state):
            return f"{repo}#{number} was {state}"
        case _:
            assert_never(event)


def _of_surroundings(event: PortFailed | PortRecovered | LaneAbandoned | Noticed) -> str:
    match event:
        case PortFailed(port=port, message=message):
            return f"{port} cannot be looked at: {message}"
        case PortRecovered(port=port):
            return f"{port} answers again"
        case LaneAbandoned(port=port, call=call, count=count):
            return (
                f"{port} did not come back from {call} in time; its connection was given up ({often(count)})"
            )
        case Noticed(about=about, message=message):
            return f"{about}: {message}" if about else message
        case _:
            assert_never(event)


def _with(words: str, reason: str) -> str:
    return f"{words}: {reason}" if reason else words
