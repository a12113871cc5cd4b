"""From the command line to a command and an exit code."""

from __future__ import annotations

import gc
import io
import sys

from hive.cli.parser import parse
from hive.errors import HiveError

# As in the parser: typing is slow to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LASTING = ("bench", "daemon", "dash", "demo")
"""Modules whose commands go on until they are told to end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.

    0 done, 1 the answer is no, 2 bad input or configuration, 3 a dependency is out of reach.
    """
    options = parse(arguments)
    from importlib import import_module

    try:
        # argparse keeps the parsed command as "module:function"; the import waits until here.
        module, _, function = str(options.handler).partition(":")
        if module in _LASTING:
            gc.enable()
        code = getattr(import_module(f"hive.cli.{module}"), function)(options)
        if sys.stdout is not None:
            sys.stdout.flush()
        return int(code)
    except HiveError as error:
        print(f"hive: {_one_line(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from hive.cli.output import forget_what_is_unwritten

        forget_what_is_unwritten()
        return 0


def _one_line(text: str) -> str:
    """Messages quote files and arguments; what those hold moves no cursor and begins no line."""
    return "".join(each if each.isprintable() else "?" for each in " ".join(text.split()))


def entry() -> None:
    """The program `hive`."""
    # Looking for garbage among what is being imported is a tenth of what most commands take, and in vain.
    gc.disable()
    _set_up_output()
    sys.exit(main())


def _set_up_output() -> None:
    """The same bytes whatever the locale: JSON is UTF-8, and so is a prompt."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
