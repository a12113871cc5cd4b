"""All commands: what each is about, who carries it out, and which options it takes."""

from __future__ import annotations

from hive.cli.command import Command, Group

# As in the parser: typing is slow to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def _configured(command: ArgumentParser) -> None:
    command.add_argument(
        "-c", "--config", default="hive.yaml", metavar="FILE", help="the configuration [hive.yaml]"
    )


def _notify_test(command: ArgumentParser) -> None:
    command.add_argument("channel", nargs="?", metavar="CHANNEL", help="[all]")
    _configured(command)


def _run(command: ArgumentParser) -> None:
    _configured(command)
    command.add_argument("--once", action="store_true", help="one tick, then end")


def _demo(command: ArgumentParser) -> None:
    add = command.add_argument
    add("--level", type=int, default=4, choices=range(1, 7), metavar="N", help="ACMM level [4]")
    add("--agents", type=int, metavar="N", help="how many agents [6]")
    add("--repo", metavar="DIR", help="a git repository to work on, instead of the demo's own")
    add("--issues", metavar="FILE", help="its issues, as `hive triage` takes them")
    add("--check", metavar="CMD", help="what checks a pull request's merge result")
    add("--dash", action="store_true", help="show the dashboard meanwhile")
    add("--keep", action="store_true", help="keep the world and its agents afterwards")
    add("--timeout", type=float, default=600.0, metavar="SECONDS", help="give up then [600]")
    add("--kubernetes", action="store_true", help="agents in pods, placed on the clusters of a fleet")
    add("--kubeconfig", metavar="FILE", help="existing clusters, instead of the test cluster of a checkout")
    add("--image", metavar="IMAGE", help="what the pods run; needed with --kubeconfig")
    add("--address", metavar="HOST", help="of this machine, as pods reach it [towards the API server]")


def _doctor(command: ArgumentParser) -> None:
    command.add_argument("-c", "--config", metavar="FILE", help="[hive.yaml, where there is one]")


def _init(command: ArgumentParser) -> None:
    command.add_argument("-c", "--config", default="hive.yaml", metavar="FILE", help="where to [hive.yaml]")


def _explain(command: ArgumentParser) -> None:
    command.add_argument("id", help="an agent, its sandbox, o/r#7, #7, a task, an intent")
    _configured(command)


def _agent(command: ArgumentParser) -> None:
    command.add_argument("agent", metavar="AGENT")
    _configured(command)


def _reasoned(command: ArgumentParser) -> None:
    _agent(command)
    command.add_argument("--why", default="", help="for the record")


def _logs(command: ArgumentParser) -> None:
    _agent(command)
    command.add_argument("-n", "--lines", type=int, default=50, help="the newest so many [50]")
    command.add_argument("--all", action="store_true", help="with each use of a model; see also: hive costs")


def _send(command: ArgumentParser) -> None:
    _agent(command)
    command.add_argument("text", metavar="TEXT", nargs="*")
    command.add_argument(
        "--option", metavar="N|TEXT", help="choose this option of the box on its screen, instead of a text"
    )


def _level(command: ArgumentParser) -> None:
    command.add_argument("level", nargs="?", metavar="N", help="1 to 6; 'default' takes a change back")
    command.add_argument("--repo", metavar="OWNER/NAME")
    command.add_argument("--agent", metavar="NAME")
    command.add_argument("--why", default="", help="for the record")
    _configured(command)


def _acmm_decide(command: ArgumentParser) -> None:
    command.add_argument("--level", required=True, metavar="N")
    command.add_argument("--role", required=True, metavar="ROLE")
    command.add_argument("--action", required=True, metavar="ACTION")
    command.add_argument("--mode", metavar="MODE", help="can only lower the table's")


def _acmm_request(command: ArgumentParser) -> None:
    command.add_argument("--level", required=True, metavar="N")
    command.add_argument("--role", required=True, metavar="ROLE")
    command.add_argument("--agent", default="agent", metavar="NAME")
    command.add_argument("--repo", default="o/r", metavar="OWNER/NAME")
    command.add_argument("--nodes", metavar="FILE", help="what ids and numbers are")
    command.add_argument("file", metavar="FILE", help="the request; - for stdin")


def _judge(command: ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="YAML or JSON; - for stdin")
    command.add_argument("--now", metavar="TIME", help="ISO 8601 with zone; goes before the file's")


def _triage(command: ArgumentParser) -> None:
    command.add_argument("--prompt", metavar="NUMBER", help="the prompt that an agent would get")
    command.add_argument("--max-chars", type=int, metavar="N", help="bound on foreign text [65536]")
    _judge(command)


