"""`hive demo`: the real daemon on a throw-away world. No token, no network."""
