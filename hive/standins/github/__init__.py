"""A GitHub that fits in one process: REST, GraphQL and git over real bare repositories.

`python -m hive.standins.github --root DIR` serves it; `process.start` does so from Python.  Merges,
conflicts, diffs and heads are git's own; everything else is kept in one SQLite file, so that a killed
stand-in comes back with the state that it last answered with.
"""
