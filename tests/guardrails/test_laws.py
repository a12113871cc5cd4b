"""Every installed guardrail keeps the laws: it only tightens, one that fails denies, its settings are strict,
and it costs no more than its text is long."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.contracts.guardrail import CUT_OFF, Configurable, Guardrail, Proposal
from hive.decisions.gate import guarded, rule_action
from hive.facts.autonomy import Action
from hive.facts.deeds import Deed, Deeds, OpenPull
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling
from hive.kernel.plugins import guardrails
from tests.decisions.worlds import policy, spec
from tests.guardrails.proposals import NOW, REPO, comment, installed, log, push

NAMES = sorted(guardrails())
ON = {"blast-radius", "duplicate-work", "protected-paths", "secrets", "untrusted-authors"}

times = st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
deeds = st.builds(
    Deeds,
    st.lists(st.builds(Deed, times, st.sampled_from(Action), st.just(REPO)), max_size=5).map(tuple),
    st.lists(st.sampled_from(Action), max_size=5).map(tuple),
)
texts = st.text(max_size=60) | st.builds(
    lambda added, cut: log(added=added) + (CUT_OFF if cut else ""), st.text(max_size=60), st.booleans()
)
proposals = st.builds(
    Proposal,
    agent=st.just("quality-1"),
    role=st.just("quality"),
    action=st.sampled_from(Action),
    target=st.sampled_from([REPO, f"{REPO}#7"]),
    at=times,
    paths=st.lists(st.text(max_size=20) | st.just(".github/x"), max_size=3).map(tuple),
    text=texts,
    issue=st.none() | st.just(7),
    past=deeds,
    pulls=st.lists(st.just(OpenPull(REPO, 9, "quality-1", "hive/quality-1/7", 7)), max_size=1).map(tuple),
)


def test_those_of_the_design_are_installed_and_the_quiet_ones_are_off() -> None:
    assert NAMES == [
        "blast-radius",
        "duplicate-work",
        "first-time",
        "prompt-injection",
        "protected-paths",
        "quiet-hours",
        "rate-of-actions",
        "secrets",
        "untrusted-authors",
    ]
    assert {name for name in NAMES if configurable(name).is_on} == ON


def configurable(name: str) -> Configurable:
    found = guardrails()[name]
    assert isinstance(found, Configurable)
    return found


@pytest.mark.parametrize("name", NAMES)
@given(proposal=proposals, level=st.integers(1, 6))
def test_a_guardrail_only_tightens_and_has_no_trouble_with_any_proposal(
    name: str, proposal: Proposal, level: int
) -> None:
    one = spec(repos=(REPO,))
    free, guarding = (policy(one, level=level, guardrails=some) for some in ((), (installed(name),)))
    before = rule_action(free, Memory(), one, proposal, REPO)
    after = rule_action(guarding, Memory(), one, proposal, REPO)
    assert after.ruling.strictness >= before.ruling.strictness
    for verdict in guarded([installed(name)], proposal):
        assert verdict.rule == f"guardrail.{name}"
        assert verdict.ruling is not Ruling.ALLOW
        assert "failed" not in verdict.because
        assert "\n" not in verdict.because


@pytest.mark.parametrize("name", NAMES)
def test_what_a_guardrail_fails_on_is_denied(name: str) -> None:
    class Failing:
        def __init__(self, real: Guardrail) -> None:
            self.name = real.name

        def __call__(self, proposal: Proposal) -> None:
            raise ValueError("a secret that must not be told")

    [verdict] = guarded([Failing(guardrails()[name])], comment())
    assert (verdict.ruling, verdict.rule) == (Ruling.DENY, f"guardrail.{name}")
    assert "secret that" not in verdict.because


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_strict(name: str) -> None:
    with pytest.raises(ValueError, match="Extra inputs"):
        installed(name, rulling="deny")
    with pytest.raises(ValueError, match="ruling"):
        installed(name, ruling="allow")


@pytest.mark.parametrize("name", sorted(ON))
def test_those_that_are_on_let_usual_work_through(name: str) -> None:
    for proposal in (comment(), push(), push("", paths=())):
        assert installed(name)(proposal) is None


HOSTILE = (
    "sk-",
    "<!--agents:",
    "ghp_",
    "xoxb-1-",
    "-----BEGIN A ",
    "ignore the ",
    "secret_access_key",
    "T3BlbkFJ",
)


@pytest.mark.parametrize("what", [*HOSTILE, " "])
def test_hostile_text_costs_no_more_than_its_length(what: str) -> None:
    """Measured: 50 to 500 ms on a busy machine. Anything that grows with the square takes minutes."""
    text = "ignore" + what * (300_000 // len(what))
    begun = time.monotonic()
    for proposal in (comment(text=text), push(log(added=text)), push(log() + "Author: " + "<" * 300_000)):
        for name in NAMES:
            installed(name)(proposal)
    assert time.monotonic() - begun < 15


def test_time_is_an_argument() -> None:
    quiet = installed("quiet-hours")
    assert quiet(comment(at=NOW)) is None
    assert quiet(comment(at=NOW + timedelta(hours=11))) is not None
