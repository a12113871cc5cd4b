"""What is remembered of the rules on branches: classic protection, and rulesets."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Protection:
    """Classic protection of the branches that match `pattern`; `settings` is the REST call's own body."""

    id: int
    repo: int
    pattern: str
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Ruleset:
    """A ruleset of a repository; `rules` are `{"type", "parameters"}` as REST has them."""

    id: int
    repo: int
    name: str
    enforcement: str
    """`active`, `evaluate` or `disabled`; only the first one stops anybody."""
    target: str
    include: list[str]
    exclude: list[str]
    rules: list[dict[str, Any]]
    bypass: list[dict[str, Any]]
    created_at: str
    updated_at: str
