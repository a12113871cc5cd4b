"""The section `backends` of `hive.yaml`: programs that have no plug-in, described."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from hive import documents
from hive.contracts.backend import Backend
from hive.contracts.command import (
    BackendKind,
    CommandDefinition,
    ScreenRule,
    TranscriptRule,
    UsageRule,
    Where,
)
from hive.documents import Document
from hive.documents.models import first_error
from hive.documents.tree import Location, spell
from hive.documents.values import Duration, Flag, Text, Whole
from hive.errors import ConfigError
from hive.facts.screens import ScreenState
from hive.settings.fields import Minute, Second, between, is_hives_own
from hive.settings.interpolation import Interpolation
from hive.settings.policies import Name, SettingsModel

COMMAND = "command"
SECTION = "backends"
_KEY = re.compile(r"[!-~]+")
"""As tmux names keys: Enter, Escape, C-c, M-Enter, a letter."""

Words = list[Annotated[Text, Field(min_length=1)]]


class ScreenRuleModel(SettingsModel):
    """A state of the screen, told by a pattern in one place of it."""

    state: ScreenState = Field(description="What the screen means.")
    where: Where = Field(description="Where the pattern must stand.")
    pattern: Name = Field(description="A regular expression; its group `detail` is shown to people.")


def _inside(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"'{path}' leads out of the agent's HOME; name it relative to that")
    return path


class TranscriptRuleModel(SettingsModel):
    """JSON lines that the program writes."""

    path: Name = Field(description="Below the agent's HOME.")
    kind: Name = Field(default="type", description="The field that says what a line is; a.b for inner ones.")
    prompt: Name = Field(default="prompt", description="Its value for a prompt that was taken.")
    end: Name = Field(default="end", description="Its value for the end of a turn.")
    error: Name = Field(default="error", description="Its value for an end in an error.")
    text: Name = Field(default="text", description="The field with the prompt's text.")
    conversation: Text = Field(default="", description="The field with the id of the conversation.")

    _path = field_validator("path")(_inside)


class UsageRuleModel(SettingsModel):
    """JSON lines in which the program counts its model's tokens."""

    path: Name = Field(description="Below the agent's HOME; * stands for any letters of a name.")
    kind: Name = Field(default="type", description="The field that says what a line is; a.b for inner ones.")
    line: Name = Field(default="usage", description="Its value for a count.")
    key: Name = Field(default="id", description="The field with the answer's id, which is counted once.")
    model: Name = Field(default="model", description="The field with the model's name.")
    at: Name = Field(default="timestamp", description="The field with the time, ISO 8601 with its zone.")
    input: Name = Field(default="input", description="The field with the tokens read.")
    output: Name = Field(default="output", description="The field with the tokens written.")
    cache_read: Text = Field(default="", description="The field with those read from a cache.")
    cache_write: Text = Field(default="", description="The field with those written to a cache.")
    input_holds_caches: Flag = Field(default=False, description="The input counts those of the caches too.")

    _path = field_validator("path")(_inside)


