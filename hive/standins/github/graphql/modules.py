"""Every module that registers fields, imported together."""

from hive.standins.github.graphql import (
    commits,
    issues,
    merging,
    mutations,
    people,
    protection,
    pull_mutations,
    pulls,
    queries,
    repositories,
    threads,
)
from hive.standins.github.graphql.resolving import resolve

MODULES = (
    commits,
    issues,
    merging,
    mutations,
    people,
    pull_mutations,
    pulls,
    queries,
    repositories,
    threads,
    protection,
)

__all__ = ["MODULES", "resolve"]
