"""A hold that the forge refuses: at no moment is the pull request open, ready and unheld, and people know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hive.decisions.reconcile import incident_of_unheld
from hive.facts.events import IncidentRaised, PullRequestOpened
from hive.gateway.opening import Openings
from tests.gateway.place import REPO, Place

LABELS = "/issues/[0-9]+/labels"
WANTED = {"title": "t", "head": "hive/quality/1", "base": "main", "body": "b"}
UNHELD = incident_of_unheld(REPO, 3)


@pytest.fixture
def branch(place: Place) -> Place:
    place.check_out()
    place.commit("hive/quality/1", {"widgets.py": "changed\n"})
    assert place.push("HEAD").returncode == 0
    return place


def opened(place: Place) -> tuple[int, str]:
    status, value = place.api("POST", f"/repos/{REPO}/pulls", json.dumps(WANTED))
    return status, str(value.get("message", ""))


def steps(place: Place) -> list[str]:
    return [row["what"] for row in place.forge.audit() if row["subject"] == f"{REPO}#3"]


def standing(place: Place) -> tuple[str, bool, list[str]]:
    [pull] = place.pulls()
    return pull["state"], pull["draft"], pull["labels"]


@pytest.mark.parametrize("status", [403, 404, 410, 422])
def test_a_draft_whose_hold_is_refused_for_good_stays_one_and_a_person_is_told(
    branch: Place, status: int
) -> None:
    branch.forge.fault(f"status:{status}:Not today", method="POST", path=LABELS, times=99)
    said = f"{REPO}#3 could not be held (the label 'hold' was answered {status})"
    assert opened(branch) == (502, f"hive: github: {said}; it stays a draft, and a person was told")
    assert standing(branch) == ("open", True, [])
    assert steps(branch) == ["pr.create"]
    assert branch.authority.events_of(PullRequestOpened) == []
    assert branch.authority.events_of(IncidentRaised) == [
        IncidentRaised(
            incident_id=UNHELD,
            what="unheld",
            repo=REPO,
            number=3,
            evidence=f"{said}; it stays a draft",
        )
    ]
    # Nor does the agent get it ready itself.
    assert branch.run("gh", "pr", "ready", "3").returncode != 0
    assert standing(branch) == ("open", True, [])


@pytest.mark.parametrize(
    "trouble", ["500", "rate-limit:60", "secondary-limit:1", "status:401:Bad credentials"]
)
def test_what_passes_is_told_to_nobody_and_the_next_request_goes_on(branch: Place, trouble: str) -> None:
    branch.forge.fault(trouble, method="POST", path=LABELS, times=1)
    status, _ = opened(branch)
    assert (status, standing(branch)[1]) == (502, True)
    assert branch.authority.events_of(IncidentRaised) == []
    assert opened(branch)[0] == 201
    assert standing(branch) == ("open", False, ["hold"])
    assert steps(branch) == ["pr.create", "issue.label", "pr.ready"]


def ready_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forge that takes no drafts: what was asked for as one is open and ready."""
    create = Openings._create

    def undrafted(self: Openings, *given: Any) -> Any:
        identity, wanted, _ = given
        return create(self, identity, wanted, False)

    monkeypatch.setattr(Openings, "_create", undrafted)


@pytest.mark.parametrize("trouble", ["status:422:Not today", "500"])
def test_where_the_forge_makes_no_draft_of_it_it_is_closed(
    branch: Place, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    ready_at_once(monkeypatch)
    branch.forge.fault(trouble, method="POST", path=LABELS, times=1)
    status, said = opened(branch)
    assert status == 502
    assert said.endswith("; it was closed, and a person was told")
    assert standing(branch) == ("closed", False, [])
    [incident] = branch.authority.events_of(IncidentRaised)
    assert (incident.incident_id, incident.agent) == (UNHELD, "")


def test_one_that_cannot_even_be_closed_is_told_as_open(
    branch: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready_at_once(monkeypatch)
    branch.forge.fault("status:422:Not today", method="POST", path=LABELS, times=1)
    branch.forge.fault("status:422:Nor this", method="PATCH", path="/pulls/3$", times=1)
    assert opened(branch)[1].endswith(
        "it is open and unheld: closing it was answered 422, and a person was told"
    )
    [incident] = branch.authority.events_of(IncidentRaised)
    assert incident.evidence.endswith("it is open and unheld: closing it was answered 422")


def test_a_draft_that_the_journal_has_without_its_hold_is_held_before_it_is_ready(branch: Place) -> None:
    branch.forge.fault("500", method="POST", path=LABELS, times=1)
    assert opened(branch)[0] == 502
    # Meanwhile a look at the forge found it and wrote it down.
    head = branch.branches()["refs/heads/hive/quality/1"]
    seen = PullRequestOpened(
        repo=REPO, number=3, agent="quality", head_ref="hive/quality/1", head=head, held=False
    )
    branch.authority.record([seen])
    assert opened(branch)[0] == 201
    assert steps(branch) == ["pr.create", "issue.label", "pr.ready"]
    assert branch.authority.events_of(PullRequestOpened) == [seen]
