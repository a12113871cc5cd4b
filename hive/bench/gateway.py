"""What it costs that an agent reaches the forge through hive alone; one module for each part.

The forge is the local stand-in, so that both ways end in the same work; the gateway runs in a process of
its own, with a real journal.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hive.bench import BenchResult, BenchRow, gateway_api, gateway_push, gateway_relay
from hive.bench.gateway_server import CREDENTIAL, REPO, running
from hive.standins.github.process import start


def run(*, calls: int = 300, megabytes: int = 50, turns: int = 3, asks: int = 200) -> BenchResult:
    """Make `calls` calls of each kind, and `turns` pushes of `megabytes`.

    And ask a model `asks` times.
    """
    with tempfile.TemporaryDirectory(prefix="hive-bench-") as name:
        folder = Path(name)
        forge = start(folder / "forge", seed=_seed(folder))
        try:
            with running(folder, forge.url) as gateway:
                rows: list[BenchRow] = gateway_api.rows(forge, gateway, calls)
                rows += gateway_push.rows(forge, gateway, folder, megabytes=megabytes, turns=turns)
        finally:
            forge.stop()
    rows += gateway_relay.rows(asks)
    about = f"{calls} calls of each kind in turns, {turns} pushes each way, against the local stand-in"
    return BenchResult("gateway", tuple(rows), about)


def _seed(folder: Path) -> Path:
    source = folder / "source"
    source.mkdir()
    (source / "README.md").write_text("# widgets\n", encoding="utf-8")
    description = {
        "accounts": [
            {"login": "acme", "kind": "organization"},
            {"login": "hive-bot", "token": CREDENTIAL, "permission": "admin", "association": "MEMBER"},
            {"login": "ada", "token": "of-ada", "permission": "admin", "association": "OWNER"},
        ],
        "repos": [
            {
                "full_name": REPO,
                "from_folder": str(source),
                "issues": [{"title": "It adds", "body": "It should multiply.", "author": "ada"}],
            }
        ],
    }
    path = folder / "seed.json"
    path.write_text(json.dumps(description), encoding="utf-8")
    return path
