"""Opening, editing and closing pull requests."""

from concurrent.futures import ThreadPoolExecutor

from tests.standins.github.harness import Answer, World, git

_PULLS = "/repos/o/r/pulls"


def _wanted(branch: str) -> dict[str, str]:
    return {"title": "T", "head": branch, "base": "main"}


def _messages(answer: Answer) -> list[str]:
    return [error.get("message", error["code"]) for error in answer.body["errors"]]


def test_one_branch_has_one_open_pull_request(world: World) -> None:
    first = world.open_pull("topic")
    again = world.call("POST", _PULLS, _wanted("topic"))
    assert (again.status, _messages(again)) == (422, ["A pull request already exists for o:topic."])
    world.call("PATCH", f"{_PULLS}/{first['number']}", {"state": "closed"})
    assert world.call("POST", _PULLS, _wanted("topic")).status == 201


def test_of_parallel_requests_for_one_branch_exactly_one_opens_a_pull_request(world: World) -> None:
    world.push("topic", {"b.txt": "b\n"})
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: world.call("POST", _PULLS, _wanted("topic")).status, range(12)))
    assert sorted(answers) == [201] + [422] * 11
    assert len(world.control("GET", "/state")["repositories"]["o/r"]["pulls"]) == 1


def test_a_branch_without_commits_of_its_own_is_refused(world: World) -> None:
    main = world.forge.repository("o/r")
    assert main is not None
    world.call("POST", "/repos/o/r/git/refs", {"ref": "refs/heads/same", "sha": main.heads["main"]})
    answer = world.call("POST", _PULLS, _wanted("same"))
    assert (answer.status, _messages(answer)) == (422, ["No commits between main and same"])


def test_a_branch_that_is_not_there_is_refused(world: World) -> None:
    answer = world.call("POST", _PULLS, _wanted("nowhere"))
    assert answer.status == 422
    assert answer.body["errors"] == [{"resource": "PullRequest", "field": "head", "code": "invalid"}]


def test_who_may_only_read_opens_none(world: World) -> None:
    world.push("topic", {"b.txt": "b\n"})
    answer = world.call("POST", _PULLS, _wanted("topic"), token="token-eve")
    assert answer.status == 403


def test_a_push_moves_the_head_and_is_kept_under_refs_pull(world: World) -> None:
    number = world.open_pull("topic")["number"]
    sha = world.push("topic", {"c.txt": "c\n"}, base="origin/topic")
    body = world.call("GET", f"{_PULLS}/{number}").body
    assert (body["head"]["sha"], body["commits"], body["changed_files"]) == (sha, 2, 2)
    assert git("ls-remote", world.clone_url(), f"refs/pull/{number}/head").split()[0] == sha


def test_a_forced_push_is_told_in_the_history(world: World) -> None:
    number = world.open_pull("topic")["number"]
    world.push("topic", {"other.txt": "o\n"}, force=True)
    kinds = [event["event"] for event in world.call("GET", f"/repos/o/r/issues/{number}/events").body]
    assert kinds == ["head_ref_force_pushed"]


def test_deleting_the_branch_closes_the_pull_request(world: World) -> None:
    number = world.open_pull("topic")["number"]
    assert world.call("DELETE", "/repos/o/r/git/refs/heads/topic").status == 204
    body = world.call("GET", f"{_PULLS}/{number}").body
    assert (body["state"], body["merged"]) == ("closed", False)
    reopened = world.call("PATCH", f"{_PULLS}/{number}", {"state": "open"})
    assert reopened.status == 422


def test_pushing_the_head_onto_the_base_merges_it_as_github_does(world: World) -> None:
    pull = world.open_pull("topic", body="Closes #1")
    git("push", "--quiet", "origin", "topic:main", cwd=world.root.parent / "work")
    body = world.call("GET", f"{_PULLS}/{pull['number']}").body
    assert (body["merged"], body["state"]) == (True, "closed")
    assert world.call("GET", "/repos/o/r/issues/1").body["state"] == "closed"


def test_nobody_pushes_to_refs_pull(world: World) -> None:
    number = world.open_pull("topic")["number"]
    said = git(
        "push", "origin", f"topic:refs/pull/{number}/head", cwd=world.root.parent / "work", check=False
    )
    assert "deny updating a hidden ref" in said


def test_labels_of_a_pull_request_keep_who_put_them_there(world: World) -> None:
    number = world.open_pull("topic")["number"]
    world.call("POST", f"/repos/o/r/issues/{number}/labels", {"labels": ["hold"]}, token="token-ada")
    world.call("POST", f"/repos/o/r/issues/{number}/labels", {"labels": ["hold", "bug"]})
    events = world.call("GET", f"/repos/o/r/issues/{number}/events").body
    assert [(e["event"], e["label"]["name"], e["actor"]["login"]) for e in events] == [
        ("labeled", "hold", "ada"),
        ("labeled", "bug", "hive[bot]"),
    ]


def test_files_tell_renames_and_names_beyond_ascii(world: World) -> None:
    world.push("topic", {"b.txt": "b\n"})
    work = world.root.parent / "work"
    git("mv", "src/grün.txt", "src/blaßgrün.txt", cwd=work)
    git("commit", "--quiet", "-m", "Rename", cwd=work)
    git("push", "--quiet", "origin", "topic", cwd=work)
    number = world.call("POST", _PULLS, _wanted("topic")).body["number"]
    files = world.call("GET", f"{_PULLS}/{number}/files").body
    assert [(f["filename"], f["status"], f.get("previous_filename"), f["additions"]) for f in files] == [
        ("b.txt", "added", None, 1),
        ("src/blaßgrün.txt", "renamed", "src/grün.txt", 0),
    ]
    assert files[0]["patch"] == "@@ -0,0 +1 @@\n+b"
