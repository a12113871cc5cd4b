"""Logins between hive's copy and folders that agents may do anything to."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive.app.logins import Logins
from hive.errors import Refused
from hive.kernel.plugins import backends
from hive.settings.logins import AgentLogin

SHAPE = backends()["claude"].traits.login
assert SHAPE is not None


def claude(expires: int, refresh: str = "r0", organization: str = "o") -> str:
    own = {"accessToken": f"of {refresh}", "refreshToken": refresh, "expiresAt": expires}
    return json.dumps({"claudeAiOauth": own, "organizationUuid": organization})


class Place:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "operators.json"
        self.log_in(claude(1))
        assert SHAPE is not None
        self.wanted = {"a": AgentLogin("a", self.file, "claude", SHAPE)}
        self.logins = Logins(folder / "logins", lambda: self.wanted, self.home, lambda _: None)

    def log_in(self, text: str) -> None:
        self.file.write_text(text)
        self.file.chmod(0o600)

    def home(self, agent: str) -> Path:
        return self.folder / "agents" / agent

    def credentials(self, agent: str) -> Path:
        path = self.home(agent) / ".claude" / ".credentials.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def started(self, agent: str = "a") -> str:
        """What a start puts into the agent's folder."""
        content = self.logins.content(self.wanted[agent])
        path = self.credentials(agent)
        path.unlink(missing_ok=True)
        path.write_text(content)
        return content


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_start_gets_what_the_program_refreshed_before_it(place: Place) -> None:
    assert place.started() == claude(1)
    place.credentials("a").write_text(claude(2, "r1"))
    assert place.started() == claude(2, "r1")
    assert place.file.read_text() == claude(1), "the operator's own file stays as it is"


def test_what_a_stopped_program_left_outlives_its_folder(place: Place) -> None:
    place.started()
    place.credentials("a").write_text(claude(2, "r1"))
    place.logins.take_back("a")
    place.credentials("a").unlink()
    assert place.started() == claude(2, "r1")
    (copy,) = (place.folder / "logins").iterdir()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700


def test_a_new_login_of_the_operator_goes_before_what_hive_kept(place: Place) -> None:
    place.started()
    place.credentials("a").write_text(claude(9, "r9"))
    place.logins.take_back("a")
    place.log_in(claude(3, "r3", "another"))
    assert place.started() == claude(3, "r3", "another")


def _linked(path: Path) -> None:
    other = path.parent / "other.json"
    other.write_text(claude(5, "r5"))
    path.unlink()
    path.symlink_to(other)


def _linked_folder(path: Path) -> None:
    there = path.parent.with_name("there")
    path.parent.rename(there)
    (there / path.name).write_text(claude(5, "r5"))
    path.parent.symlink_to(there)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(10 << 30)


@pytest.mark.parametrize(
    "spoil",
    [
        _linked,
        _linked_folder,
        _pipe,
        _huge,
        lambda path: path.write_text(claude(5, "r5", "another account")),
        lambda path: path.write_text("{"),
        lambda path: path.write_text(claude(0, "old")),
        lambda path: path.write_bytes(b"\xff" * 100),
        lambda path: path.unlink(),
    ],
)
def test_nothing_that_an_agent_puts_there_becomes_hives(
    place: Place, spoil: Callable[[Path], object]
) -> None:
    place.started()
    spoil(place.credentials("a"))
    place.logins.take_back("a")
    assert place.logins.content(place.wanted["a"]) == claude(1)


def test_a_login_that_moves_to_another_agent_is_taken_from_the_first(place: Place) -> None:
    place.started()
    place.credentials("a").write_text(claude(2, "r1"))
    place.wanted = {"b": replace(place.wanted["a"], agent="b")}
    assert place.started("b") == claude(2, "r1")
    assert not place.credentials("a").exists()


def test_an_agent_that_fell_back_on_another_program_gets_none(place: Place) -> None:
    assert place.logins.of("a", "gemini") is None
    assert place.logins.of("b", "claude") is None
    assert place.logins.of("a", "claude") is place.wanted["a"]


def test_without_the_operators_file_nothing_is_started(place: Place) -> None:
    place.file.unlink()
    with pytest.raises(Refused, match=r"the login of a, .*: it cannot be read: No such file"):
        place.logins.content(place.wanted["a"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to other users")
def test_the_file_of_the_agent_that_had_it_is_removed_with_that_agents_rights_alone(place: Place) -> None:
    secret = place.folder / "of-hive.json"
    secret.write_text("{}")
    logins = Logins(place.folder / "logins", lambda: place.wanted, place.home, lambda _: 61_234)
    logins.content(place.wanted["a"])
    place.home("a").mkdir(parents=True)
    (place.home("a") / ".claude").symlink_to(place.folder)
    (place.folder / ".credentials.json").write_text("{}")
    os.lchown(place.home("a"), 61_234, 61_234)
    place.wanted = {"b": replace(place.wanted["a"], agent="b")}
    with pytest.raises(NotADirectoryError):
        logins.content(place.wanted["b"])
    assert (place.folder / ".credentials.json").exists()
