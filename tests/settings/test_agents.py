from __future__ import annotations

from pathlib import Path

import pytest

from hive.errors import ConfigError
from hive.settings.settings import RejectedAgent
from tests.settings.conftest import GOOD, Loads

LANES = "triage: {lanes: {bug: {labels: [bug]}}}\n"


def rejected(loads: Loads, entry: str, **environ: str) -> RejectedAgent:
    """Why `entry`, which stands on line 8 beside a good one, is not started."""
    settings = loads(f"{GOOD}  - {entry}\n{LANES}", **environ)
    assert [spec.name for spec in settings.agents] == ["quality-1"]
    (found,) = settings.rejected
    return found


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            "{name: a, role: r, backend: claude, modell: x}",
            "unknown key 'modell' in agents[1]; did you mean 'model'?",
        ),
        ("{name: a, role: r}", "the key 'backend' is missing in agents[1]"),
        (
            "{name: A b, role: r, backend: claude}",
            "agents[1].name: 'A b' cannot name an agent; lower case letters",
        ),
        (
            "{name: a, role: sec_check, backend: claude}",
            "agents[1].role: unknown role 'sec_check'; did you mean 'sec-",
        ),
        (
            "{name: a, role: r, backend: cluade}",
            "agents[1].backend: unknown backend 'cluade'; did you mean 'claude'?",
        ),
        (
            "{name: a, role: r, backend: zzz}",
            "agents[1].backend: unknown backend 'zzz'; known: claude, copilot, goose",
        ),
        (
            "{name: a, role: r, backend: copilot, command: [goose]}",
            "agents[1].command: backend is 'copilot', but command starts 'goose', which is a program of "
            "'goose'; change backend or command",
        ),
        (
            "{name: a, role: r, backend: copilot, command: [env, A=b, /usr/bin/claude, -p]}",
            "agents[1].command: backend is 'copilot', but command starts 'claude'",
        ),
        ("{name: a, role: r, backend: claude, command: ['']}", "agents[1].command: it names no program"),
        ("{name: a, role: r, backend: claude, command: claude}", "agents[1].command: a list is expected"),
        (
            "{name: a, role: r, backend: claude, repos: [o/rr]}",
            "agents[1].repos[0]: the repository 'o/rr' is not under repositories; did you mean 'o/r'?",
        ),
        (
            "{name: a, role: r, backend: claude, lanes: [bugs]}",
            "agents[1].lanes[0]: the lane 'bugs' is not under triage.lanes; did you mean 'bug'?",
        ),
        (
            "{name: a, role: r, backend: claude, level: 0}",
            "agents[1].level: '0' is no autonomy level; write a number",
        ),
        ("{name: a, role: r, backend: claude, count: 0}", "agents[1].count: "),
        (
            f"{{name: {'a' * 38}, role: r, backend: claude, count: 10}}",
            f"agents[1].name: '{'a' * 38}-10' is longer than 39 characters; shorten the name",
        ),
        (
            "{name: quality-1, role: r, backend: claude}",
            "agents[1].name: the agent name 'quality-1' is taken on line 7; names are unique",
        ),
        (
            "{name: quality, role: r, backend: claude, count: 2}",
            "agents[1].name: the agent name 'quality-1' is taken on line 7; names are unique",
        ),
        (
            "{name: a, role: r, backend: claude, environment: {KEY: '${NOPE}'}}",
            "agents[1].environment.KEY: the variable NOPE is not set; set it, or write $${ for a plain ${",
        ),
        (
            "{name: a, role: r, backend: claude, environment: {GH_TOKEN: x}}",
            "agents[1].environment.GH_TOKEN: hive itself sets GH_TOKEN for every agent; remove it",
        ),
        (
            "{name: a, role: r, backend: claude, environment: {A-B: x}}",
            "agents[1].environment.A-B: 'A-B' cannot name a variable of the environment",
        ),
        (
            "{name: a, role: r, backend: claude, environment: {KEY: 'x${GITHUB_TOKEN}'}}",
            "agents[1].environment.KEY: this is hive's own credential, which no agent gets",
        ),
        (
            "{name: a, role: r, backend: claude, command: [claude, '--token=${GITHUB_TOKEN}']}",
            "agents[1].command[1]: this is hive's own credential, which no agent gets",
        ),
        ("quality-2", "agents[1]: a mapping of keys is expected"),
    ],
)
def test_what_is_wrong_with_one_agent_is_that_ones_affair(
    loads: Loads, tmp_path: Path, entry: str, said: str
) -> None:
    found = rejected(loads, entry)
    whole = f"{tmp_path}/hive.yaml:8: {said}"
    assert (found.message[: len(whole)], found.line) == (whole, 8)
    assert "\n" not in found.message


