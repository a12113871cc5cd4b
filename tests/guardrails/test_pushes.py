"""What a push changes, how much, and by whom."""

from __future__ import annotations

import pytest

from hive.contracts.guardrail import CUT_OFF
from tests.guardrails.proposals import comment, installed, log, push, said

PROTECTED = "is protected, and a person decides on changes to it; leave it out of every commit"
AUTHORS = "keep to commits of your own: rebase on the default branch, and make the change yourself"


@pytest.mark.parametrize("path", ["AGENTS.md", "docs/CODEOWNERS", ".github/actions/x.yml", ".Claude/a.md"])
def test_a_protected_path_is_for_a_person(path: str) -> None:
    assert said(installed("protected-paths")(push(paths=("a.py", path)))) == ("hold", f"{path} {PROTECTED}")


def test_patterns_are_added_taken_out_and_checked() -> None:
    rule = installed("protected-paths", paths=["/deploy/", "!AGENTS.md"], ruling="deny")
    assert rule(push(paths=("AGENTS.md", "src/deploy/x"))) is None
    paths = (*(f"deploy/{n}" for n in range(4)), "CODEOWNERS")
    because = (
        "deploy/0, deploy/1, deploy/2 and 2 more are protected, and a person decides on changes to them; "
        "leave them out of every commit"
    )
    assert said(rule(push(paths=paths))) == ("deny", because)
    with pytest.raises(ValueError, match="pattern"):
        installed("protected-paths", paths=["[z-a]"])


LINK = """
diff --git a/docs/c i b/docs/c i
new file mode 120000
index 0000000..92bf74f
--- /dev/null
+++ b/docs/c i\t
@@ -0,0 +1 @@
+../.github
\\ No newline at end of file
"""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (LINK, "docs/c i is a symbolic link"),
        (
            LINK.replace("new file mode 120000", "old mode 100644\nnew mode 120000"),
            "docs/c i is a symbolic link",
        ),
        ("\ndiff --git a/x b/x\nindex c1b0730..46819b3 120000\n", "x is a symbolic link"),
        ("\ndiff --git a/v b/v\nnew file mode 160000\nindex 0000000..46819b3\n", "v is a submodule"),
        ("\ndiff --cc x\nindex 1,2..3\nmode 100644,100644..120000\n", "x is a symbolic link"),
    ],
)
def test_what_stands_for_something_elsewhere_is_for_a_person(text: str, named: str) -> None:
    because = f"{named}, and a person decides on what stands for something elsewhere"
    expected = ("hold", f"{because}; leave it out of every commit")
    assert said(installed("protected-paths")(push(log() + text))) == expected


@pytest.mark.parametrize(
    "text",
    [
        LINK.replace("new file mode 120000", "deleted file mode 120000").replace("/dev/null", "b/docs/c i"),
        log(added="new file mode 120000"),
        log(message="new file mode 120000"),
        LINK.replace("120000", "100755"),
    ],
)
def test_a_link_that_goes_away_or_is_only_written_about_is_no_link(text: str) -> None:
    assert installed("protected-paths")(push(log() + text)) is None


def test_a_change_that_is_too_large_is_held_by_its_files_and_lines() -> None:
    rule = installed("blast-radius", files=2, lines=5)
    assert rule(push(paths=("a", "b"))) is None
    many = log(added="1\n+2\n+3\n+4\n+5")
    assert said(rule(push(many, paths=("a", "b", "c")))) == (
        "hold",
        "it changes 3 files, of at most 2 and 6 lines, of at most 5; split it, and leave generated files out",
    )
    assert rule(comment(text="long\n" * 100)) is None
    cut = "it changes more than hive looks at; split it, and leave generated files out"
    assert said(rule(push(log() + CUT_OFF))) == ("hold", cut)
    assert said(rule(push("\nAdd a file\n" + "x\n" * 9)))


def test_commits_of_several_authors_are_held() -> None:
    rule = installed("untrusted-authors")
    assert rule(push(log() + "\n" + log(added="d"))) is None
    picked = push(log(author="Bob <Bob@hive.example>"))
    because = f"it brings commits by several authors (bob@hive.example, ann@hive.example); {AUTHORS}"
    assert said(rule(picked)) == ("hold", because)
    assert rule(push(log(added="Author:     Bob <bob@hive.example>"))) is None, "that is a line of a file"
    assert rule(push(log(message="Author:     Bob <bob@hive.example>"))) is None, "that is a message"


def test_addresses_are_held_to_the_patterns_that_the_operator_gave() -> None:
    rule = installed("untrusted-authors", emails=["*@HIVE.example"], ruling="deny")
    assert rule(push(log(author="Bob <bob@hive.example>"))) is None
    because = f"it brings commits by eve@elsewhere.example, not by an author that is trusted here; {AUTHORS}"
    assert said(rule(push(log(author="Eve <eve@elsewhere.example>")))) == ("deny", because)
