"""What came of writes is on record soon after their answers, and at the latest when the gateway ends."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hive.facts.events import Event, RequestDone
from hive.gateway.ends import Ends
from hive.gateway.repeats import Earlier, Repeats
from hive.gateway.upstream import Reply
from tests.fakes.authority import FakeAuthority

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Slow(FakeAuthority):
    """One that notes what came together, and waits for leave before it writes."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[list[Event]] = []
        self.begun = threading.Event()
        self.leave = threading.Event()

    def record(self, events: Sequence[Event]) -> None:
        self.begun.set()
        assert self.leave.wait(60)
        super().record(events)
        self.commits.append(list(events))


def done(request_id: str) -> RequestDone:
    return RequestDone(agent="quality", request_id=request_id, outcome="done", status=201)


def test_nobody_waits_for_an_end_to_be_on_record_and_those_that_come_together_share_a_commit() -> None:
    authority = Slow()
    ends = Ends(authority)
    ends.note(done("a"))
    assert authority.begun.wait(60)
    ends.note(done("b"))
    ends.note(done("c"))
    assert authority.events == []
    authority.leave.set()
    ends.close(60)
    assert authority.commits == [[done("a")], [done("b"), done("c")]]


def test_an_end_is_on_record_soon_though_no_other_comes() -> None:
    authority = FakeAuthority()
    ends = Ends(authority)
    ends.note(done("a"))
    deadline = time.monotonic() + 60
    while not authority.events:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert authority.events == [done("a")]
    ends.close(60)


def test_an_end_that_comes_after_the_close_is_on_record_at_once() -> None:
    authority = FakeAuthority()
    ends = Ends(authority)
    ends.close(60)
    ends.note(done("a"))
    assert authority.events == [done("a")]


def test_an_end_that_cannot_be_written_is_told_and_the_next_one_is_tried(
    caplog: pytest.LogCaptureFixture,
) -> None:
    authority = FakeAuthority(full_disk=True)
    ends = Ends(authority)
    with caplog.at_level(logging.WARNING):
        ends.write([done("a"), done("b")])
    assert "the end of request a, b is not on record" in caplog.text
    authority.full_disk = False
    ends.note(done("c"))
    ends.close(60)
    assert authority.events == [done("c")]


class Standing:
    def now(self) -> datetime:
        return NOW


def kept(folder: Path) -> Path:
    (path,) = folder.glob("*.json")
    return path


def test_an_answer_that_a_kill_cut_off_counts_for_nothing_and_its_beginning_counts(tmp_path: Path) -> None:
    repeats = Repeats(tmp_path, timedelta(hours=1), Standing())
    reply = Reply(201, (("Content-Type", "application/json"),), b'{"number": 7}')
    repeats.begin("k")
    repeats.done("k", reply)
    assert repeats.earlier("k") == Earlier(NOW, reply)
    whole = kept(tmp_path).read_bytes()
    for size in range(len(whole) - 3, whole.index(b"status"), -1):
        kept(tmp_path).write_bytes(whole[:size])
        assert repeats.earlier("k") == Earlier(NOW, None)
    repeats.done("k", reply)
    assert repeats.earlier("k") == Earlier(NOW, reply)
    kept(tmp_path).write_bytes(whole[:10])
    assert repeats.earlier("k") is None


def test_a_beginning_after_an_earlier_one_forgets_its_answer(tmp_path: Path) -> None:
    repeats = Repeats(tmp_path, timedelta(hours=1), Standing())
    repeats.begin("k")
    repeats.done("k", Reply(201, (), b"{}"))
    repeats.begin("k")
    assert repeats.earlier("k") == Earlier(NOW, None)
    repeats.drop("k")
    repeats.drop("k")
    assert repeats.earlier("k") is None


def test_the_oldest_of_too_many_creations_are_forgotten(tmp_path: Path) -> None:
    for number in range(2005):
        (tmp_path / f"{number}.json").write_bytes(b"{}")
    repeats = Repeats(tmp_path, timedelta(hours=1), Standing())
    repeats.begin("k")
    assert len(list(tmp_path.glob("*.json"))) == 1900
    assert repeats.earlier("k") == Earlier(NOW, None)
