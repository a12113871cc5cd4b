"""Seats: folders of the agent's own, and nothing in them or in its environment that it must not have."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from hive.app.places import Places
from hive.app.seats import FolderSeats
from hive.contracts.backend import Backend, Launch, LaunchFile, Seat
from hive.errors import Refused
from tests.decisions.worlds import spec


@dataclass
class Writes:
    """A backend that wants files."""

    files: tuple[LaunchFile, ...] = ()
    seats: list[Seat] = field(default_factory=list)

    def launch(self, seat: Seat) -> Launch:
        self.seats.append(seat)
        return Launch(("agent", "--go"), {**seat.environment, "OWN": "1"}, self.files)


def seats(folder: Path, *files: LaunchFile) -> FolderSeats:
    places = Places(folder / "state")
    places.make()
    ca = folder / "ca.pem"
    ca.write_text("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
    backends = {"scripted": cast(Backend, Writes(files))}
    return FolderSeats(places, backends, "http://127.0.0.1:1", ca)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_agents_folders_are_its_own_and_its_files_private(tmp_path: Path) -> None:
    made = seats(tmp_path, LaunchFile(".config/agent/settings.json", "{}"))
    ready = made.prepare(spec("a"), generation=1, token="hive_token")
    home = Path(made.home("a"))
    assert home == tmp_path / "state/agents/a"
    assert ready.workdir == str(home / "work")
    assert {mode(home), mode(home / "work"), mode(home / "tmp")} == {0o700}
    written = home / ".config/agent/settings.json"
    assert (written.read_text(), mode(written)) == ("{}", 0o600)


def test_a_seat_is_prepared_again_and_keeps_what_the_agent_made(tmp_path: Path) -> None:
    made = seats(tmp_path)
    ready = made.prepare(spec("a"), generation=1, token="hive_one")
    (Path(ready.workdir) / "clone").write_text("work")
    made.prepare(spec("a"), generation=2, token="hive_two")
    assert (Path(ready.workdir) / "clone").read_text() == "work"
    everything = b"".join(
        path.read_bytes()
        for path in Path(made.home("a")).rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    assert b"hive_one" not in everything


@pytest.mark.parametrize("path", ["../other/.bashrc", "/etc/agent", "x/../../y"])
def test_no_file_is_written_outside_of_the_agents_home(tmp_path: Path, path: str) -> None:
    with pytest.raises(Refused, match="lies outside of the agent's home"):
        seats(tmp_path, LaunchFile(path, "x")).prepare(spec("a"), generation=1, token="t")
    assert not (tmp_path / "state/agents/other").exists()


def test_nothing_of_hives_environment_reaches_an_agent_but_a_few_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "aws_secret")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    launch = seats(tmp_path).prepare(spec("a"), generation=1, token="t").launch
    told = "\n".join(f"{name}={value}" for name, value in launch.environment.items())
    assert "secret" not in told
    assert launch.environment["LANG"] == "de_DE.UTF-8"
    assert launch.environment["HOME"] == str(tmp_path / "state/agents/a")
    assert launch.environment["TMPDIR"] == str(tmp_path / "state/agents/a/tmp")


def test_the_operators_command_and_environment_go_before_the_backends(tmp_path: Path) -> None:
    own = spec("a", command=("wrapper",), environment=(("OWN", "2"), ("MORE", "3")))
    launch = seats(tmp_path).prepare(own, generation=1, token="t").launch
    assert launch.argv == ("wrapper",)
    assert (launch.environment["OWN"], launch.environment["MORE"]) == ("2", "3")


def test_folders_that_cannot_be_made_refuse_the_start_by_name(tmp_path: Path) -> None:
    made = seats(tmp_path)
    (tmp_path / "state/agents/a").write_text("a file where a folder should be")
    with pytest.raises(Refused, match="the folders of a cannot be made"):
        made.prepare(spec("a"), generation=1, token="t")


def test_sockets_of_a_deep_state_folder_move_to_a_short_private_one(tmp_path: Path) -> None:
    near = Places(Path("/srv/hive"))
    assert near.operator_socket == Path("/srv/hive/run/hive.sock")
    deep = Places(tmp_path / ("x" * 120))
    assert len(str(deep.gateway_socket)) < 100
    assert deep.sockets != Places(tmp_path / ("y" * 120)).sockets
    assert {one.parent for one in (deep.operator_socket, deep.tmux_socket, deep.gate)} == {deep.sockets}
    # Agents see this folder: nothing else is in it.
    assert {one.parent for one in (deep.gateway_socket, deep.proxy_socket)} == {deep.gate}


def test_a_renewed_token_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    made = seats(tmp_path)
    made.prepare(spec("a"), generation=1, token="hive_one")
    made.renew(spec("a"), token="hive_two")
    written = [path for path in Path(made.home("a")).rglob("*") if path.is_file()]
    holding = {path.name: mode(path) for path in written if b"hive_two" in path.read_bytes()}
    assert holding == {"token": 0o600, "hosts.yml": 0o600}
    assert not [path for path in written if b"hive_one" in path.read_bytes()]


def test_a_token_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    made = seats(tmp_path)
    (tmp_path / "state/agents/a").write_text("")
    with pytest.raises(Refused, match="the token of a cannot be written"):
        made.renew(spec("a"), token="hive_two")


@pytest.mark.parametrize("link", [".config/hive", ".config/gh", ".config", "work", "tmp"])
def test_no_link_that_an_agent_lays_leads_hives_hand_elsewhere(tmp_path: Path, link: str) -> None:
    made = seats(tmp_path, LaunchFile(".config/agent/settings.json", "{}"))
    made.prepare(spec("a"), generation=1, token="hive_one")
    elsewhere = tmp_path / "of the operator"
    elsewhere.mkdir()
    (elsewhere / "hosts.yml").write_text("theirs")
    laid = Path(made.home("a")) / link
    laid.rename(tmp_path / "before")
    laid.symlink_to(elsewhere)
    with pytest.raises(Refused, match="Not a directory"):
        made.prepare(spec("a"), generation=2, token="hive_two")
    if link.startswith(".config") and link != ".config/gh":
        with pytest.raises(Refused, match="the token of a cannot be written"):
            made.renew(spec("a"), token="hive_three")
    assert [(each.name, each.read_text()) for each in elsewhere.iterdir()] == [("hosts.yml", "theirs")]


def test_a_link_in_a_files_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    made = seats(tmp_path)
    made.prepare(spec("a"), generation=1, token="hive_one")
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    for name in ("token", ".token.part"):
        (Path(made.home("a")) / ".config/hive" / name).unlink(missing_ok=True)
        (Path(made.home("a")) / ".config/hive" / name).symlink_to(theirs)
    made.renew(spec("a"), token="hive_two")
    assert theirs.read_text() == "theirs"
    assert (Path(made.home("a")) / ".config/hive/token").read_text() == "hive_two\n"
