"""Small statistics for lists of numbers."""

from tally.basics import mean, total
from tally.spread import spread

__all__ = ["mean", "spread", "total"]
