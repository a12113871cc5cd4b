"""Runs one command as an agent would, from an agent's place."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hive.shells.isolation import launch
from hive.shells.isolation.order import PlaceOrder, written
from hive.shells.system.files import write_private

_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command came to; `code` is None where it took too long."""

    code: int | None
    out: str
    err: str


def launcher(order_file: Path) -> tuple[str, ...]:
    """The command line that makes the place in `order_file` and starts its program there."""
    return (sys.executable, "-I", "-S", str(Path(launch.__file__).resolve()), str(order_file))


def is_launcher(argv: tuple[str, ...]) -> bool:
    """Whether this is hive's part of an agent's processes, and no program of the agent's."""
    return len(argv) == 5 and argv[1:4] == ("-I", "-S", str(Path(launch.__file__).resolve()))


def run_in_place(
    order: PlaceOrder,
    argv: tuple[str, ...],
    order_file: Path,
    *,
    environment: Mapping[str, str],
    stdin: str = "",
    timeout: float = _TIMEOUT_S,
) -> Outcome:
    """Run `argv` in the place of `order`, which is written to `order_file`, and return what it said."""
    write_private(order_file, written(replace(order, argv=argv)))
    try:
        done = subprocess.run(
            launcher(order_file),
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            env=dict(environment),
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(None, "", f"it took longer than {timeout:g} s")
    finally:
        order_file.unlink(missing_ok=True)
    return Outcome(done.returncode, done.stdout, done.stderr)
