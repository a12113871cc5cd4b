"""By which of hive's credentials a question that names no repository in its address goes to the forge.

A GitHub App has a token for each of its installations, and what is private to one is not there for the
tokens of the others. A person's token reaches all that hive works on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hive.decisions.requests import NotUnderstood
from hive.errors import Refused


class Installations:
    """`of` gives the number of the installation that reaches a repository (``OWNER/NAME``) and raises
    `Refused` where none does; `None` where hive has one credential. Thread-safe, as `of` is."""

    def __init__(self, of: Callable[[str], int] | None = None) -> None:
        self._of = of

    def among(self, repos: Iterable[str]) -> tuple[str, ...]:
        """One repository of each installation that reaches any of `repos`, in their order.

        What no installation reaches is left out; a single empty name stands for the only credential.
        Raises `Unreachable`, `Throttled`.
        """
        if self._of is None:
            return ("",)
        found: dict[int, str] = {}
        for repo in repos:
            try:
                found.setdefault(self._of(repo), repo)
            except Refused:
                continue
        return tuple(found.values())

    def only(self, repos: Iterable[str]) -> str:
        """A repository by whose credential all of `repos` are reached; empty for the only credential.

        Raises `NotUnderstood` where it takes several, and `Refused`, `Unreachable`, `Throttled`.
        """
        if self._of is None:
            return ""
        found: dict[int, str] = {}
        for repo in filter(None, repos):
            found.setdefault(self._of(repo), repo)
        if len(found) > 1:
            raise NotUnderstood(
                f"{' and '.join(found.values())} are reached by different installations of hive's GitHub "
                "App; ask about each in a request of its own"
            )
        return next(iter(found.values()), "")
