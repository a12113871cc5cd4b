"""A chat program for the terminal that follows a script instead of a model.

It stands in for a real agent CLI in `hive demo` and in tests: it looks and behaves like one (banner,
composer, spinner, boxes, limit banner), does a hive task with the real `git` and `gh`, and misbehaves
on demand (`marks`). Started as ``python -m hive_backends.scripted_agent``.

It starts quickly and stays small, because hundreds of it idle on one machine: plain standard library,
modules that only a working turn needs are imported by that turn, and one `select` without a timeout
when there is nothing to do.
"""
