"""One agent, issue or pull request in full, as text. Pure."""

from __future__ import annotations

from datetime import datetime

from textual.content import Content

from hive.dashboard.fleet import Agent, Obstacle, Pull, Work
from hive.dashboard.looks import Tone, ago, look_of
from hive.dashboard.rows import detail_of, verdict_of
from hive.decisions.one_line import one_line

_STYLES = {
    Tone.PLAIN: "",
    Tone.ALARM: "bold $text-error",
    Tone.WARN: "$text-warning",
    Tone.BUSY: "$text-accent",
    Tone.GOOD: "$text-success",
    Tone.MUTED: "$text-muted",
}


def of_agent(agent: Agent, now: datetime) -> Content:
    """State, task, level and how to attach: five lines; with what its box offers, six."""
    look = look_of(agent.state)
    since = f" for {ago(agent.since, now)}" if agent.since else ""
    state = Content.styled(f"{look.glyph} {one_line(agent.state)}{since}", _STYLES[look.tone])
    detail = detail_of(agent)
    level = f"L{agent.level}" if agent.level is not None else "–"
    facts = [
        state + Content(f"  {detail}" if detail else ""),
        _fact("task", _task(agent)),
        _fact("branch", agent.task.branch or "" if agent.task else ""),
        _fact(
            "may", f"{agent.mode or 'not started'} at {level} as {agent.role}, on {', '.join(agent.repos)}"
        ),
        _fact("runs", f"{agent.backend}, start {agent.starts}: {agent.attach or 'no session'}"),
    ]
    if agent.options:
        facts.append(Content.styled("asks ", "$text-muted") + _offer(agent.options))
    return Content("\n").join(facts)


def _offer(options: tuple[str, ...]) -> Content:
    offered = "   ".join(f"{number} {one_line(option, 60)}" for number, option in enumerate(options, 1))
    return Content.styled(offered, "$text-warning") + Content.styled("   (a: answer)", "$text-muted")


def _task(agent: Agent) -> str:
    if agent.task is None:
        return "none"
    return f"{agent.task.repo}#{agent.task.issue} {agent.task.title or ''}"


def of_work(item: Work) -> Content:
    """Why it is work, or why not."""
    verb = "is work" if item.eligible else "is not work"
    lines = [
        Content.styled(one_line(f"{item.repo}#{item.number} {item.title or ''}"), "bold"),
        Content(f"{verb}: {one_line(item.because or 'no reason given')}"),
        _fact("lane", item.lane or "none"),
        _fact("agent", item.agent or "none yet"),
        _fact("tries", str(item.attempts)),
    ]
    return Content("\n").join(lines)


def of_pull(pull: Pull, now: datetime) -> Content:
    """Every obstacle by name, with what it is about and until when it stands."""
    marks = [
        verdict_of(pull),
        *(["draft"] if pull.draft else []),
        *(["held"] if pull.held else []),
        *pull.labels,
    ]
    lines = [
        Content.styled(one_line(f"{pull.repo}#{pull.number} {pull.title or ''}"), "bold"),
        _fact("is", ", ".join(dict.fromkeys(marks))),
    ]
    if pull.state == "open":
        lines += [_obstacle(obstacle, now) for obstacle in pull.obstacles]
        if not pull.obstacles:
            lines.append(Content.styled("nothing is in its way", "$text-success"))
    issue = f"#{pull.issue}" if pull.issue is not None else "no issue"
    lines.append(_fact("by", f"{pull.agent or 'no agent'} for {issue}, head {(pull.head or '')[:12]}"))
    lines.append(_fact("at", pull.url or ""))
    return Content("\n").join(lines)


def _obstacle(obstacle: Obstacle, now: datetime) -> Content:
    about = f" {one_line(obstacle.subject, 60)}" if obstacle.subject else ""
    until = obstacle.until
    ends = f" (for another {ago(now, until)})" if until is not None and until > now else ""
    name = Content.styled(f"✗ {one_line(obstacle.code, 40)}{about}: ", "$text-warning")
    return name + Content(one_line(obstacle.because) + ends)


def _fact(name: str, value: str) -> Content:
    return Content.styled(f"{name} ", "$text-muted") + Content(one_line(value))
