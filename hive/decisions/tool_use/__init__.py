"""What an agent's program is about to do with a tool, and whether hive objects before it runs."""

from hive.decisions.tool_use.model import Objection, ToolUse
from hive.decisions.tool_use.objection import objection

__all__ = ["Objection", "ToolUse", "objection"]
