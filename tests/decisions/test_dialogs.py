"""Boxes on agents' screens: chosen by the text of an option, once each, and else left to the operator."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.contracts.backend import DialogRule
from hive.decisions.dialogs import box_of, choose, next_key, option_meant
from hive.decisions.plan import plan
from hive.facts.agents import AgentSighting
from hive.facts.hooks import HookEvidence, HookState
from hive.facts.intents import AnswerDialog
from hive.facts.memory import AgentMemory, Answered, Pause
from hive.facts.screens import Screen, ScreenState
from hive.kernel.plugins import backends
from tests.decisions.worlds import NOW, SECOND, TRAITS, known_agent, memory, policy, sighting, spec, world

SCREENS = Path(__file__).parents[1] / "backends" / "screens"
RULES = (
    DialogRule("trust", r"trust this folder", r"Yes, I trust it"),
    DialogRule("permission", r"Do you want to proceed", r"Yes", r"No.*"),
)
TRUST = Screen(
    ScreenState.ASKING, "Do you trust this folder?", options=("No, exit", "Yes, I trust it"), chosen=0
)
WISHES = policy(traits={"scripted": replace(TRAITS, dialogs=RULES)})


def answers(seen: AgentSighting, known: AgentMemory | None = None) -> list[AnswerDialog]:
    decided = plan(world(seen), memory({"quality-1": known or known_agent()}), WISHES)
    return [one for one in decided.intents if isinstance(one, AnswerDialog)]


def test_an_option_is_chosen_by_its_text_wherever_it_stands() -> None:
    turned = replace(TRUST, options=TRUST.options[::-1], chosen=1)
    assert [choose(RULES, one, allowed=None) for one in (TRUST, turned)] == [
        (RULES[0], "Yes, I trust it")
    ] * 2
    assert box_of(TRUST) == box_of(turned)
    assert [next_key(one, "Yes, I trust it") for one in (TRUST, turned)] == ["Down", "Up"]
    assert next_key(replace(TRUST, chosen=1), "Yes, I trust it") == "Enter"


@pytest.mark.parametrize(
    "screen",
    [
        replace(TRUST, detail="Delete everything?"),
        replace(TRUST, options=("No, exit", "Yes, I trust it all")),
        replace(TRUST, options=("Yes, I trust it", "Yes, I trust it")),
        replace(TRUST, options=()),
        replace(TRUST, state=ScreenState.UNKNOWN),
        replace(TRUST, state=ScreenState.READY),
    ],
)
def test_what_no_rule_knows_is_left_to_the_operator(screen: Screen) -> None:
    assert choose(RULES, screen, allowed=True) is None
    assert answers(sighting(screen=screen)) == []


def test_a_screen_that_does_not_show_what_is_marked_is_left_to_the_operator() -> None:
    assert answers(sighting(screen=replace(TRUST, chosen=None))) == []


@pytest.mark.parametrize(
    ("allowed", "option"), [(True, "Yes"), (False, "No, tell it"), (None, "No, tell it")]
)
def test_a_tool_is_permitted_once_where_hive_let_it_pass_and_refused_otherwise(
    allowed: bool | None, option: str
) -> None:
    asks = Screen(
        ScreenState.ASKING,
        "Do you want to proceed?",
        options=("Yes", "Yes, and don't ask again", "No, tell it"),
        chosen=0,
    )
    hooks = HookEvidence(HookState.ASKING, NOW - SECOND, allowed=allowed)
    assert [one.option for one in answers(replace(sighting(screen=asks), hooks=hooks))] == [option]


def test_a_box_is_answered_once() -> None:
    (first,) = answers(sighting(screen=TRUST))
    assert (first.id, first.option, first.rule) == ("answer/quality-1/1", "Yes, I trust it", "trust")
    known = known_agent(answered=Answered(first.box, NOW - 14 * SECOND, 1, 1))
    assert answers(sighting(screen=TRUST), known) == []
    late = replace(known, answered=Answered(first.box, NOW - 15 * SECOND, 1, 1))
    assert [one.id for one in answers(sighting(screen=TRUST), late)] == ["answer/quality-1/2"]


def test_after_three_answers_that_changed_nothing_a_person_is_asked() -> None:
    thrice = known_agent(answered=Answered(box_of(TRUST), NOW - 20 * SECOND, 3, 3))
    assert answers(sighting(screen=TRUST, since=60 * SECOND), thrice) == []
    assert len(answers(sighting(screen=TRUST, since=2 * SECOND), thrice)) == 1


def test_another_box_is_answered_at_once() -> None:
    other = known_agent(answered=Answered("another", NOW - SECOND, 7, 1))
    assert [one.number for one in answers(sighting(screen=TRUST), other)] == [8]


@pytest.mark.parametrize(
    "known", [known_agent(pause=Pause("ada", "lunch", NOW)), known_agent(restart_wanted=True)]
)
def test_an_agent_that_hive_leaves_alone_gets_no_answer(known: AgentMemory) -> None:
    assert answers(sighting(screen=TRUST), known) == []


def test_while_anything_is_in_doubt_in_its_terminal_nothing_is_answered() -> None:
    (first,) = answers(sighting(screen=TRUST))
    doubting = memory({"quality-1": known_agent()}, in_doubt={first.id: first})
    decided = plan(world(sighting(screen=TRUST)), doubting, WISHES)
    assert not any(isinstance(one, AnswerDialog) for one in decided.intents)


def test_the_operators_own_rules_go_before_the_backends() -> None:
    own = DialogRule("mine", r"trust", r"No, exit")
    wishes = replace(WISHES, dialogs={"scripted": (own,)})
    decided = plan(world(sighting(screen=TRUST)), memory({"quality-1": known_agent()}), wishes)
    assert [one.option for one in decided.intents if isinstance(one, AnswerDialog)] == ["No, exit"]
    silent = replace(own, answer="")
    decided = plan(
        world(sighting(screen=TRUST)),
        memory({"quality-1": known_agent()}),
        replace(wishes, dialogs={"scripted": (silent,)}),
    )
    assert not any(isinstance(one, AnswerDialog) for one in decided.intents)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("2", "Yes, I trust it"),
        ("yes, i trust it", "Yes, I trust it"),
        ("no", "No, exit"),
        ("3", None),
        ("0", None),
        ("", None),
        ("maybe", None),
    ],
)
def test_an_operator_names_an_option_by_number_or_text(word: str, expected: str | None) -> None:
    assert option_meant(TRUST, word) == expected


@pytest.mark.parametrize(
    ("backend", "question", "options", "taken"),
    [
        ("claude", "Do you trust the files in this folder?", ("No, exit", "Yes, proceed"), "Yes, proceed"),
        (
            "claude",
            "Quick safety check: Is this a project you created or one you trust?",
            ("No, exit", "Yes, I trust this project"),
            "Yes, I trust this project",
        ),
        ("claude", "Bypass Permissions mode", ("Yes, I accept", "No, exit"), "Yes, I accept"),
        ("claude", "Do you trust this MCP server?", ("Yes", "Yes, and remember", "No"), None),
        ("claude", "Delete everything?", ("Yes, I accept", "No, exit"), None),
        ("claude", "Do you trust this folder?", ("Sure", "Nope"), None),
        ("copilot", "Do you trust the contents of this directory?", ("No, exit (Esc)", "Yes"), "Yes"),
        ("gemini", "Do you trust this folder?", ("Don't trust", "Trust folder (a)"), "Trust folder (a)"),
        ("gemini", "Do you trust this folder?", ("Don't trust", "Trust parent folder (a)"), None),
    ],
)
def test_a_start_up_box_in_other_words_or_order_gets_its_option_and_a_strange_one_none(
    backend: str, question: str, options: tuple[str, ...], taken: str | None
) -> None:
    """Cases 10 and 32: the words change with versions, and the marked option may be the one that ends it."""
    rules = backends()[backend].traits.dialogs
    for shown in (options, options[::-1]):
        screen = Screen(ScreenState.ASKING, question, options=shown, chosen=0)
        chosen = choose(rules, screen, allowed=None)
        assert (chosen[1] if chosen else None) == taken


_RECORDED = {
    ("claude", "trust"): "Yes, I trust this folder",
    ("claude", "bypass"): "Yes, I accept",
    ("claude", "api-key"): "Yes",
    ("claude", "onboarding"): "Dark mode",
    ("claude", "mcp-server"): "Continue without using this MCP server",
    ("claude", "bash"): "No",
    ("claude", "edit"): "No",
    ("claude", "question"): None,
    ("claude", "questions"): None,
    ("claude", "plan"): None,
    ("claude", "model"): None,
    ("copilot", "trust"): "Yes",
    ("copilot", "bash"): "No, and tell Copilot what to do differently (Esc to stop)",
    ("gemini", "trust"): "Trust folder (work)",
    ("gemini", "bash"): "No, suggest changes (esc)",
    ("gemini", "question"): None,
    ("gemini", "model"): None,
    ("codex", "bash"): "No, and tell Codex what to do differently (esc)",
}


@pytest.mark.parametrize(("backend", "kind"), list(_RECORDED))
def test_recorded_boxes_of_the_real_programs_get_the_right_option(backend: str, kind: str) -> None:
    recorded = sorted((SCREENS / backend / "asking").glob(f"{kind}-*.txt"))
    assert recorded
    for path in recorded:
        beside = path.with_suffix(".json")
        more = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}
        if more.get("needs_colour"):
            continue
        reader = backends()[backend]
        screen = reader.read(path.read_text(encoding="utf-8"), now=datetime(2026, 11, 30, tzinfo=UTC))
        found = choose(reader.traits.dialogs, screen, allowed=None)
        assert (found[1] if found else None) == _RECORDED[backend, kind], (path.name, screen)
        if found is not None:
            assert screen.chosen is not None, path.name


def test_only_agents_that_are_configured_are_answered() -> None:
    decided = plan(world(sighting("stranger", screen=TRUST)), memory({}), policy(spec()))
    assert not any(isinstance(one, AnswerDialog) for one in decided.intents)
