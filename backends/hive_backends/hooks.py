"""The files and commands by which a program's hooks reach hive."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from shlex import quote

from hive.contracts.backend import LaunchFile, Seat
from hive.facts.hooks import HookMoment

PATIENCE_S = 20
"""Seconds that a program is to wait for a hook: far longer than the hook waits for hive, since what a program
does after that is to let the tool run."""


def hook_files(seat: Seat) -> tuple[LaunchFile, ...]:
    """The program, and how it reaches hive. It reads no environment: some programs clear that of hooks."""
    around = seat.environment
    way = {"token_file": around.get("HIVE_TOKEN_FILE", f"{seat.home}/.config/hive/token")}
    if around.get("HIVE_GATEWAY_SOCKET"):
        way["socket"] = around["HIVE_GATEWAY_SOCKET"]
    else:
        way |= {"url": around.get("HIVE_GATEWAY_PROXY", ""), "ca": around.get("HIVE_CA_FILE", "")}
    return (
        LaunchFile(".hive/hook.py", _program()),
        LaunchFile(".hive/hook.json", json.dumps(way, sort_keys=True) + "\n"),
    )


def hook_command(seat: Seat, dialect: str, moment: HookMoment) -> str:
    """The command line of a hook. Programs hand it to a shell of their own; it names whole paths only."""
    python = seat.environment.get("HIVE_PYTHON") or "/usr/bin/python3"
    program = quote(f"{seat.home}/.hive/hook.py")
    return f"{quote(python)} -I -S {program} {dialect} {moment} {seat.generation}"


def hook_commands(seat: Seat, dialect: str, moments: Mapping[str, HookMoment]) -> dict[str, str]:
    """Command lines by the program's own names of its moments."""
    return {name: hook_command(seat, dialect, moment) for name, moment in moments.items()}


@cache
def _program() -> str:
    return (files("hive_backends") / "hook_program.py").read_text(encoding="utf-8")
