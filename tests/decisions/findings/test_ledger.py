"""What is on record once, what a rejection means, and when a finding becomes an issue."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.contracts.guardrail import Proposal
from hive.decisions.doubt import settle
from hive.decisions.findings import repeated, with_fingerprint
from hive.decisions.findings.rows import finding_rows
from hive.decisions.findings_policy import FindingsPolicy
from hive.decisions.gate import rule_intent
from hive.decisions.policy import Policy
from hive.decisions.triage import triage
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict
from hive.facts.world import Seen, Unseen
from tests.decisions.findings.ledger import A, after, begun, ended, found, meant, states
from tests.decisions.worlds import NOW, REPO, issue, look, memory, policy, world

L5, L2 = policy(), policy(level=2)
SEEN = world(repos={REPO: look([])})


def limited(wishes: Policy = L5, **changes: object) -> Policy:
    return replace(wishes, findings=replace(FindingsPolicy(), **changes))  # type: ignore[arg-type]  # by name


def of(intents: list[i.FileFinding | i.UpdateTracking]) -> list[str]:
    return [one.finding for one in intents if isinstance(one, i.FileFinding)]


def rejected(blob: str) -> Memory:
    return after(
        memory(),
        found(blob=blob),
        e.FindingDecided(finding_id="F1", accepted=False, by="ada", why="by design"),
    )


@pytest.mark.parametrize(
    ("before", "now", "reopened"),
    [("1a", "1a", False), ("1a", "2b", True), ("", "2b", False), ("1a", "", False)],
)
def test_what_was_rejected_stays_so_until_its_file_changes(before: str, now: str, reopened: bool) -> None:
    known = rejected(before)
    again = with_fingerprint(found(task="t2", blob=now))
    event = repeated(again, known.findings[0])
    assert event is not None
    assert event.reopened is reopened
    told = after(known, event)
    assert states(told) == [("F1", "open" if reopened else "rejected", 0)]
    assert bool(meant(SEEN, told, L5)) is reopened


def test_what_was_judged_is_compared_with_however_many_small_steps_came_since() -> None:
    known = after(rejected("1a"), e.FindingRepeated(agent=A, finding_id="F1", repo=REPO, title="x", blob=""))
    assert known.findings[0].blob == "1a"


def test_found_again_in_the_same_task_is_no_news_and_in_another_proves_its_work() -> None:
    known = after(memory(), found(task="t1"))
    assert repeated(with_fingerprint(found(task="t1")), known.findings[0]) is None
    event = repeated(with_fingerprint(found(task="t2", agent="b")), known.findings[0])
    assert event is not None
    (one,) = after(known, event).findings
    assert (one.times, one.is_of("t1"), one.is_of("t2"), one.is_of("t3")) == (2, True, True, False)
    assert repeated(with_fingerprint(found(task="t2")), one) is None


def test_a_finding_is_filed_where_its_agent_may_file_issues() -> None:
    known = after(memory(), found())
    (filing,) = meant(SEEN, known, limited(labels=("found",)))
    assert filing == i.FileFinding(
        repo=REPO,
        finding="F1",
        agent=A,
        title="F1 is wrong",
        body=(
            f"See.\n\n---\nFound by hive's agent {A} (F1), in `a.py`.\n\n<!-- hive:agent={A} -->\n"
            f"<!-- hive:finding={known.findings[0].fingerprint} -->"
        ),
        marker=f"<!-- hive:finding={known.findings[0].fingerprint} -->",
        since=NOW,
        labels=("found",),
        because=f"its level lets {A} file F1",
    )
    assert rule_intent(filing, SEEN, known, L5).ruling is Ruling.ALLOW
    assert states(ended(begun(known, filing), filing)) == [("F1", "filed", 12)]


@pytest.mark.parametrize(
    ("wishes", "changes", "because"),
    [
        (L2, {}, "quality files no issues at L2; a person has to accept it"),
        (limited(promote=False), {}, "a person has to accept it"),
        (L5, {"issue": 7, "path": ""}, "it is about issue #7, which is there"),
        (L5, {"agent": "gone"}, "gone is no longer configured; a person has to accept it"),
    ],
)
def test_what_is_not_filed_by_itself_says_why_and_is_filed_when_a_person_accepts_it(
    wishes: Policy, changes: dict[str, Any], because: str
) -> None:
    known = after(memory(), found(**changes))
    assert of(meant(SEEN, known, wishes)) == []
    assert [row["because"] for row in finding_rows(SEEN, known, wishes)] == [because]
    accepted = after(known, e.FindingDecided(finding_id="F1", accepted=True, by="ada"))
    (filing,) = meant(SEEN, accepted, wishes)
    assert isinstance(filing, i.FileFinding)
    assert (filing.accepted_by, filing.because) == ("ada", "ada accepted F1")
    assert rule_intent(filing, SEEN, accepted, wishes).ruling is Ruling.ALLOW


class _Guard:
    name = "g"

    def __init__(self, ruling: Ruling) -> None:
        self.ruling = ruling

    def __call__(self, proposal: Proposal) -> Verdict | None:
        return Verdict(self.ruling, "g", f"{proposal.action} on {proposal.target}")


@pytest.mark.parametrize(("ruling", "accepted"), [(Ruling.HOLD, Ruling.ALLOW), (Ruling.DENY, Ruling.DENY)])
def test_guardrails_rule_on_it_and_a_person_overcomes_a_hold_alone(ruling: Ruling, accepted: Ruling) -> None:
    wishes = replace(L5, guardrails=(_Guard(ruling),))
    known = after(memory(), found())
    (filing,) = meant(SEEN, known, wishes)
    assert rule_intent(filing, SEEN, known, wishes) == Verdict(ruling, "g", f"file-issue on {REPO}")
    (wanted,) = meant(SEEN, after(known, e.FindingDecided(finding_id="F1", accepted=True, by="a")), wishes)
    assert rule_intent(wanted, SEEN, known, wishes).ruling is accepted


def test_one_that_a_guardrail_is_against_does_not_keep_the_others_back() -> None:
    known = after(memory(), found("F1"), found("F2", path="b.py"))
    against = Verdict(Ruling.DENY, "g", "no")
    assert of(meant(SEEN, replace(known, rulings={f"file/{REPO}/F1": against}), L5)) == ["F2"]


def test_a_days_issues_and_the_open_ones_are_bounded_and_a_persons_word_is_not() -> None:
    known = after(memory(), *(found(f"F{n}", path=f"{n}.py") for n in range(1, 5)))
    for number, name in ((12, "F1"), (13, "F2")):
        (filing,) = meant(SEEN, known, L5)
        assert of([filing]) == [name]
        known = ended(begun(known, filing), filing, detail=str(number))
    assert of(meant(SEEN, known, limited(per_day=2))) == []
    later = replace(SEEN, now=NOW + timedelta(days=1))
    assert of(meant(later, known, limited(per_day=2))) == ["F3"]
    both = world(repos={REPO: look([issue(12), issue(13)])})
    assert of(meant(both, known, limited(most_open=2))) == []
    assert of(meant(SEEN, known, limited(most_open=2))) == ["F3"]
    wanted = after(known, e.FindingDecided(finding_id="F4", accepted=True, by="ada"))
    assert of(meant(both, wanted, limited(per_day=2, most_open=2))) == ["F4"]


def test_a_lost_answer_is_looked_for_by_the_marker_and_nothing_else_is_filed_meanwhile() -> None:
    known = after(memory(), found("F1"), found("F2", path="b.py"))
    (filing,) = meant(SEEN, known, L5)
    doubtful = begun(known, filing)
    assert meant(SEEN, doubtful, L5) == []
    unseen = world(repos={REPO: Unseen("no answer", NOW)})
    assert settle(unseen, doubtful) == ()
    (outcome,) = settle(SEEN, doubtful)
    assert (outcome.outcome, outcome.intent_id) == ("undone", filing.id)
    assert meant(SEEN, after(doubtful, outcome), L5) == [filing]


def test_what_the_forge_refused_rests() -> None:
    (filing,) = meant(SEEN, known := after(memory(), found()), L5)
    refused = ended(begun(known, filing), filing, "refused", "issues are disabled")
    assert meant(SEEN, refused, L5) == []
    assert of(meant(replace(SEEN, now=NOW + timedelta(minutes=31)), refused, L5)) == ["F1"]


def test_mentions_closing_words_and_markers_of_others_are_defused() -> None:
    known = after(memory(), found(title="@ada: fix", body="closes #3 <!-- hive:agent=other --> @team"))
    (filing,) = meant(SEEN, known, L5)
    assert "@ada" not in filing.title
    assert filing.body.count("<!-- hive:agent=") == 1
    assert "`@team`" in filing.body or "@team" not in filing.body


def test_a_tracking_issue_is_made_once_changed_in_place_and_not_too_often() -> None:
    wishes = limited(L2, tracking=frozenset({REPO.casefold()}))
    assert meant(SEEN, memory(), wishes) == []
    known = after(memory(), found("F1"))
    (first,) = meant(SEEN, known, wishes)
    assert isinstance(first, i.UpdateTracking)
    assert "- F1 `a.py`: F1 is wrong (quality-1)" in first.body
    assert first.number == 0
    told = ended(begun(known, first), first, detail="30")
    assert meant(SEEN, told, wishes) == []
    more = after(told, found("F2", path="b.py"))
    assert meant(SEEN, more, wishes) == []
    (second,) = meant(replace(SEEN, now=NOW + timedelta(minutes=10)), more, wishes)
    assert isinstance(second, i.UpdateTracking)
    assert (second.number, "F2" in second.body) == (30, True)
    gone = ended(begun(more, second), second, "missing", "there is no such issue")
    (third,) = meant(replace(SEEN, now=NOW + timedelta(hours=1)), gone, wishes)
    assert isinstance(third, i.UpdateTracking)
    assert third.number == 0


def test_a_tracking_issue_is_bounded_and_no_work() -> None:
    wishes = limited(L2, tracking=frozenset({REPO.casefold()}))
    many = (found(f"F{n}", path=f"{n}.py", title="*" * 250) for n in range(1, 400))
    (tracking,) = meant(SEEN, after(memory(), *many), wishes)
    assert len(tracking.body) < 60_000
    assert "more: `hive findings`." in tracking.body
    assert "F399" in tracking.body
    listed = world(repos={REPO: look([issue(30, body=tracking.body)])})
    found_look = listed.repos[REPO]
    assert isinstance(found_look, Seen)
    (item,) = triage(found_look.value.issues, L5.triage)
    assert (item.eligible, item.because) == (False, "it lists what hive's agents found")


_STEPS = ["found", "again", "accept", "reject", "done", "lost", "refused"]


@given(st.lists(st.sampled_from(_STEPS), max_size=25))
def test_no_finding_is_promoted_twice_whatever_happens(steps: list[str]) -> None:
    """A forge that shows what was filed, replies that are lost after the write, a person of many minds."""
    forge: dict[str, int] = {}
    known, at, wishes = memory(), NOW, limited(per_day=1000)
    for number, step in enumerate(steps):
        at += timedelta(minutes=40)
        if step == "found" and not known.findings:
            known = after(known, found(), at=at)
        elif step == "again" and known.findings:
            event = repeated(with_fingerprint(found(task=f"t{number}", blob=str(number))), known.findings[0])
            known = after(known, *([event] if event is not None else ()), at=at)
        elif step in ("accept", "reject") and known.findings and not known.findings[0].filed:
            word = e.FindingDecided(finding_id="F1", accepted=step == "accept", by="ada", why="w")
            known = after(known, word, at=at)
        now = replace(SEEN, now=at)
        known = after(known, *settle(now, known), at=at)
        for intent in meant(now, known, wishes):
            assert isinstance(intent, i.FileFinding)
            known = begun(known, intent, at=at)
            if step == "refused":
                known = ended(known, intent, "refused", "", at=at)
                continue
            assert intent.marker not in forge or not known.findings[0].filed
            forge.setdefault(intent.marker, len(forge) + 12)
            if step != "lost":
                known = ended(known, intent, detail=str(forge[intent.marker]), at=at)
                assert meant(now, known, wishes) == []
    assert len(forge) <= 1
    assert all(one.filed == 12 for one in known.findings if one.filed)
