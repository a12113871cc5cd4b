"""Prompts that something on the way from hive to a model has garbled before.

None begins with ``!``, ``/`` or ``@``: programs take those as commands. That is why hive's own prompts begin
and end with lines of hive's.
"""

from __future__ import annotations

_SINGLE = (
    "run the tests;",
    "a;;b",
    "ls\\;",
    "-rf everything",
    "--help",
    "-- --",
    "ssh -t host 'uptime'",
    'Don\'t break "$(id)" `x`',
    "$HOME ${HOME} $$ $1 $?",
    "%1 %% #{pane_id} #(date) #S",
    "a\tb\t\tc",
    "back\\slash \\n \\t \\\\ and on",
    "C-c C-m Enter Escape ^C ^M",
    "a row that ends with a backslash \\\nand another row",
    "  two blanks before and inside  it",
    "日本語の文章と漢字",
    "한국어 문장과 조합형",
    "e\u0301 a\u0308 n\u0303 combined",
    "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇩🇪",
    "עברית مرحبا mixed with English",
    "ｆｕｌｌ　ｗｉｄｔｈ",
    "\u00a0no-break\u00a0blanks\u2009thin",
    "<b>&amp;</b> <!-- comment -->",
    '{"json": [1, 2, {"a": "b"}], "c": null}',
    "user@example.org wrote: > quoted",
    "~ tilde ~/work/../work/*.py [a-z]{1,2}",
    "ﬁ ﬀ ligatures … — – “ ” ‘ ’",
    "𝒳𝓎𝓏 beyond the plane 𐍈",
    "0123456789 " * 30 + ".",
    "x" * 3000,
)
_SEVERAL = (
    "three\n\nlines",
    "- a\n- list\n  - of things\n1. and\n2. numbers",
    "first;\nsecond;\nthird;",
    "```python\ndef f(x):\n\treturn x ** 2\n```",
    "a line\n-x\n--y\nz;",
    "<<EOF\n$(rm -rf /)\nEOF",
    "line with trailing blanks   \nnext",
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b",
    "─────\n❯ 1. Yes\n  2. No\n─────",
    "You've hit your session limit · resets 3pm (UTC)\nesc to interrupt",
    "日本語\n\n漢字\n\t仮名",
    "\n".join(f"line {number}" for number in range(200)),
    "\n".join(f"{number}: {'wide 漢字 ' * 5}." for number in range(60)),
    "mixed\n\ttabs\n    blanks\n\n\n\nand gaps",
)


def _long(size: int, kind: str) -> str:
    row = {"plain": "the quick brown fox; ", "wide": "漢字かな交じり文 👍🏽 ", "quotes": "'\"`$(x)\\ "}[kind]
    rows = [f"{number:05} {row * 4}" for number in range(size // (len(row) * 4 + 7) + 1)]
    return "\n".join(rows)[:size].rstrip()


_LONG = (_long(1_000, "quotes"), _long(4_000, "wide"), _long(10_000, "plain"), _long(10_000, "quotes"))
_LONGEST = (_long(30_000, "wide"), _long(100_000, "plain"))
_OPEN_ENDS = ("ends in a backslash \\", "two rows,\n\nthe second of which ends in; two \\\\")


def prompts() -> list[str]:
    """Each with a first word of its own, so that none is mistaken for another."""
    texts = (*_SINGLE, *_SEVERAL, *_LONG, *_LONGEST, *_OPEN_ENDS)
    assert len(texts) == 52
    return [
        text if text.startswith("-") else f"Case {number}: {text}" for number, text in enumerate(texts, 1)
    ]
