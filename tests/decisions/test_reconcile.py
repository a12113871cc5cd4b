"""What hive's account did without hive is an incident, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from hive.decisions.incident_policy import IncidentPolicy
from hive.decisions.notices.needs import outstanding
from hive.decisions.recall import recall
from hive.decisions.reconcile import compare, incident_id, incident_of_unheld
from hive.facts import events as e
from hive.facts.activity import Activity
from hive.facts.autonomy import Action
from hive.facts.forge import Comment, Review
from hive.facts.incidents import Act
from hive.facts.intents import HoldPullRequest, Intent, LiftHold, MergePullRequest, UpdateTracking
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling
from tests.decisions.worlds import ADA, HEAD, HIVE, NEW_HEAD, NOW, REPO, SECOND, issue, look, policy, pull

MINUTE = timedelta(minutes=1)
BRANCH = "refs/heads/hive/quality-1/31"


class Journal:
    """Folds events as they come; the repository is watched and pull request 31 is quality-1's."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.at = NOW - timedelta(hours=1)
        self.add(e.RepositoryWatched(repo=REPO))
        self.add(e.TokenIssued(agent="quality-1", digest="d", generation=1))
        self.add(
            e.PullRequestOpened(
                repo=REPO, number=31, agent="quality-1", head_ref="hive/quality-1/31", head=HEAD, held=True
            )
        )
        self.at = NOW - 5 * MINUTE

    def add(self, event: e.Event, at: datetime | None = None) -> Journal:
        record = e.Record(seq=self.memory.seq + 1, at=at or self.at, tick=0, event=event)
        self.memory = recall(self.memory, [record])
        return self

    def ruled(
        self, action: Action, target: str, ruling: Ruling = Ruling.ALLOW, request_id: str = "r1"
    ) -> Journal:
        return self.add(
            e.RequestRuled(
                agent="quality-1",
                request_id=request_id,
                action=action.value,
                target=target,
                ruling=ruling.value,
                rule="acmm",
                because="",
                route="rest",
            )
        )

    def done(self, made: str = "", outcome: str = "done", request_id: str = "r1") -> Journal:
        return self.add(
            e.RequestDone(agent="quality-1", request_id=request_id, outcome=outcome, status=201, made=made)
        )

    def began(self, intent: Intent) -> Journal:
        return self.add(e.IntentStarted(intent_id=intent.id, body=intent))

    def raised(self, *acts: Act, shared: bool = False, now: datetime = NOW) -> list[tuple[str, str]]:
        """Kind and suspect of each incident; it is folded, so that it is not raised again."""
        seen = replace(look().value, activity=Activity(tuple(acts)))
        wishes = policy(incidents=IncidentPolicy(shared_account=shared))
        found = [*compare(seen, self.memory, wishes, now)]
        for one in found:
            self.add(one, now)
        return [(one.what, one.agent) for one in found if isinstance(one, e.IncidentRaised)]


def act(kind: str, number: int = 0, ref: str = "", *, key: str = "", shown: str = "", agent: str = "") -> Act:
    named = key or f"{kind}:{number}:{ref}"
    return Act(named, kind, REPO, NOW - 5 * MINUTE + SECOND, number, ref, shown, agent)


@pytest.mark.parametrize(
    "strange",
    [
        act("comment", 31),
        act("labeled", 31, shown="urgent"),
        act("unlabeled", 31, shown="hold"),
        act("merged", 31),
        act("closed", 31),
        act("push", ref="refs/heads/main"),
        act("release", ref="refs/tags/v1"),
        act("review", 31),
        act("issue", 9),
        act("pull", 9),
        act("auto_merge_enabled", 31),
        act("review_dismissed", 31),
        act("deployed", 31),
        act("edited", 5),
        act("comment_edited", 5),
    ],
    ids=lambda one: one.kind,
)
def test_an_act_that_nothing_explains_is_an_incident_once(strange: Act) -> None:
    journal = Journal()
    suspected = "quality-1" if strange.number == 31 else ""
    assert journal.raised(strange) == [(strange.kind, suspected)]
    assert journal.raised(strange) == []


