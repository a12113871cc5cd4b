"""What is said of the daemon, the programs, isolation and the door for pods, and of all together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.contracts.backend import BackendTraits, Logins
from hive.decisions.doctor.daemon import DaemonSighting, daemon_finding
from hive.decisions.doctor.finding import (
    Finding,
    State,
    document,
    ok,
    problem,
    render,
    skipped,
    warning,
    worst,
)
from hive.decisions.doctor.isolation import isolation_findings
from hive.decisions.doctor.pods_door import DoorSighting, door_findings
from hive.decisions.doctor.programs import SILENT, Program, program_findings
from hive.decisions.isolation import Allowed, choose
from hive.facts.isolation import IsolationMode, IsolationOptions, Limits, Network

TRAITS = BackendTraits(
    ("claude",),
    install="npm install -g @anthropic-ai/claude-code",
    version=("claude", "--version"),
    logins=Logins(("ANTHROPIC_API_KEY",)),
)
CLAUDE = Program(
    "claude", "claude", "/bin/claude", "2.1.197 (Claude Code)", {"a": ["ANTHROPIC_API_KEY"]}, TRAITS
)
DOOR = DoorSighting("10.0.0.1", 8443, True, False, "hive.example", ("10.0.0.1",))


@pytest.mark.parametrize(
    ("findings", "state"),
    [
        ((), State.OK),
        ((ok("a", ""), skipped("b", "")), State.OK),
        ((ok("a", ""), warning("b", "", "r")), State.WARNING),
        ((warning("a", "", "r"), problem("b", "", "r")), State.PROBLEM),
    ],
)
def test_the_worst_finding_is_the_state_of_all(findings: tuple[Finding, ...], state: State) -> None:
    assert worst(findings) is state


def test_the_document_has_every_check_on_one_line_whatever_others_wrote_into_it() -> None:
    found = [ok("a", "fine"), problem("b", "bad\n\x1b[31mred", "do\nthis")]
    assert document(found, "hive.yaml") == {
        "state": "problem",
        "source": "hive.yaml",
        "checks": [
            {"name": "a", "state": "ok", "found": "fine", "remedy": None},
            {"name": "b", "state": "problem", "found": "bad [31mred", "remedy": "do this"},
        ],
    }


def test_a_person_reads_the_remedy_below_what_was_found_and_the_sum() -> None:
    told = render(document([ok("tmux", "3.3a"), problem("git", "none", "apt install git")], None))
    assert told.splitlines() == [
        "ok       tmux  3.3a",
        "problem  git   none",
        "               → apt install git",
        "",
        "2 checks: 1 ok, 1 problem",
    ]


@pytest.mark.parametrize(
    ("seen", "state"),
    [
        (DaemonSighting(False, silence="no hive runs"), State.SKIPPED),
        (DaemonSighting(True, silence="timed out"), State.PROBLEM),
        (DaemonSighting(True, 7, version="0.1.0"), State.OK),
        (DaemonSighting(True, 7, version=None), State.OK),
        (DaemonSighting(True, 7, version="0.0.9"), State.WARNING),
    ],
)
def test_a_daemon_is_told_by_its_answer_and_its_version(seen: DaemonSighting, state: State) -> None:
    assert daemon_finding(seen, "0.1.0").state is state


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (CLAUDE, [State.OK, State.OK]),
        (replace(CLAUDE, logins={"a": ["ANTHROPIC_API_KEY"], "b": []}), [State.OK, State.WARNING]),
        (replace(CLAUDE, path=None), [State.PROBLEM]),
        (replace(CLAUDE, said="does not run: Exec format error"), [State.PROBLEM]),
        (replace(CLAUDE, said=SILENT), [State.WARNING, State.OK]),
        (Program("aider", "aider", "/bin/aider"), [State.OK]),
        (Program("aider", "aider", None), [State.PROBLEM]),
    ],
)
def test_a_configured_program_is_told_by_presence_and_login(program: Program, expected: list[State]) -> None:
    found = [*program_findings(program, is_configured=True)]
    assert [each.state for each in found] == expected
    assert all(each.remedy for each in found if each.state is not State.OK)


def test_a_missing_program_comes_with_the_command_that_installs_it() -> None:
    (found,) = program_findings(replace(CLAUDE, path=None), is_configured=True)
    assert found.remedy == "npm install -g @anthropic-ai/claude-code"


def test_without_a_configuration_a_missing_program_is_nobodys_trouble() -> None:
    (found,) = program_findings(replace(CLAUDE, path=None), is_configured=False)
    assert found.state is State.SKIPPED


ALLOWED = Allowed(uid="hive does not run as root", userns="", control_groups="no group can be made")


def isolation_of(options: IsolationOptions, allowed: Allowed = ALLOWED) -> list[tuple[str, State]]:
    found = isolation_findings(options, choose(options, allowed), allowed, local_agents=2)
    return [(each.name, each.state) for each in found]


def test_isolation_says_what_hive_makes_of_what_the_machine_allows() -> None:
    assert isolation_of(IsolationOptions()) == [
        ("isolation", State.OK),
        ("isolation: own users", State.SKIPPED),
        ("isolation: user namespaces", State.OK),
        ("isolation: control groups", State.SKIPPED),
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (IsolationOptions(mode=IsolationMode.UID), State.PROBLEM),
        (IsolationOptions(mode=IsolationMode.UID, degrade=True), State.WARNING),
        (IsolationOptions(mode=IsolationMode.NONE), State.WARNING),
        (IsolationOptions(limits=Limits(memory=1 << 30)), State.PROBLEM),
        (IsolationOptions(limits=Limits(memory=1 << 30), degrade=True), State.WARNING),
        (IsolationOptions(network=Network.HOST), State.WARNING),
    ],
)
def test_less_isolation_than_was_asked_for_is_told_aloud(options: IsolationOptions, expected: State) -> None:
    assert isolation_of(options)[0] == ("isolation", expected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (IsolationOptions(), State.PROBLEM),
        (IsolationOptions(mode=IsolationMode.USERNS), State.PROBLEM),
        (IsolationOptions(mode=IsolationMode.USERNS, degrade=True), State.WARNING),
    ],
)
def test_roots_own_user_in_a_namespace_is_less_than_was_asked_for(
    options: IsolationOptions, expected: State
) -> None:
    as_root = replace(ALLOWED, as_root=True)
    assert isolation_of(options, as_root)[0] == ("isolation", expected)
    assert isolation_of(options, replace(as_root, uid=""))[0][1] == (
        State.OK if options.mode is None else expected
    )


def test_without_agents_on_this_machine_isolation_is_of_no_concern() -> None:
    options = IsolationOptions(mode=IsolationMode.UID)
    first, *_ = isolation_findings(options, choose(options, ALLOWED), ALLOWED, local_agents=0)
    assert first.state is State.OK


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (DOOR, [State.OK, State.OK]),
        (replace(DOOR, is_ours=False), [State.PROBLEM, State.OK]),
        (replace(DOOR, is_taken=True), [State.PROBLEM, State.OK]),
        (replace(DOOR, is_taken=None), [State.OK, State.OK]),
        (replace(DOOR, addresses=()), [State.OK, State.SKIPPED]),
        (replace(DOOR, addresses=("127.0.0.1",)), [State.OK, State.WARNING]),
        (replace(DOOR, addresses=("::1",)), [State.OK, State.WARNING]),
    ],
)
def test_the_door_for_pods_is_told_by_its_address(seen: DoorSighting, expected: list[State]) -> None:
    assert [each.state for each in door_findings(seen, agents_in_pods=1)] == expected


def test_agents_in_pods_without_a_door_are_a_problem_and_none_are_none() -> None:
    assert [each.state for each in door_findings(None, agents_in_pods=2)] == [State.PROBLEM]
    assert [*door_findings(None, agents_in_pods=0)] == []
