from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from hive.contracts.backend import Backend, BackendTraits
from hive.facts.models import Dialect
from hive.kernel.plugins import backend_kinds, guardrails
from hive.settings.loading import load
from hive.settings.settings import Settings

ENVIRON = {"GITHUB_TOKEN": "ghp_0123456789abcdef", "ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef"}


@dataclass(frozen=True)
class Program:
    """As much of a backend as a configuration looks at."""

    name: str
    traits: BackendTraits


def backends() -> Mapping[str, Backend]:
    programs = {"claude": ("claude",), "copilot": ("copilot", "ghcs"), "goose": ("goose",)}
    keys = {"claude": {Dialect.ANTHROPIC: "ANTHROPIC_API_KEY"}}
    return {
        name: cast(Backend, Program(name, BackendTraits(own, model_keys=keys.get(name, {}))))
        for name, own in programs.items()
    }


GOOD = """\
level: 4
github:
  token: ${GITHUB_TOKEN}
repositories:
  - o/r
agents:
  - {name: quality-1, role: quality, backend: claude}
"""

Loads = Callable[..., Settings]


@pytest.fixture
def loads(tmp_path: Path) -> Loads:
    """Loads a text as ``hive.yaml``; ``{folder}`` of its errors is `tmp_path`."""

    def loads(text: str = GOOD, **environ: str) -> Settings:
        path = tmp_path / "hive.yaml"
        path.write_text(text, encoding="utf-8")
        everything = {**ENVIRON, **environ}
        return load(
            path, environ=everything, backends=backends(), guardrails=guardrails(), kinds=backend_kinds()
        )

    return loads
