from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.merge_gate import MergeVerdict
from hive.facts.forge import ChangedFile
from hive.facts.protected_paths import DEFAULT_PROTECTED, is_protected
from tests.decisions.merge_gate.good import MERGES, POLICY, PR, outcome


def touching(*files: ChangedFile, added: tuple[str, ...] = ()) -> object:
    return outcome(replace(PR, files=files), replace(POLICY, protected_paths=added))


def blocked(*paths: str) -> object:
    return (MergeVerdict.BLOCKED, tuple(("protected-path", path, None) for path in paths))


@pytest.mark.parametrize("name", DEFAULT_PROTECTED)
def test_what_governs_agents_ci_and_ownership_is_protected(name: str) -> None:
    for path in (name, f"docs/{name}", name.upper(), f"{name.title()}/deep/er.txt"):
        assert touching(ChangedFile(path)) == blocked(path)


@pytest.mark.parametrize(
    "path", ["src/a.py", ".githubx/a", "x.github", "docs/agents.md.txt", "claude/a.md", "a/.github.md"]
)
def test_other_paths_are_not_protected(path: str) -> None:
    assert touching(ChangedFile(path)) == MERGES


@pytest.mark.parametrize(
    ("pattern", "path", "protected"),
    [
        ("infra/", "infra/main.tf", True),
        ("infra/", "INFRA/main.tf", True),
        ("Infra/", "infra/main.tf", True),
        ("infra/", "a/infra/main.tf", True),
        ("infra/", "infra", False),
        ("/infra/", "a/infra/main.tf", False),
        ("*.lock", "a/uv.lock", True),
        ("src/**/gen", "src/a/b/gen/x.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("caf\u00e9/", "cafe\u0301/x", True),
    ],
)
def test_added_patterns_are_those_of_gitignore_in_any_case(pattern: str, path: str, protected: bool) -> None:
    assert touching(ChangedFile(path), added=(pattern,)) == (blocked(path) if protected else MERGES)


@pytest.mark.parametrize("pattern", ["!CLAUDE.md", "!claude.md"])
def test_an_exception_takes_a_default_out(pattern: str) -> None:
    assert touching(ChangedFile("CLAUDE.md"), added=(pattern,)) == MERGES
    assert touching(ChangedFile("AGENTS.md"), added=(pattern,)) == blocked("AGENTS.md")


def test_an_exception_does_not_reach_below_a_protected_folder() -> None:
    assert touching(ChangedFile(".claude/CLAUDE.md"), added=("!CLAUDE.md",)) == blocked(".claude/CLAUDE.md")
    assert touching(ChangedFile(".claude/x"), added=("!.claude",)) == MERGES


def test_a_rename_counts_under_both_names() -> None:
    old = ".github/workflows/ci.yml"
    assert touching(ChangedFile("ci.yml", previous=old)) == blocked(old)
    assert touching(ChangedFile(old, previous="ci.yml")) == blocked(old)
    assert touching(ChangedFile(old, previous="AGENTS.md")) == blocked(old, "AGENTS.md")


@pytest.mark.parametrize(("mode", "harmless"), [("100644", True), ("100755", True), ("120000", False)])
def test_a_symbolic_link_may_point_anywhere(mode: str, harmless: bool) -> None:
    assert touching(ChangedFile("src/link", mode=mode)) == (MERGES if harmless else blocked("src/link"))


def test_a_submodule_is_somebody_elses_code() -> None:
    assert touching(ChangedFile("vendor/x", mode="160000")) == blocked("vendor/x")


def test_each_path_is_named() -> None:
    files = (ChangedFile("AGENTS.md"), ChangedFile("src/a.py"), ChangedFile(".github/x.yml"))
    assert touching(*files) == blocked(".github/x.yml", "AGENTS.md")


@pytest.mark.parametrize("pattern", ["!", "\\", "[z-a]"])
def test_a_pattern_that_is_none_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError):
        is_protected("a", (pattern,))
