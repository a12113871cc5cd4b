"""The stand-in's own clock: the service that it stands for is another machine, with a clock of its own."""

from datetime import UTC, datetime


def now() -> str:
    """The present as GitHub writes it: UTC, whole seconds, `2026-11-30T12:00:00Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")  # noqa: TID251 - this is GitHub's clock, not hive's


def epoch() -> int:
    """The present in whole seconds since 1970, for rate-limit headers."""
    return int(datetime.now(UTC).timestamp())  # noqa: TID251 - as above
