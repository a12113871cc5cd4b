"""What the gateway lives through: broken mirrors, crowds, slow peers, a forge in trouble, restarts."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hive.bench import gateway_server
from hive.gateway import Gateway
from hive.gateway.mirrors import configured
from hive.gateway.settings import Limits
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess
from tests.gateway.place import CREDENTIAL, REPO, TOKEN, Place

OWN = "hive/quality/1-area"
ISSUE = json.dumps({"title": "Found"})


def mirror(place: Place) -> Path:
    return place.settings.state / "mirrors" / f"{REPO}.git"


def remade(place: Place, limits: Limits) -> None:
    """Another gateway, with other bounds, in the place of the running one."""
    place.settings = replace(place.settings, limits=limits)
    place.restart()
    place.equip()


def emptied_objects(git: Path) -> None:
    for path in (git / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"")


def missing_objects(git: Path) -> None:
    shutil.rmtree(git / "objects")
    (git / "objects").mkdir()


def no_configuration(git: Path) -> None:
    (git / "HEAD").unlink()


def old_lock(git: Path) -> None:
    lock = git / "packed-refs.lock"
    lock.touch()
    subprocess.run(["touch", "--date", "2 hours ago", str(lock)], check=True)
    (git / "refs" / "heads").mkdir(exist_ok=True)


DAMAGES = [emptied_objects, missing_objects, no_configuration, old_lock]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_mirror_is_fetched_anew_and_the_next_push_works(
    place: Place, damage: Callable[[Path], None]
) -> None:
    place.check_out()
    damage(mirror(place))
    place.restart()
    place.commit(OWN, {"widgets.py": "changed\n"})
    pushed = place.push("HEAD")
    for _ in range(2):  # the damage may be found by the push itself
        pushed = pushed if pushed.returncode == 0 else place.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr
    place.good("git", "clone", "--quiet", f"https://github.com/{REPO}.git", str(place.home / "again"))
    assert place.branches()[f"refs/heads/{OWN}"] == place.good("git", "rev-parse", "HEAD").strip()


def test_a_mirror_that_a_fetch_finds_damaged_is_whole_for_the_next_one(place: Place) -> None:
    place.check_out()
    emptied_objects(mirror(place))
    again = ("git", "clone", "--quiet", f"https://github.com/{REPO}.git")
    place.run(*again, str(place.home / "first"), cwd=place.home)
    place.good(*again, str(place.home / "second"), cwd=place.home)


def _connect(place: Place) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(20)
    connection.connect(str(place.settings.socket_path))
    return connection


@contextlib.contextmanager
def slow_peers(place: Place, many: int, data: bytes, pause_s: float) -> Iterator[None]:
    """Peers that say `data` byte by byte."""
    stop = threading.Event()

    def drip() -> None:
        with contextlib.suppress(OSError), _connect(place) as connection:
            for index in range(len(data)):
                connection.sendall(data[index : index + 1])
                if stop.wait(pause_s):
                    return

    threads = [threading.Thread(target=drip, daemon=True) for _ in range(many)]
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join()


def test_peers_that_dribble_their_requests_keep_no_agent_waiting(place: Place) -> None:
    remade(place, Limits(connections=16))
    head = f"GET /repos/{REPO} HTTP/1.1\r\nHost: api.github.com\r\nX-Pad: {'x' * 400}\r\n".encode()
    with slow_peers(place, 40, head, 0.05):
        served, until = 0, time.monotonic() + 30
        while served < 5 and time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                served += place.api("GET", f"/repos/{REPO}")[0] == 200
        assert served == 5


_CROWD = """
import collections, resource, socket, sys
path, many = sys.argv[1], int(sys.argv[2])
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
crowd = []
for _ in range(many):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(None)  # a full queue is waited for
    one.connect(path)
    crowd.append(one)
said = collections.Counter()
for one in crowd:
    one.settimeout(0.2)
    try:
        said[one.recv(64)[:12].decode()] += 1
    except TimeoutError:
        said["waits"] += 1
    except ConnectionError:
        said[""] += 1
