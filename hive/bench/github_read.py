"""What it costs hive itself to read a forge's answers: a look at a repository, from HTTP to the snapshot.

The forge is the stand-in in a process of its own, so that the processor's time of this one is hive's alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hive.bench.github_items import ACCOUNT
from hive.errors import Unreachable
from hive.shells.github import GitHubForge
from hive.standins.github import bulk, seed
from hive.standins.github.forge import Forge
from hive.standins.github.service import GitHubService
from hive.standins.github.wire import Server

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_CREDENTIAL = "ghp_the-credential-of-the-bench"
_PULLS = 5
"""One open item of so many is a pull request, as `github_items` has it."""
_WARM = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """Processor seconds for one look at each of `repos`: the first, and one in which nothing had changed."""

    repos: int
    cold: float
    warm: float


def measure(repos: int, items: int) -> Reading:
    """Raises `Unreachable` where the stand-in does not start, or a look shows fewer items than there are."""
    with _forge_of(repos, items) as (url, names):
        forge = GitHubForge(f"{url}/api/v3", lambda: _CREDENTIAL, now=lambda: _NOW)
        try:
            cold = _look_at(forge, names, items)
            warm = min(_look_at(forge, names, items) for _ in range(_WARM))
        finally:
            forge.close()
    return Reading(repos, cold, warm)


def _look_at(forge: GitHubForge, names: list[str], items: int) -> float:
    began = time.process_time()
    looks = [forge.look(name) for name in names]
    spent = time.process_time() - began
    seen = [len(look.issues) + len(look.pull_requests) for look in looks]
    if set(seen) != {items}:
        raise Unreachable("bench", f"looks showed {seen} of {items} items each")
    return spent


@contextmanager
def _forge_of(repos: int, items: int) -> Iterator[tuple[str, list[str]]]:
    with tempfile.TemporaryDirectory(prefix="hive-bench-github-", dir=Path.cwd()) as folder:
        command = [sys.executable, "-m", "hive.bench.github_read", folder, str(repos), str(items)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with process:
            try:
                assert process.stdout is not None
                told = process.stdout.readline()
                if not told:
                    raise Unreachable("bench", f"the stand-in ended with {process.wait()}")
                url, names = json.loads(told)
                yield url, names
            finally:
                process.kill()


def main(folder: Path, repos: int, items: int) -> None:
    """Serve a forge until the standard input ends; its address and its repositories go out as JSON."""
    forge = Forge(folder)
    forge.clock.set(_NOW.timestamp())
    pulls = items // _PULLS
    names = bulk.grow(forge, repositories=repos, issues=items - pulls, pulls=pulls, seed=7)
    with forge.transaction():
        account = seed.ensure_account(forge, ACCOUNT)
        account.permissions["*"], account.token = "admin", _CREDENTIAL
        forge.store.accounts.put(account)
    server = Server(("127.0.0.1", 0), GitHubService(forge, "control").answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(json.dumps([f"http://127.0.0.1:{server.server_port}", names]) + "\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
