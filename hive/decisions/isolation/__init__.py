"""How agents are kept apart here: what is wanted against what the machine allows."""

from hive.decisions.isolation.choice import Allowed, Choice, choose

__all__ = ["Allowed", "Choice", "choose"]
