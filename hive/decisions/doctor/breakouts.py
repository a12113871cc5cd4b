"""What attempts to break out of an agent's place say about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hive.decisions.doctor.finding import Finding, ok, problem, skipped
from hive.facts.isolation import IsolationMode, IsolationOptions, Network

_WORDS = {
    "read_files": "read hive's and other agents' files",
    "write_files": "write them, or what is the machine's",
    "open_sockets": "talk to tmux, the operators' or abstract sockets",
    "see_processes": "see the environment of other processes",
    "enter_processes": "look into their memory and files",
    "end_processes": "end them",
    "leave_limits": "raise its limits or leave its control group",
    "share_memory": "share memory with other processes",
    "gain_rights": "gain rights or uncover what is hidden",
    "go_out": "reach an address by TCP or UDP",
    "go_around": "get raw sockets, other interfaces or the virtual machine's host",
}
_OF_THE_NETWORK = ("go_out", "go_around")
_REMEDY = "report this with the output of 'hive doctor --json'; until then run agents in pods (`sandbox`)"
_ROOT = "run hive as a user that owns nothing else, or set isolation.mode: uid"


def breakout_findings(
    options: IsolationOptions, mode: IsolationMode, reached: Mapping[str, str]
) -> Iterator[Finding]:
    """`reached` has, by attempt, what was reached; empty where it was in vain."""
    for name, words in _WORDS.items():
        said = f"breakout: {words}"
        if name in _OF_THE_NETWORK and options.network is Network.HOST:
            yield skipped(said, "agents are on the machine's own network, as isolation.network says")
        elif name not in reached:
            yield problem(said, "was not tried: the attempt itself failed", _REMEDY)
        elif reached[name]:
            remedy = _ROOT if mode is IsolationMode.USERNS else _REMEDY
            yield problem(said, f"an agent reaches {reached[name]}", remedy)
        else:
            yield ok(said, "tried from an agent's place, in vain")
