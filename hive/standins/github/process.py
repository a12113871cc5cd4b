"""A stand-in as a process of its own, started and asked from Python: for the demo and for tests."""

import http.client
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hive.errors import ConfigError, Unreachable

# A cold start on a busy two-core machine took 1.5 s; a large seed is cloned by git meanwhile (chosen).
_START_S = 60.0


@dataclass(slots=True)
class StandInProcess:
    """A running stand-in; `url` is `http://HOST:PORT`, REST under `/api/v3`, GraphQL at `/api/graphql`."""

    root: Path
    url: str
    host: str
    port: int
    pid: int
    control_token: str
    process: subprocess.Popen[bytes] = field(repr=False)

    @property
    def api_url(self) -> str:
        """The REST root, as PyGithub's `base_url` wants it."""
        return f"{self.url}/api/v3"

    def state(self) -> Any:
        """Repositories with their issues and pull requests, and the requests counted by route."""
        return self.control("GET", "/state")

    def audit(self) -> Any:
        """Every write: at, actor, what, subject, detail."""
        return self.control("GET", "/audit")

    def fault(
        self,
        do: str,
        *,
        method: str = "",
        path: str = "",
        times: int = 1,
        skip: int = 0,
        share: float = 1.0,
        seed: int = 0,
    ) -> None:
        """Let matching requests go wrong: `times` of them, after `skip`, each with probability `share`.

        `path` is a regular expression; the same `seed` chooses the same requests.
        """
        script = {"match": {"method": method, "path": path}, "times": times, "do": do}
        self.control("POST", "/faults", {**script, "skip": skip, "share": share, "seed": seed})

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """One request to a control endpoint.

        Raises `Unreachable` when it does not answer, `ConfigError` when it refuses.
        """
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            connection.request(
                method,
                f"/_standin{path}",
                None if body is None else json.dumps(body),
                {"Authorization": f"Bearer {self.control_token}"},
            )
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable("github stand-in", f"{self.url} does not answer: {error}") from error
        finally:
            connection.close()
        if response.status != 200:
            raise ConfigError(f"the GitHub stand-in refuses {method} {path}: {answer.get('message')}")
        return answer

    def stop(self, timeout_s: float = 10.0) -> None:
        """End it: by SIGTERM, and after `timeout_s` by SIGKILL."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self.process.kill()
        self.process.wait()


def start(
    root: Path,
    *,
    seed: Path | None = None,
    check_command: str | None = None,
    check_timeout_s: float = 300.0,
    check_workers: int = 1,
    host: str = "127.0.0.1",
    port: int = 0,
    requests_per_hour: int | None = None,
    outlives: bool = False,
) -> StandInProcess:
    """Start a stand-in whose state is in `root`, and wait until it answers.

    It ends when this process does, unless it `outlives` it.

    A root that has a state goes on with it, and `seed` is not looked at.  What it says on stderr is in
    `root/log`.  Raises `ConfigError` with its own words when it refuses to start.
    """
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    port_file = root / "port"
    port_file.unlink(missing_ok=True)
    options: dict[str, object] = {
        "--root": root,
        "--host": host,
        "--port": port,
        "--port-file": port_file,
        "--seed": seed,
        "--check-command": check_command,
        "--check-timeout": check_timeout_s,
        "--check-workers": check_workers,
        "--requests-per-hour": requests_per_hour,
    }
    arguments = [f"{name}={value}" for name, value in options.items() if value is not None]
    if not outlives:
        arguments.append(f"--parent={os.getpid()}")
    with (root / "log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "hive.standins.github", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    listening = _wait(process, port_file, root / "log")
    token = (root / "control-token").read_text(encoding="utf-8").strip()
    return StandInProcess(root, f"http://{host}:{listening}", host, listening, process.pid, token, process)


def _wait(process: subprocess.Popen[bytes], port_file: Path, log: Path) -> int:
    """The port, once it is written: the socket listens by then."""
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if port_file.exists():
            return int(port_file.read_text(encoding="utf-8"))
        if process.poll() is not None:
            said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [
                "no reason given"
            ]
            raise ConfigError(said[-1].removeprefix("hive: "))
        time.sleep(0.02)
    process.kill()
    process.wait()
    raise Unreachable("github stand-in", f"it did not listen within {_START_S:.0f} s")
