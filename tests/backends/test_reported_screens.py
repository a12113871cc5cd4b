"""Screens that people reported as read wrong: spinners of other versions, tall footers, resting screens,
quoted banners, boxes in another order."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.facts.screens import Screen, ScreenState
from hive.kernel.plugins import backends

SCREENS = Path(__file__).parent / "screens"
NOW = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)
RULE = "─" * 80


def claude(said: str, composer: str = "❯ ", footer: str = "  ? for shortcuts") -> Screen:
    """What Claude Code's screen means with these rows above, in and below its composer."""
    shown = f"❯ do it\n\n{said}\n\n{RULE}\n{composer}\n{RULE}\n{footer}\n"
    return backends()["claude"].read(shown, now=NOW)


@pytest.mark.parametrize(
    "spinner",
    [
        "✻ Actualizing… (13m 23s · ↓ 47.5k tokens)",
        "✶ Flibbertigibbeting… (esc to interrupt · 1h 3m 2s · ↑ 1.2k tokens)",
        "✽ Zesting…",
        "✽ Running the tests of a.py… (2m 1s · ↓ 3.1k tokens · thought for 3s)",
        # Signs that no version had yet.
        "◐ Zesting… (3s · ↓ 47 tokens)",
        "⠋ Übersetzend… (1m 3s)",
        "✻ Zesting... (3s · ↓ 47 tokens)",
        "⚡ 考え中… (3s · esc to interrupt)",
    ],
)
def test_a_turn_is_under_way_whatever_the_sign_and_the_verb_of_its_spinner(spinner: str) -> None:
    """Case 22: the composer is drawn all through a turn, so its sight ends nothing."""
    said = f"● I shall look.\n\n{spinner}"
    assert claude(said).state is ScreenState.WORKING
    for rows in (1, 4, 8, 40):
        list_below = "\n".join(f"     ☐ thing {number}" for number in range(rows))
        assert claude(f"{said}\n  ⎿  ☐ first\n{list_below}").state is ScreenState.WORKING


@pytest.mark.parametrize("rows", [1, 4, 5, 8])
def test_a_tall_footer_hides_no_turn(rows: int) -> None:
    """Case 25: the spinner stands eight or more rows above the bottom."""
    footer = "\n".join(f"  row {number} of the footer" for number in range(rows))
    assert claude("● I shall look.\n\n✻ Zesting… (3s)", footer=footer).state is ScreenState.WORKING


@pytest.mark.parametrize(
    ("said", "footer"),
    [
        ("✻ Sautéed for 19s · done", "  5 shells"),
        ("✻ Sautéed for 1m 19s · 2 shells still running", "  ⏵⏵ bypass permissions on · 2 shells"),
        ("✻ Cooked for 1h 2m 3s", "  ⏵⏵ accept edits on · 1 background task"),
        ("✻ Brewed for 19s", "  12 bashes running"),
        ("● I said: ✻ Zesting… (3s)", "  ? for shortcuts"),
        ("● It waits… (3s)", "  ? for shortcuts"),
        ("● Words:\n\n  ◐ Zesting… (3s · ↓ 47 tokens)", "  ? for shortcuts"),
    ],
)
def test_what_still_runs_beside_a_turn_that_is_over_is_no_turn(said: str, footer: str) -> None:
    """Case 23."""
    assert claude(said, footer=footer) == Screen(ScreenState.READY)


@pytest.mark.parametrize(
    "said",
    [
        "● no rate limiting, no intervention needed\n\n  Rate limits: none",
        "● usage limit reached, resets 3pm",
        "● | agent | limits |\n  | a     | usage limit reached, resets 3pm (UTC) |",
        "● ```diff\n  + You've hit your session limit · resets 3pm\n  ```",
        "● Update(a.md)\n  ⎿  You've hit your session limit · resets 3pm (UTC)",
        "● Here:\n\n  ⎿  You've hit your session limit · resets 3pm\n\n  and so on",
        f"● It draws\n\n  {RULE[:60]}\n  ❯ 1. Yes\n    2. No\n  {RULE[:60]}",
    ],
)
def test_what_the_agent_says_of_limits_and_boxes_is_none(said: str) -> None:
    """Cases 20 and 164."""
    assert claude(said) == Screen(ScreenState.READY)


@pytest.mark.parametrize(
    ("banner", "resets_at"),
    [
        (
            "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
            datetime(2026, 12, 1, 8, 50, tzinfo=UTC),
        ),
        ("Claude AI usage limit reached|1796126400", datetime(2026, 12, 1, 12, tzinfo=UTC)),
        (
            "You've hit your limit · resets Dec 4 at 4am (Europe/Vienna)",
            datetime(2026, 12, 4, 3, tzinfo=UTC),
        ),
        ("5-hour limit reached ∙ resets 1am (Etc/GMT+5)", datetime(2026, 12, 1, 6, tzinfo=UTC)),
        ("You’ve reached your usage limit. It is lifted some day.", None),
    ],
)
def test_the_programs_own_banner_is_a_limit_with_its_end(banner: str, resets_at: datetime | None) -> None:
    """Case 116."""
    shown = claude(f"  ⎿  {banner}")
    assert (shown.state, shown.resets_at) == (ScreenState.LIMITED, resets_at)


@pytest.mark.parametrize(
    "banner",
    [
        "You've hit your session limit · resets 3pm (Europe/Berlin)",
        "You've hit your session limit ·\n     resets 3pm (Europe/Berlin)\n     /upgrade for more",
        "You've hit your session limit · resets\n     3pm\n     (Europe/\n     Berlin)",
        "You've hit\n     your session limit · resets 3pm (Europe/\n     Berlin)",
    ],
)
def test_a_banner_that_a_narrow_pane_wraps_keeps_its_time_and_zone(banner: str) -> None:
    """Case 26."""
    shown = claude(f"  ⎿  {banner}")
    assert (shown.state, shown.resets_at) == (ScreenState.LIMITED, datetime(2026, 12, 1, 14, tzinfo=UTC))


