"""What an operator sees of deliveries that were refused."""

from __future__ import annotations

from hive.cli.views import _refused_deliveries


def test_refused_deliveries_are_told_with_what_was_wrong() -> None:
    row = {"at": "127.0.0.1:8686", "heard": 5, "unsigned": 2, "repeated": 1}
    assert _refused_deliveries(row) == [
        "! webhooks at 127.0.0.1:8686: refused 2 that github.webhooks.secret did not sign and 1 delivered "
        "before; heard 5"
    ]


def test_nothing_is_said_where_none_was_refused() -> None:
    row = {"at": "127.0.0.1:8686", "heard": 5, "unsigned": 0, "repeated": 0}
    assert [_refused_deliveries(row), _refused_deliveries(None)] == [[], []]
