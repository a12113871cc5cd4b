"""File in, decision out: no daemon, no network, no token."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hive.cli.output import print_json, print_text, write
from hive.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hive.contracts.backend import Backend

_LARGEST = 64 * 1024 * 1024


def acmm_table(options: Namespace) -> int:
    from hive.surfaces.acmm import acmm_table as answer
    from hive.surfaces.acmm import render_table

    document = answer()
    print_json(document) if options.json else print_text(render_table(document))
    return 0


def acmm_decide(options: Namespace) -> int:
    from hive.surfaces.acmm import acmm_decide as answer
    from hive.surfaces.acmm import render_decision

    document, code = answer(options.level, options.role, options.action, options.mode)
    print_json(document) if options.json else print_text(render_decision(document))
    return code


def judge(options: Namespace) -> int:
    from hive.shells.system.clock import SystemClock
    from hive.surfaces.judge import judge_document, render_judgement

    data, source = read_input(options.file)
    document, code = judge_document(data, source, now=_now(options), clock=SystemClock().now)
    print_json(document) if options.json else print_text(render_judgement(document))
    return code


def read_input(file: str) -> tuple[bytes, str]:
    """The bytes of a file or, for ``-``, of standard input, and how to call it in messages."""
    if file == "-" and sys.stdin is None:
        raise ConfigError("standard input is closed", source=file)
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=file) from error
    if len(data) > _LARGEST:
        raise ConfigError(f"the input is larger than {_LARGEST // 1024 // 1024} MiB", source=file)
    return data, file


def _now(options: Namespace) -> datetime | None:
    """The time given on the command line; None leaves it to the file."""
    if options.now is None:
        return None
    from hive.documents.values import moment

    try:
        return moment(options.now)
    except ValueError as error:
        raise ConfigError(f"--now: {error}") from error


def _zone(name: str) -> str:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name).key
    except (ValueError, OSError, KeyError) as error:
        raise ConfigError(f"--zone: '{name}' is no zone of the database; write Europe/Berlin") from error


def screen(options: Namespace) -> int:
    from hive.kernel.plugins import backends
    from hive.shells.system.clock import SystemClock
    from hive.shells.system.zone import local_zone

    backend = _described(options)[options.backend] if options.config else backends()[options.backend]
    data, _ = read_input(options.file)
    found = backend.read(
        data.decode("utf-8", "replace"),
        now=_now(options) or SystemClock().now(),
        zone=_zone(options.zone) if options.zone else local_zone(),
    )
    document: dict[str, Any] = {
        "state": found.state,
        "detail": found.detail,
        "resets_at": found.resets_at.strftime("%Y-%m-%dT%H:%M:%SZ") if found.resets_at else None,
        "options": list(found.options),
    }
    if options.json:
        print_json(document)
    else:
        print_text(f"{found.state}" + (f": {found.detail}" if found.detail else ""))
    return 0


def _described(options: Namespace) -> Mapping[str, Backend]:
    """The backends of a configuration file. Raises `ConfigError` for one that it has not."""
    from hive.kernel.plugins import backend_kinds, backends
    from hive.settings.command_backends import describe

    found = describe(Path(options.config), environ=os.environ, backends=backends(), kinds=backend_kinds())
    if options.backend not in found:
        raise ConfigError(
            f"there is no backend '{options.backend}'; known: {', '.join(sorted(found))}",
            source=options.config,
        )
    return found


def triage(options: Namespace) -> int:
    from hive.decisions.prompt import MAX_CHARS
    from hive.surfaces import triage as surface

    if options.max_chars is not None and options.prompt is None:
        raise ConfigError("--max-chars goes with --prompt")
    data, source = read_input(options.file)
    _now(options)  # triage depends on no time; a wrong one is bad input all the same
    if options.prompt is None:
        document, code = surface.triage_document(data, source)
        print_json(document) if options.json else print_text(surface.render_triage(document))
        return code
    bound = MAX_CHARS if options.max_chars is None else options.max_chars
    outcome = surface.triage_prompt(data, source, _issue_number(options.prompt), max_chars=bound)
    if outcome.document is None:
        print(f"hive: issue {options.prompt}: {outcome.because}", file=sys.stderr)
    elif options.json:
        print_json(outcome.document)
    else:
        write(surface.render_prompt(outcome.document))
    return outcome.exit_code


def _issue_number(text: str) -> int:
    number = text.removeprefix("#")
    if not (number.isascii() and number.isdigit() and 0 < len(number) < 10):
        raise ConfigError(f"--prompt: '{text}' is no issue number")
    return int(number)


def place(options: Namespace) -> int:
    from hive.shells.system.clock import SystemClock
    from hive.surfaces.place import STALE_AFTER, place_documents, render_place

    stale_after = STALE_AFTER if options.stale_after is None else _duration(options.stale_after)
    document, code = place_documents(
        [read_input(file) for given in options.files for file in _files(given)],
        now=_now(options) or SystemClock().now(),
        stale_after=stale_after,
        why_all=options.why == "all",
    )
    print_json(document) if options.json else print_text(render_place(document))
    return code


def _files(given: str) -> list[str]:
    """A folder's documents, or the one file that is named."""
    folder = Path(given)
    if given == "-" or not folder.is_dir():
        return [given]
    try:
        return sorted(
            str(entry)
            for entry in folder.iterdir()
            if entry.suffix in (".yaml", ".yml", ".json") and entry.is_file()
        )
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=given) from error


def _duration(text: str) -> timedelta:
    from hive.documents.values import duration

    try:
        return duration(text)
    except ValueError as error:
        raise ConfigError(f"--stale-after: {error}") from error


def schema(options: Namespace) -> int:
    from hive.documents.models import nearest
    from hive.settings.schema import hive_schema
    from hive.surfaces.schemas import SCHEMAS

    schemas = {"hive": hive_schema, **SCHEMAS}
    if options.list:
        print_text("\n".join(sorted(schemas)))
        return 0
    if options.name not in schemas:
        near = nearest(options.name, sorted(schemas))
        hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(sorted(schemas))}"
        raise ConfigError(f"there is no schema '{options.name}'{hint}")
    print_json(schemas[options.name]())
    return 0


def acmm_request(options: Namespace) -> int:
    from hive.surfaces.request import acmm_request as answer
    from hive.surfaces.request import render_request

    nodes = read_input(options.nodes) if options.nodes is not None else None
    data, _ = read_input(options.file)
    document, code = answer(
        data,
        level=options.level,
        role=options.role,
        agent=options.agent,
        repo=options.repo,
        nodes=nodes[0] if nodes is not None else None,
        nodes_source=options.nodes or "-",
    )
    print_json(document) if options.json else print_text(render_request(document))
    return code