class CommandModel(SettingsModel):
    """A program that agents may run; they name it as their backend."""

    argv: Annotated[Words, Field(min_length=1)] = Field(description="Program and arguments, no shell.")
    screens: Annotated[list[ScreenRuleModel], Field(min_length=1)] = Field(
        description="States of its screen; the first that fits counts, what fits none is unknown."
    )
    model_argv: Words = Field(default=[], description="Added where the agent has a model: {model}.")
    resume_argv: Words = Field(default=[], description="Added to go on with a conversation: {conversation}.")
    environment: dict[Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")], Text] = Field(
        default={}, description="Added to the agent's environment."
    )
    programs: Words = Field(
        default=[], description="Base names by which its process is known; left out: the program's."
    )
    submit: Annotated[Words, Field(min_length=1)] = Field(
        default=["Enter"], description="Keys that submit a prompt, as tmux names them."
    )
    interrupt: Words = Field(default=[], description="Keys that end a turn, and not the program.")
    settle_ms: Annotated[Whole, Field(ge=0, le=10000)] = Field(
        default=500, description="Milliseconds between paste and submit."
    )
    patience: Annotated[Duration, between(Second, 10 * Minute)] = Field(
        default="10s", validate_default=True, description="Before a prompt is submitted again."
    )
    tries: Annotated[Whole, Field(ge=0, le=10)] = Field(default=3, description="How often at most.")
    start_patience: Annotated[Duration, between(Second, 60 * Minute)] = Field(
        default="60s", validate_default=True, description="From start to the first ready screen."
    )
    version: Words = Field(default=[], description="The command line that says its version.")
    install: Text = Field(default="", description="How it is installed, for a person.")
    keeps_context: Flag = Field(
        default=True, description="What was said in one task is before the model in the next."
    )
    transcript: TranscriptRuleModel | None = Field(
        default=None, description="Lines that it writes; proof before any screen."
    )
    usage: UsageRuleModel | None = Field(
        default=None, description="Lines in which it counts tokens; left out, only a relay counts them."
    )

    @field_validator("submit", "interrupt")
    @classmethod
    def _keys(cls, keys: list[str]) -> list[str]:
        for key in keys:
            if _KEY.fullmatch(key) is None:
                raise ValueError(f"'{key}' names no key; tmux names them like Enter, Escape, C-c")
        return keys

    def definition(self) -> CommandDefinition:
        """The same as the plug-in takes it."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in dict(self).items()
        }
        screens = tuple(ScreenRule(one.state, one.where, one.pattern) for one in self.screens)
        transcript = TranscriptRule(**dict(self.transcript)) if self.transcript is not None else None
        usage = UsageRule(**dict(self.usage)) if self.usage is not None else None
        return CommandDefinition(**{**given, "screens": screens, "transcript": transcript, "usage": usage})


def read_backends(
    document: Document,
    given: Mapping[str, CommandModel],
    installed: Mapping[str, Backend],
    kinds: Mapping[str, BackendKind],
) -> Mapping[str, Backend]:
    """The installed backends and those that are described. Raises `ConfigError` for what is wrong."""
    if not given:
        return installed
    if COMMAND not in kinds:
        said = f"what makes backends of descriptions ('{COMMAND}') is not installed; install hive anew"
        raise document.error(said, (SECTION,))
    made: dict[str, Backend] = {}
    for name, model in given.items():
        at: Location = ("backends", name)
        if name in installed:
            raise document.error(f"{spell(at)}: a plug-in has this name; take another", at)
        for fault, place in _faults(model, kinds[COMMAND]):
            raise document.error(f"{spell((*at, *place))}: {fault}", (*at, *place))
        made[name] = kinds[COMMAND].make(name, model.definition())
    return {**{name: installed[name] for name in installed}, **made}


def describe(
    path: Path,
    *,
    environ: Mapping[str, str],
    backends: Mapping[str, Backend],
    kinds: Mapping[str, BackendKind],
) -> Mapping[str, Backend]:
    """Those of the file at `path`, of which nothing else is looked at: patterns are tried before the rest is
    written. Raises `ConfigError`."""
    try:
        document = documents.read(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", source=str(path)) from error
    if not isinstance(document.value, dict):
        raise document.error("a mapping of keys is expected here")
    section = Interpolation(document, environ).fill(document.value.get(SECTION) or {}, (SECTION,))
    filled = replace(document, value={**document.value, SECTION: section})
    try:
        given = TypeAdapter(dict[Name, CommandModel]).validate_python(section)
    except ValidationError as error:
        raise first_error(filled, CommandModel, error, (SECTION,)) from error
    return read_backends(filled, given, backends, kinds)


def _faults(model: CommandModel, kind: BackendKind) -> Iterator[tuple[str, Location]]:
    for index, rule in enumerate(model.screens):
        if said := kind.objection(rule.pattern):
            yield said, ("screens", index, "pattern")
    if not any(rule.state is ScreenState.READY for rule in model.screens):
        yield (
            "no pattern tells when it is ready, so it would never get a prompt; add state: ready",
            ("screens",),
        )
    for variable in model.environment:
        if is_hives_own(variable):
            yield f"hive itself sets {variable} for every agent; remove it", ("environment", variable)
    if model.resume_argv and not any("{conversation}" in word for word in model.resume_argv):
        yield "it names no {conversation}; never resume 'the latest'", ("resume_argv",)
    if model.resume_argv and (model.transcript is None or not model.transcript.conversation):
        yield "a conversation is known by `transcript.conversation` alone; add it", ("resume_argv",)
