"""An operator's hands: attach, logs, send, pause, resume, restart, level."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

from hive.cli.output import print_json, print_text
from hive.cli.state import places, user
from hive.errors import ConfigError, Missing
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
    _operator(options).send(options.agent, " ".join(options.text), by=user())
    print_text(f"typed into {options.agent}'s session; look with: hive attach {options.agent}")
    return 0


def attach(options: Namespace) -> int:
    """Become `tmux attach`; leave it with the prefix key and d."""
    from hive.facts.agents import session_name

    here = places(options.config)
    if not here.tmux_socket.exists():
        raise Missing("terminal", f"no agents run on {here.state}")
    os.environ.pop("TMUX", None)
    os.execvp(  # noqa: S606  # hive becomes tmux; no shell is wanted
        "tmux",
        ["tmux", "-S", str(here.tmux_socket), "attach", "-t", f"={session_name(options.agent)}"],
    )


def logs(options: Namespace) -> int:
    from hive.decisions.telling import tell
    from hive.shells.sqlite import SqliteJournal

    journal = SqliteJournal(places(options.config).journal, read_only=True)
    try:
        records = journal.about(options.agent, limit=max(options.lines, 1))
    finally:
        journal.close()
    rows: list[dict[str, Any]] = [
        {"at": record.at.isoformat().replace("+00:00", "Z"), "seq": record.seq, "text": tell(record)}
        for record in records
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
