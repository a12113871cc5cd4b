"""All commands and their options. argparse, not a richer library: it starts in a tenth of the time."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from hive import __version__

_EPILOG = (
    "Exit codes: 0 done, 1 the answer is no, 2 bad input or configuration, 3 a dependency is out of reach."
)


class _Parser(argparse.ArgumentParser):
    """Complains in hive's own form: one line, with the remedy."""

    def error(self, message: str) -> NoReturn:
        print(f"hive: {message}; see '{self.prog} --help'", file=sys.stderr)
        sys.exit(2)


def build_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="hive",
        description="Supervises fleets of coding agents, as far as the autonomy level allows.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"hive {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    _daemon(commands)
    _views(commands)
    _hands(commands)
    _decisions(commands)
    _tools(commands)
    return parser


def _add(commands: Any, name: str, help_text: str, handler: str, *, as_json: bool = False) -> Any:
    command = commands.add_parser(name, help=help_text, description=help_text)
    command.set_defaults(handler=handler)
    if as_json:
        command.add_argument("--json", action="store_true", help="print one JSON document")
    return command


def _configured(command: Any) -> None:
    command.add_argument(
        "-c", "--config", default="hive.yaml", metavar="FILE", help="the configuration [hive.yaml]"
    )


def _daemon(commands: Any) -> None:
    run = _add(commands, "run", "run the daemon", "daemon:run")
    _configured(run)
    run.add_argument("--once", action="store_true", help="one tick, then end")
    demo = _add(commands, "demo", "run hive on a throw-away world", "demo:demo", as_json=True)
    demo.add_argument("--level", type=int, default=4, choices=range(1, 7), metavar="N", help="ACMM level [4]")
    demo.add_argument("--agents", type=int, metavar="N", help="how many agents [6]")
    demo.add_argument("--repo", metavar="DIR", help="a git repository to work on, instead of the demo's own")
    demo.add_argument("--issues", metavar="FILE", help="its issues, as `hive triage` takes them")
    demo.add_argument("--check", metavar="CMD", help="what checks a pull request's merge result")
    demo.add_argument("--dash", action="store_true", help="show the dashboard meanwhile")
    demo.add_argument("--keep", action="store_true", help="keep the world and its agents afterwards")
    demo.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="give up then [600]")
    init = _add(commands, "init", "write a commented hive.yaml for this repository", "configuration:init")
    init.add_argument("-c", "--config", default="hive.yaml", metavar="FILE", help="where to [hive.yaml]")
    check = _add(commands, "check", "validate the configuration", "configuration:check", as_json=True)
    _configured(check)


def _views(commands: Any) -> None:
    for name, help_text in (
        ("status", "what is, on one screen"),
        ("agents", "the agents, their true state and task"),
        ("work", "the queue of issues, and why each stands where it does"),
    ):
        _configured(_add(commands, name, help_text, f"views:{name}", as_json=True))
    explain = _add(commands, "explain", "why something did or did not happen", "views:explain", as_json=True)
    explain.add_argument("id", help="an agent, o/r#7, #7, a task, an intent")
    _configured(explain)
    dash = _add(commands, "dash", "the dashboard, in this terminal", "dash:dash")
    _configured(dash)


def _hands(commands: Any) -> None:
    attach = _add(commands, "attach", "attach to an agent's terminal", "hands:attach")
    logs = _add(commands, "logs", "what the journal says of an agent", "hands:logs", as_json=True)
    send = _add(commands, "send", "type a text into an agent's session", "hands:send")
    pause = _add(commands, "pause", "give an agent no more work", "hands:pause")
    resume = _add(commands, "resume", "take a pause back", "hands:resume")
    restart = _add(commands, "restart", "restart an agent", "hands:restart")
    for command in (attach, logs, send, pause, resume, restart):
        command.add_argument("agent", metavar="AGENT")
        _configured(command)
    send.add_argument("text", metavar="TEXT", nargs="+")
    logs.add_argument("-n", "--lines", type=int, default=50, help="the newest so many [50]")
    for command in (pause, resume, restart):
        command.add_argument("--why", default="", help="for the record")
    level = _add(commands, "level", "show or set the autonomy level", "hands:level", as_json=True)
    level.add_argument("level", nargs="?", metavar="N", help="1 to 6; 'default' takes a change back")
    level.add_argument("--repo", metavar="OWNER/NAME")
    level.add_argument("--agent", metavar="NAME")
    level.add_argument("--why", default="", help="for the record")
    _configured(level)


def _decisions(commands: Any) -> None:
    acmm = commands.add_parser("acmm", help="the autonomy table, and rulings by it")
    parts = acmm.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    _add(parts, "table", "levels × roles → mode, mode × action → ruling", "decide:acmm_table", as_json=True)
    decide = _add(parts, "decide", "one ruling with its reason", "decide:acmm_decide", as_json=True)
    decide.add_argument("--level", required=True, metavar="N")
    decide.add_argument("--role", required=True, metavar="ROLE")
    decide.add_argument("--action", required=True, metavar="ACTION")
    decide.add_argument("--mode", metavar="MODE", help="can only lower the table's")
    request = _add(
        parts,
        "request",
        "what the gateway would do with one raw request",
        "decide:acmm_request",
        as_json=True,
    )
    request.add_argument("--level", required=True, metavar="N")
    request.add_argument("--role", required=True, metavar="ROLE")
    request.add_argument("--agent", default="agent", metavar="NAME")
    request.add_argument("--repo", default="o/r", metavar="OWNER/NAME")
    request.add_argument("--nodes", metavar="FILE", help="what ids and numbers are")
    request.add_argument("file", metavar="FILE", help="the request; - for stdin")
    judge = _add(
        commands, "judge", "the merge gate on a pull request in a file", "decide:judge", as_json=True
    )
    triage = _add(
        commands, "triage", "which issues become work, in what order", "decide:triage", as_json=True
    )
    triage.add_argument("--prompt", metavar="NUMBER", help="the prompt that an agent would get")
    triage.add_argument("--max-chars", type=int, metavar="N", help="bound on foreign text [65536]")
    for command in (judge, triage):
        command.add_argument("file", metavar="FILE", help="YAML or JSON; - for stdin")
        command.add_argument("--now", metavar="TIME", help="ISO 8601 with zone; goes before the file's")
    screen = _add(commands, "screen", "what a captured screen means", "decide:screen", as_json=True)
    screen.add_argument("backend", metavar="BACKEND")
    screen.add_argument("file", metavar="FILE", help="from tmux capture-pane -p -e; - for stdin")
    screen.add_argument("--now", metavar="TIME")
    screen.add_argument("--zone", metavar="ZONE", help="the machine's, for clock times without one")
    schema = _add(commands, "schema", "the JSON Schema of hive.yaml, or of a command's file", "decide:schema")
    schema.add_argument("name", nargs="?", default="hive", metavar="NAME")
    schema.add_argument("--list", action="store_true", help="the names that there are")


def _tools(commands: Any) -> None:
    bench = _add(commands, "bench", "a benchmark, each figure beside its limit", "bench:bench", as_json=True)
    bench.add_argument("name", metavar="NAME", nargs="?", help="left out: the names that there are")
    bench.add_argument(
        "--size", type=int, metavar="N", help="sessions, events or rows; its own where left out"
    )
