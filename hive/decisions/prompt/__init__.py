"""Tasks into prompts: what an agent is asked to do, with every foreign word fenced."""

from hive.decisions.prompt.build import build
from hive.decisions.prompt.foreign import MAX_CHARS, Prompt, Stripped
from hive.decisions.prompt.order import TaskOrder

__all__ = ["MAX_CHARS", "Prompt", "Stripped", "TaskOrder", "build"]
