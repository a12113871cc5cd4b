"""Placement: which clusters a policy's objects go to, and which one cluster a sandbox goes to, and why.

Pure and deterministic: equal facts give an equal round, in whatever order they come.
"""

from hive.decisions.placement.binding import PolicyBinding
from hive.decisions.placement.explanation import MOST
from hive.decisions.placement.fit import Fresh
from hive.decisions.placement.place import Placement, Round, place

__all__ = ["MOST", "Fresh", "Placement", "PolicyBinding", "Round", "place"]
