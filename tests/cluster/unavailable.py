"""What a machine lacks: one clear line, that a fixture turns into a skip, or on CI into a failure."""

from __future__ import annotations


class Unavailable(Exception):
    """No test cluster can be had here; the message says what is missing and what to do."""
