"""How each backend starts its program: nothing is asked, nothing updates itself, nothing phones home."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hive.contracts.backend import Process, Seat
from hive.facts.agents import AgentSpec
from hive.kernel.plugins import backends

HOME, WORK = "/srv/hive/a", "/srv/hive/a/work"
NAMES = ("claude", "codex", "copilot", "gemini", "goose", "opencode")


def seat(backend: str, **changes: object) -> Seat:
    spec = AgentSpec(**{"name": "a", "role": "scanner", "backend": backend, **changes})  # type: ignore[arg-type]  # the caller names fields
    return Seat(spec, HOME, WORK, {"PATH": "/usr/bin", "HOME": HOME, "LANG": "C.UTF-8"}, 1)


def contents(backend: str) -> dict[str, str]:
    return {file.path: file.content for file in backends()[backend].launch(seat(backend)).files}


@pytest.mark.parametrize("name", NAMES)
def test_the_program_starts_in_the_agents_own_home_without_a_shell(name: str) -> None:
    launch = backends()[name].launch(seat(name))
    assert launch.argv[0] == name
    assert launch.environment["HOME"] == HOME
    assert launch.environment["PATH"] == "/usr/bin"
    assert not any(file.path.startswith("/") or ".." in file.path for file in launch.files)


@pytest.mark.parametrize("name", NAMES)
def test_an_operators_command_and_environment_win(name: str) -> None:
    own = seat(name, command=("/opt/wrapped", "--it"), environment=(("LANG", "de_DE.UTF-8"),))
    launch = backends()[name].launch(own)
    assert launch.argv == ("/opt/wrapped", "--it")
    assert launch.environment["LANG"] == "de_DE.UTF-8"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "goose"])
def test_the_model_is_pinned_on_the_command_line(name: str) -> None:
    argv = backends()[name].launch(seat(name, model="m-1")).argv
    assert argv[argv.index("--model") + 1] == "m-1"


def test_claude_is_told_what_a_person_would_be_asked() -> None:
    own = seat("claude", environment=(("ANTHROPIC_API_KEY", "k" * 10 + "0123456789abcdefghij"),))
    files = {file.path: json.loads(file.content) for file in backends()["claude"].launch(own).files[:3]}
    assert files[".claude/.claude.json"] == {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "projects": {WORK: {"hasTrustDialogAccepted": True}},
        "customApiKeyResponses": {"approved": ["0123456789abcdefghij"], "rejected": []},
    }
    assert files[".claude/settings.json"] == {"skipDangerousModePermissionPrompt": True}
    assert files[".claude/hive.json"]["disableAllHooks"] is False
    assert set(files[".claude/hive.json"]["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "Notification",
        "SubagentStop",
        "PreCompact",
        "Stop",
        "StopFailure",
        "SessionEnd",
    }


def test_trust_in_the_folder_is_given_before_the_start() -> None:
    assert json.loads(contents("copilot")[".copilot/config.json"]) == {"trustedFolders": [WORK]}
    assert json.loads(contents("gemini")[".gemini/trustedFolders.json"]) == {WORK: "TRUST_FOLDER"}
    assert f'[projects."{WORK}"]\ntrust_level = "trusted"' in contents("codex")[".codex/config.toml"]


def test_what_would_outlive_a_session_is_not_started() -> None:
    assert "--no-daemon" in backends()["codex"].launch(seat("codex")).argv
    assert backends()["gemini"].launch(seat("gemini")).environment["GEMINI_CLI_NO_RELAUNCH"] == "true"


@pytest.mark.parametrize(
    ("name", "argv", "expected"),
    [
        ("claude", ("claude", "--settings", "x"), True),
        ("claude", ("/opt/bin/claude",), True),
        ("claude", ("bash", "-c", "claude"), False),
        ("claude", ("vim", "/srv/a/claude"), False),
        ("gemini", ("node", "/x/node_modules/.bin/gemini", "--yolo"), True),
        ("gemini", ("node", "/x/@google/gemini-cli/bundle/gemini.js"), True),
        ("gemini", ("node", "server.js"), False),
        ("copilot", ("node", "/x/@github/copilot/npm-loader.js"), True),
        ("codex", ("/x/codex-linux/codex", "--no-daemon"), True),
        ("opencode", ("opencode",), True),
        ("goose", ("goose", "session"), True),
        ("goose", (), False),
    ],
)
def test_the_program_itself_is_told_from_what_runs_around_it(
    name: str, argv: tuple[str, ...], expected: bool
) -> None:
    assert backends()[name].is_agent(Process(10, 1, argv)) is expected


def test_codex_runs_hives_hooks_unasked_and_resumes_by_id() -> None:
    launch = backends()["codex"].launch(replace(seat("codex"), resume="01a2", generation=3))
    assert launch.argv[-2:] == ("resume", "01a2")
    assert "--dangerously-bypass-hook-trust" in launch.argv
    files = {file.path: file.content for file in launch.files}
    hooks = json.loads(files[".codex/hooks.json"])["hooks"]
    assert set(hooks) == {
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest"),
        *("PreCompact", "SubagentStop", "Stop"),
    }
    assert hooks["Stop"][0]["hooks"][0]["command"].endswith("/.hive/hook.py codex end 3")
    assert {".hive/hook.py", ".hive/hook.json"} < files.keys()
