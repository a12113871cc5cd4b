"""A gateway in a process of its own, as a daemon is: ``python -m hive.bench.gateway_server FOLDER FORGE``.

Its rulings are the shipped table's and go into a real journal and the memory of it, as a daemon's do. It
says its addresses in one line of JSON and ends with its standard input.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hive.decisions import autonomy
from hive.facts.autonomy import AcmmLevel, Action
from hive.facts.events import Event, FindingRecorded
from hive.facts.findings import Finding
from hive.facts.holds import Hold
from hive.facts.verdicts import Ruling, Verdict
from hive.gateway import Gateway, GatewaySettings
from hive.kernel.ledger import Ledger
from hive.ports.authority import Identity, Opened
from hive.settings.acmm import load_table
from hive.shells.sqlite import SqliteJournal
from hive.shells.system.clock import SystemClock

REPO = "acme/widgets"
CREDENTIAL = "ghp_of-the-bench"
TOKEN = "hive-token-of-the-bench"  # noqa: S105 - of a gateway that lives for one measurement
AGENT = "quality"
_START_S = 60.0


class _Authority:
    """One agent at L4; what it does goes into the journal, each ruling before it is acted on."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._table = load_table()
        self._ledger = Ledger(journal, SystemClock())

    def identify(self, token: str) -> Identity | None:
        return Identity(AGENT, AGENT, (REPO,), None) if token == TOKEN else None

    def identity_of(self, agent: str) -> Identity | None:
        return Identity(AGENT, AGENT, (REPO,), None) if agent == AGENT else None

    def holds(self) -> Mapping[str, Hold]:
        return {}

    def rule(
        self,
        identity: Identity,
        action: Action,
        *,
        repo: str,
        target: str,
        paths: Sequence[str] = (),
        text: str = "",
    ) -> Verdict:
        return autonomy.rule(self._table, AcmmLevel.L4, identity.role, action).verdict

    def held(self, identity: Identity, wanted: Hold) -> Verdict:
        return Verdict(Ruling.DENY, wanted.rule, "nobody is here to ask")

    def use(self, identity: Identity, wanted: Sequence[Hold], request_id: str) -> bool:
        return False

    def opened(self, repo: str, number: int) -> Opened | None:
        return None

    def hold_label(self) -> str:
        return "hold"

    def keeps_draft(self) -> bool:
        return False

    def record(self, events: Sequence[Event]) -> None:
        self._ledger.record(events)

    def wake(self, identity: Identity) -> None:
        """Nobody looks at the bench's agent."""

    def report(self, found: FindingRecorded) -> Finding:
        at = SystemClock().now()
        return Finding("F1", found.agent, found.repo, found.issue, found.title, found.body, at)


@dataclass(frozen=True, slots=True)
class Running:
    """A gateway that answers; `pid` is its process."""

    pid: int
    socket: Path
    proxy_url: str
    ca_file: Path

    @property
    def peak_mib(self) -> float:
        """The most memory that it has had at once, in MiB."""
        return peak_mib(self.pid)


def peak_mib(pid: int) -> float:
    """The most memory that a process has had at once, in MiB."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    line = next(line for line in text.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


@contextmanager
def running(folder: Path, forge_url: str, credential: str = CREDENTIAL) -> Iterator[Running]:
    """Start one before the forge at `forge_url`, to which it shows `credential`; ended with the block.

    Raises `RuntimeError`.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "hive.bench.gateway_server", str(folder), forge_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        process.stdin.write(f"{credential}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("the gateway did not start")
        said = json.loads(line)
        yield Running(process.pid, Path(said["socket"]), said["proxy"], Path(said["ca"]))
    finally:
        process.stdin.close()
        try:
            process.wait(_START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def main(folder: Path, forge_url: str) -> None:
    """Serve until standard input ends, whose first line is the forge's credential."""
    credential = sys.stdin.readline().strip()
    folder.mkdir(parents=True, exist_ok=True)
    settings = GatewaySettings(
        socket_path=folder / "gate" / "gateway.sock",
        state=folder / "gateway",
        credential=lambda: credential,
        api_url=f"{forge_url}/api/v3",
        graphql_url=f"{forge_url}/api/graphql",
        git_url=forge_url,
        default_branches={REPO: "main"},
        mirror_fresh_s=0.0,
    )
    journal = SqliteJournal(folder / "journal.db")
    gateway = Gateway(settings, _Authority(journal), SystemClock())
    gateway.start()
    addresses = {
        "socket": str(settings.socket_path),
        "proxy": gateway.proxy_url,
        "ca": str(gateway.ca_file),
    }
    sys.stdout.write(json.dumps(addresses) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    gateway.close()
    journal.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
