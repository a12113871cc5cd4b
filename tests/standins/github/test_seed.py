"""The first state of a stand-in, and what is said of descriptions that are wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from hive.errors import ConfigError
from hive.standins.github import seed
from hive.standins.github.forge import Forge
from tests.standins.github.harness import World, git, serve, write_seed


def test_issues_come_as_the_file_has_them(world: World) -> None:
    issues = {issue["number"]: issue for issue in world.call("GET", "/repos/o/r/issues").body}
    assert (issues[1]["title"], issues[1]["author_association"]) == ("It crashes", "MEMBER")
    assert (issues[5]["user"]["login"], issues[5]["author_association"]) == ("eve", "NONE")
    assert issues[5]["created_at"] == "2026-10-01T10:00:00Z"
    events = world.call("GET", "/repos/o/r/issues/5/events").body
    assert [(e["event"], e["label"]["name"], e["actor"]["login"], e["created_at"]) for e in events] == [
        ("labeled", "go", "ada", "2026-11-01T10:00:00Z")
    ]
    comments = world.call("GET", "/repos/o/r/issues/5/comments").body
    assert [(c["user"]["login"], c["body"], c["created_at"]) for c in comments] == [
        ("eve", "Please.", "2026-11-02T10:00:00Z")
    ]
    assert world.call("POST", "/repos/o/r/issues", {"title": "Next"}).body["number"] == 6


_HOSTILE = "`id` $(id) \"'\\ 🐝 \u202e\u200b\x1b[31m \x00 <!-- hidden -->"


def test_any_git_repository_and_any_text_will_do(tmp_path: Path) -> None:
    source = tmp_path / "any"
    source.mkdir()
    git("init", "--quiet", "--initial-branch=trunk/größe", cwd=source)
    for number in range(1100):
        (source / f"datei-ü-{number}.txt").write_text(f"{number}\n", encoding="utf-8")
    git("add", "--all", cwd=source)
    git("commit", "--quiet", "-m", "Begin", cwd=source)
    (tmp_path / "issues.yaml").write_text(
        json.dumps([{"title": _HOSTILE, "body": _HOSTILE}]), encoding="utf-8"
    )
    repository = {"full_name": "o/r", "from_git": "any", "issues": "issues.yaml"}
    with serve(tmp_path / "root", write_seed(tmp_path, repos=[repository])) as world:
        assert world.call("GET", "/repos/o/r").body["default_branch"] == "trunk/größe"
        assert world.call("GET", "/repos/o/r/branches/trunk/gr%C3%B6%C3%9Fe").status == 200
        issue = world.call("GET", "/repos/o/r/issues/1").body
        assert (issue["title"], issue["body"]) == (_HOSTILE, _HOSTILE)
        git("clone", "--quiet", world.clone_url(), str(tmp_path / "clone"))
        assert len(list((tmp_path / "clone").glob("datei-ü-*.txt"))) == 1100


def _repository(**changes: Any) -> list[dict[str, Any]]:
    return [{"full_name": "o/r", "from_folder": "source", **changes}]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"repo": []}, "repo: not a key here; the keys are accounts, repos, apps"),
        ({"repos": _repository(full_name="r")}, "repos[0].full_name: 'r' is not `owner/name`"),
        ({"repos": _repository(full_name="../r")}, "repos[0].full_name: '../r' is not `owner/name`"),
        ({"repos": _repository(from_folder="none")}, "repos[0].from_folder: none is not a folder"),
        (
            {"repos": _repository(issues=[{"number": "x"}])},
            "repos[0].issues[0].number: must be a positive number, not 'x'",
        ),
        (
            {"repos": _repository(issues=[{"number": 2}, {"number": 2}])},
            "repos[0].issues[1].number: 2 is there twice",
        ),
        ({"repos": _repository(issues="none.yaml")}, "none.yaml: No such file or directory"),
        (
            {"accounts": [{"login": "a", "kind": "cat"}]},
            "accounts[0].kind: 'cat' is none of person, organization, bot, app, agent",
        ),
        (
            {"apps": [{"slug": "hive", "owner": "nobody", "public_key": "x"}]},
            "apps[0].owner: there is no account 'nobody'",
        ),
        ({"accounts": [{"kind": "bot"}]}, "accounts[0].login: must be there, as a text"),
    ],
)
def test_a_wrong_description_is_one_line_with_file_and_object(
    tmp_path: Path, changes: Any, said: str
) -> None:
    path = write_seed(tmp_path, **changes)
    forge = Forge(tmp_path)
    with pytest.raises(ConfigError) as caught:
        seed.sow(forge, path)
    forge.store.close()
    assert str(caught.value).endswith(said)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_repository_is_refused_in_gits_words(tmp_path: Path) -> None:
    path = write_seed(tmp_path, repos=[{"full_name": "o/r", "from_git": "source"}])
    forge = Forge(tmp_path)
    with pytest.raises(ConfigError, match=r"repos\[0\]\.from_git"):
        seed.sow(forge, path)
    forge.store.close()