@pytest.mark.parametrize(
    ("action", "target", "acts"),
    [
        (Action.COMMENT, "o/r#31", [act("comment", 31)]),
        (Action.LABEL_OWN, "o/r#5", [act("labeled", 5), act("unlabeled", 5), act("assigned", 5)]),
        (Action.CLOSE_OWN, "o/r#5", [act("closed", 5)]),
        (Action.PUSH_OWN_BRANCH, f"o/r@{BRANCH}", [act("push", ref=BRANCH)]),
        (Action.UPDATE_OWN_PR, f"o/r@{BRANCH}", [act("force_push", ref=BRANCH), act("labeled", 31)]),
        (Action.UPDATE_OWN_PR, f"O/R@{BRANCH}", [act("head_ref_force_pushed", 31)]),
        (Action.UPDATE_OWN_PR, "o/r#31", [act("renamed", 31), act("push", ref=BRANCH)]),
        (Action.REQUEST_CHANGES, "o/r#31", [act("review", 31), act("review_comment", 31)]),
        (Action.OPEN_PR, "o/r", [act("pull", 40), act("labeled", 40), act("ready_for_review", 40)]),
        (Action.FILE_ISSUE, "o/r#5", [act("edited", 5), act("renamed", 5)]),
        (Action.COMMENT, "o/r#5", [act("comment_edited", 5), act("comment_edited", 5, key="again")]),
        (Action.UPDATE_OWN_PR, "o/r#31", [act("edited", 31)]),
        (Action.FILE_ISSUE, "o/r", [act("issue", 41), act("labeled", 41), act("milestoned", 41)]),
    ],
)
def test_what_was_let_through_explains_what_follows_from_it(
    action: Action, target: str, acts: list[Act]
) -> None:
    assert Journal().ruled(action, target).raised(*acts) == []


@pytest.mark.parametrize(
    ("intent", "acts"),
    [
        (
            MergePullRequest(repo=REPO, number=31, head=HEAD, base="main"),
            [
                act("merged", 31),
                act("closed", 31),
                act("closed", 7),
                act("push", ref="refs/heads/main"),
                act("branch_deletion", ref=BRANCH),
                act("head_ref_deleted", 31),
            ],
        ),
        (HoldPullRequest(repo=REPO, number=31, head=HEAD, label="hold"), [act("labeled", 31, shown="hold")]),
        (LiftHold(repo=REPO, number=31, head=HEAD, label="hold"), [act("unlabeled", 31, shown="hold")]),
    ],
)
def test_hives_own_acts_are_explained_also_while_they_are_in_doubt(intent: Intent, acts: list[Act]) -> None:
    assert Journal().began(intent).raised(*acts) == []


@pytest.mark.parametrize(
    ("action", "target", "strange"),
    [
        (Action.COMMENT, "o/r#31", act("comment", 5)),
        (Action.COMMENT, "o/r#31", act("labeled", 31)),
        (Action.OPEN_PR, "o/r", act("labeled", 31)),
        (Action.OPEN_PR, "o/r", act("comment", 31)),
        (Action.UPDATE_OWN_PR, "o/r#31", act("push", ref="refs/heads/main")),
        (Action.UPDATE_OWN_PR, "o/r#31", act("unlabeled", 31, shown="Hold")),
        (Action.UPDATE_OWN_PR, f"o/r@{BRANCH}", act("push", ref="refs/heads/hive/quality-1/32")),
        (Action.REQUEST_MERGE, "o/r#31", act("merged", 31)),
        (Action.COMMENT, "o/other#31", act("comment", 31)),
    ],
)
def test_leave_for_one_thing_covers_no_other(action: Action, target: str, strange: Act) -> None:
    journal = Journal().ruled(action, target)
    assert [what for what, _ in journal.raised(strange, now=NOW + MINUTE)] == [strange.kind]


def test_a_merge_of_hives_covers_no_push_to_another_branch_and_no_other_merge() -> None:
    journal = Journal().began(MergePullRequest(repo=REPO, number=31, head=HEAD, base="main"))
    strange = [act("merged", 32), act("push", ref="refs/heads/release"), act("branch_deletion", ref="x")]
    assert sorted(what for what, _ in journal.raised(*strange)) == ["branch_deletion", "merged", "push"]


def test_one_leave_to_comment_covers_one_comment_and_the_forges_word_says_which() -> None:
    counted = Journal().ruled(Action.COMMENT, "o/r#31")
    two = [act("comment", 31, key="comment:1"), act("comment", 31, key="comment:2")]
    assert counted.raised(*two) == [("comment", "quality-1")]
    named = Journal().ruled(Action.COMMENT, "o/r#31").done("o/r/issues/comments/2")
    assert named.raised(*two) == [("comment", "quality-1")]
    assert incident_id(two[0]) in named.memory.incidents


