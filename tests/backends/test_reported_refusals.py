"""What programs say when a provider takes nothing more, as people reported it: limits, credit, logins, full
contexts, and errors besides."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hive.facts.screens import Screen, ScreenState
from hive.kernel.plugins import backends

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
RULE = "─" * 100


def said_by(program: str, said: str) -> Screen:
    """What the screen of `program` means where `said` is the last thing above its free composer."""
    shown = {
        "claude": f"❯ do it\n\n{said}\n\n{RULE}\n❯ \n{RULE}\n  ? for shortcuts\n",
        "copilot": f" ● Hello\n\n{said}\n\n ~/work [main]\n{RULE}\n❯ \n{RULE}\n / commands · ? help\n",
        "gemini": (
            f" > do it\n\n{said}\n\n{RULE}\n Shift+Tab to accept edits\n{'▀' * 100}\n"
            f" >   Type your message or @path/to/file\n{'▄' * 100}\n ~/work (main)    no sandbox\n"
        ),
        "codex": f"› do it\n\n{said}\n\n› Ask Codex to do anything\n\n  gpt-5.4 high · ~/work\n",
    }
    return backends()[program].read(shown[program], now=NOW)


def boxed(*lines: str) -> str:
    """A dialog at the bottom of a pane of 100 columns."""
    inside = "\n".join(f"│ {line:<96} │" for line in lines)
    return f" > do it\n\n╭{'─' * 98}╮\n{inside}\n╰{'─' * 98}╯\n"


@pytest.mark.parametrize(
    ("program", "said", "state"),
    [
        ("claude", "  ⎿  Opus 4.1 limit reached ∙ resets soon", ScreenState.LIMITED),
        ("claude", "  ⎿  OAuth account information not found in config", ScreenState.LOGGED_OUT),
        ("claude", "  ⎿  Missing API key · Run /login", ScreenState.LOGGED_OUT),
        (
            "claude",
            "  ⎿  Your organization has disabled Claude subscription access for Claude Code · Use an API key",
            ScreenState.LOGGED_OUT,
        ),
        (
            "claude",
            '  ⎿  API Error: 400 {"message":"input length and `max_tokens` exceed context limit: 9 + 2 > 7"}',
            ScreenState.CONTEXT_FULL,
        ),
        (
            "claude",
            "  ⎿  API Error: The model has reached its context window limit.",
            ScreenState.CONTEXT_FULL,
        ),
        (
            "claude",
            "  ⎿  Error during compaction: Error: Conversation too long. Press esc twice to go up",
            ScreenState.CONTEXT_FULL,
        ),
        ("claude", "  ⎿  Request too large (max 20MB). Double press esc to go back", ScreenState.FAILED),
        ("claude", "  ⎿  This organization has been disabled.", ScreenState.FAILED),
        ("claude", "  ⎿  Claude Opus is not available with the Claude Pro plan.", ScreenState.FAILED),
        ("claude", "  ⎿  Interrupted · What should Claude do instead?", ScreenState.READY),
        (
            "copilot",
            " ✗ Quota exceeded. You have used all of your premium requests",
            ScreenState.OUT_OF_CREDIT,
        ),
        ("copilot", " ✗ You've used up your AI credits for this month.", ScreenState.OUT_OF_CREDIT),
        (
            "copilot",
            " ✗ Execution failed: Error: Sorry, you've exceeded your Copilot token usage.",
            ScreenState.LIMITED,
        ),
        ("copilot", " ✗ CAPIError: 413 Request Entity Too Large", ScreenState.CONTEXT_FULL),
        ("copilot", " ✗ Model call failed: 413 failed to parse request", ScreenState.FAILED),
        ("copilot", " ✗ Model gpt-9 is not available", ScreenState.FAILED),
        ("copilot", " ✗ TypeError: fetch failed", ScreenState.FAILED),
        ("copilot", " ✗ Operation cancelled by user", ScreenState.READY),
        ("copilot", " ● You've used up your AI credits for this month.", ScreenState.READY),
        ("gemini", '✕ [API Error: {"error":{"code": 401,"message":"bad"}}]', ScreenState.LOGGED_OUT),
        ("gemini", '✕ [API Error: {\\"error\\":{\\"code\\": 429}}]', ScreenState.LIMITED),
        ("gemini", "✕ [API Error: invalid_grant]", ScreenState.LOGGED_OUT),
        ("gemini", "✕ [API Error: Token has been expired or revoked.]", ScreenState.LOGGED_OUT),
        ("gemini", "✕ [API Error: The model is overloaded.]", ScreenState.FAILED),
        ("codex", "■ Your workspace is out of credits. Add credits to continue.", ScreenState.OUT_OF_CREDIT),
        ("codex", "■ Selected model is at capacity. Please try a different model.", ScreenState.FAILED),
        (
            "codex",
            "■ Your access token could not be refreshed. Please log out and sign in again.",
            ScreenState.LOGGED_OUT,
        ),
    ],
)
def test_words_of_a_refusal_mean_what_they_say(program: str, said: str, state: ScreenState) -> None:
    assert said_by(program, said).state is state


@pytest.mark.parametrize(
    ("program", "said", "resets_at"),
    [
        (
            "codex",
            "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try\n"
            "again in less than a minute.",
            datetime(2026, 11, 30, 12, 1, tzinfo=UTC),
        ),
        (
            "copilot",
            " ✗ You've reached your weekly limit. Please wait for your limit to reset in 3 days 2 hours.",
            datetime(2026, 12, 3, 14, tzinfo=UTC),
        ),
        (
            "gemini",
            "✕ [API Error: You have exhausted your capacity. Your quota will reset after 18h42m6s.]",
            datetime(2026, 12, 1, 6, 42, 6, tzinfo=UTC),
        ),
        (
            "claude",
            '⏺ Agent "Dedup" failed: Agent ended by an API error: You\'ve hit your session limit\n'
            "  ⎿  You've hit your session limit · resets 3:20am (Europe/Brussels)\n\n✻ Brewed for 33m 46s\n\n"
            "  4 tasks (2 done, 1 in progress, 1 open)\n  ◼ Dedup\n  ✔ Stop resending\n  ◻ Design",
            datetime(2026, 12, 1, 2, 20, tzinfo=UTC),
        ),
    ],
)
def test_the_end_of_a_limit_is_read_wherever_a_program_says_it(
    program: str, said: str, resets_at: datetime
) -> None:
    """The last one stands above a list of things to do, below the notice of a background agent's end."""
    screen = said_by(program, said)
    assert (screen.state, screen.resets_at) == (ScreenState.LIMITED, resets_at)


