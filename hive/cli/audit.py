"""`hive audit`: the journal as lines that prove themselves, and the check of such lines."""

from __future__ import annotations

import contextlib
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hive.cli.output import forget_what_is_unwritten, print_json, print_text
from hive.cli.state import places
from hive.errors import ConfigError, WorldError

if TYPE_CHECKING:
    from hive.app.places import Places
    from hive.shells.sqlite import SqliteJournal


def audit(options: Namespace) -> int:
    if options.verify is not None:
        return _verify(options)
    if options.file is not None or options.head or options.alone:
        raise ConfigError("FILE, --head and --alone belong to 'hive audit verify FILE'")
    return _export(places(options.config))


def _export(here: Places) -> int:
    from hive.decisions.audit import lines

    with _journal(here) as journal:
        out = sys.stdout.buffer
        try:
            for line in lines(journal.records()):
                out.write(line)
            out.flush()
        except BrokenPipeError:
            forget_what_is_unwritten()
        except OSError as error:
            forget_what_is_unwritten()
            raise WorldError("standard output", f"cannot be written: {error.strerror}") from error
    return 0


def _verify(options: Namespace) -> int:
    """0 where all is as it was exported, 1 where something is not."""
    from hive.decisions.audit import check

    if options.file is None:
        raise ConfigError("name the file to verify: hive audit verify FILE")
    head = (options.head or "").lower()
    if head and re.fullmatch("[0-9a-f]{64}", head) is None:
        raise ConfigError("--head takes the 64 hexadecimal digits at the end of an export")
    with contextlib.ExitStack() as stack:
        exported = stack.enter_context(_opened(options.file))
        journal = None if options.alone else stack.enter_context(_journal(places(options.config)))
        found = check(exported, journal.records() if journal is not None else None)
    problem = found.problem and f"line {found.line}: {found.problem}"
    if not problem and head and head != found.head:
        problem = f"it ends in {found.head}, not in {head}: it is another export, or was made anew"
    _tell(options, {"ok": not problem, "records": found.records, "head": found.head, "problem": problem})
    return 1 if problem else 0


def _tell(options: Namespace, document: dict[str, Any]) -> None:
    if options.json:
        print_json(document)
    elif document["ok"]:
        beside = "" if options.alone else ", and the journal has the same"
        print_text(f"{document['records']} records, none changed{beside}; it ends in {document['head']}")
    else:
        print_text(
            f"{options.file}: {document['problem']} ({document['records']} records before it are good)"
        )


def _opened(name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if name == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=name) from error


@contextlib.contextmanager
def _journal(here: Places) -> Iterator[SqliteJournal]:
    from hive.shells.sqlite import SqliteJournal

    journal = SqliteJournal(here.journal, read_only=True)
    try:
        yield journal
    finally:
        journal.close()
