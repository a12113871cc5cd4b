"""The section `guardrails`: which are in force, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.contracts.guardrail import Guardrail, Proposal
from hive.errors import ConfigError, PluginError
from hive.facts.verdicts import Verdict
from hive.kernel.plugins import guardrails
from hive.settings.loading import load
from tests.guardrails.proposals import comment, push, said
from tests.settings.conftest import ENVIRON, GOOD, backends

ON = ["blast-radius", "duplicate-work", "protected-paths", "secrets", "untrusted-authors"]


class Plain:
    """A third party's, without settings."""

    name = "plain"

    def __call__(self, proposal: Proposal) -> Verdict | None:
        return None


def in_force(tmp_path: Path, section: str = "", **more: Guardrail) -> dict[str, Guardrail]:
    path = tmp_path / "hive.yaml"
    path.write_text(GOOD + section)
    known = {**guardrails(), **more}
    settings = load(path, environ={**ENVIRON, "MOST": "2"}, backends=backends(), guardrails=known)
    return {one.name: one for one in settings.guardrails}


def test_what_is_not_named_is_in_force_as_it_comes(tmp_path: Path) -> None:
    assert [*in_force(tmp_path)] == ON
    assert [*in_force(tmp_path, plain=Plain())] == [*ON, "plain"]


def test_one_can_be_switched_off_and_on(tmp_path: Path) -> None:
    section = "guardrails: {secrets: false, first-time: true, quiet-hours: {}, plain: false}\n"
    assert [*in_force(tmp_path, section, plain=Plain())] == [
        "blast-radius",
        "duplicate-work",
        "first-time",
        "protected-paths",
        "quiet-hours",
        "untrusted-authors",
    ]


def test_settings_reach_the_guardrail_also_from_variables(tmp_path: Path) -> None:
    section = "guardrails: {blast-radius: {files: '${MOST}', ruling: deny}, "
    section += "quiet-hours: {from: 09:00, to: 13:00}}\n"
    found = in_force(tmp_path, section)
    assert said(found["blast-radius"](push(paths=("a", "b", "c")))) == (
        "deny",
        "it changes 3 files, of at most 2; split it, and leave generated files out",
    )
    assert found["quiet-hours"](comment()) is not None


@pytest.mark.parametrize(
    ("section", "complaint"),
    [
        ("{plain: {x: 1}}", "the guardrail 'plain' has no settings; write plain: true"),
        ("{plan: true}", "no guardrail 'plan' is installed; did you mean 'plain'?"),
        ("{secrets: {ruling: alow}}", "guardrails.secrets.ruling: one of 'hold' or 'deny' is expected"),
        (
            "{quiet-hours: {from: noon}}",
            "guardrails.quiet-hours.from: 'noon' is no time of day; write it like 22:00",
        ),
        (
            "{rate-of-actions: {per: soon}}",
            "guardrails.rate-of-actions.per: 'soon' is no duration; write 90s, 5m, 4h or 2d",
        ),
        (
            "{protected-paths: {paths: ['[z-a]']}}",
            "guardrails.protected-paths.paths: no pattern of .gitignore: bad character",
        ),
    ],
)
def test_a_wrong_one_is_told_with_its_line(tmp_path: Path, section: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        in_force(tmp_path, f"guardrails: {section}\n", plain=Plain())
    assert str(caught.value).startswith(f"{tmp_path}/hive.yaml:8: {complaint}")


def test_one_that_cannot_be_loaded_stops_the_start(tmp_path: Path) -> None:
    class Broken(dict[str, Guardrail]):
        def items(self):  # type: ignore[no-untyped-def]  # as `Plugins` raises
            raise PluginError("guardrail 'x' cannot be loaded")

    path = tmp_path / "hive.yaml"
    path.write_text(GOOD)
    with pytest.raises(PluginError):
        load(path, environ=ENVIRON, backends=backends(), guardrails=Broken(x=Plain()))
