"""The README's picture is what the dashboard looks like, and fetches nothing."""

from __future__ import annotations

import re

from tests.dashboard.picture import FILE, draw


async def test_the_picture_is_of_today_and_refers_to_no_other_host() -> None:
    picture = await draw()
    assert re.findall(r"https?://[^\s\"')<]+", picture) == ["http://www.w3.org/2000/svg"]
    assert "@font-face" not in picture
    assert FILE.read_text(encoding="utf-8") == picture, "draw it anew: python -m tests.dashboard.picture"
