"""Recorded rulings, made again under another level or configuration by the function that made them.

Each ruling is made on the memory of its own time. What an agent would have done instead is not guessed, and
paths and texts are not in the journal: where a guardrail ruled by them, nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from hive.contracts.guardrail import Proposal
from hive.decisions.gate import rule_action, rule_intent
from hive.decisions.policy import Policy
from hive.decisions.recall import each
from hive.facts.autonomy import AcmmLevel, Action
from hive.facts.events import IntentRuled, Record, RequestRuled
from hive.facts.intents import MergePullRequest
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict
from hive.facts.world import Unseen, World

NO_AGENT = "its agent is not in the configuration"
NO_ACTION = "its action is not one of this version"
CONTENT = "a guardrail ruled on paths or text, which the journal does not keep"
PERSON = "a person decided on it, and would not be asked"
_BY_TABLE = ("acmm.", "repository", "identity")
_BY_GUARDRAIL = "guardrail."
_BY_PERSON = "hold."


@dataclass(frozen=True, slots=True)
class Difference:
    """A ruling that would be another one; `seq` and `at` are its record's."""

    seq: int
    at: datetime
    agent: str
    action: str
    target: str
    was: Verdict
    would_be: Verdict


@dataclass(frozen=True, slots=True)
class Replay:
    """Attributes:
    rulings: How many are recorded.
    same: How many would be the same.
    differ: Those that would not, oldest first.
    unknown: How many cannot be told, by why.
    """

    rulings: int
    same: int
    differ: tuple[Difference, ...]
    unknown: Mapping[str, int]


class _Untold(Exception):
    """Why a ruling cannot be made again."""


def replayed(records: Iterable[Record], policy: Policy, level: AcmmLevel | None = None) -> Replay:
    """Rule again on all that `records` (a whole journal, in order) tell of.

    With `level`, as if the hive had been at it all the time; repositories' and agents' own levels stay.
    """
    policy = policy if level is None else replace(policy, level=level)
    rulings, differ, unknown = 0, [], Counter[str]()
    for now, record in each(Memory(), records):
        event = record.event
        if not isinstance(event, RequestRuled | IntentRuled):
            continue
        rulings += 1
        was = Verdict(Ruling(event.ruling), event.rule, event.because)
        known = now() if level is None else replace(now(), level=None)
        try:
            if isinstance(event, RequestRuled):
                would_be = _request(event, was, record.at, policy, known)
            else:
                would_be = _intent(event, was, record.at, policy, known)
        except _Untold as untold:
            unknown[str(untold)] += 1
            continue
        if would_be.ruling is not was.ruling:
            agent, action = _what(event, known)
            target = event.target if isinstance(event, RequestRuled) else event.about
            differ.append(Difference(record.seq, record.at, agent, action, target, was, would_be))
    same = rulings - len(differ) - unknown.total()
    return Replay(rulings, same, tuple(differ), dict(unknown))


def _what(event: RequestRuled | IntentRuled, memory: Memory) -> tuple[str, str]:
    """Agent and action."""
    if isinstance(event, RequestRuled):
        return event.agent, event.action
    pull = memory.pulls.get(event.about)
    return pull.agent if pull is not None else "", Action.REQUEST_MERGE


def _request(event: RequestRuled, was: Verdict, at: datetime, policy: Policy, memory: Memory) -> Verdict:
    if not was.rule.startswith((*_BY_TABLE, _BY_GUARDRAIL, _BY_PERSON)):
        return was  # refused for itself, whatever level and guardrails say
    spec = policy.agent(event.agent)
    if spec is None:
        raise _Untold(NO_AGENT)
    try:
        action = Action(event.action)
    except ValueError:
        raise _Untold(NO_ACTION) from None
    proposal = Proposal(agent=spec.name, role=spec.role, action=action, target=event.target, at=at)
    repo = _repository(event.target)
    return _told(was, rule_action(policy, memory, spec, proposal, repo))


def _repository(target: str) -> str:
    ends = (target.find(mark) for mark in "#@:")
    return target[: min((end for end in ends if end >= 0), default=len(target))]


def _intent(event: IntentRuled, was: Verdict, at: datetime, policy: Policy, memory: Memory) -> Verdict:
    if not event.intent_id.startswith(("merge/", "enqueue/")):
        return was  # hive's own supervision is allowed at every level
    pull = memory.pulls.get(event.about)
    if pull is not None and policy.agent(pull.agent) is None:
        raise _Untold(NO_AGENT)
    repo, _, number = event.about.rpartition("#")
    intent = MergePullRequest(repo=repo, number=int(number), head="", base="")
    unseen = Unseen("it is over", at)
    return _told(was, rule_intent(intent, World(at, unseen, {}), memory, policy))


def _told(was: Verdict, again: Verdict) -> Verdict:
    """`again`, where what it was made without could not have changed it."""
    if again.ruling is Ruling.DENY:
        return again
    is_milder = again.ruling.strictness < was.ruling.strictness
    if was.rule.startswith(_BY_GUARDRAIL) and was.rule != again.rule and is_milder:
        raise _Untold(CONTENT)
    if was.rule.startswith(_BY_PERSON):
        if again.ruling is Ruling.HOLD:
            return was
        raise _Untold(PERSON)
    return again