def test_a_rejected_agent_is_named_by_what_it_would_have_been(loads: Loads) -> None:
    assert rejected(loads, "{name: a, role: r, count: 2}").names == ("a-1", "a-2")
    assert rejected(loads, "{role: r}").names == ("agents[1]",)


def test_a_name_that_another_entry_has_is_not_retired(loads: Loads) -> None:
    settings = loads(f"{GOOD}  - {{name: quality-1, role: r}}\n  - {{name: b, role: r}}\n")
    assert settings.retired() == {"b"}


_OWN = (
    "[npx, copilot]",
    "[bash, -c, copilot]",
    "[bash, -c, 'echo \"goose']",
    "[bash, -c, '']",
    "[npx, '@x/tool@1']",
)


def test_a_wrapper_is_no_contradiction(loads: Loads) -> None:
    for command in ("[bash, wrapper.sh]", "[/opt/copilot]", "[ghcs]", "[npx, tool]", "[env]", "[]", *_OWN):
        settings = loads(f"{GOOD}  - {{name: a, role: r, backend: copilot, command: {command}}}\n")
        assert settings.rejected == ()


@pytest.mark.parametrize(
    "command",
    [
        "[npx, -y, goose@1.9, session]",
        "[nice, -n, 5, goose]",
        "[env, -i, PATH=/bin, timeout, 90m, goose]",
        "[bash, -lc, 'exec goose session']",
        "[sh, -c, 'A=b /opt/bin/goose']",
        "[/usr/bin/env, bash, -c, 'nohup goose']",
    ],
)
def test_another_backends_program_is_seen_through_what_starts_it(loads: Loads, command: str) -> None:
    """Case 40: hive would wait for the prompt of the one on the screen of the other."""
    said = rejected(loads, f"{{name: a, role: r, backend: copilot, command: {command}}}").message
    assert "agents[1].command: backend is 'copilot', but command starts 'goose'" in said


def test_an_agent_without_repositories_works_on_all(loads: Loads) -> None:
    settings = loads(GOOD.replace("  - o/r\n", "  - o/r\n  - a/b\n"))
    assert settings.agents[0].repos == ("o/r", "a/b")


def test_one_of_five_bad_agents_leaves_four(loads: Loads) -> None:
    entries = "".join(
        f"  - {{name: a{n}, role: r, backend: {'x' if n == 2 else 'goose'}}}\n" for n in range(5)
    )
    settings = loads(GOOD.replace("  - {name: quality-1, role: quality, backend: claude}\n", entries))
    assert [spec.name for spec in settings.agents] == ["a0", "a1", "a3", "a4"]
    assert [one.line for one in settings.rejected] == [9]


def test_strictness_makes_one_bad_agent_stop_everything(loads: Loads, tmp_path: Path) -> None:
    text = f"strict: true\n{GOOD}  - {{name: a, role: r, backend: x}}\n  - {{name: b, role: r}}\n"
    with pytest.raises(ConfigError) as caught:
        loads(text)
    assert str(caught.value) == (
        f"{tmp_path}/hive.yaml:9: agents[1].backend: unknown backend 'x'; "
        "known: claude, copilot, goose (and 1 more)"
    )


def test_a_hive_without_any_good_agent_is_refused(loads: Loads, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        loads(GOOD.replace("backend: claude", "backend: clawd"))
    assert str(caught.value) == (
        f"{tmp_path}/hive.yaml:7: agents[0].backend: unknown backend 'clawd'; did you mean 'claude'?"
    )


def test_foreign_characters_of_a_name_do_not_reach_the_terminal(loads: Loads) -> None:
    found = rejected(loads, '{name: "a\\e[31m\\nb", role: r, backend: claude}')
    assert found.message.isprintable()
