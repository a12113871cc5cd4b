"""While an incident is open: its agent is stopped, nothing is merged there, what it concerns is held."""

from __future__ import annotations

from dataclasses import replace

from hive.decisions.plan import plan
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.memory import Memory, PullMemory
from tests.decisions.worlds import (
    HEAD,
    NOW,
    OTHER,
    REPO,
    held,
    known_agent,
    look,
    memory,
    opened,
    policy,
    pull,
    sighting,
    spec,
    world,
)

A, B = "quality-1", "quality-2"
RAISED = e.IncidentRaised(incident_id="X1", what="comment", repo=REPO, number=31, evidence="spoke", agent=A)
FULL = policy(spec(A), spec(B), level=6)


def after(*events: e.Event, before: Memory | None = None) -> Memory:
    return recall(before or memory({}), [e.Record(seq, NOW, 0, event) for seq, event in enumerate(events, 2)])


def known(*events: e.Event, **pulls: PullMemory) -> Memory:
    """With agents A and B at rest and the pull requests 31 of both repositories, then `events`."""
    mine = pulls.get("mine", opened())
    theirs = pulls.get("theirs", opened())
    begun = memory({A: known_agent(), B: known_agent()}, pulls={f"{REPO}#31": mine, f"{OTHER}#31": theirs})
    return after(*events, before=begun)


def planned(memo: Memory, *, label: bool = False) -> list[tuple[str, str]]:
    """What is decided about pull requests, and about sessions: tag and subject."""
    seen = pull(labels=held()) if label else pull()
    here = world(
        sighting(A),
        sighting(B),
        repos={REPO: look(pulls=[seen]), OTHER: look(pulls=[pull(repo=OTHER)], repo=OTHER)},
    )
    kinds = (i.HoldPullRequest, i.LiftHold, i.MergePullRequest, i.StopAgent, i.StartAgent)
    return [
        (type(one).__name__, one.subject) for one in plan(here, memo, FULL).intents if isinstance(one, kinds)
    ]


def test_without_an_incident_both_are_merged() -> None:
    merges = {("MergePullRequest", f"{REPO}#31"), ("MergePullRequest", f"{OTHER}#31")}
    assert set(planned(known())) == merges


def test_its_agent_is_stopped_its_pull_request_held_and_merging_goes_on_elsewhere_only() -> None:
    decided = set(planned(known(RAISED)))
    assert decided == {
        ("StopAgent", A),
        ("HoldPullRequest", f"{REPO}#31"),
        ("MergePullRequest", f"{OTHER}#31"),
    }


def test_an_incident_about_nothing_in_particular_still_stops_every_merge_in_the_repository() -> None:
    release = like(number=0, what="release", agent="")
    assert planned(known(release)) == [("MergePullRequest", f"{OTHER}#31")]


def test_a_hold_that_somebody_took_off_meanwhile_is_put_on_again() -> None:
    """Whoever has the account may have taken it off."""
    marked = replace(opened(), held_head=HEAD)
    assert ("HoldPullRequest", f"{REPO}#31") in planned(known(RAISED, mine=marked))
    assert ("HoldPullRequest", f"{REPO}#31") not in planned(known(RAISED, mine=marked), label=True)


def test_an_agent_behind_an_incident_is_not_started_again_and_closing_it_leaves_that_to_a_person() -> None:
    memo = known(RAISED)
    gone = world(sighting(B), repos={REPO: look(), OTHER: look(repo=OTHER)})
    closed = e.IncidentClosed(incident_id="X1", by="ada", why="it was me")
    resumed = e.AgentResumed(agent=A, by="ada")
    for told, expected in (((), []), ((closed,), []), ((closed, resumed), [A])):
        starts = plan(gone, after(*told, before=memo), FULL).intents
        assert [one.agent for one in starts if isinstance(one, i.StartAgent)] == expected


def test_once_it_is_closed_merging_goes_on_and_it_is_on_record_who_said_so() -> None:
    closed = e.IncidentClosed(incident_id="X1", by="ada", why="renewed the token")
    memo = known(RAISED, closed)
    assert ("MergePullRequest", f"{REPO}#31") in planned(memo)
    closed_one = memo.incidents["X1"]
    assert (closed_one.is_open, closed_one.closed_by, closed_one.why) == (False, "ada", "renewed the token")


def test_a_note_about_a_shared_account_stops_nothing() -> None:
    note = like(is_note=True, agent="")
    assert ("MergePullRequest", f"{REPO}#31") in planned(known(note))


def like(**changes: object) -> e.IncidentRaised:
    told = {
        "incident_id": "X1",
        "what": "comment",
        "repo": REPO,
        "number": 31,
        "evidence": "spoke",
        "agent": A,
    }
    return e.IncidentRaised(**{**told, **changes})  # type: ignore[arg-type]  # its own fields
