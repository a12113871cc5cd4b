from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.placement.quantities import parse, parse_size, spell
from hive.facts.fleet import UNIT

MOST = (2**63 - 1) * UNIT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("2", Fraction(2)),
        ("+2", Fraction(2)),
        ("-2", Fraction(-2)),
        ("007", Fraction(7)),
        ("1.5", Fraction(3, 2)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("0.1", Fraction(1, 10)),
        ("1n", Fraction(1, 10**9)),
        ("1u", Fraction(1, 10**6)),
        ("500m", Fraction(1, 2)),
        ("0.5m", Fraction(1, 2000)),
        ("3k", Fraction(3000)),
        ("1M", Fraction(10**6)),
        ("1G", Fraction(10**9)),
        ("1T", Fraction(10**12)),
        ("1P", Fraction(10**15)),
        ("1E", Fraction(10**18)),
        ("1Ki", Fraction(1024)),
        ("1.5Mi", Fraction(3 * 2**19)),
        ("64Gi", Fraction(64 * 2**30)),
        ("1Ti", Fraction(2**40)),
        ("1Pi", Fraction(2**50)),
        ("1Ei", Fraction(2**60)),
        ("1e3", Fraction(1000)),
        ("1E3", Fraction(1000)),
        ("1.25e+2", Fraction(125)),
        ("5e-1", Fraction(1, 2)),
        ("12E-2", Fraction(12, 100)),
    ],
)
def test_a_quantity_is_exact(text: str, value: Fraction) -> None:
    assert Fraction(parse(text), UNIT) == value


@pytest.mark.parametrize(
    "text",
    [
        "", ".", "-", "+.", "1 ", " 1", "1 Gi", "1K", "1ki", "1gi", "1GiB", "1GB", "1Mb", "1mi", "1e",
        "1e+", "e3", "1E3Gi", "1.2.3", "1,5", "0x10", "1_000", "Gi", "--1", "inf", "nan", "١", "9" * 101,
    ],
)  # fmt: skip
def test_what_is_no_quantity_says_what_to_write(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert str(caught.value).endswith("is no quantity; write it like 2, 500m, 1.5, 64Gi or 1e3")


@pytest.mark.parametrize(
    ("text", "billionths"),
    [("0.1n", 1), ("1.0000000001", UNIT + 1), ("-0.1n", -1), ("1e-99999999999", 1), ("0e99999999999", 0)],
)
def test_what_is_finer_than_a_billionth_is_rounded_away_from_zero(text: str, billionths: int) -> None:
    assert parse(text) == billionths


@pytest.mark.parametrize("text", ["9223372036854775807", "1e19", "100E", "8Ei", "1e99999999999", "9" * 100])
def test_what_is_larger_than_kubernetes_holds_is_capped(text: str) -> None:
    assert parse(text) == MOST


def test_a_size_is_not_less_than_nothing() -> None:
    assert parse_size("0") == 0
    with pytest.raises(ValueError, match=r"^'-1Gi' is less than nothing; write 0 or more$"):
        parse_size("-1Gi")


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("2000m", "2"), ("0.5", "500m"), ("65536Mi", "64Gi"), ("0", "0"), ("1e3", "1000"), ("1500", "1500"),
        ("0.000001", "1u"), ("3n", "3n"), ("1.5Gi", "1536Mi"),
    ],
)  # fmt: skip
def test_an_amount_is_spelled_shortly(text: str, spelled: str) -> None:
    assert spell(parse(text)) == spelled


@given(st.integers(0, MOST))
def test_what_is_spelled_reads_as_the_same(amount: int) -> None:
    assert parse(spell(amount)) == amount
