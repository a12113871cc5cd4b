"""Text that others wrote, made fit for agents: without what people do not see."""

from hive.decisions.foreign_text.cleaning import Cleaned, clean, one_line, shortened
from hive.decisions.foreign_text.markup import without_any

__all__ = ["Cleaned", "clean", "one_line", "shortened", "without_any"]
