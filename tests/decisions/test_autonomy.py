from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.autonomy import Ruled, effective_level, mode, rights, rule
from hive.errors import ConfigError
from hive.facts.autonomy import AcmmLevel, Action, Mode
from hive.facts.verdicts import Ruling, Verdict
from hive.settings.acmm import load_table

TABLE = load_table()

# The tables of the contract, written out a second time: a slip in the data file shows here.
MODES = {"-": None, "A": Mode.ADVISORY, "M": Mode.MEASURED, "H": Mode.HOLDGATED, "F": Mode.FULL}
ROLES = {
    "supervisor": "-AAAAA",
    "guide": "AAAMHF",
    "brainstorm": "AAAAAA",
    "scanner": "-AAMHF",
    "quality": "-AHHHF",
    "ci-maintainer": "--AHHF",
    "sec-check": "---HHF",
    "architect": "----HF",
    "strategist": "----HF",
    "outreach": "-----F",
    "reviewer": "-AAMHF",
    "any other": "-AAMHF",
}
# Per action the rulings in advisory, measured, holdgated, full: yes, hold, no.
ACTIONS = {
    "read": "yyyy",
    "record-finding": "yyyy",
    "file-issue": "nyyy",
    "comment": "nyyy",
    "label-own": "nyyy",
    "close-own": "nyyy",
    "push-own-branch": "nnyy",
    "open-pr": "nnhy",
    "update-own-pr": "nnhy",
    "review-comment": "nnyy",
    "request-changes": "nnyy",
    "approve": "nnny",
    "request-merge": "nnny",
}
NEVER = [
    "push-default-branch",
    "push-other-branch",
    "force-push-default",
    "delete-branch",
    "push-tag",
    "merge-directly",
    "admin-merge",
    "enable-auto-merge",
    "remove-hold",
    "edit-others-text",
    "forge-signal",
    "change-settings",
    "change-protection",
    "change-secrets",
    "change-collaborators",
    "change-webhooks",
    "change-workflow",
    "dispatch-workflow",
    "command-bot",
    "release",
    "unknown",
]
RULINGS = {"y": Ruling.ALLOW, "h": Ruling.HOLD, "n": Ruling.DENY}

levels = st.sampled_from(AcmmLevel)
roles = st.sampled_from(sorted(ROLES))
actions = st.sampled_from(Action)
caps = st.one_of(st.none(), st.sampled_from(Mode))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("level", AcmmLevel)
def test_each_role_has_the_mode_of_its_level(level: AcmmLevel, role: str) -> None:
    assert mode(TABLE, level, role) == MODES[ROLES[role][level - 1]]


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("granted", Mode)
def test_each_mode_rules_on_each_action(granted: Mode, action: str) -> None:
    ruled = rule(TABLE, AcmmLevel.L6, "scanner", Action(action), cap=granted)
    assert (ruled.verdict.ruling, ruled.mode) == (RULINGS[ACTIONS[action][granted.rank]], granted)
    assert ruled.verdict.rule == f"acmm.{granted}.{action}"


@pytest.mark.parametrize("action", NEVER)
@pytest.mark.parametrize("level", AcmmLevel)
def test_some_actions_are_never_allowed(level: AcmmLevel, action: str) -> None:
    ruled = rule(TABLE, level, "scanner", Action(action))
    assert ruled.verdict == Verdict(
        Ruling.DENY, f"acmm.never.{action}", f"{action} is never allowed, at any level"
    )
    assert ruled.mode == mode(TABLE, level, "scanner")


def test_every_action_is_either_ruled_or_never_allowed() -> None:
    assert sorted([*ACTIONS, *NEVER]) == sorted(Action)


@pytest.mark.parametrize("action", sorted(set(Action)))
def test_a_role_that_is_not_started_may_do_nothing(action: Action) -> None:
    ruled = rule(TABLE, AcmmLevel.L1, "scanner", action)
    assert (ruled.verdict.ruling, ruled.mode) == (Ruling.DENY, None)


def test_a_denial_for_want_of_a_start_says_so() -> None:
    because = "role outreach is not started at L5 (Semi-automated)"
    assert rule(TABLE, AcmmLevel.L5, "outreach", Action.READ) == Ruled(
        Verdict(Ruling.DENY, "acmm.not-started", because), None
    )


def test_a_hold_says_who_releases_it() -> None:
    assert rule(TABLE, AcmmLevel.L4, "quality", Action.OPEN_PR) == Ruled(
        Verdict(
            Ruling.HOLD,
            "acmm.holdgated.open-pr",
            "role quality at L4 (Adaptive) is holdgated, which grants open-pr with hive's hold put on "
            "in the same step; a person releases it",
        ),
        Mode.HOLDGATED,
    )


@given(levels, roles, caps)
def test_a_cap_only_lowers(level: AcmmLevel, role: str, cap: Mode | None) -> None:
    plain, capped = mode(TABLE, level, role), mode(TABLE, level, role, cap)
    if plain is None or cap is None:
        assert capped == plain
    else:
        assert capped is not None
        assert capped.rank == min(plain.rank, cap.rank)


@given(levels, roles, actions, caps)
def test_a_cap_never_loosens_a_ruling(level: AcmmLevel, role: str, action: Action, cap: Mode | None) -> None:
    capped = rule(TABLE, level, role, action, cap=cap).verdict.ruling
    assert capped.strictness >= rule(TABLE, level, role, action).verdict.ruling.strictness


@given(levels, levels, roles, actions)
def test_a_higher_level_never_denies_what_a_lower_one_grants(
    one: AcmmLevel, other: AcmmLevel, role: str, action: Action
) -> None:
    low, high = sorted((one, other))
    lower = rule(TABLE, low, role, action).verdict.ruling
    assert rule(TABLE, high, role, action).verdict.ruling.strictness <= lower.strictness


@given(levels, st.one_of(st.none(), levels), st.one_of(st.none(), levels))
def test_the_lowest_level_wins(hive: AcmmLevel, repo: AcmmLevel | None, agent: AcmmLevel | None) -> None:
    given_levels = [level for level in (hive, repo, agent) if level is not None]
    assert effective_level(hive, repo, agent) == min(given_levels)


@pytest.mark.parametrize(
    ("role", "meant"),
    [
        ("sec_check", "sec-check"),
        ("outreech", "outreach"),
        ("Scanner", "scanner"),
        ("ci_maintainer", "ci-maintainer"),
    ],
)
def test_a_misspelt_role_is_bad_input_and_not_any_other_role(role: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=f"^unknown role '{role}'; did you mean '{meant}'[?]$"):
        rule(TABLE, AcmmLevel.L4, role, Action.READ)


def test_an_empty_role_is_bad_input() -> None:
    with pytest.raises(ConfigError, match="empty"):
        mode(TABLE, AcmmLevel.L4, " ")


@pytest.mark.parametrize("granted", Mode)
def test_what_a_mode_permits_is_what_is_ruled_in_it(granted: Mode) -> None:
    level, role = next(
        (level, role) for role in ROLES for level in AcmmLevel if mode(TABLE, level, role) is granted
    )
    told = rights(TABLE, granted)
    by_ruling = {Ruling.ALLOW: told.may, Ruling.HOLD: told.held, Ruling.DENY: told.denied}
    for action in Action:
        ruling = rule(TABLE, level, role, action).verdict.ruling
        assert [one for one, actions in by_ruling.items() if action in actions] == (
            [] if action in TABLE.never else [ruling]
        )
