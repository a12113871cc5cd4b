"""Kubernetes quantities: ``500m``, ``64Gi``, ``1e3``, exactly and in whole billionths.

Binary floating point would make 0.1 of a core ten times something else than one core.
"""

from __future__ import annotations

import re

from hive.facts.fleet import UNIT, Amount

_QUANTITY = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_LARGEST = (2**63 - 1) * UNIT
"""Kubernetes caps what is larger."""
_LONGEST = 100
"""Characters; chosen far above any honest quantity."""


def parse(text: str) -> Amount:
    """Read a quantity; what is finer than a billionth is rounded away from zero, as Kubernetes does.

    Raises `ValueError` with what to write.
    """
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"'{text[:_LONGEST]}' is no quantity; write it like 2, 500m, 1.5, 64Gi or 1e3")
    sign, whole, fraction, suffix = match[1], match[2], match[3] or "", match[4] or ""
    digits = int(whole + fraction) << _BINARY.get(suffix, 0)
    amount = _scaled(digits, 9 - len(fraction) + _exponent(suffix))
    return -amount if sign == "-" else amount


def parse_size(text: str) -> Amount:
    """The same, where less than nothing makes no sense. Raises `ValueError`."""
    amount = parse(text)
    if amount < 0:
        raise ValueError(f"'{text}' is less than nothing; write 0 or more")
    return amount


def spell(amount: Amount) -> str:
    """The shortest exact way to write it: ``2``, ``500m``, ``64Gi``."""
    if amount % UNIT:
        for suffix, exponent in (("m", 6), ("u", 3)):
            if amount % 10**exponent == 0:
                return f"{amount // 10**exponent}{suffix}"
        return f"{amount}n"
    whole = amount // UNIT
    for suffix, bits in reversed(_BINARY.items()):
        if whole and whole % (1 << bits) == 0:
            return f"{whole >> bits}{suffix}"
    return str(whole)


def _exponent(suffix: str) -> int:
    if suffix in _BINARY:
        return 0
    return _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])


def _scaled(digits: int, exponent: int) -> Amount:
    """``digits × 10^exponent``, rounded up and capped; no larger power is built than is needed."""
    if digits == 0:
        return 0
    if exponent >= 0:
        return min(digits * _power(min(exponent, 40)), _LARGEST)
    below = _power(min(-exponent, 3 * _LONGEST))
    return min(-(-digits // below), _LARGEST)


def _power(exponent: int) -> int:
    return int("1" + "0" * exponent)
