"""The status document and the journal as rows of tables. Pure: what is shown follows from what is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo

from hive.dashboard.cells import Cell, Row
from hive.dashboard.columns import Column
from hive.dashboard.fleet import Agent, Fleet, Pull, Work
from hive.dashboard.looks import Tone, ago, look_of, tone_of_verdict
from hive.decisions.one_line import one_line
from hive.decisions.telling import tell
from hive.facts.events import (
    AgentChanged,
    ConfigurationRejected,
    FindingRecorded,
    IntentFinished,
    IntentRuled,
    LaneAbandoned,
    LevelChanged,
    PortFailed,
    PullRequestEnded,
    PullRequestOpened,
    Record,
    RequestRuled,
    TokenRefused,
)

AGENTS = (
    Column("state", 12, 18, 1),
    Column("agent", 8, 26, 0),
    Column("for", 4, 4, 1),
    Column("task", 15, 60, 3),
    Column("repo", 9, 24, 3),
    Column("mode", 9, 9, 4),
    Column("detail", 12, 60, 2),
    Column("backend", 8, 12, 6),
    Column("starts", 6, 6, 7),
)
_AGE = 2
WORK = (
    Column("rank", 4, 4, 0),
    Column("issue", 5, 7, 0),
    Column("repo", 8, 24, 3),
    Column("title", 18, 60, 2),
    Column("agent", 8, 24, 1),
    Column("lane", 6, 12, 5),
    Column("why", 18, 80, 2),
    Column("tries", 5, 5, 6),
)
PULLS = (
    Column("verdict", 8, 10, 0),
    Column("pr", 5, 7, 0),
    Column("repo", 8, 24, 4),
    Column("title", 14, 60, 3),
    Column("agent", 8, 24, 1),
    Column("for", 5, 7, 5),
    Column("in its way", 20, 90, 2),
)
FINDINGS = (
    Column("id", 4, 6, 0),
    Column("agent", 8, 24, 1),
    Column("about", 8, 30, 2),
    Column("finding", 24, 120, 1),
    Column("age", 4, 4, 3),
)
REFUSED = (
    Column("agent", 8, 24, 0),
    Column("refused", 14, 24, 1),
    Column("target", 14, 60, 1),
    Column("rule", 12, 40, 3),
    Column("age", 4, 4, 2),
)
JOURNAL = (Column("time", 8, 8, 1), Column("what happened", 20, 400, 0))


def short_names(fleet: Fleet) -> Mapping[str, str]:
    """Repositories without their owner, where that leaves no doubt: 80 columns have no room for more."""
    repos = {repo for agent in fleet.agents for repo in agent.repos}
    repos |= {agent.task.repo for agent in fleet.agents if agent.task}
    repos |= {item.repo for item in fleet.work} | {pull.repo for pull in fleet.pull_requests}
    names = [repo.rpartition("/")[2].casefold() for repo in repos]
    return {
        repo: name if names.count(name.casefold()) == 1 else repo
        for repo in repos
        for name in (repo.rpartition("/")[2],)
    }


class AgentRows:
    """The rows of agents, made anew only for those of whom something changed: there may be hundreds."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Agent, str, Row]] = {}

    def of(self, fleet: Fleet, now: datetime) -> tuple[Row, ...]:
        """Who needs a person first, then by how much a state matters, then by name."""
        short = short_names(fleet)
        ordered = sorted(fleet.agents, key=lambda agent: (look_of(agent.state).urgency, agent.name))
        made = [self._row(agent, _repos(agent, short), ago(agent.since, now)) for agent in ordered]
        self._known = {row.key: (agent, repos, row) for agent, repos, row in made}
        return tuple(row for _, _, row in made)

    def _row(self, agent: Agent, repos: str, age: str) -> tuple[Agent, str, Row]:
        known = self._known.get(agent.name)
        if known is None or known[:2] != (agent, repos):
            return agent, repos, _agent_row(agent, repos, age)
        row = known[2]
        return agent, repos, row if row.cells[_AGE].text == age else row.having(_AGE, Cell(age, Tone.MUTED))


def _agent_row(agent: Agent, repos: str, age: str) -> Row:
    look = look_of(agent.state)
    quiet = Tone.MUTED if look.tone is Tone.MUTED else Tone.PLAIN
    loud = look.tone if look.tone in (Tone.ALARM, Tone.WARN) else Tone.MUTED
    cells = (
        Cell(f"{look.glyph} {one_line(agent.state, 18)}", look.tone),
        Cell(one_line(agent.name, 40), quiet),
        Cell(age, Tone.MUTED),
        Cell(_task(agent), quiet),
        Cell(repos, quiet),
        Cell(agent.mode or "–", quiet if agent.mode else Tone.MUTED),
        Cell(detail_of(agent), loud),
        Cell(one_line(agent.backend, 20), Tone.MUTED),
        Cell(str(agent.starts), Tone.MUTED),
    )
    return Row(agent.name, cells)


def detail_of(agent: Agent) -> str:
    """Why the agent is as it is; of a deliberate pause by whom and why."""
    if agent.paused is not None:
        why = f": {agent.paused.why}" if agent.paused.why else ""
        return one_line(f"by {agent.paused.by}{why}", 200)
    return one_line(agent.detail or "", 200)


def _task(agent: Agent) -> str:
    if agent.task is None:
        return ""
    number = f"#{agent.task.issue} " if agent.task.issue is not None else ""
    return one_line(f"{number}{agent.task.title or agent.task.id}", 120)


