"""What agents write calls nobody, closes nothing else and leaves no trace elsewhere; code stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.defusing import Scope, beyond, defuse, defuse_line, signals

SCOPE = Scope("acme/widgets", ("acme/widgets", "acme/gears"), issue=7)


@pytest.mark.parametrize(
    ("written", "published"),
    [
        ("ask @ada about it", "ask `@ada` about it"),
        ("cc @acme/core, @types/node", "cc `@acme/core`, `@types/node`"),
        ("@dependabot merge", "`@dependabot` merge"),
        ("**@ada** and (@bob)", "**`@ada`** and (`@bob`)"),
        (r"\@ada", "`@ada`"),
        ("Fixes #7", "Fixes #7"),
        ("Fixes #8, closes: acme/gears#7", "Fixes `#8`, closes: `acme/gears#7`"),
        ("resolves GH-9", "resolves `GH-9`"),
        ("see #8 and acme/gears#4", "see #8 and acme/gears#4"),
        ("like other/thing#12", "like `other/thing#12`"),
        ("other/thing@0123456789abcdef", "`other/thing@0123456789abcdef`"),
        ("https://github.com/other/thing/issues/3", "https://redirect.github.com/other/thing/issues/3"),
        ("[x](https://github.com/o/t/pull/3)", "[x](https://redirect.github.com/o/t/pull/3)"),
        ("https://github.com/acme/gears/issues/3", "https://github.com/acme/gears/issues/3"),
        ("Fixes https://github.com/acme/widgets/issues/7", "Fixes https://github.com/acme/widgets/issues/7"),
        ("mail ada@example.org", "mail ada@example.org"),
        ("https://example.org/@ada/post", "https://example.org/@ada/post"),
        ("`@property` and ``a ` @x``", "`@property` and ``a ` @x``"),
        ("```py\n@cache  # Fixes #8\n```\n@ada", "```py\n@cache  # Fixes #8\n```\n`@ada`"),
        ("text\n\n    @indented\n\n@ada", "text\n\n    @indented\n\n`@ada`"),
        ("- a\r\n- @ada\r\n", "- a\r\n- `@ada`\r\n"),
        # Where backticks would not hold.
        ("&#64;ada", "@ ada"),
        ("&commat;ada `@x`", "@ ada `@ x`"),
        ("`@ada", "`@ ada"),
        ("<div>\n```\n@ada\n```\n</div>", "<div>\n```\n@ ada\n```\n</div>"),
        ("<!-- @ada -->", "<!-- @ ada -->"),
        ("[^1]: note\n\n    @ada", "[^1]: note\n\n    `@ada`"),
    ],
)
def test_signals_beyond_the_task_are_defused_and_nothing_else_is_touched(
    written: str, published: str
) -> None:
    assert defuse(written, SCOPE) == published
    assert not any(one.kind == "mention" for one in signals(published))


@pytest.mark.parametrize(
    ("written", "published"),
    [
        ("Fix @ada's area (#7)", "Fix @ ada's area (#7)"),
        ("Fixes #8: area", "Fixes # 8: area"),
        ("Fixes #7: area", "Fixes #7: area"),
        ("as in other/thing#3", "as in other/thing# 3"),
    ],
)
def test_a_title_is_no_markdown_so_its_signs_are_spelt_apart(written: str, published: str) -> None:
    """It becomes the first line of a commit, where backticks protect nothing."""
    assert defuse_line(written, SCOPE) == published


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Fix area\n\nFixes #7\nSigned-off-by: Q <q@example.org>", None),
        ("Fix area\n\nCloses #8", "closes #8"),
        ("Fix area, says @ada", "mentions @ada"),
        ("Port other/thing#3", "refers to other/thing#3"),
    ],
)
def test_what_a_commits_message_does_beyond_telling_is_named(message: str, said: str | None) -> None:
    assert beyond(message, SCOPE) == said


_PARTS = st.sampled_from(
    [
        *(
            "@ada",
            "@acme/core",
            "&#64;ada",
            "&commat;",
            r"\@ada",
            "ada",
            "@",
            "Fixes #8",
            "closes GH-9",
            "o/t#3",
        ),
        *(
            "&#35;8",
            "#8",
            "Fixes ",
            "https://github.com/o/t/issues/3",
            "`",
            "``",
            "```",
            "\n",
            "\n\n",
            "    ",
        ),
        *(
            "<!--",
            "-->",
            "<div>",
            "</div>",
            "<code>",
            "<pre>",
            "[",
            "](",
            ")",
            "*",
            "_",
            "~~~",
            "> ",
            "- ",
            "|",
        ),
        *("\\", " ", "é", "\t", "&", ";", "\r", "[^1]: ", "<a href='", "'>", "<", ">", "!["),
    ]
)


@given(st.lists(_PARTS, max_size=14).map("".join))
def test_no_mention_and_no_closing_keyword_survives_whatever_the_markdown(body: str) -> None:
    published = defuse(body, SCOPE)
    left = [one for one in signals(published) if one.kind != "refers"]
    assert left == []


@given(st.text(alphabet=st.characters(exclude_characters="@#&"), max_size=60))
def test_text_without_a_sign_is_left_alone(body: str) -> None:
    assert defuse(body, Scope("acme/widgets")) == body or "GH-" in body.upper() or "//" in body
