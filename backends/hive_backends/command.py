"""Backends of any program, made of what an operator's configuration says of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from hive.contracts.backend import Backend, BackendTraits, Launch, Process, Seat, Submission
from hive.contracts.command import CommandDefinition, TranscriptRule, Where
from hive.facts.agents import LOST_TURN, Conversation, Turn
from hive.facts.screens import Screen, ScreenState
from hive.facts.usage import Usage
from hive_backends.boxes import find_box
from hive_backends.panes import Pane, read_pane
from hive_backends.patterns import LONGEST_ROW, objection
from hive_backends.reset_times import reset_time
from hive_backends.seats import environment, runs
from hive_backends.token_logs import described_usage, usage_of

_FOOTER = 3
_OPTION = re.compile(r"\W{0,4}\d{1,2}[.)] (.+)")
_GENERATION = re.compile(r"[0-9]{1,9}")
_PROMPT_ID = re.compile(r"hive task (\S+):")


@dataclass(frozen=True, slots=True)
class CommandBackend:
    """See `hive.contracts.backend.Backend`. `patterns` are those of the definition's screens, compiled."""

    name: str
    definition: CommandDefinition
    patterns: tuple[re.Pattern[str], ...]

    @property
    def traits(self) -> BackendTraits:
        known = self.definition
        return BackendTraits(
            programs=known.programs or (known.argv[0].rpartition("/")[2],),
            submission=Submission(
                keys=known.submit,
                settle=timedelta(milliseconds=known.settle_ms),
                patience=known.patience,
                tries=known.tries,
            ),
            start_patience=known.start_patience,
            install=known.install,
            version=known.version,
            resumes=bool(known.resume_argv and known.transcript and known.transcript.conversation),
            interrupt=known.interrupt,
            keeps_context=known.keeps_context,
        )

    def launch(self, seat: Seat) -> Launch:
        known = self.definition
        argv = [*known.argv]
        if seat.spec.model:
            argv += [word.replace("{model}", seat.spec.model) for word in known.model_argv]
        if seat.resume:
            argv += [word.replace("{conversation}", seat.resume) for word in known.resume_argv]
        return Launch(seat.spec.command or tuple(argv), environment(seat, known.environment))

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        pane = read_pane(screen)
        if not pane.rows:
            return Screen(ScreenState.STARTING, "the screen is empty")
        for rule, pattern in zip(self.definition.screens, self.patterns, strict=True):
            for row in _rows(pane, rule.where):
                if found := pattern.search(row[:LONGEST_ROW]):
                    return _screen(rule.state, found, row, pane, now, zone)
        return pane.without_program or Screen(ScreenState.UNKNOWN, f"no pattern fits: {pane.last_words}")

    def is_agent(self, process: Process) -> bool:
        return any(runs(process, program) for program in self.traits.programs)

    def transcript(self, seat_home: str) -> str | None:
        rule = self.definition.transcript
        return f"{seat_home.rstrip('/')}/{rule.path}" if rule is not None else None

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        rule = self.definition.transcript
        found: list[Turn] = []
        for record in _records(lines) if rule is not None else ():
            assert rule is not None
            kind = _field(record, rule.kind)
            if kind == rule.prompt:
                _close(found, LOST_TURN)
                match = _PROMPT_ID.match(_field(record, rule.text))
                found.append(Turn(match[1] if match else None, ended=False))
            elif kind in (rule.end, rule.error):
                _close(found, "done" if kind == rule.end else "error")
        return tuple(found)

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        """Its generation is that of the record's own field ``generation``, where it writes one."""
        rule: TranscriptRule | None = self.definition.transcript
        if rule is None or not rule.conversation:
            return None
        for record in _records(reversed(lines)):
            if found := _field(record, rule.conversation):
                generation = _field(record, "generation")
                return Conversation(found, int(generation) if _GENERATION.fullmatch(generation) else 0)
        return None

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        rule = self.definition.usage
        return (f"{seat_home.rstrip('/')}/{rule.path}",) if rule is not None else ()

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        rule = self.definition.usage
        return usage_of(lines, described_usage(rule)) if rule is not None else ()


def _rows(pane: Pane, where: Where) -> Sequence[str]:
    said = [row.text for row in pane.rows if row.text]
    match where:
        case Where.LAST_LINE:
            return said[-1:]
        case Where.FOOTER:
            return said[-_FOOTER:]
        case Where.BOX:
            box = find_box(pane, indent=pane.rows[-1].indent)
            return [row.text.strip() for row in box if row.text.strip()] if box else ()


def _screen(
    state: ScreenState, found: re.Match[str], row: str, pane: Pane, now: datetime, zone: str
) -> Screen:
    named = found.groupdict().get("detail")
    detail = "" if state in (ScreenState.READY, ScreenState.WORKING) and not named else named or row.strip()
    options: tuple[str, ...] = ()
    if state is ScreenState.ASKING:
        options = tuple(
            option[1].strip() for text in _rows(pane, Where.BOX) if (option := _OPTION.fullmatch(text))
        )
    resets = reset_time(row, now=now, zone=zone) if state is ScreenState.LIMITED else None
    return Screen(state, detail, resets_at=resets, options=options)


def _records(lines: Iterator[str] | Sequence[str]) -> Iterator[dict[str, object]]:
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _field(record: dict[str, object], path: str) -> str:
    """The text or number at a dotted path; empty where there is none."""
    value: object = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _close(found: list[Turn], outcome: str) -> None:
    if found and not found[-1].ended:
        found[-1] = Turn(found[-1].prompt_id, ended=True, outcome=outcome)


class CommandKind:
    """See `hive.contracts.command.BackendKind`."""

    name = "command"

    def objection(self, pattern: str) -> str:
        return objection(pattern)

    def make(self, name: str, definition: CommandDefinition) -> Backend:
        for rule in definition.screens:
            if said := objection(rule.pattern):
                raise ValueError(f"{rule.pattern}: {said}")
        return CommandBackend(name, definition, tuple(re.compile(one.pattern) for one in definition.screens))


kind = CommandKind()
