"""Working copies for tasks, in the agents' homes.

Law: `program` and what it imports use the standard library alone and run in the agent's place with the
agent's rights, for what is in a working copy, git's own configuration included, is the agent's.
"""
