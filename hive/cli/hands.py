"""An operator's hands: attach, logs, send, pause, resume, restart, level."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from hive.app.places import Places
from hive.cli.output import print_json, print_text
from hive.cli.state import places, user
from hive.decisions.instants import iso
from hive.errors import ConfigError, HiveError, Missing, Unreachable
from hive.shells.operator import SocketOperator


def _operator(options: Namespace) -> SocketOperator:
    return SocketOperator(places(options.config).operator_socket)


def pause(options: Namespace) -> int:
    _operator(options).pause(options.agent, by=user(), why=options.why)
    print_text(f"{options.agent} gets no more work; take it back with: hive resume {options.agent}")
    return 0


def resume(options: Namespace) -> int:
    _operator(options).resume(options.agent, by=user(), why=options.why)
    print_text(f"{options.agent} may work again")
    return 0


def restart(options: Namespace) -> int:
    _operator(options).restart(options.agent, by=user(), why=options.why)
    print_text(f"{options.agent} is being restarted; its task goes on afterwards")
    return 0


def send(options: Namespace) -> int:
    if (options.option is None) == (not options.text):
        raise ConfigError("give a text to type, or --option N|TEXT to choose in a box")
    if options.option is not None:
        taken = _operator(options).answer(options.agent, options.option, by=user())
        print_text(f"chose '{taken}' for {options.agent}; look with: hive attach {options.agent}")
        return 0
    _operator(options).send(options.agent, " ".join(options.text), by=user())
    print_text(f"typed into {options.agent}'s session; look with: hive attach {options.agent}")
    return 0


def attach(options: Namespace) -> int:
    """Become `tmux attach`, here or in the agent's pod; leave it with the prefix key and d."""
    from hive.facts.agents import session_name

    here = places(options.config)
    with suppress(Unreachable):  # a terminal outlives the daemon, and can be opened without it
        _operator(options).attached(options.agent, by=user())
    sandbox = _sandbox(options.agent, here)
    if sandbox is not None:
        from hive.cli.attach_pod import attach_in_pod

        return attach_in_pod(Path(options.config), options.agent, sandbox)
    return _attach_here(here, session_name(options.agent))


def _attach_here(here: Places, session: str) -> NoReturn:
    if not here.tmux_socket.exists():
        raise Missing("terminal", f"no agents run on {here.state}")
    os.environ.pop("TMUX", None)
    os.execvp(  # noqa: S606  # hive becomes tmux; no shell is wanted
        "tmux",
        ["tmux", "-S", str(here.tmux_socket), "attach", "-t", f"={session}"],
    )


def _sandbox(agent: str, here: Places) -> Mapping[str, Any] | None:
    """The agent's sandbox by the status document; None for an agent on this machine."""
    from hive.cli.views import document

    try:
        found = document(here)
    except HiveError:
        return None  # no daemon ever wrote one: then it is no pod that it told of
    sandbox: Mapping[str, Any] | None = next(
        (one["sandbox"] for one in found["agents"] if one["name"] == agent), None
    )
    return sandbox


def logs(options: Namespace) -> int:
    from hive.decisions.telling import tell
    from hive.facts.usage_events import BOOKKEEPING
    from hive.shells.sqlite import SqliteJournal

    journal = SqliteJournal(places(options.config).journal, read_only=True)
    try:
        without = () if options.all else BOOKKEEPING
        records = journal.about(options.agent, limit=max(options.lines, 1), without=without)
    finally:
        journal.close()
    rows: list[dict[str, Any]] = [
        {"at": iso(record.at), "seq": record.seq, "text": tell(record)} for record in records
    ]
    if options.json:
        print_json(rows)
    else:
        print_text("\n".join(f"{row['at'][:19]}  {row['text']}" for row in rows) or "(nothing yet)")
    return 0


def level(options: Namespace) -> int:
    """Show the level, or set it for the hive, a repository or an agent."""
    operator = _operator(options)
    scope, name = _scope(options)
    if options.level is not None:
        operator.set_level(_number(options.level), scope=scope, name=name, by=user(), why=options.why)
    found = operator.status()
    shown = {
        "level": found["level"],
        "name": found["level_name"],
        "agents": {
            agent["name"]: {"level": agent["level"], "mode": agent["mode"]} for agent in found["agents"]
        },
    }
    if options.json:
        print_json(shown)
        return 0
    lines = [f"L{shown['level']} {shown['name']}"]
    lines += [
        f"  {agent['name']}: L{agent['level']}, {agent['mode'] or 'not started'}"
        for agent in found["agents"]
        if scope != "agent" or agent["name"] == name
    ]
    print_text("\n".join(lines))
    return 0


def _scope(options: Namespace) -> tuple[str, str]:
    if options.repo and options.agent:
        raise ConfigError("give --repo or --agent, not both")
    if options.repo:
        return "repo", options.repo
    return ("agent", options.agent) if options.agent else ("hive", "")


def _number(text: str) -> int | None:
    if text == "default":
        return None
    if text.upper().removeprefix("L") not in ("1", "2", "3", "4", "5", "6"):
        raise ConfigError(f"'{text}' is no level; write 1 to 6, or 'default'")
    return int(text.upper().removeprefix("L"))
