"""The dashboard on an invented hive, to be looked at: `python -m tests.dashboard.by_eye`."""

from __future__ import annotations

from tests.dashboard import world

if __name__ == "__main__":
    world.dashboard().run()
