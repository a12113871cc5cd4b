from __future__ import annotations

import pytest

from hive.decisions.autonomy import mode
from hive.errors import ConfigError
from hive.facts.autonomy import AcmmLevel, Mode
from hive.settings import acmm
from hive.settings.settings import Raised
from tests.settings.conftest import GOOD, Loads


def test_a_role_is_lowered_where_the_operator_says_so(loads: Loads) -> None:
    settings = loads(GOOD + 'roles: {scanner: {4: advisory, 6: "-"}, qa: {5: measured}}\n')
    table, shipped = settings.table, acmm.load_table()
    assert table.roles["scanner"] == (None, Mode.ADVISORY, Mode.ADVISORY, Mode.ADVISORY, Mode.HOLDGATED, None)
    assert table.roles["qa"] == (*shipped.other[:4], Mode.MEASURED, Mode.FULL)
    assert {**table.roles, "scanner": shipped.roles["scanner"]} == {
        **shipped.roles,
        "qa": table.roles["qa"],
    }
    assert settings.raised == ()


def test_a_role_is_raised_with_a_reason(loads: Loads) -> None:
    settings = loads(GOOD + "raise: {outreach: {5: {mode: holdgated, why: the community reviews it}}}\n")
    assert mode(settings.table, AcmmLevel.L5, "outreach") is Mode.HOLDGATED
    assert settings.raised == (Raised("outreach", AcmmLevel.L5, Mode.HOLDGATED, "the community reviews it"),)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "roles: {scanner: {4: full}}",
            "roles.scanner.4: full raises scanner above measured at L4; write it under raise, with a why",
        ),
        (
            "roles: {outreach: {5: advisory}}",
            "roles.outreach.5: advisory raises outreach above not started at L5; write it under raise, with",
        ),
        (
            "roles: {sec_check: {4: advisory}}",
            "roles.sec_check: unknown role 'sec_check'; did you mean 'sec-check'?",
        ),
        (
            "roles: {scanner: {9: advisory}}",
            "roles.scanner.9: '9' is no autonomy level; write a number from 1 to 6",
        ),
        (
            "roles: {scanner: {4: advizory}}",
            "roles.scanner.4: 'advizory' is no mode; did you mean 'advisory'?",
        ),
        ("roles: {scanner: {4: }}", 'roles.scanner.4: a mode is expected; "-" in quotes means not started'),
        ("raise: {scanner: {4: full}}", "raise.scanner.4: a mapping of keys is expected"),
        ("raise: {scanner: {4: {mode: full}}}", "the key 'why' is missing in raise.scanner.4"),
        ("raise: {scanner: {4: {mode: full, why: ''}}}", "raise.scanner.4.why: "),
        (
            "raise: {scanner: {4: {mode: measured, why: x}}}",
            "raise.scanner.4: scanner is measured at L4 already; measured does not raise it",
        ),
        (
            "raise: {scanner: {4: {mode: full, why: x}}}\nroles: {scanner: {4: advisory}}",
            "raise.scanner.4: scanner at L4 is under roles and under raise; keep one",
        ),
    ],
)
def test_an_override_that_is_none_is_refused(loads: Loads, line: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loads(f"{GOOD}{line}\n")
    assert str(caught.value).rpartition("hive.yaml:8: ")[2][: len(said)] == said
