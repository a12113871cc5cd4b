"""A large push straight to the forge and through the gateway, which receives it, rules, sends it on."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from hive.bench import BenchRow, at_most, below
from hive.bench.gateway_server import AGENT, CREDENTIAL, REPO, TOKEN, Running
from hive.gateway.mirrors import configured
from hive.standins.github.process import StandInProcess

MOST_TIMES = 2.2
MOST_GROWN_MIB = 64.0
"""Of a gateway that has every byte of the push go through it: pieces, never the whole."""


def rows(
    forge: StandInProcess, gateway: Running, folder: Path, *, megabytes: int, turns: int
) -> list[BenchRow]:
    """Push `megabytes` of what cannot be compressed, in turns straight and through the gateway."""
    straight = _Clone(folder / "straight", f"{forge.url}/{REPO}.git", _authorized(forge.url, CREDENTIAL))
    proxied = {
        "http.https://github.com/.proxy": gateway.proxy_url,
        "http.https://github.com/.sslCAInfo": str(gateway.ca_file),
        **_authorized("https://github.com", TOKEN),
    }
    through = _Clone(folder / "through", f"https://github.com/{REPO}.git", proxied)
    before = gateway.peak_mib
    spent: list[tuple[float, float]] = []
    for turn in range(turns):
        content = os.urandom(megabytes * 1_000_000)
        branch = f"hive/{AGENT}/{turn}"
        spent.append((straight.push(f"s{turn}", content), through.push(branch, content)))
    took = statistics.median(other for _, other in spent)
    limit = statistics.median(one for one, _ in spent)
    name = f"git push of {megabytes} MB"
    return [
        at_most(name, took, "s", "straight", limit, times=MOST_TIMES),
        below(f"memory grown by {name}", gateway.peak_mib - before, "MiB", MOST_GROWN_MIB),
    ]


def _authorized(url: str, token: str) -> dict[str, str]:
    import base64

    pair = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {f"http.{url}/.extraHeader": f"Authorization: Basic {pair}"}


class _Clone:
    def __init__(self, path: Path, url: str, configuration: Mapping[str, str]) -> None:
        self._path = path
        self._environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(path.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": AGENT,
            "GIT_AUTHOR_EMAIL": "agent@hive.invalid",
            "GIT_COMMITTER_NAME": AGENT,
            "GIT_COMMITTER_EMAIL": "agent@hive.invalid",
            **configured(configuration),
        }
        self._git("clone", "--quiet", url, str(path), cwd=path.parent)

    def push(self, branch: str, content: bytes) -> float:
        """Seconds that pushing one new file with `content` took."""
        self._git("checkout", "--quiet", "-B", branch, "origin/main")
        (self._path / "large.bin").write_bytes(content)
        self._git("add", "large.bin")
        self._git("commit", "--quiet", "--message", f"Add {len(content)} bytes")
        begun = time.perf_counter()
        self._git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
        return time.perf_counter() - begun

    def _git(self, *arguments: str, cwd: Path | None = None) -> None:
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self._path,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"git {arguments[0]} failed: {done.stderr.strip()}")
