"""Draw the picture of the README anew: `python -m tests.dashboard.picture [FILE]`."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from tests.dashboard import world
from tests.dashboard.test_app import text_of, until

SIZE = (120, 36)
FILE = Path(__file__).parents[2] / "docs" / "dashboard.svg"


async def draw() -> str:
    """The dashboard of the invented hive as SVG: the same text every time, and nothing from outside."""
    app = world.dashboard()
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "proceed?" in text_of(pilot) and "quality-2 is asking" in text_of(pilot))
        await pilot.pause()
        picture = app.export_screenshot(title="hive dash", simplify=True)
    # Rich names its styles after a checksum; a picture of one's own page needs no such name.
    return re.sub(r"terminal-\d+", "terminal", picture)


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    file.write_text(asyncio.run(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
