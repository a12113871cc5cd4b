"""Real git through the gateway, against a stand-in over real repositories."""

from __future__ import annotations

from tests.gateway.place import Place


def test_an_agent_clones_and_pushes_its_own_branch(place: Place) -> None:
    place.check_out()
    place.commit("hive/quality/1-area", {"widgets.py": "def area(a, b):\n    return a * b\n"})
    pushed = place.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr
    tip = place.good("git", "rev-parse", "HEAD").strip()
    assert place.branches()["refs/heads/hive/quality/1-area"] == tip
    assert place.authority.ruled() == [
        ("push-own-branch", "acme/widgets@refs/heads/hive/quality/1-area", "allow")
    ]


def test_a_push_to_the_default_branch_is_refused_in_lines_that_the_agent_reads(place: Place) -> None:
    place.check_out()
    before = place.branches()
    place.commit("main", {"README.md": "changed\n"})
    pushed = place.push("main")
    assert pushed.returncode != 0
    assert "remote: hive: push-default-branch is never allowed" in pushed.stderr
    assert "push to a branch under hive/quality/" in pushed.stderr
    assert place.branches() == before
