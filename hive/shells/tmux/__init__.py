"""tmux, the terminal that agents run in.

Law: one server of hive's own per socket, and no shell between hive and a program. What is done often goes
over one control-mode connection; libtmux serves structure: versions and look-ups by people's tools.
"""

from hive.shells.tmux.terminal import TmuxTerminal

__all__ = ["TmuxTerminal"]
