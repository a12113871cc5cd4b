"""Prompts typed into the real programs by hive's own terminal arrive at the model as they were written."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.standins.models.requests import Asked
from hive.standins.models.server import ModelServer
from tests.backends.awkward import prompts
from tests.backends.real_agent import RealAgent

ALL = bool(os.environ.get("HIVE_ALL_PROMPTS"))
PROGRAMS = ("claude", "copilot", "gemini", "codex", *(("opencode",) if ALL else ()))
"""opencode takes a minute of two busy cores before its first question, so it is typed into on request."""


@pytest.fixture(params=PROGRAMS)
def agent(request: pytest.FixtureRequest, tmp_path: Path, models: ModelServer) -> Iterator[RealAgent]:
    made = RealAgent(request.param, tmp_path, models)
    try:
        yield made
    finally:
        made.stop()


def carried(program: str, prompt: str) -> str:
    """What becomes of `prompt` in the program's own composer, measured: no way of pasting changes it."""
    if program in ("claude", "copilot"):
        prompt = prompt.replace("\t", "    ")
    return unicodedata.normalize("NFC", prompt) if program == "claude" else prompt


def arrivals(asked: Asked, prompt: str) -> int:
    """How often `prompt` stands in what a person said last. Copilot puts what is long into a file."""
    said = asked.latest[-1].text if asked.latest else ""
    for path in re.findall(r"<pasted_content file=\"([^\"]+)\"", said):
        said += "\n" + Path(path).read_text(encoding="utf-8")
    return said.count(prompt)


def chosen() -> list[str]:
    """All take Copilot five minutes: without HIVE_ALL_PROMPTS it is every fifth, of every kind some."""
    return list(prompts()) if ALL else list(prompts())[::5]


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_awkward_prompts_arrive_byte_for_byte_once_each(agent: RealAgent, models: ModelServer) -> None:
    agent.start()
    wrong = {}
    typed = chosen()
    for number, prompt in enumerate(typed, 1):
        before = len(models.asked)
        agent.submit(prompt)
        agent.until_asked(before + 1)
        counts = [arrivals(asked, carried(agent.backend.name, prompt)) for asked in models.asked[before:]]
        if counts != [1]:
            seen = [asked.latest[-1].text[:200] for asked in models.asked[before:] if asked.latest]
            wrong[number] = (prompt[:60], counts, seen)
    assert wrong == {}
    assert len(models.asked) == len(typed)
