"""A backend: how one agent command-line program is started, read and spoken to.

A plug-in is one module with a `backend: Backend`, named by one line under the entry point
``hive.backends``. Everything here is pure; the shells carry it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from hive.facts.agents import AgentSpec, Conversation, Turn
from hive.facts.models import Dialect
from hive.facts.screens import Screen
from hive.facts.usage import Usage


@dataclass(frozen=True, slots=True)
class ModelWay:
    """Where an agent's program asks for its model: hive's relay, which adds the provider's key.

    Attributes:
        url: Root of the dialect as its own libraries take it: OpenAI's ends in ``/v1``, the others' do not.
        key: The agent's own, good at the relay alone. In a pod it is empty here: the variables that
            `BackendTraits.model_keys` names get the sandbox's token at the program's start.
    """

    dialect: Dialect
    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LoginFile:
    """Where the program keeps the login of a subscription, as its vendor documents it: a JSON object.

    A way is the keys to a value, with a dot between; ``id_token#sub`` is the claim `sub` of a JSON web token.

    Attributes:
        path: Below the agent's home.
        needs: Ways to texts without which it is no login.
        account: Ways to texts that say whose it is; none may change when the program refreshes the login.
        freshness: Ways to a number or a moment (ISO 8601) that each refresh raises; the first there counts.
    """

    path: str
    needs: tuple[str, ...]
    account: tuple[str, ...]
    freshness: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """Where one agent sits: its own folders and its way to hive.

    Attributes:
        home: Absolute path of the agent's own HOME; exists, 0700.
        workdir: Absolute path where its program starts; exists.
        environment: What every agent gets (PATH, HOME, TERM, git and gh configuration that reaches only
            hive's gateway). A backend adds to it; it never holds a credential of the forge.
        generation: Of this start, from 1.
        resume: The conversation to go on with, by its id; empty for a new one. Never "the latest".
        model: None where the program finds its model by itself.
        has_login: Hive puts the login of a subscription where `BackendTraits.login` says.
    """

    spec: AgentSpec
    home: str
    workdir: str
    environment: Mapping[str, str]
    generation: int
    resume: str = ""
    model: ModelWay | None = None
    has_login: bool = False


@dataclass(frozen=True, slots=True)
class LaunchFile:
    """A file to write before the start, below the agent's home (`path` is relative; mode 0600)."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start the program: argv (never through a shell), the whole environment, files first."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    files: tuple[LaunchFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """How a prompt is submitted once it is pasted.

    Attributes:
        keys: tmux key names, pressed together.
        settle: Wait between paste and keys. Measured: Gemini loses an Enter within 0.1 s of a paste.
        patience: How long proof of arrival may take before the keys are pressed again.
        tries: How often at most.
    """

    keys: tuple[str, ...] = ("Enter",)
    settle: timedelta = timedelta(milliseconds=500)
    patience: timedelta = timedelta(seconds=10)
    tries: int = 3


@dataclass(frozen=True, slots=True)
class Process:
    """One process of the machine: `argv` as /proc shows it, `stopped` for state T.

    `cpu_s` are the seconds of CPU that it and its children that have ended have used.
    """

    pid: int
    parent: int
    argv: tuple[str, ...]
    stopped: bool = False
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class DialogRule:
    """How hive answers one kind of dialog of the program: by the text of an option, wherever it stands.

    Attributes:
        name: For the record and for the operator who forbids it.
        question: A regular expression that is looked for in what the box asks.
        answer: One that the whole text of the wanted option fits.
        otherwise: For boxes that ask whether a tool may be used: what fits the option that refuses it. Such
            a box is answered by `answer` only where hive let that tool pass. Empty for other boxes.
    """

    name: str
    question: str
    answer: str
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Logins:
    """What a program takes its login from, as its vendor documents it.

    Attributes:
        variables: Any one of them logs the program in.
        files: Below HOME; any one of them holds a login.
    """

    variables: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackendTraits:
    """What hive may assume about the program.

    Attributes:
        programs: Base names of programs that other backends' commands must not start (contradictions
            in a configuration are told by it); the backend's own.
        start_patience: From start to first ready screen, before the start counts as failed.
        install: A command line that installs the program, as its vendor documents it; empty where there is
            none.
        version: The command line that says its version, without a login or a network; empty where there is
            none.
        logins: What could log it in; None where nothing is known of that.
        resumes: It tells the id of its conversation, and goes on with one by that id; where that one is
            gone, it ends and begins no other.
        interrupt: tmux key names that end a turn and leave the program running; empty where none do.
        keeps_context: What was said in one task is still before the model in the next.
        hooks: Its transcript is the record of hive's own hooks (`contracts.hook_record`), which is evidence
            of its state before any screen.
        model_keys: The dialects of providers that it can be pointed at, each with the variable that holds
            the key.
        login: None where hive knows no file with the login of a subscription.
        dialogs: Which of its dialogs hive answers by itself; all others are put to the operator.
    """

    programs: tuple[str, ...]
    submission: Submission = field(default_factory=Submission)
    start_patience: timedelta = timedelta(seconds=60)
    install: str = ""
    version: tuple[str, ...] = ()
    logins: Logins | None = None
    resumes: bool = False
    interrupt: tuple[str, ...] = ()
    keeps_context: bool = True
    hooks: bool = False
    model_keys: Mapping[Dialect, str] = field(default_factory=dict)
    dialogs: tuple[DialogRule, ...] = ()
    login: LoginFile | None = None


class Backend(Protocol):
    """One agent command-line program."""

    @property
    def name(self) -> str: ...

    @property
    def traits(self) -> BackendTraits: ...

    def launch(self, seat: Seat) -> Launch:
        """Return how to start the program at `seat`."""
        ...

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        """Classify one captured pane (with or without colour escapes). Never guesses: `UNKNOWN` else."""
        ...

    def is_agent(self, process: Process) -> bool:
        """Whether `process` is the program itself, not a wrapper or a tool that it started."""
        ...

    def transcript(self, seat_home: str) -> str | None:
        """Absolute path of the program's transcript, or None where it keeps none."""
        ...

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        """Read turns from transcript lines, oldest first; lines that are not understood are skipped."""
        ...

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        """The conversation that the program was in last, from transcript lines; None where none tells."""
        ...

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        """Absolute patterns (``*`` within a name) of the files in which the program counts its tokens; empty
        where it has none that can be read line by line."""
        ...

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        """Read what models were used from lines of such a file: each message once, with its greatest counts.
        The lines may be any part of the file."""
        ...
