"""Demo worlds whose agents live in pods of a test fleet."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hive.demo.clusters import Clusters
from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from tests.cluster import images
from tests.demo.pods_fleet import HUB, MEMBERS, PodsFleet
from tests.demo.worlds import demo, issues_file

SMALL = {
    "image_pull_policy": "Never",
    "cpu": "50m",
    "cpu_limit": "1",
    "memory": "192Mi",
    "disk": "256Mi",
    "scratch": "64Mi",
    "ephemeral_storage": "512Mi",
}
"""Ten of them fit on a node, and each may take a core for as long as nobody else wants it."""
_TRANSCRIPT = "/home/agent/.scripted/transcript.jsonl"

Settings = dict[str, Any]


@dataclass
class PodsHive:
    """A daemon (not started yet) and where its sandboxes are; `namespace` is the test's own."""

    daemon: DemoDaemon
    fleet: PodsFleet
    namespace: str

    @property
    def agents(self) -> list[str]:
        return [each["name"] for each in self.settings()["agents"]]

    def settings(self) -> Settings:
        found: Settings = yaml.safe_load(self.daemon.world.config.read_text())
        return found

    def configure(self, change: Callable[[Settings], None]) -> None:
        """Rewrite hive.yaml, as an operator would; a daemon that runs takes it."""
        settings = self.settings()
        change(settings)
        self.daemon.world.config.write_text(yaml.safe_dump(settings, sort_keys=False))

    def status_of(self, agent: str) -> Mapping[str, Any]:
        """The agent in the status document; empty while the daemon does not answer."""
        status = self.daemon.status() or {"agents": ()}
        return next((each for each in status["agents"] if each["name"] == agent), {})

    def sandbox(self, agent: str) -> Mapping[str, Any]:
        return self.status_of(agent).get("sandbox") or {}

    def is_ready(self, agent: str, *, on: str | None = None) -> bool:
        sandbox = self.sandbox(agent)
        return sandbox.get("phase") == "ready" and on in (None, sandbox["cluster"])

    def sh(self, agent: str, script: str) -> tuple[int, str]:
        return self.fleet.sh(self.namespace, agent, script)

    def prompts(self) -> Counter[str]:
        """How often each prompt arrived, by the transcripts in the pods."""
        return Counter(
            str(entry["prompt_id"]) for _, entry in self._transcripts() if entry["type"] == "prompt"
        )

    def starts(self) -> Counter[str]:
        """How often each agent's program was started."""
        return Counter(agent for agent, entry in self._transcripts() if entry["type"] == "session")

    def _transcripts(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for agent in self.agents:
            status, text = self.sh(agent, f"cat {_TRANSCRIPT}")
            for line in text.splitlines() if status == 0 else ():
                yield agent, json.loads(line)


@contextmanager
def in_pods(
    folder: Path,
    fleet: PodsFleet,
    issues: Mapping[str, str],
    *,
    agents: int = 1,
    level: int = 5,
    change: Callable[[Settings], None] = lambda settings: None,
) -> Iterator[PodsHive]:
    """A world with `agents` in small pods; `change` alters its settings before the start."""
    found = Clusters(
        kubeconfig=fleet.kubeconfig,
        hub=HUB,
        members=MEMBERS,
        host=fleet.host,
        image=images.AGENT,
        parameters=SMALL,
    )
    namespace = f"hive-{secrets.token_hex(3)}"
    wishes = Wishes(level=level, agents=agents, issues=issues_file(folder, issues), clusters=found)
    with demo(folder / "demo", wishes) as daemon:
        hive = PodsHive(daemon, fleet, namespace)

        def settle(settings: Settings) -> None:
            settings["fleet"]["namespace"] = namespace
            del settings["triage"]  # lanes of the demo's own issues
            for each in settings["agents"]:
                each.pop("lanes", None)
            change(settings)

        hive.configure(settle)
        yield hive


def clause(**match_labels: str) -> dict[str, Any]:
    """A selector, as settings and policies spell it."""
    return {"matchLabels": match_labels}
