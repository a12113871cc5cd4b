"""What agents write under hive's account calls nobody, whichever way it comes."""

from __future__ import annotations

import json

from hive.facts.autonomy import AcmmLevel
from tests.gateway.place import REPO, Place

TEXT = "ask @ada; Fixes #2; `@property`"
DEFUSED = "ask `@ada`; Fixes `#2`; `@property`"


def test_titles_and_bodies_are_defused_over_rest_and_graphql(place: Place) -> None:
    made = place.good_api("POST", f"/repos/{REPO}/issues", json.dumps({"title": "Tell @ada", "body": TEXT}))
    assert (made["title"], made["body"].splitlines()[0]) == ("Tell @ ada", DEFUSED)
    query = """mutation($i: AddCommentInput!) { addComment(input: $i) {
      commentEdge { node { body } } } }"""
    asked = {"query": query, "variables": {"i": {"subjectId": made["node_id"], "body": TEXT}}}
    said = place.good_api("POST", "/graphql", json.dumps(asked))
    assert said["data"]["addComment"]["commentEdge"]["node"]["body"].splitlines()[0] == DEFUSED


def test_a_pull_request_is_opened_defused_and_a_calling_commit_is_not_pushed(place: Place) -> None:
    place.authority.level = AcmmLevel.L5
    place.check_out()
    place.commit("hive/quality/1", {"widgets.py": "x = 1\n"}, "Ask @ada\n\nFixes #2")
    refused = place.push("HEAD")
    assert refused.returncode != 0
    assert "mentions @ada; write it without that sign" in refused.stderr, refused.stderr
    place.good("git", "commit", "--quiet", "--amend", "--message", "Ask ada")
    assert place.push("HEAD").returncode == 0
    wanted = {"title": "Fixes #2 for @ada", "head": "hive/quality/1", "base": "main", "body": TEXT}
    opened = place.good_api("POST", f"/repos/{REPO}/pulls", json.dumps(wanted))
    assert (opened["title"], opened["body"].splitlines()[0]) == ("Fixes # 2 for @ ada", DEFUSED)
