"""Whatever happens can be recorded, and is read back as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hive.facts.events import Event, FindingRecorded, Noticed, Record, decode, encode, kind_of
from hive.facts.memory import Memory
from hive.shells.sqlite import SqliteJournal
from tests.strategies import EVENT_TYPES, events, memories, moments, records

AT = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)


@given(events())
def test_an_event_survives_its_encoding(event: Event) -> None:
    again = decode(encode(event))
    assert again == event
    assert type(again) is type(event)


@given(events())
def test_kind_and_subject_do_not_change_by_recording(event: Event) -> None:
    again = decode(encode(event))
    assert (kind_of(again), again.subject) == (kind_of(event), event.subject)
    assert isinstance(event.subject, str)


def test_every_kind_of_event_has_its_own_name() -> None:
    kinds = [str(kind.__struct_config__.tag) for kind in EVENT_TYPES]
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
def test_an_events_kind_is_spelt_like_its_class(kind: type[Event]) -> None:
    # A renamed class with an old tag would confuse whoever reads the journal by hand.
    assert str(kind.__struct_config__.tag).replace("-", "") == kind.__name__.lower()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(records())
def test_any_sequence_of_events_survives_the_file(lines: list[Record]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "j.db"
        journal = SqliteJournal(path)
        written = [
            record for line in lines for record in journal.append([line.event], at=line.at, tick=line.tick)
        ]
        journal.close()
        reader = SqliteJournal(path, read_only=True)
        read = list(reader.records())
        reader.close()
    assert written == lines
    assert read == lines


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(events(), max_size=6), max_size=4), moments())
def test_each_event_is_found_by_its_subject(groups: list[list[Event]], at: datetime) -> None:
    with TemporaryDirectory() as folder:
        journal = SqliteJournal(Path(folder) / "j.db")
        for group in groups:
            journal.append(group, at=at)
        everything = list(journal.records())
        for record in everything:
            assert record in journal.about(record.event.subject)
        journal.close()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(memories())
def test_a_memory_survives_its_snapshot(memory: Memory) -> None:
    assert msgspec.json.decode(msgspec.json.encode(memory), type=Memory) == memory


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(categories=["Cs", "L", "P"]), max_size=12))
@example("\ud800")
@example("\udcff and \ud83d\ude00")
def test_lone_surrogates_are_recorded_as_replacement_characters(text: str) -> None:
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    with TemporaryDirectory() as folder:
        journal = SqliteJournal(Path(folder) / "j.db")
        (written,) = journal.append([Noticed(about=text, message="m")], at=AT)
        assert written.event == Noticed(about=whole, message="m")
        assert tuple(journal.records()) == (written,)
        assert journal.about(whole) == (written,)
        assert journal.about(text) == (written,)
        journal.close()


def test_long_texts_and_zero_characters_survive(tmp_path: Path) -> None:
    event = FindingRecorded(
        agent="a\x00b", finding_id="F1", repo="o/r", title="\x00", body="\x00x\u2028" * 1_000_000
    )
    journal = SqliteJournal(tmp_path / "j.db")
    written = journal.append([event] * 3, at=AT)
    assert tuple(journal.records()) == written
    assert journal.about("a\x00b") == written
    assert journal.about("a") == ()
    journal.close()
