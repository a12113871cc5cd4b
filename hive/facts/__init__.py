"""Immutable nouns. Frozen, slotted dataclasses; trusted, so never coerced here.

Validation stands at the edges (`documents`, `settings`, `surfaces`, shells). Nothing in this room
reads a clock, a file or a socket.
"""
