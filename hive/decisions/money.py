"""Money and tokens as people read them."""

from __future__ import annotations

_CENT = 10_000


def dollars(micro_usd: int) -> str:
    """``$1.20``; below a cent to the hundredth of one: ``$0.0031``."""
    sign = "-" if micro_usd < 0 else ""
    amount = abs(micro_usd)
    places = 2 if amount >= _CENT or not amount else 4
    return f"{sign}${amount / 1_000_000:,.{places}f}"


def tokens(count: int) -> str:
    """``870``, ``12.4k``, ``3.1M``, ``1.2G`` tokens."""
    for unit, size in (("G", 1_000_000_000), ("M", 1_000_000), ("k", 1_000)):
        if abs(count) >= size:
            return f"{count / size:.1f}{unit}"
    return str(count)
