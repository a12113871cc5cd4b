"""``hive.yaml`` into frozen policies; each policy type lives beside the decision that it tunes."""
