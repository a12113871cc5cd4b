"""The world, one folder each. Plain synchronous classes that translate errors once."""
