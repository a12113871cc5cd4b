"""The prompt that an agent gets for an issue: hive's words, then foreign text behind a fence.

Foreign text is data. What people did not see is taken out of it, and nothing in it can pass for hive's.
"""

from hive.decisions.prompt.build import MAX_CHARS, Prompt, Stripped, build
from hive.decisions.prompt.order import TaskOrder

__all__ = ["MAX_CHARS", "Prompt", "Stripped", "TaskOrder", "build"]
