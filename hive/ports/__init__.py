"""What hive needs from outside, named by capability. Protocols only; the shells implement them.

All are synchronous: the kernel calls each through a lane of its own, which alone owns the client.
Failures are `WorldError`s, translated once in the shell with the original chained.
"""
