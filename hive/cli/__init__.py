"""The command line. Nothing heavy is imported before a command needs it: `hive --help` and `hive status`
answer at once (tests/architecture/test_import_hygiene.py holds the limit).
"""

from hive.cli.main import main

__all__ = ["main"]
