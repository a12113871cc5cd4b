"""Requests that a generator makes up, against a forge that notes every effect that reaches it."""
