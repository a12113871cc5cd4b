"""Seats in pods: files of the agent's own, written whole or not at all, and no token on the way."""

from __future__ import annotations

import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from hive.contracts.backend import Backend, Launch, LaunchFile, Seat
from hive.errors import Missing, Refused
from hive.facts.agents import AgentSpec
from hive.facts.kubernetes import ExecResult, PodRef
from hive.gateway.client_files import ClientFile
from hive.ports.kubernetes import Kubernetes
from hive.shells.kubernetes.seats import PodClient, PodSeats
from tests.decisions.worlds import spec

POD = PodRef("hive", "trainer-abc")
TOOLS = ("sh", "mkdir", "mktemp", "head", "tar", "find", "mv", "rm", "wc")


@dataclass
class RunsHere:
    """A cluster whose pods' commands run on this machine, with the tools in `path`; notes them."""

    path: str
    commands: list[tuple[str, ...]] = field(default_factory=list)
    lost: int = 0
    """Bytes at the end of stdin that do not arrive."""

    def run(
        self, pod: PodRef, command: Sequence[str], *, stdin: bytes = b"", timeout: float = 30.0
    ) -> ExecResult:
        assert pod == POD
        self.commands.append(tuple(command))
        done = subprocess.run(
            [shutil.which(command[0], path=self.path) or command[0], *command[1:]],
            input=stdin[: len(stdin) - self.lost],
            env={"PATH": self.path},
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return ExecResult(done.returncode, done.stdout, done.stderr)


@dataclass
class Writes:
    """A backend that wants files."""

    files: tuple[LaunchFile, ...] = ()

    def launch(self, seat: Seat) -> Launch:
        return Launch(("agent", "--go"), {**seat.environment, "OWN": "1"}, self.files)


@dataclass
class Stand:
    seats: PodSeats
    cluster: RunsHere
    home: Path

    def prepare(self, wanted: AgentSpec | None = None) -> Launch:
        return self.seats.prepare(
            wanted or spec("trainer"), generation=1, token="hive_of-this-machine"
        ).launch


def busybox(folder: Path) -> str:
    program = shutil.which("busybox")
    if program is None:
        pytest.skip("busybox is not installed")
    tools = folder / "busybox"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).symlink_to(program)
    return str(tools)


def stand(folder: Path, *files: LaunchFile, path: str = "/usr/bin:/bin", text: str = "x") -> Stand:
    home = folder / "home"
    home.mkdir()
    cluster = RunsHere(path)
    own = home / ".config" / "hive"

    def client(wanted: AgentSpec) -> PodClient:
        made = (ClientFile(own / "gitconfig", text), ClientFile(own / "launch", "#!/bin/sh\n", 0o700))
        environment = {"PATH": "/pod/bin", "TMPDIR": str(home / "tmp"), "HIVE_AGENT": wanted.name}
        return PodClient(made, environment, str(own / "launch"))

    seats = PodSeats(
        find=lambda wanted: (cast(Kubernetes, cluster), POD),
        backends={"scripted": cast(Backend, Writes(files))},
        client=client,
        at=str(home),
    )
    return Stand(seats, cluster, home)