def _screen(command: ArgumentParser) -> None:
    command.add_argument("backend", metavar="BACKEND")
    command.add_argument("file", metavar="FILE", help="from tmux capture-pane -p -e; - for stdin")
    command.add_argument("--now", metavar="TIME")
    command.add_argument("--zone", metavar="ZONE", help="the machine's, for clock times without one")
    command.add_argument("-c", "--config", metavar="FILE", help="a configuration that describes the backend")


def _place(command: ArgumentParser) -> None:
    add = command.add_argument
    add(
        "-f",
        "--filename",
        action="extend",
        nargs="+",
        required=True,
        metavar="FILE",
        dest="files",
        help="YAML or JSON, a folder of them, or - for stdin; may be repeated",
    )
    add("--now", metavar="TIME", help="ISO 8601 with zone; the clock where left out")
    add("--stale-after", metavar="DURATION", help="how old an observation may be [5m]")
    add("--why", choices=["all"], help="explain all clusters, not only the nearest 50")


def _install(command: ArgumentParser) -> None:
    add = command.add_argument
    add("--crds", action="store_true", help="the kinds of the fleet, where they are absent")
    add("-c", "--config", metavar="FILE", help="whose hub to take [hive.yaml, where there is one]")
    add("--kubeconfig", metavar="FILE", help="in place of the configuration's")
    add("--context", metavar="NAME", help="in place of the hub's")
    add("--namespace", metavar="NAME", help="where sandbox requests will live")
    add("--dry-run", action="store_true", help="ask the API server, and change nothing")


def _approve(command: ArgumentParser) -> None:
    command.add_argument("id", metavar="ID", help="of `hive holds`")
    command.add_argument("--why", default="", help="for the record")
    _configured(command)


def _deny(command: ArgumentParser) -> None:
    command.add_argument("id", metavar="ID", help="of `hive holds`")
    command.add_argument("--why", required=True, help="for the record, and for the agent")
    _configured(command)


def _work(command: ArgumentParser) -> None:
    add, verbs = command.add_argument, ["release", "prompt", "take-up"]
    about = "let kept copies go; show what an agent would get; have an agent go on with its pull request"
    add("verb", nargs="?", choices=verbs, metavar="|".join(verbs), help=about)
    add("ids", nargs="*", metavar="ID", help="a task, or OWNER/NAME#NUMBER")
    add("--why", help="for the record")
    _configured(command)


def _incidents(command: ArgumentParser) -> None:
    add = command.add_argument
    add("close", nargs="?", choices=["close"], metavar="close", help="say that some are dealt with")
    add("ids", nargs="*", metavar="ID", help="which")
    add("--why", help="how they were dealt with, for the record")
    _configured(command)


def _findings(command: ArgumentParser) -> None:
    add = command.add_argument
    verbs = ["list", "show", "accept", "reject"]
    add("verb", nargs="?", choices=verbs, metavar="list|show|accept|reject", help="[list]")
    add("id", nargs="?", metavar="ID", help="which")
    add("--why", help="the reason, for the record, and for the agent that finds it again")
    _configured(command)


def _merging(command: ArgumentParser) -> None:
    add = command.add_argument
    add("verb", nargs="?", choices=["hold", "release"], metavar="hold|release", help="a person's word")
    add("repo", nargs="?", metavar="OWNER/NAME", help="where")
    add("--why", help="the reason, for the record")
    _configured(command)


def _audit(command: ArgumentParser) -> None:
    add = command.add_argument
    add("verify", nargs="?", choices=["verify"], metavar="verify", help="check an export instead")
    add("file", nargs="?", metavar="FILE", help="the export; - for stdin")
    add("--head", metavar="HASH", help="what it has to end in, from where you kept it")
    add("--alone", action="store_true", help="check the file without the journal that it came from")
    _configured(command)


def _replay(command: ArgumentParser) -> None:
    add = command.add_argument
    add("--level", type=int, choices=range(1, 7), metavar="N", help="as if the hive had been at it")
    add("-c", "--config", default="hive.yaml", metavar="FILE", help="rules and journal of which [hive.yaml]")


def _schema(command: ArgumentParser) -> None:
    command.add_argument("name", nargs="?", default="hive", metavar="NAME")
    command.add_argument("--list", action="store_true", help="the names that there are")


def _bench(command: ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="left out: the names that there are")
    command.add_argument(
        "--size", type=int, metavar="N", help="sessions, events or rows; its own where left out"
    )


