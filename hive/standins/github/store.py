"""Records in memory, written through to one SQLite file in a transaction for each request."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from hive.standins.github.records import (
    Account,
    CheckRun,
    Comment,
    Event,
    Issue,
    Label,
    Pull,
    Repository,
    Review,
    Status,
    Write,
)
from hive.standins.github.records_access import App, Installation, InstallationToken, Team
from hive.standins.github.records_hooks import Delivery, Hook
from hive.standins.github.records_issues import Milestone
from hive.standins.github.records_queue import QueueEntry
from hive.standins.github.records_reviews import LineComment, Thread
from hive.standins.github.records_rules import Protection, Ruleset


class Record(Protocol):
    """Anything kept in a table."""

    id: int


R = TypeVar("R", bound=Record)
Key = tuple[int | str, ...]


class Table(Generic[R]):
    """The records of one class by id, and grouped by one key that never changes during a record's life."""

    def __init__(self, kind: type[R], group: Callable[[R], Key]) -> None:
        self.kind = kind
        self._group = group
        self._rows: dict[int, R] = {}
        self._groups: dict[Key, dict[int, R]] = defaultdict(dict)
        self._last = 0
        self.changed: set[int] = set()

    def next_id(self) -> int:
        """An id never used before in this table."""
        return self._last + 1

    def put(self, record: R) -> R:
        """Keep `record`, new or changed, until and beyond the next `commit`."""
        self._rows.setdefault(record.id, record)
        self._last = max(self._last, record.id)
        self._groups[self._group(record)][record.id] = record
        self.changed.add(record.id)
        return record

    def remove(self, record: R) -> None:
        """Forget `record`."""
        del self._rows[record.id]
        del self._groups[self._group(record)][record.id]
        self.changed.add(record.id)

    def get(self, key: int | None) -> R | None:
        """The record with this id, or None."""
        return None if key is None else self._rows.get(key)

    def of(self, *key: int | str) -> list[R]:
        """The records of one group, oldest first."""
        group = self._groups.get(key)
        return list(group.values()) if group else []

    def last_of(self, *key: int | str) -> R | None:
        """The newest record of one group."""
        group = self._groups.get(key)
        return group[next(reversed(group))] if group else None

    def __iter__(self) -> Iterator[R]:
        return iter(list(self._rows.values()))

    def __len__(self) -> int:
        return len(self._rows)


class Store:
    """Every table, and the file that they survive in."""

    def __init__(self, path: Path) -> None:
        self.accounts = Table(Account, lambda row: (row.login.lower(),))
        self.repositories = Table(Repository, lambda row: (row.full_name.lower(),))
        self.labels = Table(Label, lambda row: (row.repo,))
        self.issues = Table(Issue, lambda row: (row.repo, row.number))
        self.pulls = Table(Pull, lambda row: (row.repo, row.number))
        self.comments = Table(Comment, lambda row: (row.repo, row.number))
        self.reviews = Table(Review, lambda row: (row.repo, row.number))
        self.checks = Table(CheckRun, lambda row: (row.repo, row.head_sha))
        self.statuses = Table(Status, lambda row: (row.repo, row.sha))
        self.events = Table(Event, lambda row: (row.repo, row.number))
        self.apps = Table(App, lambda row: ())
        self.installations = Table(Installation, lambda row: (row.app,))
        self.tokens = Table(InstallationToken, lambda row: (row.token,))
        self.teams = Table(Team, lambda row: (row.organization,))
        self.threads = Table(Thread, lambda row: (row.repo, row.number))
        self.line_comments = Table(LineComment, lambda row: (row.repo, row.number))
        self.protections = Table(Protection, lambda row: (row.repo,))
        self.rulesets = Table(Ruleset, lambda row: (row.repo,))
        self.hooks = Table(Hook, lambda row: (row.repo,))
        self.deliveries = Table(Delivery, lambda row: (row.hook,))
        self.milestones = Table(Milestone, lambda row: (row.repo,))
        self.queue = Table(QueueEntry, lambda row: (row.repo,))
        self.writes = Table(Write, lambda row: ())
        self._tables: dict[str, Table] = {  # type: ignore[type-arg]  # tables of every kind, told apart by name
            name: table for name, table in vars(self).items() if isinstance(table, Table)
        }
        # Requests come from many threads; the forge's lock lets one in at a time.
        self._file = sqlite3.connect(path, check_same_thread=False)
        path.chmod(0o600)
        # NORMAL with WAL survives the death of the process, which is what is promised.
        self._file.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "CREATE TABLE IF NOT EXISTS records (kind TEXT, id INTEGER, body TEXT, PRIMARY KEY (kind, id));"
        )
        self._load()

    def _load(self) -> None:
        for name, number, body in self._file.execute("SELECT kind, id, body FROM records ORDER BY kind, id"):
            table = self._tables[name]
            table.put(table.kind(**json.loads(body), id=number))
        for table in self._tables.values():
            table.changed.clear()

    def commit(self) -> None:
        """Write what changed since the last commit, all or nothing."""
        with self._file:
            for name, table in self._tables.items():
                for number in table.changed:
                    self._write(name, number, table.get(number))
                table.changed.clear()

    def _write(self, name: str, number: int, record: Record | None) -> None:
        if record is None:
            self._file.execute("DELETE FROM records WHERE kind = ? AND id = ?", (name, number))
            return
        body = asdict(record)  # type: ignore[call-overload]  # every record is a dataclass
        del body["id"]
        self._file.execute(
            "INSERT OR REPLACE INTO records VALUES (?, ?, ?)",
            (name, number, json.dumps(body)),
        )

    def close(self) -> None:
        """Write what is left and let the file go."""
        self.commit()
        self._file.close()
