"""The operator's end of the supervisor's socket."""

from hive.shells.operator.client import SocketOperator

__all__ = ["SocketOperator"]
