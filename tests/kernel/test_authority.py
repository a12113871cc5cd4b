"""The supervisor's word to the gateway."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from hive.errors import JournalError
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import session_name
from hive.facts.autonomy import Action
from hive.facts.verdicts import Ruling
from hive.kernel.authority import KernelAuthority
from hive.kernel.ledger import Ledger
from hive.ports.authority import Identity, Opened
from tests.decisions.worlds import HEAD, NOW, OTHER, REPO, policy, spec
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal

A, TOKEN = "quality-1", "hive_secret"
ME = Identity(agent=A, role="quality", repos=(REPO,), task=None)


def issued(token: str, agent: str = A, generation: int = 1) -> e.TokenIssued:
    digest = hashlib.sha256(token.encode()).hexdigest()
    return e.TokenIssued(agent=agent, digest=digest, generation=generation)


def carried_out(intent: i.Intent) -> list[e.Event]:
    return [
        e.IntentStarted(intent_id=intent.id, body=intent),
        e.IntentFinished(intent_id=intent.id, about=intent.subject, outcome="done"),
    ]


class Desk:
    def __init__(self, level: int = 4) -> None:
        self.journal = MemoryJournal()
        self.policy = policy(spec(A), level=level)
        self.ledger = Ledger(self.journal, FakeClock(NOW))
        self.pokes: list[str] = []
        self.authority = KernelAuthority(
            self.ledger,
            lambda: self.policy,
            FakeClock(NOW),
            keeps_draft=lambda: True,
            poke=self.pokes.append,
        )

    def ruling(self, action: Action, repo: str = REPO) -> Ruling:
        return self.authority.rule(ME, action, repo=repo, target=repo).ruling


def test_the_right_token_tells_who_and_with_which_task() -> None:
    desk = Desk()
    claim = i.ClaimWork(task="t7", agent=A, repo=REPO, issue=7, attempt=1, branch="b")
    desk.ledger.record([issued(TOKEN), *carried_out(claim)])
    assert desk.authority.identify(TOKEN) == replace(ME, task=desk.ledger.memory.tasks["t7"])
    finish = i.FinishTask(task="t7", repo=REPO, issue=7, outcome="finding")
    desk.ledger.record(carried_out(finish))
    assert desk.authority.identify(TOKEN) == ME


@pytest.mark.parametrize("token", ["", "hive_", "hive_secre", "hive_secret ", "HIVE_SECRET"])
def test_a_wrong_token_is_nobodys(token: str) -> None:
    desk = Desk()
    desk.ledger.record([issued(TOKEN)])
    assert desk.authority.identify(token) is None


def test_an_agent_without_a_token_is_not_reached_by_the_digest_of_nothing() -> None:
    desk = Desk()
    desk.ledger.record([e.AgentPaused(agent=A, by="x")])
    assert desk.authority.identify("") is None


def test_a_stopped_agents_token_is_revoked_and_so_is_that_of_an_earlier_start() -> None:
    desk = Desk()
    desk.ledger.record([issued(TOKEN)])
    desk.ledger.record([issued("hive_next", generation=2)])
    assert desk.authority.identify(TOKEN) is None
    assert desk.authority.identify("hive_next") == ME
    desk.ledger.record(carried_out(i.StopAgent(agent=A, session=session_name(A), generation=2)))
    assert desk.authority.identify("hive_next") is None


def test_an_agent_that_left_the_configuration_is_nobody_and_may_do_nothing() -> None:
    desk = Desk()
    desk.ledger.record([issued(TOKEN)])
    desk.policy = policy(spec("other"))
    assert desk.authority.identify(TOKEN) is None
    verdict = desk.authority.rule(ME, Action.READ, repo=REPO, target=REPO)
    assert (verdict.ruling, verdict.rule) == (Ruling.DENY, "identity")


def test_rulings_follow_the_level_as_it_is_now() -> None:
    desk = Desk(level=4)
    assert desk.ruling(Action.OPEN_PR) is Ruling.HOLD
    desk.ledger.record([e.LevelChanged(scope="hive", level=2, by="ada")])
    assert desk.ruling(Action.OPEN_PR) is Ruling.DENY
    desk.ledger.record([e.LevelChanged(scope="hive", level=None, by="ada")])
    assert desk.ruling(Action.OPEN_PR) is Ruling.HOLD


def test_another_repository_is_denied_and_the_case_of_its_name_does_not_matter() -> None:
    desk = Desk()
    assert desk.ruling(Action.READ, OTHER) is Ruling.DENY
    assert desk.ruling(Action.READ, "O/R") is Ruling.ALLOW


def test_who_opened_a_pull_request_is_what_the_journal_has() -> None:
    desk = Desk()
    opened = e.PullRequestOpened(repo=REPO, number=31, agent=A, head_ref="hive/b", head=HEAD, held=True)
    desk.authority.record([opened])
    assert desk.authority.opened("O/R", 31) == Opened(REPO, 31, A, "hive/b")
    assert desk.authority.opened(REPO, 3) is None
    assert desk.authority.opened(OTHER, 31) is None
    assert desk.pokes == [REPO]


def test_findings_are_numbered_on_over_a_restart() -> None:
    desk = Desk()
    first = desk.authority.report(e.FindingRecorded(agent=A, finding_id="", repo=REPO, title="t", body="b"))
    assert (first.id, desk.pokes) == ("F1", [""])
    again = KernelAuthority(
        desk.ledger, lambda: desk.policy, FakeClock(NOW), keeps_draft=lambda: False, poke=desk.pokes.append
    )
    other = again.report(e.FindingRecorded(agent=A, finding_id="", repo=REPO, title="u", body="b"))
    assert other.id == "F2"


def test_what_cannot_be_recorded_is_told_and_wakes_nobody() -> None:
    desk = Desk()
    desk.journal.failure = "the disk is full"
    with pytest.raises(JournalError):
        desk.authority.record([issued(TOKEN)])
    assert desk.pokes == []


def test_the_gateway_is_told_the_hold_label_and_whether_drafts_are_kept() -> None:
    desk = Desk()
    assert (desk.authority.hold_label(), desk.authority.keeps_draft()) == ("hold", True)