def test_a_push_that_was_let_through_covers_no_push_of_another_commit() -> None:
    journal = Journal()
    ruled = e.RequestRuled(
        agent="quality-1",
        request_id="r1",
        action="push-own-branch",
        target=f"o/r@{BRANCH}",
        ruling="allow",
        rule="acmm",
        because="",
        route="git",
        head=HEAD,
    )
    own = replace(act("push", ref=BRANCH, key="activity:1"), head=HEAD)
    strange = replace(own, key="activity:2", head=NEW_HEAD)
    assert journal.add(ruled).raised(own, strange) == [("push", "quality-1")]
    assert [*journal.memory.incidents] == [incident_id(strange)]


@pytest.mark.parametrize("outcome", ["refused", "repeated"])
def test_what_the_forge_did_not_do_for_a_request_explains_nothing(outcome: str) -> None:
    journal = Journal().ruled(Action.CLOSE_OWN, "o/r#5").done(outcome=outcome)
    assert journal.raised(act("closed", 5)) == [("closed", "")]


@pytest.mark.parametrize(("ruling", "raised"), [(Ruling.HOLD, 0), (Ruling.DENY, 1)])
def test_an_update_that_is_held_is_done_and_one_that_is_denied_is_not(ruling: Ruling, raised: int) -> None:
    journal = Journal().ruled(Action.UPDATE_OWN_PR, "o/r#31", ruling)
    assert len(journal.raised(act("renamed", 31))) == raised


def test_a_held_comment_explains_nothing_until_it_was_approved_and_made() -> None:
    journal = Journal().ruled(Action.COMMENT, "o/r#31", Ruling.HOLD)
    assert journal.raised(act("comment", 31)) == [("comment", "quality-1")]


def test_leave_that_is_long_over_explains_nothing() -> None:
    journal = Journal()
    journal.at = NOW - 30 * MINUTE
    assert journal.ruled(Action.CLOSE_OWN, "o/r#5").raised(act("closed", 5)) == [("closed", "")]


def test_what_was_there_at_the_first_look_is_taken_for_granted_by_the_forges_own_clock() -> None:
    memory, before = Memory(), act("comment", 1)
    seen = replace(look().value, activity=Activity((before,)))
    (watched,) = compare(seen, memory, policy(), NOW - timedelta(hours=3))
    assert watched == e.RepositoryWatched(repo=REPO, until=before.at)
    memory = recall(memory, [e.Record(seq=1, at=NOW, tick=0, event=watched)])
    after = replace(act("comment", 2), at=before.at + SECOND)
    seen = replace(seen, activity=Activity((before, after)))
    assert [one.evidence for one in compare(seen, memory, policy(), NOW)] == [  # type: ignore[union-attr]
        f"comment at {after.at:%Y-%m-%d %H:%M:%S} UTC"
    ]


def test_nothing_is_said_where_the_acts_were_not_seen_or_the_account_is_not_known() -> None:
    assert [*compare(look().value, Journal().memory, policy(), NOW)] == []
    seen = replace(look().value, activity=Activity((act("comment", 1),)))
    assert [*compare(seen, Journal().memory, policy(account=""), NOW)] == []


def test_what_is_on_something_new_that_is_not_listed_yet_waits_a_minute_and_no_longer() -> None:
    journal = Journal()
    journal.at = NOW - 3 * SECOND
    journal.ruled(Action.OPEN_PR, "o/r")
    early = replace(act("labeled", 40), at=NOW - SECOND)
    assert journal.raised(early) == []
    assert journal.raised(early, now=NOW + MINUTE) == [("labeled", "")]


def test_an_answer_to_a_remark_covers_the_review_that_the_forge_makes_of_it() -> None:
    """Of one, that is: whoever has the token reviews no second time by the same leave."""
    journal = Journal().ruled(Action.REVIEW_COMMENT, f"{REPO}#31").done(made=f"{REPO}/pulls/comments/5")
    answer, review = act("review_comment", 31, key="review_comment:5"), act("review", 31, key="review:31:a")
    assert journal.raised(answer, review) == []
    second = act("review", 31, key="review:31:b")
    assert journal.raised(answer, review, second) == [("review", "quality-1")]


