"""What the launches of several backends share: the environment of a seat, and configuration as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hive.contracts.backend import Launch, LaunchFile, ModelWay, Process, Seat


def environment(seat: Seat, own: Mapping[str, str]) -> dict[str, str]:
    """The seat's environment with the backend's own words, and the operator's over all."""
    generation = {"HIVE_GENERATION": str(seat.generation)}
    return {**seat.environment, **own, **generation, "HOME": seat.home, **dict(seat.spec.environment)}


def key_in(way: ModelWay, variable: str) -> dict[str, str]:
    """The key of the relay in `variable`. In a pod the launcher puts the sandbox's token there."""
    return {variable: way.key} if way.key else {"HIVE_MODEL_KEY_AS": variable}


def as_json(path: str, content: object) -> LaunchFile:
    return LaunchFile(path, json.dumps(content, indent=2, sort_keys=True) + "\n")


def in_workdir(seat: Seat, files: Mapping[str, object]) -> tuple[LaunchFile, ...]:
    """A program's settings for the folder that it is started in, written anew at each start: whoever put
    others there would have them count before the agent's own (and switch hive's hooks off). None where that
    folder is not below the agent's home."""
    below = seat.workdir.removeprefix(seat.home.rstrip("/") + "/")
    if below == seat.workdir:
        return ()
    return tuple(as_json(f"{below}/{name}", content) for name, content in files.items())


def launch(seat: Seat, argv: tuple[str, ...], own: Mapping[str, str], *files: LaunchFile) -> Launch:
    """The start of a program; the operator's own command line replaces `argv`."""
    return Launch(seat.spec.command or argv, environment(seat, own), files)


def runs(process: Process, program: str, *scripts: str) -> bool:
    """Whether `process` is `program` itself, or an interpreter that runs one of `scripts` (ends of paths)."""
    if not process.argv:
        return False
    first = process.argv[0].rpartition("/")[2]
    if first == program:
        return True
    interpreted = first.startswith(("node", "bun", "python"))
    return interpreted and any(
        argument.endswith(("/" + program, *scripts)) for argument in process.argv[1:4] if "/" in argument
    )
