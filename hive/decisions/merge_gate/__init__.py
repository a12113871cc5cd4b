"""The merge gate: whether one pull request may be merged, and everything that stands in its way.

What is not known never merges, time is an argument, and every obstacle is named at once.
"""

from hive.decisions.merge_gate.gate import judge
from hive.decisions.merge_gate.judgement import Judgement, MergeVerdict, Obstacle, ObstacleCode
from hive.decisions.merge_policy import MergePolicy, RequiredCheck

__all__ = [
    "Judgement",
    "MergePolicy",
    "MergeVerdict",
    "Obstacle",
    "ObstacleCode",
    "RequiredCheck",
    "judge",
]
