"""The dashboard over an invented hive that never stands still: `python -m hive.dashboard.rehearsal`.

For looking at it without a daemon, and for `hive bench dash`. Everything in it is made up from counters.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hive.dashboard.app import HiveDashboard
from hive.facts.agents import AgentState
from hive.facts.events import AgentChanged, Record

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
CHANGING = 10
"""Of so many agents one changes at each look."""
_STATES = (AgentState.WORKING, AgentState.READY, AgentState.STARTING, AgentState.ASKING, AgentState.LIMITED)
_REPOS = ("acme/ledger", "acme/parser", "acme/web")


class RehearsedClock:
    """Starts on a Monday morning."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def now(self) -> datetime:
        return START + timedelta(seconds=time.monotonic() - self._started)


class RehearsedHive:
    """An `Operator` of `count` agents, of which some change at each look; actions do nothing."""

    def __init__(self, count: int, clock: RehearsedClock) -> None:
        self._clock = clock
        self._looks = 0
        self._turns = [0] * count
        self._since = [START] * count

    def status(self) -> Mapping[str, Any]:
        self._looks += 1
        now = self._clock.now()
        for place in range(self._looks % CHANGING, len(self._turns), CHANGING):
            self._turns[place] += 1
            self._since[place] = now
        agents = [self._agent(place) for place in range(len(self._turns))]
        return {
            "at": now.isoformat(),
            "tick": self._looks,
            "level": 4,
            "level_name": "Adaptive",
            "verdict": f"{len(agents)} agents rehearse",
            "agents": agents,
        }

    def _agent(self, place: int) -> dict[str, Any]:
        state = _STATES[(place + self._turns[place]) % len(_STATES)]
        repo = _REPOS[place % len(_REPOS)]
        task = {"id": f"t{place}", "repo": repo, "issue": place, "title": f"Rehearse part {place}"}
        return {
            "name": f"quality-{place:03}",
            "role": "quality",
            "backend": "scripted",
            "mode": "holdgated",
            "level": 4,
            "state": state.value,
            "detail": f"turn {self._turns[place]}",
            "since": self._since[place].isoformat(),
            "task": task if state is AgentState.WORKING else None,
            "starts": 1,
            "repos": [repo],
        }

    def screen(self, agent: str) -> str:
        lines = [f"\x1b[32m●\x1b[0m {agent} wrote line {line} \x1b[2mof many\x1b[0m" for line in range(36)]
        return "\n".join([*lines, f"\x1b[36m{'|/-'[self._looks % 3]}\x1b[0m Working… ({self._looks}s)"])

    def pause(self, agent: str, *, by: str, why: str) -> None: ...

    def resume(self, agent: str, *, by: str, why: str) -> None: ...

    def restart(self, agent: str, *, by: str, why: str) -> None: ...

    def send(self, agent: str, text: str, *, by: str) -> None: ...

    def answer(self, agent: str, option: str, *, by: str) -> str:
        return option

    def attached(self, agent: str, *, by: str) -> None: ...

    def set_level(self, level: int | None, *, scope: str, name: str, by: str, why: str) -> None: ...

    def close_incidents(self, ids: Sequence[str], *, by: str, why: str) -> None: ...

    def release_tree(self, task: str, *, by: str, why: str) -> None: ...

    def hold_merging(self, repo: str, *, hold: bool, by: str, why: str) -> None: ...

    def decide_finding(self, finding: str, *, accept: bool, by: str, why: str) -> None: ...

    def decide(self, hold: str, *, approve: bool, by: str, why: str) -> None: ...

    def prompt(self, subject: str) -> Mapping[str, Any]:
        return {"agent": "", "text": "", "remark": "a rehearsal has no prompts"}

    def take_up(self, pull: str, *, by: str, why: str) -> None:
        pass

    def look(self) -> None: ...


class RehearsedJournal:
    """A `JournalReader` that grows by `rate` records a second."""

    def __init__(self, rate: int, clock: RehearsedClock) -> None:
        self._rate = rate
        self._clock = clock

    def records(self, *, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        last = self._last() if limit is None else min(self._last(), after + limit)
        return (self._record(seq) for seq in range(after + 1, last + 1))

    def newest(self, limit: int) -> tuple[Record, ...]:
        last = self._last()
        return tuple(self._record(seq) for seq in range(max(1, last - limit + 1), last + 1))

    def about(self, subject: str, *, limit: int = 1000, without: Sequence[str] = ()) -> tuple[Record, ...]:
        return tuple(record for record in self.newest(1000) if record.event.subject == subject)[-limit:]

    def published(self) -> bytes | None:
        return None

    def _last(self) -> int:
        return int((self._clock.now() - START).total_seconds() * self._rate)

    def _record(self, seq: int) -> Record:
        state = _STATES[seq % len(_STATES)].value
        event = AgentChanged(agent=f"quality-{seq % 300:03}", state=state, detail=f"record {seq}")
        return Record(seq, START + timedelta(seconds=seq / max(1, self._rate)), seq, event)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m hive.dashboard.rehearsal", description=__doc__)
    parser.add_argument("--agents", type=int, default=300)
    parser.add_argument("--records", type=int, default=30, help="of the journal, a second")
    asked = parser.parse_args()
    clock = RehearsedClock()
    hive, journal = RehearsedHive(asked.agents, clock), RehearsedJournal(asked.records, clock)
    HiveDashboard(hive, journal, user="rehearsal", clock=clock).run()


if __name__ == "__main__":
    main()
