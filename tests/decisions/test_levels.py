"""Levels in force: of the hive, a repository and an agent the lowest, as it is now; and the gate's ruling."""

from __future__ import annotations

import pytest

from hive.contracts.guardrail import Proposal
from hive.decisions.gate import guarded, rule_action, rule_intent
from hive.decisions.policy import Policy, is_started, level_of, mode_of
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.autonomy import AcmmLevel, Action, Mode
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict
from tests.decisions.worlds import HEAD, NOW, OTHER, REPO, memory, opened, policy, spec, world

BOTH = spec(repos=(REPO, OTHER))


@pytest.mark.parametrize(
    ("hive", "repo", "agent", "expected"),
    [(6, None, None, 6), (6, 2, None, 2), (6, None, 3, 3), (6, 2, 3, 2), (1, 6, 6, 1), (6, 6, 2, 2)],
)
def test_the_lowest_level_wins(hive: int, repo: int | None, agent: int | None, expected: int) -> None:
    one = spec(level=AcmmLevel(agent) if agent else None)
    wishes = policy(one, level=hive, repo_levels={REPO: AcmmLevel(repo)} if repo else {})
    assert level_of(wishes, Memory(), REPO, one) == expected


def test_an_operators_change_goes_before_the_configuration_and_can_be_taken_back() -> None:
    wishes = policy(BOTH, level=6, repo_levels={OTHER: AcmmLevel.L2})
    changes = [("hive", "", 5), ("repo", OTHER, 4), ("agent", BOTH.name, 3), ("agent", BOTH.name, None)]
    known, levels = Memory(), []
    for seq, (scope, name, level) in enumerate(changes, 1):
        event = e.LevelChanged(scope=scope, name=name, level=level, by="ada")
        known = recall(known, [e.Record(seq, NOW, 0, event)])
        levels.append(tuple(int(level_of(wishes, known, repo, BOTH)) for repo in (REPO, OTHER)))
    assert levels == [(5, 2), (5, 4), (3, 3), (5, 4)]


def ruling(wishes: Policy, known: Memory, action: Action, repo: str) -> tuple[Ruling, str]:
    proposal = Proposal(agent=BOTH.name, role=BOTH.role, action=action, target=repo, at=NOW)
    verdict = rule_action(wishes, known, BOTH, proposal, repo)
    return verdict.ruling, verdict.rule


def test_a_lower_level_of_one_repository_rules_there_alone() -> None:
    wishes = policy(BOTH, level=6, repo_levels={OTHER: AcmmLevel.L2})
    assert ruling(wishes, Memory(), Action.OPEN_PR, REPO) == (Ruling.ALLOW, "acmm.full.open-pr")
    assert ruling(wishes, Memory(), Action.OPEN_PR, OTHER) == (Ruling.DENY, "acmm.advisory.open-pr")
    assert ruling(wishes, Memory(), Action.OPEN_PR, "O/Other")[0] is Ruling.DENY


def test_a_level_that_is_lowered_mid_run_rules_on_the_very_next_action() -> None:
    wishes = policy(BOTH, level=6)
    assert ruling(wishes, Memory(level=2), Action.PUSH_OWN_BRANCH, REPO)[0] is Ruling.DENY


def test_a_repository_that_is_not_the_agents_is_denied() -> None:
    assert ruling(policy(BOTH, level=6), Memory(), Action.READ, "o/elsewhere") == (Ruling.DENY, "repository")
    assert ruling(policy(BOTH, level=6), Memory(), Action.READ, "") == (Ruling.DENY, "repository")


def test_a_role_is_started_when_any_of_its_repositories_starts_it() -> None:
    wishes = policy(BOTH, level=6, repo_levels={REPO: AcmmLevel.L1})
    assert is_started(wishes, Memory(), BOTH)
    assert (mode_of(wishes, Memory(), REPO, BOTH), mode_of(wishes, Memory(), OTHER, BOTH)) == (
        None,
        Mode.FULL,
    )
    assert not is_started(wishes, Memory(level=1), BOTH)
    assert not is_started(wishes, Memory(), spec(repos=()))


class Says:
    name = "says"

    def __init__(self, verdict: Verdict | None) -> None:
        self.verdict = verdict

    def __call__(self, proposal: Proposal) -> Verdict | None:
        return self.verdict


class Fails:
    name = "fails"

    def __call__(self, proposal: Proposal) -> Verdict | None:
        raise ValueError("a secret that must not be told")


def test_the_strictest_guardrail_wins_and_one_that_fails_denies_without_its_words() -> None:
    hold = Verdict(Ruling.HOLD, "guardrail.says", "look at it")
    proposal = Proposal(agent="a", role="quality", action=Action.READ, target=REPO, at=NOW)
    assert guarded([Says(None), Says(hold), Fails()], proposal) == [
        hold,
        Verdict(
            Ruling.DENY,
            "guardrail.fails",
            "the guardrail failed (ValueError); what cannot be checked is denied",
        ),
    ]
    wishes = policy(BOTH, level=6, guardrails=(Says(hold),))
    assert ruling(wishes, Memory(), Action.OPEN_PR, REPO) == (Ruling.HOLD, "guardrail.says")


MERGE = i.MergePullRequest(repo=REPO, number=31, head=HEAD, base="main")


def merge_ruling(wishes: Policy, known: Memory) -> tuple[Ruling, str]:
    verdict = rule_intent(MERGE, world(), known, wishes)
    return verdict.ruling, verdict.rule


def test_hive_merges_as_the_agent_might_ask_it_to() -> None:
    known = memory({}, pulls={f"{REPO}#31": opened()})
    assert merge_ruling(policy(level=6), known) == (Ruling.ALLOW, "acmm.full.request-merge")
    assert merge_ruling(policy(level=5), known) == (Ruling.DENY, "acmm.holdgated.request-merge")
    assert merge_ruling(policy(level=6), memory({})) == (Ruling.DENY, "merge.author")
    assert merge_ruling(policy(spec("other"), level=6), known) == (Ruling.DENY, "merge.author")
    elsewhere = policy(spec(repos=(OTHER,)), level=6)
    assert merge_ruling(elsewhere, known) == (Ruling.DENY, "repository")


def test_hives_own_supervision_is_allowed_at_every_level() -> None:
    start = i.StartAgent(agent="quality-1", generation=1)
    assert rule_intent(start, world(), Memory(), policy(level=1)).ruling is Ruling.ALLOW
