from __future__ import annotations

import traceback

import pytest

from hive import documents
from hive.documents.tree import Value
from hive.errors import ConfigError
from hive.settings.interpolation import Interpolation
from tests.settings.conftest import GOOD, Loads


def filled(text: str, **environ: str) -> Value:
    document = documents.read(text.encode(), "hive.yaml")
    return Interpolation(document, environ).fill(document.value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${A}", "one"),
        ("x${A}y${B}", "xoney2"),
        ("$${A}", "${A}"),
        ("$${A}${A}", "${A}one"),
        ("$$${A}", "$${A}"),
        ("$A $ $$", "$A $ $$"),
        ("100%", "100%"),
    ],
)
def test_variables_are_filled_in(written: str, value: str) -> None:
    assert filled(f"k: [{{x: '{written}'}}]", A="one", B="2") == {"k": [{"x": value}]}


@pytest.mark.parametrize("value", ["a: b", "[1, 2]", "x\nagents: []", "${B}", "null", "# no"])
def test_what_a_variable_holds_is_text_and_nothing_else(value: str) -> None:
    assert filled("k: ${A}", A=value, B="no") == {"k": value}


def test_keys_are_left_as_they_are() -> None:
    assert filled("'${A}': x", A="one") == {"${A}": "x"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("${NOPE}", "k[1]: the variable NOPE is not set; set it, or write $${ for a plain ${"),
        ("${HOMME}", "k[1]: the variable HOMME is not set; did you mean 'HOME'?"),
        ("${A:-x}", "k[1]: '${A:-x}' names no variable; write ${NAME}, or $${ for a plain ${"),
        ("${}", "k[1]: '${}' names no variable; write ${NAME}, or $${ for a plain ${"),
        ("${A", "k[1]: '${A' names no variable; write ${NAME}, or $${ for a plain ${"),
    ],
)
def test_a_variable_that_is_not_set_is_named_with_its_line(written: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        filled(f"k:\n  - a\n  - '{written}'\n", HOME="/root", A="1")
    assert str(caught.value) == f"hive.yaml:3: {said}"


def test_an_empty_variable_is_empty_text() -> None:
    assert filled("k: ${A}", A="") == {"k": ""}


@pytest.mark.parametrize(
    "line", ["tick: ${GITHUB_TOKEN}", "strict: ${GITHUB_TOKEN}", "gateway: {host: '${GITHUB_TOKEN}'}"]
)
def test_no_message_repeats_what_a_variable_holds(loads: Loads, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loads(f"{GOOD}{line}\n")
    assert "ghp_" not in "".join(traceback.format_exception(caught.value))
    assert "'${GITHUB_TOKEN}'" in str(caught.value)


def test_no_rejection_repeats_what_a_variable_holds(loads: Loads) -> None:
    settings = loads(f"{GOOD}  - {{name: a, role: r, backend: '${{GITHUB_TOKEN}}'}}\n")
    assert "ghp_" not in settings.rejected[0].message


def test_a_variable_gives_any_kind_of_value(loads: Loads) -> None:
    settings = loads(
        GOOD.replace("level: 4", "level: ${LEVEL}") + "strict: ${STRICT}\n", LEVEL="2", STRICT="true"
    )
    assert (settings.level, settings.strict) == (2, True)
