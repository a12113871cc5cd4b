"""Every module that registers fields, imported together."""

from hive.standins.github.graphql import (
    commits,
    issues,
    mutations,
    people,
    pull_mutations,
    pulls,
    queries,
    repositories,
)
from hive.standins.github.graphql.resolving import resolve

MODULES = (commits, issues, mutations, people, pull_mutations, pulls, queries, repositories)

__all__ = ["MODULES", "resolve"]