def tree(home: Path) -> dict[str, tuple[str, int]]:
    """Every file below `home`: content and mode."""
    return {
        str(path.relative_to(home)): (path.read_text(), stat.S_IMODE(path.stat().st_mode))
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("tools", ["usual", "busybox"])
def test_one_command_writes_all_files_and_makes_all_folders(tmp_path: Path, tools: str) -> None:
    path = busybox(tmp_path) if tools == "busybox" else "/usr/bin:/bin"
    made = stand(tmp_path, LaunchFile(".agent/a b/settings.json", '{"é": "\\n"}'), path=path)
    made.prepare()
    assert tree(made.home) == {
        ".agent/a b/settings.json": ('{"é": "\\n"}', 0o600),
        ".config/hive/gitconfig": ("x", 0o600),
        ".config/hive/launch": ("#!/bin/sh\n", 0o700),
    }
    folders = [made.home / name for name in ("work", "tmp", ".config", ".agent")]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * 4
    assert len(made.cluster.commands) == 1


def test_the_program_is_started_by_the_launcher_that_knows_the_pods_token(tmp_path: Path) -> None:
    made = stand(tmp_path)
    launch = made.prepare(spec("trainer", environment=(("MORE", "2"),)))
    assert launch == Launch(
        (str(made.home / ".config/hive/launch"), "agent", "--go"),
        {
            "LANG": "C.UTF-8",
            "PATH": "/pod/bin",
            "TMPDIR": str(made.home / "tmp"),
            "HIVE_AGENT": "trainer",
            "HOME": str(made.home),
            "OWN": "1",
            "MORE": "2",
        },
    )


def test_the_operators_own_command_is_started_by_the_launcher_as_well(tmp_path: Path) -> None:
    made = stand(tmp_path)
    assert made.prepare(spec("trainer", command=("own", "-x"))).argv[1:] == ("own", "-x")


def test_no_token_passes_through_hive(tmp_path: Path) -> None:
    made = stand(tmp_path)
    told = f"{made.prepare()} {made.cluster.commands} {tree(made.home)}"
    assert "hive_of-this-machine" not in told


def test_a_seat_is_prepared_again_and_keeps_what_the_agent_made(tmp_path: Path) -> None:
    made = stand(tmp_path)
    made.prepare()
    (made.home / "work" / "clone").write_text("work")
    (made.home / ".config/hive/gitconfig").write_text("spoilt")
    (made.home / ".hive-seat.abcdef").mkdir()
    made.prepare()
    assert set(tree(made.home)) == {".config/hive/gitconfig", ".config/hive/launch", "work/clone"}
    assert tree(made.home)[".config/hive/gitconfig"] == ("x", 0o600)
    assert not list(made.home.glob(".hive-seat.*"))


@pytest.mark.parametrize("path", ["../other", "/etc/agent", "x/../../y", ".", "a\nb"])
def test_no_file_is_written_outside_of_the_home_whatever_a_plug_in_names(tmp_path: Path, path: str) -> None:
    made = stand(tmp_path, LaunchFile(path, "x"))
    with pytest.raises(Refused, match="lies outside of the agent's home"):
        made.prepare()
    assert made.cluster.commands == []


@pytest.mark.parametrize("tools", ["usual", "busybox"])
def test_a_link_of_the_agents_leads_no_file_out_of_its_home(tmp_path: Path, tools: str) -> None:
    made = stand(tmp_path, path=busybox(tmp_path) if tools == "busybox" else "/usr/bin:/bin")
    (tmp_path / "outside").mkdir()
    (made.home / ".config").symlink_to(tmp_path / "outside")
    with pytest.raises(
        Refused, match=r"pod hive/trainer-abc cannot be written: .* leads out of the agent's home"
    ):
        made.prepare()
    assert tree(tmp_path / "outside") == {}


def test_a_link_in_a_files_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    made = stand(tmp_path)
    (tmp_path / "other").write_text("theirs")
    own = made.home / ".config" / "hive"
    own.mkdir(parents=True)
    (own / "gitconfig").symlink_to(tmp_path / "other")
    made.prepare()
    assert ((tmp_path / "other").read_text(), tree(made.home)[".config/hive/gitconfig"][0]) == ("theirs", "x")


def test_a_folder_in_a_files_place_is_told(tmp_path: Path) -> None:
    made = stand(tmp_path)
    (made.home / ".config/hive/gitconfig").mkdir(parents=True)
    with pytest.raises(Refused, match=r"gitconfig is a folder; remove it"):
        made.prepare()


@pytest.mark.parametrize("tools", ["usual", "busybox"])
@pytest.mark.parametrize("lost", [1, 9000, 20_000])
def test_what_arrives_in_part_changes_nothing(tmp_path: Path, lost: int, tools: str) -> None:
    path = busybox(tmp_path) if tools == "busybox" else "/usr/bin:/bin"
    made = stand(tmp_path, path=path, text="y" * 30_000)
    (made.home / ".config" / "hive").mkdir(parents=True)
    (made.home / ".config/hive/gitconfig").write_text("old")
    made.cluster.lost = lost
    with pytest.raises(Refused, match="the files did not arrive whole"):
        made.prepare()
    assert tree(made.home) == {".config/hive/gitconfig": ("old", 0o644)}


def test_an_agent_without_a_pod_has_no_seat(tmp_path: Path) -> None:
    def nowhere(wanted: AgentSpec) -> tuple[Kubernetes, PodRef]:
        raise Missing("seats", f"{wanted.name} has no pod yet")

    made = stand(tmp_path)
    seats = PodSeats(nowhere, made.seats.backends, made.seats.client)
    with pytest.raises(Missing, match="trainer has no pod yet"):
        seats.prepare(spec("trainer"), generation=1, token="t")
    assert seats.home("trainer") == "/home/agent"
