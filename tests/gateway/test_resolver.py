"""What the gateway takes for a fact about the forge's things."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hive.decisions.requests import Caller, Node
from hive.gateway.resolver import Resolver
from hive.gateway.upstream import Reply, Upstream
from tests.fakes.authority import FakeAuthority

OWNED = "hive/quality/x"


class Told(Upstream):
    """A forge that answers every read with `value`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def rest(self, method: str, path: str, value: object = None) -> Reply:
        return Reply(200, (), json.dumps(self.value).encode())

    def graphql(self, value: object, headers: object = (), *, writes: bool, repo: str = "") -> Reply:
        return Reply(200, (), json.dumps({"data": self.value}).encode())


def known(resolver: Resolver, key: str) -> Node:
    found = resolver.known(Caller("quality", ("o/r",)), [key]).node(key)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("repo", "head"), [({"full_name": "O/r"}, OWNED), ({"full_name": "eve/r"}, None), (None, None)]
)
def test_a_forks_branch_is_not_taken_for_the_repositorys_of_the_same_name(
    repo: object, head: str | None
) -> None:
    rest = {"pull_request": {"url": "u"}, "head": {"ref": OWNED, "repo": repo}, "base": {"ref": "main"}}
    assert known(Resolver(Told(rest), FakeAuthority()), "o/r#7").head == head
    node = {
        "__typename": "PullRequest",
        "number": 7,
        "headRefName": OWNED,
        "isCrossRepository": head is None,
        "repository": {"nameWithOwner": "o/r"},
    }
    assert known(Resolver(Told({"nodes": [node]}), FakeAuthority()), "PR_7").head == head


def test_a_label_is_looked_up_again_since_it_may_have_got_a_holds_name() -> None:
    label = {"__typename": "Label", "name": "bug", "repository": {"nameWithOwner": "o/r"}}
    forge = Told({"nodes": [label]})
    resolver = Resolver(forge, FakeAuthority())
    assert known(resolver, "LA_1").name == "bug"
    label["name"] = "hold"
    assert known(resolver, "LA_1").name == "hold"
