"""`python -m hive.cli`, where the script is not on PATH."""

from hive.cli.main import entry

entry()
