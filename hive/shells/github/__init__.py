"""GitHub through PyGithub, under hive's own account.

Law: reads are translated once, writes are never retried here, and a write without an answer is in doubt.
"""

from hive.shells.github.forge import GitHubForge

__all__ = ["GitHubForge"]
