from __future__ import annotations

import pytest

from hive.errors import ConfigError
from hive.facts.autonomy import AcmmLevel, Action, Mode
from hive.surfaces.acmm import acmm_decide, acmm_table, level_of, render_decision, render_table


def test_an_allowed_action_is_a_plain_yes() -> None:
    because = "role scanner at L6 (Fully autonomous) is full, which grants open-pr"
    answer = {"ruling": "allow", "mode": "full", "rule": "acmm.full.open-pr", "because": because}
    assert acmm_decide("6", "scanner", "open-pr") == (answer, 0)
    assert list(answer) == list(acmm_decide("6", "scanner", "open-pr")[0])


@pytest.mark.parametrize("action", ["open-pr", "update-own-pr"])
def test_what_is_done_with_a_hold_is_no_plain_yes(action: str) -> None:
    answer, code = acmm_decide("5", "scanner", action)
    assert (answer["ruling"], answer["mode"], code) == ("hold", "holdgated", 1)


def test_a_denied_action_exits_one() -> None:
    answer, code = acmm_decide("4", "scanner", "open-pr")
    assert (answer["ruling"], answer["mode"], code) == ("deny", "measured", 1)


def test_a_role_that_is_not_started_has_no_mode() -> None:
    answer, code = acmm_decide("1", "scanner", "read")
    assert (answer["ruling"], answer["mode"], answer["rule"], code) == ("deny", None, "acmm.not-started", 1)


@pytest.mark.parametrize(
    ("mode", "granted"), [("advisory", "advisory"), ("measured", "measured"), ("full", "holdgated")]
)
def test_a_mode_can_only_lower(mode: str, granted: str) -> None:
    assert acmm_decide("5", "scanner", "read", mode)[0]["mode"] == granted


def test_a_mode_does_not_start_a_role() -> None:
    assert acmm_decide("1", "scanner", "read", "full")[0]["mode"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("7", "scanner", "read"), "'7' is no level; write 1 to 6"),
        (("0", "scanner", "read"), "'0' is no level; write 1 to 6"),
        (("four", "scanner", "read"), "'four' is no level; write 1 to 6"),
        (("4", "sec_check", "read"), "unknown role 'sec_check'; did you mean 'sec-check'?"),
        (("4", "outreech", "read"), "unknown role 'outreech'; did you mean 'outreach'?"),
        (("4", "scanner", "open_pr"), "unknown action 'open_pr'; did you mean 'open-pr'?"),
        (("4", "scanner", "Read"), "unknown action 'Read'; did you mean 'read'?"),
        (("4", "scanner", "read", "ful"), "unknown mode 'ful'; did you mean 'full'?"),
        (
            ("4", "scanner", "read", "x"),
            "unknown mode 'x'; known are advisory, measured, holdgated, full",
        ),
    ],
)
def test_bad_input_is_one_line_with_the_remedy(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        acmm_decide(*arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["4", "L4", "l4"])
def test_a_level_may_carry_its_letter(text: str) -> None:
    assert level_of(text) == AcmmLevel.L4


def test_the_table_shows_every_level_role_mode_and_action() -> None:
    table = acmm_table()
    assert list(table["levels"]) == ["1", "2", "3", "4", "5", "6"]
    for level, roles in table["levels"].items():
        for role, mode in roles.items():
            asked = "reviewer" if role == "any other" else role
            assert acmm_decide(level, asked, "read")[0]["mode"] == mode
    for mode, actions in table["modes"].items():
        assert list(actions) == list(Action)
        for action, ruling in actions.items():
            assert acmm_decide("6", "scanner", action, mode)[0]["ruling"] == ruling
    assert list(table["modes"]) == list(Mode)


def test_people_read_the_same_facts() -> None:
    answer, _ = acmm_decide("6", "outreach", "remove-hold")
    assert render_decision(answer) == (
        "deny: remove-hold is never allowed, at any level [acmm.never.remove-hold]"
    )
    lines = render_table(acmm_table()).splitlines()
    assert "sec-check      -         -         -          holdgated  holdgated  full" in lines
    assert "open-pr               no        no        hold       yes" in lines
