from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.merge_gate import MergePolicy, RequiredCheck
from hive.decisions.triage import Lane, TriagePolicy
from hive.errors import ConfigError
from hive.facts.actors import ActorKind, Association
from hive.facts.agents import AgentSpec, ContextPolicy
from hive.facts.autonomy import AcmmLevel
from hive.settings import acmm
from hive.settings.loading import load
from hive.settings.settings import GatewayOptions, RepositorySettings
from tests.settings.conftest import ENVIRON, GOOD, Loads, backends


def complaint(loads: Loads, text: str, **environ: str) -> str:
    """What is said about `text`, without the folder."""
    with pytest.raises(ConfigError) as caught:
        loads(text, **environ)
    assert caught.value.exit_code == 2
    return str(caught.value).rpartition("/hive.yaml:")[2]


def test_a_short_file_gets_every_default(loads: Loads, tmp_path: Path) -> None:
    settings = loads()
    assert settings.source == str(tmp_path / "hive.yaml")
    assert settings.state == tmp_path / ".hive"
    assert settings.level is AcmmLevel.L4
    assert settings.repositories == (RepositorySettings("o/r", None, MergePolicy(), "squash"),)
    assert settings.agents == (AgentSpec("quality-1", "quality", "claude", repos=("o/r",)),)
    assert (settings.rejected, settings.raised, settings.strict) == ((), (), False)
    assert (settings.tick, settings.poll) == (timedelta(seconds=5), timedelta(seconds=60))
    assert settings.gateway == GatewayOptions("127.0.0.1", 0, "hold", False)
    assert settings.lifecycle == LifecyclePolicy()
    assert settings.triage == TriagePolicy()
    assert settings.table == acmm.load_table()


def test_a_file_says_everything_that_can_be_said(loads: Loads, tmp_path: Path) -> None:
    settings = loads(
        """\
level: 6
github: {api_url: "https://ghe.example/api/v3", token: "${GITHUB_TOKEN}"}
repositories:
  - o/r
  - {name: O/Other, level: 2, merge: {approvals: 2, method: rebase}}
agents:
  - name: scan
    role: scanner
    backend: goose
    model: big-1
    repos: [o/other]
    lanes: [bug]
    level: 3
    context: keep
    command: [bash, wrapper.sh]
    environment: {B: "2", A: "1"}
    count: 2
strict: true
state: ../elsewhere
tick: 2s
poll: 5m
gateway: {host: localhost, port: 8080, hold_label: wait, keep_draft: true}
triage: {trusted: [OWNER], allow: ["app[bot]"], go_label: go, hold_labels: [wip],
  lanes: {bug: {labels: [bug]}, docs: {words: [typo]}}}
merge: {required: [build, {name: test, app: actions}], accept: [success, neutral], approvals: 1,
  approvals_by: [person, agent], settle: 1m, missing_after: 2h, resolve_threads: false, allow_no_checks: true,
  own_checks: [hive], hold_labels: [wip], protected_paths: ["infra/", "!CLAUDE.md"], method: merge,
  up_to_date: true, base_green: false, delete_branch: false}
lifecycle: {backoff: 1s, backoff_cap: 2m, stagger: 0s, hung_after: 9m, deadline: 1h, attempts: 5, rest: 2m,
  killed_agents: 3, hands_off: 2m}
"""
    )
    policy = MergePolicy(
        required=(RequiredCheck("build"), RequiredCheck("test", "actions")),
        accept=frozenset({"success", "neutral"}),
        approvals=1,
        approvals_by=frozenset({ActorKind.PERSON, ActorKind.AGENT}),
        settle=timedelta(minutes=1),
        missing_after=timedelta(hours=2),
        resolve_threads=False,
        allow_no_checks=True,
        own_checks=frozenset({"hive"}),
        hold_labels=frozenset({"wip", "wait"}),
        protected_paths=("infra/", "!CLAUDE.md"),
        up_to_date=True,
        base_green=False,
        delete_branch=False,
        method="merge",
    )
    spec = AgentSpec(
        name="scan-1",
        role="scanner",
        backend="goose",
        repos=("O/Other",),
        lanes=("bug",),
        model="big-1",
        level=AcmmLevel.L3,
        context=ContextPolicy.KEEP,
        command=("bash", "wrapper.sh"),
        environment=(("A", "1"), ("B", "2")),
    )
    assert settings.merge_policy("o/r") == policy
    assert settings.merge_method("O/R") == "merge"
    assert settings.repository("o/other") == RepositorySettings(
        "O/Other", AcmmLevel.L2, replace(policy, approvals=2, method="rebase"), "rebase"
    )
    assert settings.agents == (spec, replace(spec, name="scan-2"))
    assert settings.state == tmp_path.parent / "elsewhere"
    assert settings.gateway == GatewayOptions("localhost", 8080, "wait", True)
    assert settings.lifecycle == LifecyclePolicy(
        backoff=timedelta(seconds=1),
        backoff_cap=timedelta(minutes=2),
        stagger=timedelta(),
        hung_after=timedelta(minutes=9),
        deadline=timedelta(hours=1),
        attempts=5,
        rest=timedelta(minutes=2),
        killed_agents=3,
        hands_off=timedelta(minutes=2),
    )
    assert settings.triage == TriagePolicy(
        trusted=frozenset({Association.OWNER}),
        allow=("app[bot]",),
        go_label="go",
        hold_labels=frozenset({"wip", "wait"}),
        lanes=(Lane("bug", labels=("bug",)), Lane("docs", words=("typo",))),
    )
    assert settings.github.git_url == "https://ghe.example"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("level: 4", "levle: 4", "1: unknown key 'levle'; did you mean 'level'?"),
        ("level: 4", "level: 7", "1: level: '7' is no autonomy level; write a number from 1 to 6"),
        ("level: 4", "level: yes", "1: level: 'yes' is no autonomy level; write a number from 1 to 6"),
        ("level: 4", "tick: 5", "1: tick: '5' is no duration; write 90s, 5m, 4h or 2d"),
        ("level: 4", "tick: 0s", "1: tick: 0s is out of range; from 1s to 10m"),
        (
            "level: 4",
            "tick: 9m",
            "1: poll (1m) is shorter than tick (9m); hive asks the forge at most once a tick",
        ),
        ("level: 4", "poll: 2d", "1: poll: 2d is out of range; from 1s to 1d"),
        ("level: 4", "strict: on", "1: strict: 'on' is neither true nor false"),
        ("level: 4", "agents: []", "6: the key 'agents' is given twice"),
        ("level: 4", "lifecycle: {attempts: 0}", "1: lifecycle.attempts: "),
        ("level: 4", "lifecycle: {deadline: 1s}", "1: lifecycle.deadline: 1s is out of range; from 1m to 7d"),
        (
            "level: 4",
            "lifecycle: {backoff: 1h}",
            "1: lifecycle: backoff (1h) is longer than backoff_cap (10m)",
        ),
        ("level: 4", "gateway: {port: 70000}", "1: gateway.port: "),
        (
            "level: 4",
            "gateway: {host: 0.0.0.0}",
            "1: gateway.host: '0.0.0.0' is not on loopback; agents' tokens would travel in the clear",
        ),
        (
            "level: 4",
            "merge: {approvels: 1}",
            "1: unknown key 'approvels' in merge; did you mean 'approvals'?",
        ),
        (
            "level: 4",
            "merge: {method: sqash}",
            "1: merge.method: one of 'merge', 'squash' or 'rebase' is expected",
        ),
        ("level: 4", "merge: {accept: [sucess]}", "1: merge.accept[0]: one of "),
        ("level: 4", "triage: {go_label: Hold}", "1: triage.go_label: 'Hold' holds as well; take another"),
        ("  - o/r", "  - o", "5: repositories[0]: 'o' names no repository; write OWNER/NAME"),
        ("  - o/r", "  - o/r.git", "5: repositories[0]: 'o/r.git' names no repository; write o/r"),
        (
            "  - o/r",
            "  - o/r\n  - a/b\n  - O/R",
            "7: repositories[2]: 'O/R' is the repository 'o/r' of line 5 again; remove one",
        ),
        (
            "  - o/r",
            "  - {name: o/r, levl: 2}",
            "5: unknown key 'levl' in repositories[0]; did you mean 'level'?",
        ),
        ("  - o/r", "  - {level: 2}", "5: the key 'name' is missing in repositories[0]"),
        ("repositories:\n  - o/r\n", "", "1: the key 'repositories' is missing"),
        ("  - o/r", "  []", "4: repositories: at least 1 is expected, and it has 0"),
        ("agents:", "agents: {}\nx:", "6: agents: a list is expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_the_remedy(
    loads: Loads, old: str, new: str, said: str
) -> None:
    assert old in GOOD
    found = complaint(loads, GOOD.replace(old, new, 1))
    assert found[: len(said)] == said


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "- a\n", "a: 1\n---\nb: 2\n", "a: [\n", "a: !x 1\n", "\x01"]
)
def test_what_is_no_mapping_of_keys_is_refused(loads: Loads, text: str) -> None:
    with pytest.raises(ConfigError):
        loads(text)