def test_a_draft_is_told_and_never_typed_behind() -> None:
    """Case 7."""
    for draft in ("git pu", "übrigens 日本", "-", ";"):
        assert claude("● Done.", composer=f"❯ {draft}") == Screen(
            ScreenState.UNKNOWN, f"draft in the composer: {draft}"
        )


def test_a_box_is_read_in_any_order_and_a_dialog_without_options_is_shown() -> None:
    """Cases 31, 32 and 34."""

    def box(*options: str) -> Screen:
        rows = "\n".join(f"  {'❯ ' if at == 1 else '  '}{at}. {one}" for at, one in enumerate(options, 1))
        shown = (
            f"{RULE}\n  Mode with no questions\n\n  Go on?\n\n{rows}\n\n  Enter to confirm · Esc to cancel\n"
        )
        return backends()["claude"].read(shown, now=NOW)

    for options in (("No, exit", "Yes, I accept"), ("Yes, I accept", "No, exit"), ("Sure", "Nope", "Later")):
        assert box(*options) == Screen(ScreenState.ASKING, "Go on?", options=options, chosen=0)
    picker = backends()["claude"].read(
        f"{RULE}\n  Pick\n\n   (o) a\n   ( ) b\n\n  [Next] ↑/↓ Navigate\n", now=NOW
    )
    assert picker == Screen(ScreenState.UNKNOWN, "an unknown dialog: [Next] ↑/↓ Navigate")


TURNING = {
    "copilot": (" [◎◉●○] (Working|Thinking|Cancelling)", "working/*.txt"),
    "codex": ("(?m)^[•◦] (Working)", "working/waiting-*.txt"),
    "gemini": ("(?m)^ [⠁-⣿] (.*esc to cancel)", "working/*.txt"),
}


@pytest.mark.parametrize("name", list(TURNING))
@pytest.mark.parametrize("sign", ["✶", "◐", "⚙", "⣾"])
def test_a_new_sign_before_a_running_turn_does_not_end_it(name: str, sign: str) -> None:
    """Case 22, with the other programs: recordings with another sign."""
    pattern, place = TURNING[name]
    changed = 0
    for path in sorted((SCREENS / name).glob(place)):
        text = re.sub(r"\x1b\[[0-9;:]*m", "", path.read_text(encoding="utf-8"))
        turned = re.sub(pattern, lambda found: found[0].replace(found[0].split()[0], sign, 1), text)
        changed += turned != text
        assert backends()[name].read(turned, now=NOW).state is ScreenState.WORKING, path.name
    assert changed


ERRORS = {
    "codex": ("limited/usage-limit-0-171-0.txt", "■ "),
    "copilot": ("out-of-credit/402-1-0-102.txt", " ✗ "),
    "gemini": ("out-of-credit/402-0-61-0.txt", "✕ [API Error: "),
    "goose": ("limited/documented-429.txt", "Ran into this error: "),
}


def refused(name: str, words: str) -> Screen:
    """What a program's screen means whose recorded error says `words` instead; without colours."""
    if name == "claude":
        return claude(f"  ⎿  API Error: {words}")
    place, sign = ERRORS[name]
    text = re.sub(r"\x1b\[[0-9;:]*m", "", (SCREENS / name / place).read_text(encoding="utf-8"))
    (row,) = (row for row in text.split("\n") if row.startswith(sign))
    return backends()[name].read(text.replace(row, f"{sign}{words}"), now=NOW)


@pytest.mark.parametrize("name", [*ERRORS, "claude"])
@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("Too many requests. Retry after 60 seconds", ScreenState.LIMITED),
        ("You've reached your 5-hour message limit", ScreenState.LIMITED),
        ("weekly limit reached, resets 3pm", ScreenState.LIMITED),
        ("Rate limit has been exceeded", ScreenState.LIMITED),
        ("Resource has been exhausted", ScreenState.LIMITED),
        ("429 Too Many Requests", ScreenState.LIMITED),
        ("Payment required", ScreenState.OUT_OF_CREDIT),
        ("insufficient_quota", ScreenState.OUT_OF_CREDIT),
        ("You have no credits left", ScreenState.OUT_OF_CREDIT),
    ],
)
def test_providers_words_for_a_refusal_are_known_in_the_errors_of_every_program(
    name: str, words: str, state: ScreenState
) -> None:
    assert refused(name, words).state is state


@pytest.mark.parametrize("name", [*ERRORS, "claude"])
@pytest.mark.parametrize(
    "words", ["Failed to get response: 500 in limits.py", "503 the model is overloaded", "529 overloaded"]
)
def test_other_errors_are_no_refusals(name: str, words: str) -> None:
    assert refused(name, words).state is ScreenState.FAILED


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("Your organization's usage limit has been reached. Resets at 3pm", ScreenState.LIMITED),
        ("You've used your weekly limit · resets Mon 9am", ScreenState.LIMITED),
        ("Monthly limit reached · resets Dec 3", ScreenState.LIMITED),
        ("You've used 90% of your weekly limit · resets Mon 9am", ScreenState.READY),
        ("Approaching your usage limit · resets at 7pm", ScreenState.READY),
        ("Context limit reached · /compact or /clear to continue", ScreenState.CONTEXT_FULL),
    ],
)
def test_a_limit_of_claude_codes_is_none_before_it_is_reached(words: str, state: ScreenState) -> None:
    assert claude(f"  ⎿  {words}").state is state
