"""The installed guardrails on real pushes and API commits: what they see, and what the agent reads."""

from __future__ import annotations

import base64
import json

import pytest

from hive.contracts.guardrail import Proposal
from hive.decisions.gate import guarded
from hive.facts.autonomy import Action
from hive.facts.verdicts import Verdict, strictest
from hive.gateway import pushes
from hive.ports.authority import Identity
from tests.fakes.authority import NOW
from tests.gateway.place import REPO, Place
from tests.guardrails.proposals import installed

OWN = "hive/quality/1-area"
SECRET = "ghp_" + "a1B2" * 9
"""Put together here, so that this file holds none."""
ON = ("blast-radius", "duplicate-work", "protected-paths", "secrets", "untrusted-authors")


@pytest.fixture
def guarded_place(place: Place) -> Place:
    """A place where the guardrails rule that do so in any hive."""
    rules = [installed(name) for name in ON]

    def guard(
        identity: Identity, action: Action, target: str, paths: tuple[str, ...], text: str
    ) -> Verdict | None:
        proposal = Proposal(identity.agent, identity.role, action, target, NOW, paths, text)
        found = guarded(rules, proposal)
        return strictest(found) if found else None

    place.authority.guard = guard
    place.check_out()
    return place


def refused(place: Place, why: str) -> None:
    pushed = place.push("HEAD")
    assert pushed.returncode != 0
    assert f"remote: hive: {why}" in pushed.stderr, pushed.stderr
    assert SECRET not in pushed.stderr
    assert f"refs/heads/{OWN}" not in place.branches()


HOLDS = "it holds what looks like a GitHub token; take it out of every commit (amend or rebase)"


def test_usual_work_goes_through(guarded_place: Place) -> None:
    guarded_place.commit(OWN, {"widgets.py": "def area(a, b):\n    return a * b\n"})
    pushed = guarded_place.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr


def test_a_secret_in_any_commit_is_refused_until_it_is_in_none(guarded_place: Place) -> None:
    guarded_place.commit(OWN, {"settings.py": f"TOKEN = '{SECRET}'\n"})
    refused(guarded_place, HOLDS)
    guarded_place.commit(OWN, {"settings.py": "import os\n"})
    refused(guarded_place, HOLDS)
    guarded_place.good("git", "reset", "--quiet", "--soft", "HEAD~2")
    guarded_place.good("git", "commit", "--quiet", "--message", "Read the token from the environment")
    pushed = guarded_place.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr


def test_a_secret_in_a_binary_file_or_a_message_is_seen(guarded_place: Place) -> None:
    guarded_place.commit(OWN, {"data.bin": f"\0\0\n{SECRET}\n", ".gitattributes": "*.bin binary\n"})
    refused(guarded_place, HOLDS)
    guarded_place.good("git", "rm", "--quiet", "data.bin")
    guarded_place.good("git", "commit", "--quiet", "--amend", "--message", f"Use {SECRET}")
    refused(guarded_place, HOLDS)


def test_a_secret_that_only_a_merge_brings_is_seen(guarded_place: Place) -> None:
    guarded_place.commit(OWN, {"a.py": "a = 1\n"})
    guarded_place.good("git", "checkout", "--quiet", "-b", "side", "HEAD~1")
    guarded_place.commit("side", {"b.py": "b = 1\n"})
    guarded_place.good("git", "checkout", "--quiet", OWN)
    guarded_place.good("git", "merge", "--quiet", "--no-commit", "--no-ff", "side")
    (guarded_place.clone / "a.py").write_text(f"a = '{SECRET}'\n")
    guarded_place.good("git", "add", "--all")
    guarded_place.good("git", "commit", "--quiet", "--message", "Merge")
    refused(guarded_place, HOLDS)


def test_a_protected_path_and_a_strangers_commit_wait_for_a_person(guarded_place: Place) -> None:
    guarded_place.commit(OWN, {"AGENTS.md": "Do as you like.\n"})
    refused(guarded_place, "AGENTS.md is protected, and a person decides on changes to it")
    guarded_place.good("git", "reset", "--quiet", "--hard", "HEAD~1")
    guarded_place.commit(OWN, {"widgets.py": "x = 1\n"})
    author = "--author=Eve <eve@elsewhere.example>"
    guarded_place.good("git", "commit", "--quiet", "--amend", author, "--no-edit")
    refused(guarded_place, "it brings commits by several authors (eve@elsewhere.example, ")
    assert [hold.rule for hold in guarded_place.authority.holds().values()] == [
        "guardrail.protected-paths",
        "guardrail.untrusted-authors",
    ]


def test_what_is_larger_than_hive_looks_at_waits_for_a_person(
    guarded_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushes, "_MOST_TEXT", 1000)
    guarded_place.commit(OWN, {"widgets.py": "x = 1\n" * 500})
    refused(guarded_place, "it changes more than hive looks at")


def test_a_secret_in_a_file_that_the_api_would_write_is_refused(guarded_place: Place) -> None:
    guarded_place.commit(OWN, {"widgets.py": "x = 1\n"})
    assert guarded_place.push("HEAD").returncode == 0
    hidden = f"commit {'a' * 40}\n {SECRET}\n"
    body = {"message": hidden.splitlines()[0], "branch": OWN}
    body["content"] = base64.b64encode(hidden.encode()).decode()
    status, value = guarded_place.api("PUT", f"/repos/{REPO}/contents/a.py", json.dumps(body))
    assert (status, value["message"][: len(HOLDS) + 6]) == (403, f"hive: {HOLDS}")


@pytest.mark.parametrize("path", ["issues/1/comments", "issues"])
def test_a_secret_in_words_is_refused(guarded_place: Place, path: str) -> None:
    words = json.dumps({"title": "Leak", "body": f"It is {SECRET}"})
    status, value = guarded_place.api("POST", f"/repos/{REPO}/{path}", words)
    assert status == 403
    assert value["message"].startswith("hive: it holds what looks like a GitHub token; say where it is")
    assert guarded_place.forge.audit() == []
