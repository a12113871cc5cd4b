"""What `hive doctor` says about facts that were looked up elsewhere: states, words, remedies.

Law: every finding that is neither fine nor of no concern carries its remedy in one line.
"""