def test_a_review_by_the_account_is_an_act_as_well() -> None:
    reviewed = pull(reviews=(Review(HIVE, "approved", HEAD, NOW - MINUTE),))
    seen = replace(look(pulls=[reviewed]).value, activity=Activity())
    (found,) = compare(seen, Journal().memory, policy(), NOW)
    assert isinstance(found, e.IncidentRaised)
    assert (found.what, found.number, found.agent) == ("review", 31, "quality-1")


@pytest.mark.parametrize(("marked", "is_note"), [("", True), ("quality-1", False)])
def test_by_a_shared_account_only_what_bears_hives_marker_is_an_incident(marked: str, is_note: bool) -> None:
    journal = Journal()
    assert journal.raised(act("comment", 31, agent=marked), shared=True) == [("comment", marked)]
    (found,) = journal.memory.incidents.values()
    assert (found.is_note, found.is_open) == (is_note, not is_note)
    assert (journal.memory.agents["quality-1"].pause is None) == is_note


def test_a_flood_of_acts_raises_no_more_than_a_person_can_read() -> None:
    journal = Journal()
    flood = [act("labeled", 31, key=f"event:{number}") for number in range(80)]
    assert len(journal.raised(*flood)) == 50
    assert journal.raised(*flood) == []
    for one in [*journal.memory.incidents][:10]:
        journal.add(e.IncidentClosed(incident_id=one, by="ada", why="rotated"), NOW)
    assert len(journal.raised(*flood)) == 10


def test_an_agent_behind_an_incident_loses_its_token_and_closing_it_gives_none_back() -> None:
    journal = Journal()
    journal.raised(act("push", ref=BRANCH))
    known = journal.memory.agents["quality-1"]
    assert (known.token_digest, known.pause is not None) == ("", True)
    (found,) = journal.memory.incidents.values()
    journal.add(e.IncidentClosed(incident_id=found.id, by="ada", why="rotated"))
    assert not journal.memory.incidents[found.id].is_open
    assert journal.memory.agents["quality-1"].token_digest == ""


def test_an_edit_by_the_account_is_an_act_whosever_the_words_are() -> None:
    at = NOW - 5 * MINUTE
    said = [
        Comment(ADA, at, "mine", edited_at=at + SECOND, edited_by=HIVE),
        Comment(HIVE, at + SECOND, "by a person", edited_at=at + SECOND, edited_by=ADA),
        Comment(HIVE, at + 2 * SECOND, "as it was"),
    ]
    seen = replace(
        look([issue(5, comments=tuple(said), edited_at=at + SECOND, edited_by=HIVE), issue(6)]).value,
        activity=Activity(),
    )
    journal = Journal()
    found = [one for one in compare(seen, journal.memory, policy(), NOW) if isinstance(one, e.IncidentRaised)]
    assert [(one.what, one.number) for one in found] == [("comment_edited", 5), ("edited", 5)]
    allowed = journal.ruled(Action.FILE_ISSUE, "o/r#5").ruled(Action.COMMENT, "o/r#5")
    assert [*compare(seen, allowed.memory, policy(), NOW)] == []


def test_hives_own_edits_of_its_tracking_issue_are_explained() -> None:
    known = UpdateTracking(repo=REPO, number=5, title="t", body="b", marker="m", digest="d")
    assert Journal().began(known).raised(act("edited", 5)) == []
    assert Journal().began(known).raised(act("edited", 6)) == [("edited", "")]


def test_a_pull_request_that_hive_could_not_hold_is_told_and_its_closing_is_hives_own() -> None:
    journal = Journal().ruled(Action.OPEN_PR, REPO, Ruling.HOLD).done(f"{REPO}/pulls/40")
    closed = act("closed", 40)
    assert journal.raised(closed) == [("closed", "")]

    journal = Journal().ruled(Action.OPEN_PR, REPO, Ruling.HOLD).done(f"{REPO}/pulls/40")
    name = incident_of_unheld(REPO, 40)
    said = "it could not be held; it was closed"
    journal.add(e.IncidentRaised(incident_id=name, what="unheld", repo=REPO, number=40, evidence=said))
    assert journal.raised(closed, act("closed", 31)) == [("closed", "quality-1")]
    told = {need.about: (need.text, need.agent) for need in outstanding(journal.memory, policy(), NOW)}
    assert told[name] == (f"hive could not hold a pull request, at {REPO}#40: {said}", "")
