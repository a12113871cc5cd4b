"""What agents write reaches nobody and closes nothing that it was not about.

Under hive's account a mention calls a person or a team, a closing keyword closes an issue when the pull
request is merged, and a reference leaves its trace in strangers' issues. All three are defused in the
open: people read what the agent wrote, the forge sees no more in it than text.
"""

from hive.decisions.defusing.defuse import Scope, beyond, defuse, defuse_line
from hive.decisions.defusing.signals import Signal, signals

__all__ = ["Scope", "Signal", "beyond", "defuse", "defuse_line", "signals"]
