"""Places for agents on this machine: namespaces, a user, a control group, and one way out.

Law: `launch` and what it imports use the standard library alone, for it is started for each agent, and
nothing in it runs with more rights than the step at hand needs.
"""