import json
print(json.dumps(said))
"""


@pytest.mark.slow
def test_ten_thousand_open_connections_are_refused_in_good_order(place: Place) -> None:
    remade(place, Limits(connections=64))
    threads = threading.active_count()
    command = (sys.executable, "-c", _CROWD, str(place.settings.socket_path), "10000")
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, int] = json.loads(done.stdout)
    # Those that are let in may be sent off for the next, without a word.
    assert said.keys() <= {"HTTP/1.1 503", "waits", ""}, said
    assert said["HTTP/1.1 503"] > 9_000, said
    assert threading.active_count() <= threads + 64
    status, until = 0, time.monotonic() + 20
    while status != 200 and time.monotonic() < until:
        with contextlib.suppress(OSError, http.client.HTTPException):
            status = place.api("GET", f"/repos/{REPO}")[0]
    assert status == 200


TROUBLE = {
    "500": (500, ""),
    "502": (502, ""),
    "503": (503, ""),
    "rate-limit:30": (403, "rate limit"),
    "secondary-limit:30": (403, "secondary rate limit"),
    "status:451:Repository unavailable": (451, "unavailable"),
}


@pytest.mark.parametrize("fault", sorted(TROUBLE))
def test_what_the_forge_says_in_trouble_is_passed_on_and_a_write_is_asked_once(
    place: Place, fault: str
) -> None:
    place.forge.fault(fault, method="POST", path="/issues$")
    status, value = place.api("POST", f"/repos/{REPO}/issues", ISSUE)
    expected, words = TROUBLE[fault]
    assert status == expected, value
    assert words.lower() in json.dumps(value).lower()
    assert not str(value.get("message", "")).startswith("hive: "), "these are the forge's own words"
    asked = place.forge.state()["requests"]
    assert sum(number for route, number in asked.items() if route.startswith("POST")) <= 1
    assert len(place.forge.state()["repositories"][REPO]["issues"]) == 2


def test_a_forge_that_is_silent_is_not_waited_for_for_ever(place: Place) -> None:
    remade(place, Limits(upstream_s=0.5))
    place.forge.fault("slow:5", method="GET", path="/issues$")
    begun = time.monotonic()
    status, value = place.api("GET", f"/repos/{REPO}/issues")
    assert (status, "did not answer" in value["message"]) == (502, True)
    assert time.monotonic() - begun < 4


def test_a_rate_limit_tells_when_to_come_back(place: Place) -> None:
    place.forge.fault("rate-limit:30", method="GET", path="/issues$")
    connection = _connect(place)
    asked = (
        f"GET /repos/{REPO}/issues HTTP/1.1\r\nHost: api.github.com\r\nAuthorization: token {TOKEN}\r\n\r\n"
    )
    with connection:
        connection.sendall(asked.encode())
        head = connection.recv(65_536).partition(b"\r\n\r\n")[0].lower()
    assert b"x-ratelimit-remaining: 0" in head
    assert b"x-ratelimit-reset: " in head


def test_a_gateway_can_be_ended_and_begun_again_under_a_waiting_agent(place: Place) -> None:
    with _connect(place) as waiting:
        waiting.sendall(b"GET / HT")
        place.gateway.close(timeout=1.0)
        place.gateway = Gateway(place.settings, place.authority, SystemClock())
        place.gateway.start()
        assert place.api("GET", f"/repos/{REPO}")[0] == 200


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0.05, 0.6])
def test_a_gateway_killed_in_mid_push_leaves_nothing_half_done(
    tmp_path: Path, forge: StandInProcess, after_s: float
) -> None:
    """A kill -9 of its process, at several moments of a push; then another one, and the next push works."""
    root = tmp_path / "own"
    with gateway_server.running(root, forge.url, CREDENTIAL) as gateway:
        clone = cloned(tmp_path, gateway)
        (clone / "large.bin").write_bytes(os.urandom(8_000_000))
        git(clone, gateway, "add", "large.bin")
        git(clone, gateway, "commit", "--quiet", "--message", "Add it")
        tip = git(clone, gateway, "rev-parse", "HEAD").stdout.strip()
        pushing = subprocess.Popen(
            ["git", "push", "--quiet", "origin", f"HEAD:refs/heads/{OWN}"],
            cwd=clone,
            env=git_environment(gateway),
            stderr=subprocess.DEVNULL,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            pushing.wait(after_s)
        os.kill(gateway.pid, signal.SIGKILL)
        pushing.wait(60)
    with gateway_server.running(root, forge.url, CREDENTIAL) as gateway:
        refs = git(clone, gateway, "ls-remote", "origin", f"refs/heads/{OWN}").stdout.split()
        assert refs[:1] in ([], [tip]), "the branch is there whole, or not at all"
        git(clone, gateway, "fetch", "--quiet", "origin")
        (clone / "README.md").write_text("# changed\n")
        git(clone, gateway, "commit", "--quiet", "--all", "--message", "Change it")
        git(clone, gateway, "push", "--quiet", "origin", f"HEAD:refs/heads/{OWN}")
        tip = git(clone, gateway, "rev-parse", "HEAD").stdout.strip()
    bare = forge.root / "git" / f"{REPO}.git"
    for where in (bare, root / "gateway" / "mirrors" / f"{REPO}.git"):
        whole = ("git", "-c", "safe.directory=*", "-C", str(where), "fsck", "--connectivity-only")
        assert subprocess.run(whole, capture_output=True, check=False).returncode == 0
        known = (*whole[:5], "rev-parse", f"refs/heads/{OWN}")
        assert subprocess.run(known, capture_output=True, text=True, check=True).stdout.strip() == tip
    assert not list((root / "gateway").rglob("quarantine-*"))


def git_environment(gateway: gateway_server.Running) -> dict[str, str]:
    pair = base64.b64encode(f"x-access-token:{gateway_server.TOKEN}".encode()).decode()
    who = {f"GIT_{kind}_{what}": "a@b" for kind in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    settings = {
        "http.https://github.com/.proxy": gateway.proxy_url,
        "http.https://github.com/.sslCAInfo": str(gateway.ca_file),
        "http.https://github.com/.extraHeader": f"Authorization: Basic {pair}",
    }
    base = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    return {**base, **who, **configured(settings)}


def git(where: Path, gateway: gateway_server.Running, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        ["git", *arguments],
        cwd=where,
        env=git_environment(gateway),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done


def cloned(root: Path, gateway: gateway_server.Running) -> Path:
    clone = root / "clone"
    git(root, gateway, "clone", "--quiet", f"https://github.com/{REPO}.git", str(clone))
    return clone
