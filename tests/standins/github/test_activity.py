"""Who moved which branch, as GitHub lists it."""

from tests.standins.github.harness import World


def test_every_move_of_a_branch_is_listed_with_who_moved_it_newest_first(world: World) -> None:
    head = world.call("GET", "/repos/o/r/git/ref/heads/main").body["object"]["sha"]
    made = world.call("POST", "/repos/o/r/git/refs", {"ref": "refs/heads/x", "sha": head})
    gone = world.call("DELETE", "/repos/o/r/git/refs/heads/x")
    answer = world.call("GET", "/repos/o/r/activity?per_page=2")
    told = [(one["activity_type"], one["ref"], one["before"], one["after"]) for one in answer.body]
    assert (made.status, gone.status) == (201, 204)
    assert told == [
        ("branch_deletion", "refs/heads/x", head, "0" * 40),
        ("branch_creation", "refs/heads/x", "0" * 40, head),
    ]
    assert {one["actor"]["login"] for one in answer.body} == {world.call("GET", "/user").body["login"]}


def test_there_are_no_releases(world: World) -> None:
    answer = world.call("GET", "/repos/o/r/releases")
    assert (answer.status, answer.body) == (200, [])
