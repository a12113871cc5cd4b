"""`@octokit/rest`, from npm into the cache of the agents' programs, outside the checkout."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.backends.clis import Unavailable, cache

VERSION = "22.0.0"
_UNDICI = "7.16.0"
"""What sends node's requests through a proxy; later ones need a later node."""


def folder() -> Path:
    """A folder with the package in ``node_modules``; installed where it is absent. Raises `Unavailable`."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Unavailable("@octokit/rest needs node and npm, which are not on PATH")
    place = cache() / f"octokit@{VERSION}"
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / ".ok").exists():
            (place / "package.json").write_text('{"private": true, "type": "module"}')
            wanted = (f"@octokit/rest@{VERSION}", f"undici@{_UNDICI}")
            command = (npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *wanted)
            done = subprocess.run(
                command, cwd=place, capture_output=True, text=True, timeout=300, check=False
            )
            if done.returncode:
                raise Unavailable(f"npm cannot install @octokit/rest: {' '.join(done.stderr.split())[:200]}")
            (place / ".ok").touch()
    return place


PROGRAM = """
import {createInterface} from "node:readline";
import {createRequire} from "node:module";
const require = createRequire(process.argv[2] + "/package.json");
const {ProxyAgent, fetch} = require("undici");
const {Octokit} = await import(require.resolve("@octokit/rest"));
const dispatcher = new ProxyAgent({uri: process.env.HTTPS_PROXY});
const silent = {debug() {}, info() {}, warn() {}, error() {}};
for await (const line of createInterface({input: process.stdin})) {
  const {token, call, given} = JSON.parse(line);
  const octokit = new Octokit({
    auth: token, log: silent, request: {fetch: (url, options) => fetch(url, {...options, dispatcher})},
  });
  let said;
  try {
    const named = () => call.split(".").reduce((at, name) => at[name], octokit.rest)(given);
    const answer = call === "graphql" ? await octokit.graphql(given.query, given.variables)
      : await (call.includes(" ") ? octokit.request(call, given) : named());
    said = {status: answer.status ?? 200, message: "", data: answer.data ?? answer};
  } catch (error) {
    said = {status: error.status ?? 200, message: String(error.message)};
  }
  console.log(JSON.stringify(said));
}
"""
"""Reads one call a line and says how it went; ``NODE_EXTRA_CA_CERTS`` and the proxy by the environment."""


class Octokit:
    """A running node that makes calls with it."""

    def __init__(self, proxy_url: str, ca_file: Path) -> None:
        place = folder()
        environment = {
            "PATH": os.environ["PATH"],
            "HTTPS_PROXY": proxy_url,
            "NODE_EXTRA_CA_CERTS": str(ca_file),
        }
        program = place / "program.mjs"
        part = place / f".program.{os.getpid()}.part"
        part.write_text(PROGRAM)
        part.replace(program)
        self._process = subprocess.Popen(
            ["node", str(program), str(place)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, token: str, call: str, given: object) -> dict[str, Any]:
        """`issues.create`, ``POST /path`` or ``graphql`` with its parameters: status, message and data."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"token": token, "call": call, "given": given}) + "\n")
        self._process.stdin.flush()
        said: dict[str, Any] = json.loads(self._process.stdout.readline())
        return said

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()
