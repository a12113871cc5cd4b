from __future__ import annotations

import time

import pytest

from hive.decisions.triage.references import named_blockers
from hive.facts.forge import Issue


def named(body: str, title: str = "") -> tuple[str, ...]:
    return named_blockers(Issue(5, title=title, body=body, repo="Acme/Tally"))


@pytest.mark.parametrize(
    ("body", "blockers"),
    [
        ("Blocked by #3", ("#3",)),
        ("This is blocked by  #3.", ("#3",)),
        ("Depends on #3, #4 and #5; see #6", ("#3", "#4", "#5")),
        ("depends on #3, and #4", ("#3", "#4")),
        ("depending on: GH-3 & #4", ("#3", "#4")),
        ("It depends upon acme/tally#3 and other/repo.js#4", ("#3", "other/repo.js#4")),
        ("Blocked by https://github.com/Other/Repo/issues/12#issuecomment-1", ("other/repo#12",)),
        ("Blocked by https://ghe.example/acme/tally/pull/7", ("#7",)),
        ("**Blocked by:** #3", ("#3",)),
        ("Blocked by [#3](https://github.com/acme/tally/issues/3)", ("#3",)),
        ("## Depends on\r\n\r\n- #3\r\n- o/r#4\r\n\r\n## Notes\r\n- #9", ("#3", "o/r#4")),
        ("blocked by #3\nblocked by #3", ("#3",)),
        ("- [ ] #3\n- [x] #4\n* [ ] o/r#5 the rest\n- [ ] write a test for #6", ("#3", "o/r#5")),
        ("- [x] blocked by #3\n- [ ] depends on #4", ("#4",)),
    ],
)
def test_what_a_text_says_that_it_waits_for_is_read(body: str, blockers: tuple[str, ...]) -> None:
    assert named(body) == blockers


@pytest.mark.parametrize(
    "body",
    [
        "Not blocked by #3",
        "no longer blocked by #3",
        "It was blocked by #3",
        "This doesn't depend on #3",
        "unblocked by #3",
        "~~Blocked by #3~~",
        "`blocked by #3`",
        "```\nblocked by #3\n```",
        "~~~ text\nblocked by #3",
        "> blocked by #3",
        "<!-- blocked by #3 -->",
        "blocked by the review; see #3",
        "blocks #3",
        "closes #3",
        "depends on #0 and on luck",
        "depends on issue3",
        "",
    ],
)
def test_what_the_writer_does_not_say_himself_or_denies_is_not(body: str) -> None:
    assert named(body) == ()


def test_the_title_says_it_as_well() -> None:
    assert named("", title="Release (blocked by #3)") == ("#3",)


PIECES = ["blocked by ", "depends on #1, ", "- [ ] ", "a/", "[", "#1 ", "~~", "\n- ", "depends on -", "not "]


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_text_is_read_in_the_time_of_a_plain_one(piece: str) -> None:
    began = time.process_time()
    named(piece * (65_536 // len(piece)))
    assert time.process_time() - began < 5
