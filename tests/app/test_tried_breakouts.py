"""What `hive doctor` tries from an agent's place: all of it in vain there, and none of it without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

import hive
import hive_backends
from hive.app.breakouts import tried_breakouts
from hive.app.doctor.isolation import look_at_isolation
from hive.decisions.doctor.breakouts import breakout_findings
from hive.decisions.doctor.finding import State
from hive.errors import Refused
from hive.facts.isolation import IsolationMode, IsolationOptions, Network
from hive.shells.isolation.closed import Closed, closed_to_others
from tests.shells.isolation.places import AGENT_UID, need, need_root

NAMES = {
    "read_files",
    "write_files",
    "open_sockets",
    "see_processes",
    "enter_processes",
    "end_processes",
    "leave_limits",
    "share_memory",
    "gain_rights",
    "go_out",
    "go_around",
}
IN_VAIN = dict.fromkeys(NAMES, "")


def left() -> set[str]:
    return {
        str(each)
        for where in ("/dev/shm", tempfile.gettempdir())
        for each in Path(where).glob("hive-[t0-9a-f]*")
    }


@pytest.mark.parametrize("mode", [IsolationMode.UID, IsolationMode.USERNS])
def test_from_an_agents_place_nothing_is_reached_and_nothing_stays(
    mode: IsolationMode, tmp_path: Path
) -> None:
    need(mode)
    state, config = tmp_path / "state", tmp_path / "hive.yaml"
    state.mkdir()
    for path in (state / "journal.db", config):
        path.write_text("of hive")
    before = left()
    options = IsolationOptions(mode=mode, degrade=True)  # of root's own user, which is less than asked for
    assert tried_breakouts(options, state, (str(config),)) == IN_VAIN
    assert left() == before
    assert [path.read_text() for path in (state / "journal.db", config)] == ["of hive", "of hive"]


def test_without_a_place_the_same_attempts_reach_what_they_look_for(tmp_path: Path) -> None:
    found = tried_breakouts(IsolationOptions(mode=IsolationMode.NONE), tmp_path)
    assert found.keys() == NAMES
    reached = {name for name, what in found.items() if what}
    ordinary = {
        "read_files",
        "write_files",
        "open_sockets",
        "see_processes",
        "end_processes",
        "share_memory",
        "go_out",
    }
    assert reached == NAMES if os.geteuid() == 0 and found["leave_limits"] else ordinary <= reached


def test_root_in_a_user_namespace_reads_roots_files_no_more_and_takes_the_operators_word(
    tmp_path: Path,
) -> None:
    need_root()
    need(IsolationMode.USERNS)
    with pytest.raises(Refused, match=r"hive runs as root, and in user namespaces its agents do too.*uid"):
        tried_breakouts(IsolationOptions(mode=IsolationMode.USERNS), tmp_path)
    closed = tmp_path / "closed"
    (closed / "deep").mkdir(parents=True)
    (closed / "open").write_text("to be seen")
    (closed / "key").write_text("not to be seen")
    for path, mode in ((closed, 0o755), (closed / "open", 0o644), (closed / "key", 0o600)):
        path.chmod(mode)
    (closed / "deep").chmod(0o700)
    assert closed_to_others([str(closed), str(tmp_path / "nowhere")]) == Closed(
        (str(closed / "deep"),), (str(closed / "key"),)
    )


def test_on_the_machines_own_network_its_ports_are_reached(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    found = tried_breakouts(IsolationOptions(mode=IsolationMode.UID, network=Network.HOST), tmp_path)
    assert "port" in found["go_out"]
    assert not found["read_files"]


@pytest.fixture
def own() -> Iterator[Path]:
    """A folder of the agents' user, on whose way no other run of tests closes a folder."""
    need_root()
    with tempfile.TemporaryDirectory(prefix="hive-own-") as folder:
        os.chown(folder, AGENT_UID, AGENT_UID)
        yield Path(folder)


def test_an_ordinary_user_without_root_is_held_by_user_namespaces(own: Path) -> None:
    """What a laptop has: the agent is hive's own user, who could read all of it outside of its place."""
    script = (
        "import json\nfrom pathlib import Path\n"
        "from hive.app.breakouts import tried_breakouts\n"
        "from hive.facts.isolation import IsolationMode, IsolationOptions\n"
        "options = IsolationOptions(mode=IsolationMode.USERNS)\n"
        f"print(json.dumps(tried_breakouts(options, Path({str(own)!r}))))\n"
    )
    done = as_a_user(own, script)
    if "user namespace" in done.stderr or "unshare" in done.stderr:
        pytest.skip(f"not for another user here: {done.stderr.splitlines()[-1]}")
    assert (json.loads(done.stdout or "null"), done.stderr) == (IN_VAIN, "")


def as_a_user(home: Path, script: str) -> subprocess.CompletedProcess[str]:
    """By a Python that an ordinary user may start: this one may lie in root's home."""
    paths = [*map(str, (Path(hive.__file__).parents[1], Path(hive_backends.__file__).parents[1]))]
    environment = {
        "PATH": os.defpath,
        "TMPDIR": str(home),
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([*paths, sysconfig.get_path("purelib")]),
    }

    def run(python: str, text: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-c", text],
            user=AGENT_UID,
            group=AGENT_UID,
            extra_groups=[],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    for python in (sys.executable, "/usr/bin/python3"):
        with suppress(OSError):
            if run(python, "import hive.app.breakouts").returncode == 0:
                return run(python, script)
    pytest.skip("no Python here that another user may start")


def findings(reached: Mapping[str, str], network: Network = Network.GATEWAY) -> dict[str, tuple[State, str]]:
    options = IsolationOptions(network=network)
    found = breakout_findings(options, IsolationMode.USERNS, reached)
    return {each.name.removeprefix("breakout: "): (each.state, each.found) for each in found}


def test_each_attempt_is_told_and_one_that_reached_something_is_a_problem() -> None:
    found = findings({**IN_VAIN, "read_files": "/x/journal.db"})
    told = (State.PROBLEM, "an agent reaches /x/journal.db")
    assert found.pop("read hive's and other agents' files") == told
    assert len(found) == len(NAMES) - 1
    assert set(found.values()) == {(State.OK, "tried from an agent's place, in vain")}


def test_an_attempt_that_was_not_made_is_no_proof() -> None:
    assert {state for state, _ in findings({}).values()} == {State.PROBLEM}


def test_what_the_operator_opened_is_no_breakout() -> None:
    found = findings({**IN_VAIN, "go_out": "127.0.0.1 port 1"}, Network.HOST)
    assert found["reach an address by TCP or UDP"][0] is State.SKIPPED


def test_doctor_tries_where_agents_run_on_this_machine_and_nowhere_else(tmp_path: Path) -> None:
    need(IsolationMode.UID)
    options = IsolationOptions(mode=IsolationMode.UID)
    names = [each.name for each in look_at_isolation(options, tmp_path, 1)]
    assert sum(name.startswith("breakout: ") for name in names) == len(NAMES)
    assert not [each for each in look_at_isolation(options, tmp_path, 0) if "breakout" in each.name]
