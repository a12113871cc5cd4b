"""`hive doctor`: looks at everything that hive leans on, all at once, and changes nothing.

Law: each check has a deadline, and one that fails or hangs hides no other.
"""