def test_a_file_that_is_not_there_names_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "hive.yaml", environ={}, backends={})
    assert str(caught.value) == f"{tmp_path}/hive.yaml: there is no such file; `hive init` writes one"


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the file cannot be read: Is a directory"):
        load(tmp_path, environ={}, backends={})


def test_a_relative_file_still_gives_an_absolute_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hive.yaml").write_text(GOOD)
    settings = load(Path("hive.yaml"), environ=ENVIRON, backends=backends())
    assert (settings.source, settings.state) == ("hive.yaml", tmp_path / ".hive")


def test_hives_own_hold_label_always_holds(loads: Loads) -> None:
    settings = loads(GOOD + "gateway: {hold_label: agent-hold}\nmerge: {hold_labels: [wip]}\n")
    assert settings.merge_policy("o/r").holds("Agent-Hold")
    assert settings.merge_policy("o/r").holds("wip")
    assert settings.triage.holds("Agent-Hold")


def test_an_unknown_repository_is_a_key_error(loads: Loads) -> None:
    with pytest.raises(KeyError):
        loads().merge_policy("o/none")


def test_the_digest_changes_with_the_file_and_with_its_variables(loads: Loads) -> None:
    text = GOOD + "tick: ${TICK}\n"
    first = loads(text, TICK="1s").digest
    assert loads(text, TICK="1s").digest == first
    assert loads(text, TICK="2s").digest != first
    assert loads(text + "# a word\n", TICK="1s").digest != first


def test_the_digest_says_nothing_about_a_secret(loads: Loads) -> None:
    text = GOOD.replace("claude}", "claude, environment: {KEY: '${KEY}'}}")
    assert (
        loads(text, KEY="one", GITHUB_TOKEN="ghp_first_token").digest
        == loads(text, KEY="two", GITHUB_TOKEN="ghp_second_token").digest
    )
