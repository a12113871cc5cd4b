"""`dialogs`: the operator's own rules for boxes, and those that are forbidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from hive.app.configuration import policy_of
from hive.contracts.backend import Backend, BackendTraits, DialogRule
from hive.decisions.dialogs import choose
from hive.errors import ConfigError
from hive.facts.screens import Screen, ScreenState
from hive.settings.loading import load
from hive.settings.settings import Settings
from tests.settings.conftest import ENVIRON, Program

TRUST = DialogRule("trust", "trust this folder", "Yes")
BOX = Screen(ScreenState.ASKING, "Do you trust this folder?", options=("Yes", "No"), chosen=0)
TEXT = """\
github: {token: "${GITHUB_TOKEN}"}
repositories: [o/r]
agents: [{name: a, role: quality, backend: claude}]
dialogs: DIALOGS
"""


def backends() -> Mapping[str, Backend]:
    rules = {"claude": (TRUST,), "gemini": ()}
    return {
        name: cast(Backend, Program(name, replace(BackendTraits((name,)), dialogs=own)))
        for name, own in rules.items()
    }


def loaded(folder: Path, dialogs: str) -> Settings:
    path = folder / "hive.yaml"
    path.write_text(TEXT.replace("DIALOGS", dialogs))
    return load(path, environ=ENVIRON, backends=backends())


def chosen(settings: Settings, screen: Screen = BOX) -> str | None:
    found = choose(policy_of(settings).dialogs_of("claude"), screen, allowed=None)
    return None if found is None else found[1]


def test_without_a_word_the_backends_own_rules_hold(tmp_path: Path) -> None:
    assert chosen(loaded(tmp_path, "[]")) == "Yes"


def test_a_forbidden_rule_leaves_its_box_to_a_person(tmp_path: Path) -> None:
    assert chosen(loaded(tmp_path, "[{name: trust, forbid: true}]")) is None


def test_a_box_may_be_forbidden_by_its_question(tmp_path: Path) -> None:
    assert chosen(loaded(tmp_path, "[{name: mine, question: 'trust', forbid: true}]")) is None


def test_the_operators_own_rule_goes_first(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "[{name: mine, backend: claude, question: 'trust this', answer: 'N.*'}]")
    assert chosen(settings) == "No"
    assert sorted(settings.dialogs) == ["claude"]


def test_a_rule_for_all_backends_is_each_ones(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "[{name: mine, question: 'send telemetry', answer: 'No'}]")
    assert sorted(settings.dialogs) == ["claude", "gemini"]
    asks = replace(BOX, detail="May we send telemetry?")
    assert (chosen(settings, asks), chosen(settings)) == ("No", "Yes")


@pytest.mark.parametrize(
    ("dialogs", "said"),
    [
        ("[{name: trsut, forbid: true}]", "'trsut' is no rule that can be forbidden; did you mean 'trust'?"),
        ("[{name: trust, backend: gemini, forbid: true}]", "no rule that can be forbidden; known: none"),
        ("[{name: mine, backend: claud, question: a, answer: b}]", "did you mean 'claude'?"),
        ("[{name: mine, question: a}]", "question and answer are both needed, or forbid: true"),
        (
            "[{name: mine, question: a, answer: b, forbid: true}]",
            "answer and forbid are both given; keep one",
        ),
        ("[{name: mine, question: '(', answer: b}]", "'(' is no regular expression"),
        (
            "[{name: m, question: a, answer: b}, {name: m, question: c, answer: d}]",
            "dialogs[1].name: 'm' is taken; names are unique",
        ),
    ],
)
def test_a_wrong_rule_is_named_with_its_place(tmp_path: Path, dialogs: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        loaded(tmp_path, dialogs)
    assert said in str(raised.value)
    assert str(raised.value).startswith(f"{tmp_path}/hive.yaml:4: ")