def test_a_list_of_things_to_do_below_a_turn_that_is_over_is_no_error() -> None:
    said = "⏺ Done.\n\n✻ Brewed for 3s\n\n  2 tasks (1 done, 1 open)\n  ✔ One\n  ◻ You've hit your limit"
    assert said_by("claude", said) == Screen(ScreenState.READY)


def test_a_tools_own_words_below_its_bullet_are_no_limit() -> None:
    said = '⏺ Bash(echo "failed: ")\n  ⎿  You\'ve hit your session limit · resets 3am (UTC)'
    assert said_by("claude", said) == Screen(ScreenState.READY)


@pytest.mark.parametrize("spinner", ["", "\n\n✻ Zesting… (3s · ↓ 47 tokens)"])
def test_a_request_that_is_tried_again_in_seconds_is_no_limit(spinner: str) -> None:
    retried = 'API Error (429 {"type":"error"}) · Retrying in 5 seconds… (attempt 4/10)'
    expected = Screen(ScreenState.RETRYING, retried)
    assert said_by("claude", f"  ⎿  {retried}{spinner}") == expected


def test_gemini_tries_again_while_its_spinner_counts_attempts() -> None:
    said = "✦ Hello\n\n ⠏ Trying to reach gemini-3-pro (Attempt 3/10) (esc to cancel, 31s)"
    assert said_by("gemini", said) == Screen(
        ScreenState.RETRYING, "Trying to reach gemini-3-pro (Attempt 3/10)"
    )


def test_a_limits_own_menu_is_a_limit_in_copilot_and_gemini() -> None:
    copilot = boxed(
        "You've hit your rate limit",
        "",
        "Your limit resets at 3pm (UTC). What do you want to do?",
        "",
        "❯ 1. Wait",
        "  2. Switch to auto",
        "",
        "↑/↓ to navigate · enter to select · esc to cancel",
    )
    gemini = boxed(
        "You've reached your daily limit for gemini-3-pro.",
        "Access resets at 3:22 AM PST.",
        "",
        "● 1. Keep trying",
        "  2. Stop",
    )
    seen = [
        (screen.state, screen.resets_at, screen.options)
        for screen in (
            backends()["copilot"].read(copilot, now=NOW),
            backends()["gemini"].read(gemini, now=NOW),
        )
    ]
    limited = ScreenState.LIMITED
    assert seen == [
        (limited, datetime(2026, 11, 30, 15, tzinfo=UTC), ("Wait", "Switch to auto")),
        (limited, datetime(2026, 12, 1, 11, 22, tzinfo=UTC), ("Keep trying", "Stop")),
    ]


def test_a_permission_to_look_at_a_limit_is_a_question() -> None:
    box = boxed(
        "You've hit your rate limit: look at the log",
        "",
        "Do you want to run this command?",
        "",
        "❯ 1. Yes",
        "  2. No",
        "",
        "↑/↓ to navigate · enter to select · esc to cancel",
    )
    assert backends()["copilot"].read(box, now=NOW).state is ScreenState.ASKING


@pytest.mark.parametrize(
    "prompt",
    [
        "box%",
        "➜  ~",
        "➜  work git:(main) ✗",
        "(.venv) ➜  work",
        "└─$",
        "agent@box ~/work>",
        "PS /home/agent>",
    ],
)
def test_shells_of_other_looks_wait_as_well(prompt: str) -> None:
    screen = backends()["claude"].read(f"zsh: killed     claude\n{prompt} \n", now=NOW)
    assert (screen.state, screen.detail) == (ScreenState.EXITED, prompt)


@pytest.mark.parametrize(
    "row", ["100%", "  93% of it", "➜  Local:   http://localhost:5173/", "a > b", "x@y >"]
)
def test_what_a_program_prints_is_no_shell_that_waits(row: str) -> None:
    assert backends()["claude"].read(f"vite\n{row}\n", now=NOW).state is ScreenState.UNKNOWN
