from __future__ import annotations

import pytest

from hive import assets
from hive.errors import ConfigError
from hive.settings.acmm import ASSET, load_table, read_table

TEXT = assets.text(ASSET)


def test_the_table_that_hive_ships_is_complete() -> None:
    assert read_table(TEXT.encode(), ASSET) == load_table()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  - push-tag\n", "", "action push-tag has no ruling: list it under actions or under never"),
        ("  - push-tag\n", "  - push-tag\n  - read\n", "action read is both under actions and under never"),
        ("  holdgated: hold,  full: allow}", "  full: allow}", "action open-pr has no ruling for holdgated"),
    ],
)
def test_a_table_with_a_gap_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_table(TEXT.replace(old, new, 1).encode(), "mine.yaml")
    assert str(caught.value) == f"mine.yaml: {message}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('scanner:       ["-", advisory,', "scanner:       [advisory,"),
        ('scanner:       ["-", advisory,', 'scanner:       ["-", advizory,'),
        ("never:", "neverr:"),
        ("  - push-tag", "  - push-tagg"),
    ],
)
def test_a_malformed_table_is_refused(old: str, new: str) -> None:
    with pytest.raises(ConfigError):
        read_table(TEXT.replace(old, new, 1).encode(), "mine.yaml")
