"""What a turn asks of the program: a turn is a generator that yields these and is sent the answers.

So a turn reads from top to bottom, and the one loop of the program stays free for keys, resizing and
the interrupt. Plain classes: `dataclasses` alone costs a fifth of the start-up time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator


class Say:
    """Print `text` in the agent's own words; may be several lines."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Wait:
    """Let `seconds` pass, under the spinner or under a `status` line of its own."""

    __slots__ = ("seconds", "status")

    def __init__(self, seconds: float, status: str = "") -> None:
        self.seconds = seconds
        self.status = status


class Run:
    """Start a program (no shell) and wait for it; answered with a `Result`.

    `shown` is the line on the screen that tells of it; empty for none.
    """

    __slots__ = ("argv", "cwd", "shown", "stdin")

    def __init__(
        self, argv: tuple[str, ...], *, shown: str, cwd: str | None = None, stdin: bytes = b""
    ) -> None:
        self.argv = argv
        self.shown = shown
        self.cwd = cwd
        self.stdin = stdin


class Call:
    """Run `function` beside the loop (it may block); answered with the `Result` that it returns."""

    __slots__ = ("function", "label")

    def __init__(self, label: tuple[str, ...], function: Callable[[], Result]) -> None:
        self.label = label
        self.function = function


class Choose:
    """Draw a box in the composer's place; answered with the index chosen, -1 when it was dismissed.

    A `strange` one is drawn as no classifier knows it. It goes away by itself, as if dismissed, after
    `seconds`.
    """

    __slots__ = ("options", "question", "seconds", "strange")

    def __init__(
        self,
        question: str,
        options: tuple[str, ...],
        *,
        strange: bool = False,
        seconds: float | None = None,
    ) -> None:
        self.question = question
        self.options = options
        self.strange = strange
        self.seconds = seconds


class Result:
    """How a step ended: exit status (127: no such program) and everything that it said."""

    __slots__ = ("exit", "output")

    def __init__(self, status: int, output: str) -> None:
        self.exit = status
        self.output = output


class End:
    """How a turn ended: ``done``, ``asked``, ``error``, ``refused`` or ``interrupted``.

    `status` stays above the composer until the next prompt, or refuses all prompts when it `locks`, for
    `lifts_after` seconds or until a person lifts it (a banner that `stays` is shown until then all the
    same); `question` and `options` are the box that an asking
    turn leaves behind.
    """

    __slots__ = ("detail", "lifts_after", "locks", "options", "outcome", "question", "status", "stays")

    def __init__(
        self,
        outcome: str,
        detail: str = "",
        *,
        status: str = "",
        question: str = "",
        options: tuple[str, ...] = (),
        locks: bool = False,
        lifts_after: float | None = None,
        stays: bool = False,
    ) -> None:
        self.outcome = outcome
        self.detail = detail
        self.status = status
        self.question = question
        self.options = options
        self.locks = locks
        self.lifts_after = lifts_after
        self.stays = stays


Effect = Say | Wait | Run | Call | Choose
Answer = Result | int | None
Steps = Generator[Effect, Answer, End]
"""A turn, or a part of one, that ends in an `End`."""
