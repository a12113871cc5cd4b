"""The terminal dashboard. It reads the journal and asks the supervisor; it decides and keeps nothing.

Law: it can be opened, closed and crash at any time, and nothing that it waits for can freeze it.
"""