def _repos(agent: Agent, short: Mapping[str, str]) -> str:
    if agent.task and agent.task.repo:
        return one_line(short[agent.task.repo], 80)
    if not agent.repos:
        return ""
    more = f" +{len(agent.repos) - 1}" if len(agent.repos) > 1 else ""
    return one_line(short[agent.repos[0]], 80) + more


def work_rows(fleet: Fleet) -> tuple[Row, ...]:
    """In the order of rank; what is no work after it."""
    short = short_names(fleet)

    def place(item: Work) -> tuple[bool, float, str, int]:
        rank = float("inf") if item.rank is None else item.rank
        return not item.eligible, rank, item.repo, item.number

    return tuple(_work_row(item, short) for item in sorted(fleet.work, key=place))


def _work_row(item: Work, short: Mapping[str, str]) -> Row:
    tone = Tone.PLAIN if item.eligible else Tone.MUTED
    rank = str(item.rank) if item.rank is not None else "–"
    cells = (
        Cell(rank.rjust(4), Tone.GOOD if item.eligible else Tone.MUTED),
        Cell(f"#{item.number}", tone),
        Cell(one_line(short[item.repo], 80), tone),
        Cell(one_line(item.title or "", 120), tone),
        Cell(one_line(item.agent or "", 40), Tone.BUSY),
        Cell(one_line(item.lane or "", 20), Tone.MUTED),
        Cell(one_line(item.because or "", 200), Tone.MUTED),
        Cell(str(item.attempts) if item.attempts else "", Tone.MUTED),
    )
    return Row(f"{item.repo}#{item.number}", cells)


def pull_rows(fleet: Fleet) -> tuple[Row, ...]:
    """Open ones first, then the newest."""
    short = short_names(fleet)
    ordered = sorted(fleet.pull_requests, key=lambda pull: (pull.state != "open", pull.repo, -pull.number))
    return tuple(_pull_row(pull, short) for pull in ordered)


def verdict_of(pull: Pull) -> str:
    """What is known of a pull request in one word: once it is over, how it ended."""
    return pull.state if pull.state != "open" else (pull.verdict or "unjudged")


def _pull_row(pull: Pull, short: Mapping[str, str]) -> Row:
    over = pull.state != "open"
    quiet = Tone.MUTED if over else Tone.PLAIN
    verdict = verdict_of(pull)
    cells = (
        Cell(one_line(verdict, 12), tone_of_verdict(verdict)),
        Cell(f"#{pull.number}", quiet),
        Cell(one_line(short[pull.repo], 80), quiet),
        Cell(one_line(pull.title or "", 120), quiet),
        Cell(one_line(pull.agent or "", 40), quiet),
        Cell(f"#{pull.issue}" if pull.issue is not None else "", Tone.MUTED),
        Cell("" if over else _first_obstacle(pull), Tone.MUTED),
    )
    return Row(f"{pull.repo}#{pull.number}", cells)


def _first_obstacle(pull: Pull) -> str:
    if not pull.obstacles:
        return "nothing"
    first = one_line(pull.obstacles[0].because or pull.obstacles[0].code, 120)
    return f"({len(pull.obstacles)}) {first}" if len(pull.obstacles) > 1 else first


def finding_rows(fleet: Fleet, now: datetime) -> tuple[Row, ...]:
    return tuple(
        Row(
            finding.id,
            (
                Cell(one_line(finding.id, 10), Tone.GOOD),
                Cell(one_line(finding.agent, 40)),
                Cell(one_line(finding.repo + (f"#{finding.issue}" if finding.issue is not None else ""), 80)),
                Cell(one_line(finding.title or "", 200)),
                Cell(ago(finding.at, now), Tone.MUTED),
            ),
        )
        for finding in fleet.findings
    )


def refusal_rows(fleet: Fleet, now: datetime) -> tuple[Row, ...]:
    return tuple(
        Row(
            f"{refusal.at}/{place}",
            (
                Cell(one_line(refusal.agent, 40)),
                Cell(one_line(refusal.action, 40), Tone.WARN),
                Cell(one_line(refusal.target, 120)),
                Cell(one_line(refusal.rule, 60), Tone.MUTED),
                Cell(ago(refusal.at, now), Tone.MUTED),
            ),
        )
        for place, refusal in enumerate(fleet.refused)
    )


def journal_rows(records: Iterable[Record], zone: tzinfo | None) -> tuple[Row, ...]:
    """One row for each record, with the time of day in `zone` (None: this machine's)."""
    return tuple(
        Row(
            str(record.seq),
            (
                Cell(f"{record.at.astimezone(zone):%H:%M:%S}", Tone.MUTED),
                Cell(tell(record), _tone_of(record)),
            ),
        )
        for record in records
    )


def _tone_of(record: Record) -> Tone:
    match record.event:
        case AgentChanged(state=state):
            look = look_of(state)
            return look.tone if look.urgency <= 1 else Tone.PLAIN
        case RequestRuled(ruling="deny") | IntentRuled(ruling="deny"):
            return Tone.WARN
        case PortFailed() | LaneAbandoned() | ConfigurationRejected() | TokenRefused():
            return Tone.WARN
        case IntentFinished(outcome=outcome):
            return Tone.MUTED if outcome == "done" else Tone.WARN
        case PullRequestOpened() | PullRequestEnded() | FindingRecorded():
            return Tone.GOOD
        case LevelChanged():
            return Tone.BUSY
        case _:
            return Tone.PLAIN
