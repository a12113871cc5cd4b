from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from hive.decisions.prices import PriceTable
from hive.errors import ConfigError
from hive.facts.usage import Price, TokenUsage
from hive.settings.prices import load_prices, read_prices

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHIPPED = load_prices()


@pytest.mark.parametrize(
    ("model", "tokens", "cost"),
    [
        ("claude-sonnet-4-5-20250929", TokenUsage(1000, 100, 10_000, 2000), 3000 + 1500 + 3000 + 7500),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", TokenUsage(input=1_000_000), 3_000_000),
        ("anthropic/claude-sonnet-4.5", TokenUsage(output=1_000_000), 15_000_000),
        ("Claude-Opus-5-5[1m]", TokenUsage(cache_read=1_000_000), 200_000),
        ("claude-opus-5", TokenUsage(output=1_000_000), 25_000_000),
        ("claude-opus-4-8", TokenUsage(input=1_000_000), 5_000_000),
        ("claude-opus-4-20250514", TokenUsage(input=1_000_000), 15_000_000),
        ("claude-opus-4-1-20250805", TokenUsage(cache_write=4, cache_write_hour=4), 120),
        ("claude-haiku-5-5", TokenUsage(input=100_000), 10_000),
        ("claude-haiku-5-5", TokenUsage(input=100_001), 50_001),
        ("gpt-4.1", TokenUsage(10, 10, 10), 105),
        ("gpt-5.4", TokenUsage(input=272_000), 680_000),
        ("gpt-5.4", TokenUsage(input=272_001), 1_360_005),
        ("gpt-5.4-mini", TokenUsage(input=1_000_000), 750_000),
        ("models/gemini-2.5-pro", TokenUsage(input=100_000, cache_read=150_000), 250_000 + 37_500),
        ("gpt-4o-of-the-stand-in", TokenUsage(5, 5), None),
        ("", TokenUsage(5, 5), None),
    ],
)
def test_a_message_costs_what_its_kinds_of_tokens_cost(
    model: str, tokens: TokenUsage, cost: int | None
) -> None:
    assert SHIPPED.cost(model, tokens, NOW) == cost


def test_half_a_millionth_of_a_dollar_is_rounded_up() -> None:
    assert SHIPPED.cost("gpt-4.1", TokenUsage(cache_read=1), NOW) == 1
    assert SHIPPED.cost("claude-sonnet-4-5", TokenUsage(cache_read=1), NOW) == 0


def test_a_price_holds_from_its_day_on() -> None:
    old = Price("m*", date(2026, 1, 1), 1_000_000, 1, 1, 1, 1)
    new = Price("m*", date(2026, 6, 1), 2_000_000, 1, 1, 1, 1)
    table = PriceTable([new, old])
    days = [datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 5, 31, 23, 59, tzinfo=UTC), NOW]
    assert [table.price("m-1", day) for day in days] == [None, old, new]


def test_the_operators_own_price_goes_before_hives_more_exact_one() -> None:
    text = b'prices:\n  - {model: "*", input: "0", output: 1.5}\n'
    own = Price("*", date(2000, 1, 1), 0, 1_500_000, 0, 0, 0)
    assert read_prices(text, "p.yaml").rows == (own,)
    mine = Price("*", date(2000, 1, 1), 0, 1_500_000, 0, 0, 0, own=True)
    assert PriceTable([*SHIPPED.rows, mine]).price("claude-opus-5", NOW) == mine


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("{model: m, input: 1}", "output"),
        ("{model: m, input: -1, output: 2}", "'-1' is no amount"),
        ("{model: m, input: 1, output: 1.1234567}", "at most six decimals"),
        ("{model: m, input: 1, output: 2, since: 2026-13-01}", "'2026-13-01' is no day"),
        ("{model: m, input: 1, output: 2, cache_reads: 1}", "did you mean 'cache_read'?"),
    ],
)
def test_a_wrong_price_is_named_with_its_line(row: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_prices(f"prices:\n  - {row}\n".encode(), "p.yaml")
    assert complaint in str(caught.value)
    assert caught.value.line == 2