def _costs(command: ArgumentParser) -> None:
    _configured(command)
    kinds = ("agent", "task", "issue", "repo", "model", "role", "backend", "account", "day")
    command.add_argument("--by", choices=kinds, default="agent", help="a row for each of what [agent]")
    command.add_argument("--since", metavar="WHEN", help="24h, 7d, or a day; left out: all on record")


_ACMM: Group = {
    "table": Command("levels × roles → mode, mode × action → ruling", "decide:acmm_table", as_json=True),
    "decide": Command("one ruling with its reason", "decide:acmm_decide", _acmm_decide, as_json=True),
    "request": Command(
        "what the gateway would do with one raw request", "decide:acmm_request", _acmm_request, as_json=True
    ),
}

COMMANDS: Group = {
    "run": Command("run the daemon", "daemon:run", _run),
    "demo": Command("run hive on a throw-away world", "demo:demo", _demo, as_json=True),
    "init": Command("write a commented hive.yaml for this repository", "configuration:init", _init),
    "check": Command("validate the configuration", "configuration:check", _configured, as_json=True),
    "doctor": Command(
        "what is wrong here, each problem with its remedy", "doctor:doctor", _doctor, as_json=True
    ),
    "status": Command("what is, on one screen", "views:status", _configured, as_json=True),
    "agents": Command("the agents, their true state and task", "views:agents", _configured, as_json=True),
    "work": Command(
        "the queue of issues, why each stands where it does, and working copies that are kept",
        "work:work",
        _work,
        as_json=True,
    ),
    "costs": Command("what models cost, by agent, task, day …", "costs:costs", _costs, as_json=True),
    "clusters": Command(
        "the clusters of the fleet, and what is free on them", "clusters:clusters", _configured, as_json=True
    ),
    "explain": Command("why something did or did not happen", "views:explain", _explain, as_json=True),
    "audit": Command(
        "the journal as JSON lines bound by a chain of hashes; audit verify FILE checks one",
        "audit:audit",
        _audit,
        as_json=True,
    ),
    "replay": Command(
        "which recorded rulings another level or configuration would change",
        "replay:replay",
        _replay,
        as_json=True,
    ),
    "dash": Command("the dashboard, in this terminal", "dash:dash", _configured),
    "attach": Command("attach to an agent's terminal", "hands:attach", _agent),
    "logs": Command("what the journal says of an agent", "hands:logs", _logs, as_json=True),
    "send": Command("type a text into an agent's session", "hands:send", _send),
    "pause": Command("give an agent no more work", "hands:pause", _reasoned),
    "resume": Command("take a pause back", "hands:resume", _reasoned),
    "restart": Command("restart an agent", "hands:restart", _reasoned),
    "holds": Command(
        "actions of agents that wait for a person's word", "holds:holds", _configured, as_json=True
    ),
    "notify": Command(
        "what waits for people, and who is told",
        commands={
            "list": Command(
                "what waits for a person now, each with its command",
                "notify:listed",
                _configured,
                as_json=True,
            ),
            "test": Command("send a message to every channel, or to one", "notify:test", _notify_test),
        },
    ),
    "approve": Command("let an agent do, once, what was held", "holds:approve", _approve),
    "deny": Command("say no to what was held", "holds:deny", _deny),
    "incidents": Command(
        "what hive's account did without hive, and closing it",
        "incidents:incidents",
        _incidents,
        as_json=True,
    ),
    "findings": Command(
        "what agents found, and a person's word on it", "findings:findings", _findings, as_json=True
    ),
    "merging": Command(
        "where hive merges nothing now, and holding or releasing it",
        "merging:merging",
        _merging,
        as_json=True,
    ),
    "level": Command("show or set the autonomy level", "hands:level", _level, as_json=True),
    "acmm": Command("the autonomy table, and rulings by it", commands=_ACMM),
    "judge": Command("the merge gate on a pull request in a file", "decide:judge", _judge, as_json=True),
    "triage": Command("which issues become work, in what order", "decide:triage", _triage, as_json=True),
    "screen": Command("what a captured screen means", "decide:screen", _screen, as_json=True),
    "place": Command(
        "which clusters, and why: placement of what is in files", "decide:place", _place, as_json=True
    ),
    "install": Command(
        "install the kinds of the fleet on its hub", "install:install", _install, as_json=True
    ),
    "schema": Command("the JSON Schema of hive.yaml, or of a command's file", "decide:schema", _schema),
    "bench": Command("a benchmark, each figure beside its limit", "bench:bench", _bench, as_json=True),
}
"""Every command, in the order of the help."""
