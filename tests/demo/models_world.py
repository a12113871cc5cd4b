"""Demo worlds whose agents are the real programs, with a scripted model behind hive's relay."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from hive.shells.system.files import write_private
from hive.standins.models.server import ModelServer
from tests.backends.clis import Unavailable, folder_of
from tests.demo.worlds import demo, issues_file

KEY = "sk-ant-api03-the-key-that-only-hive-may-have"
DIALECTS = {"claude": "anthropic", "copilot": "openai", "gemini": "gemini"}


def programs_on_path(name: str) -> str:
    """A PATH with the real program on it; skips where it cannot be had, fails so in CI."""
    try:
        programs = folder_of(name)
    except Unavailable as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    node = Path(shutil.which("node") or "/usr/bin/node").parent
    return f"{programs}:{node}:{os.environ['PATH']}"


@contextmanager
def relayed_demo(
    folder: Path,
    name: str,
    models: ModelServer,
    issues: Mapping[str, str],
    change: Callable[[dict[str, Any]], None] = lambda settings: None,
) -> Iterator[DemoDaemon]:
    """One agent, of the backend `name`, whose provider's key only hive has; not started yet."""
    wishes = Wishes(level=5, agents=1, issues=issues_file(folder, issues))
    with demo(folder / "demo", wishes) as daemon:
        path = daemon.world.config
        settings: dict[str, Any] = yaml.safe_load(path.read_text())
        (agent,) = settings["agents"]
        agent |= {"backend": name, "name": "a", "environment": {}}
        key_file = folder / "model-key"
        write_private(key_file, f"{KEY}\n".encode())
        dialect = DIALECTS[name]
        url = f"{models.url}/v1" if dialect == "openai" else models.url
        settings["models"] = {
            "provider": {
                "dialect": dialect,
                "base_url": url,
                "key_file": str(key_file),
                "backends": [name],
            }
        }
        settings["isolation"] = {"network": "gateway"}
        change(settings)
        write_private(path, yaml.safe_dump(settings, sort_keys=False).encode())
        yield daemon
