from __future__ import annotations

import pytest

from hive.decisions.placement.selectors import matches, unmet, why_broken
from hive.facts.fleet import LabelSelector
from tests.decisions.placement.good import selector

LABELS = {"env": "prod", "tier": "", "example.com/gpu": "l4"}
PROD = ("env", "In", "prod", "test")


@pytest.mark.parametrize(
    ("asked", "selected"),
    [
        (selector(), True),
        (selector(env="prod"), True),
        (selector(env="Prod"), False),
        (selector(env="prod", other="x"), False),
        (selector(tier=""), True),
        (selector(absent=""), False),
        (selector(PROD), True),
        (selector(("env", "In", "test")), False),
        (selector(("absent", "In", "prod")), False),
        (selector(("env", "NotIn", "prod")), False),
        (selector(("env", "NotIn", "test")), True),
        (selector(("absent", "NotIn", "prod")), True),
        (selector(("tier", "Exists")), True),
        (selector(("absent", "Exists")), False),
        (selector(("tier", "DoesNotExist")), False),
        (selector(("absent", "DoesNotExist")), True),
        (selector(PROD, ("tier", "Exists"), env="prod"), True),
        (selector(PROD, ("absent", "Exists"), env="prod"), False),
        (selector(PROD, env="test"), False),
    ],
)
def test_all_of_a_selector_must_hold(asked: LabelSelector, selected: bool) -> None:
    assert why_broken(asked) is None
    assert matches(asked, LABELS) is selected
    assert (not list(unmet(asked, LABELS))) is selected


def test_what_a_selector_asks_in_vain_is_named() -> None:
    asked = selector(("env", "NotIn", "prod"), ("absent", "Exists"), tier="gold", env="prod")
    assert list(unmet(asked, LABELS)) == ["tier=gold", "env NotIn (prod)", "absent Exists"]


@pytest.mark.parametrize(
    ("broken", "because"),
    [
        (selector(("env", "In")), "In of 'env' has no values; give at least one"),
        (selector(("env", "NotIn")), "NotIn of 'env' has no values; give at least one"),
        (selector(("env", "Exists", "x")), "Exists of 'env' has values; leave them out, or write In"),
        (
            selector(("env", "DoesNotExist", "x")),
            "DoesNotExist of 'env' has values; leave them out, or write In",
        ),
        (selector(("env", "In", "ok", "a,b")), "'a,b' is no label value"),
        (selector(("env", "In", "a b")), "'a b' is no label value"),
        (selector(env="-x"), "'-x' is no label value"),
        (selector(env="x" * 64), f"'{'x' * 64}' is no label value"),
        (selector(("-env", "Exists")), "'-env' is no label key"),
        (selector(("", "Exists")), "'' is no label key"),
        (selector(("a/b/c", "Exists")), "'a/b/c' is no label key"),
        (selector(("Example.com/b", "Exists")), "'Example.com/b' is no label key"),
        (selector(("/b", "Exists")), "'/b' is no label key"),
        (selector(("a/", "Exists")), "'a/' is no label key"),
        (selector(**{"a b": "x"}), "'a b' is no label key"),
        (selector(é="x"), "'é' is no label key"),
        (selector(**{"x" * 64: "x"}), f"'{'x' * 64}' is no label key"),
        (selector(**{f"{'x' * 254}/b": "x"}), f"'{'x' * 254}/b' is no label key"),
    ],
)
def test_a_broken_selector_is_told_from_a_sound_one(broken: LabelSelector, because: str) -> None:
    assert (why_broken(broken) or "").startswith(because)


@pytest.mark.parametrize("key", ["a", "A_b.c-d", "x" * 63, "nvidia.com/gpu.product", f"{'x' * 253}/b"])
def test_these_are_label_keys(key: str) -> None:
    assert why_broken(selector((key, "Exists"), **{key: "x" * 63})) is None
