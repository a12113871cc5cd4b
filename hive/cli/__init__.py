"""The command line. Imports are lazy: `hive --help` and `hive status` stay fast."""
