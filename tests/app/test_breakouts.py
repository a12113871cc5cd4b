"""From an agent's place, as its user: everything that it must not reach, tried with ordinary tools."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hive.facts.events import Noticed
from hive.facts.isolation import Endpoint, IsolationMode, IsolationOptions, Limits
from tests.app.places_for_tests import TOKENS, Echo, Hive, a_hive
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import identity
from tests.shells.isolation.places import need

PYTHON = (sys.executable, "-c")


@pytest.fixture(scope="module")
def echo() -> Iterator[Echo]:
    server = Echo()
    yield server
    server.close()


@pytest.fixture(scope="module")
def hive(tmp_path_factory: pytest.TempPathFactory, echo: Echo) -> Iterator[Hive]:
    need(IsolationMode.UID)
    options = IsolationOptions(
        mode=IsolationMode.UID,
        allow=(Endpoint("127.0.0.1", echo.port),),
        limits=Limits(memory=200 * 1024 * 1024, processes=40),
        degrade=True,
    )
    authority = FakeAuthority({token: identity(name) for name, token in TOKENS.items()})
    made = a_hive(tmp_path_factory.mktemp("breakout"), options, authority)
    yield made
    made.close()


def shell(hive: Hive, command: str, agent: str = "a") -> tuple[int | None, str]:
    done = hive.run("sh", "-c", command, agent=agent)
    return done.code, done.out.strip()


def test_an_agent_is_a_user_of_its_own_without_any_right(hive: Hive) -> None:
    code, said = shell(hive, "id -u; id -G; grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/self/status")
    uid, groups, *rights = said.splitlines()
    first, last = 60000, 64999
    assert (code, first <= int(uid) <= last, groups) == (0, True, uid)
    assert [line.split()[1] for line in rights] == ["0" * 16] * 3 + ["1"]
    assert shell(hive, "id -u", "b")[1] != uid


def test_what_an_agent_needs_is_there(hive: Hive) -> None:
    code, said = shell(hive, "pwd; echo x > ~/kept && echo y > /tmp/z && cat ~/.config/hive/token; id -un")
    home = hive.places.agent("a")
    assert (code, said.splitlines()) == (0, [str(home / "work"), TOKENS["a"], "agent"])
    assert (home / "kept").read_text() == "x\n"
    assert not Path("/tmp/z").exists()  # its own /tmp, not this one


@pytest.mark.parametrize(
    "path",
    [
        "agents/b/.config/hive/token",
        "journal.db",
        "gateway/ca/key.pem",
        "run/tmux.sock",
        "run/hive.sock",
        "places/a",
        "../hive.yaml",
    ],
)
def test_neither_other_agents_files_nor_hives_own_can_be_read(hive: Hive, path: str) -> None:
    target = hive.places.state / path
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("secret")
    code, said = shell(hive, f"cat {shlex.quote(str(target))}; ls {shlex.quote(str(target.parent.parent))}/b")
    assert code != 0
    assert "secret" not in said
    assert "ghp" not in said
    assert "hive_token" not in said


def test_no_process_outside_can_be_seen_signalled_or_traced(hive: Hive) -> None:
    with subprocess.Popen(["sleep", "60"], env={"SECRET": "s3cret", "PATH": "/usr/bin:/bin"}) as outside:
        try:
            seen = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' ' '"
            pids = f"{outside.pid} {os.getpid()}"
            tries = f"kill -9 {pids}; for p in {pids}; do cat /proc/$p/mem /proc/$p/maps; done"
            code, said = shell(hive, f"{tries}; {seen}; echo; ls /proc | grep -c '^[0-9]'")
            assert outside.poll() is None
        finally:
            outside.kill()
    assert "s3cret" not in said
    assert code == 0
    assert int(said.splitlines()[-1]) < 10


@pytest.mark.parametrize("where", ["127.0.0.1", "1.1.1.1", "::1", "2606:4700:4700::1111", "api.github.com"])
@pytest.mark.parametrize("port", [443, 53])
def test_no_address_is_reached_directly(hive: Hive, where: str, port: int) -> None:
    script = f"import socket; socket.create_connection(({where!r}, {port}), timeout=5); print('reached')"
    done = hive.run(*PYTHON, script)
    assert (done.code, done.out) == (1, "")


def test_a_server_on_the_machines_loopback_is_reached_only_where_the_operator_named_it(
    hive: Hive, echo: Echo
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        unnamed = other.getsockname()[1]
        script = (
            "import socket, sys\n"
            "for port in map(int, sys.argv[1:]):\n"
            "    try:\n"
            "        with socket.create_connection(('127.0.0.1', port), timeout=10) as peer:\n"
            "            peer.sendall(b'x' * 300_000); peer.shutdown(socket.SHUT_WR)\n"
            "            print(sum(len(piece) for piece in iter(lambda: peer.recv(65536), b'')))\n"
            "    except OSError as error: print(type(error).__name__)\n"
        )
        done = hive.run(*PYTHON, script, str(echo.port), str(unnamed))
    assert done.out.split() == ["300000", "ConnectionRefusedError"]


def test_the_proxy_leads_to_no_host_that_nobody_named(hive: Hive) -> None:
    port = hive.gateway.port
    for target in ("example.com:443", "1.1.1.1:443", "127.0.0.1:22", "api.github.com:22", "[::1]:443"):
        ask = f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n"
        script = (
            f"import socket; peer = socket.create_connection(('127.0.0.1', {port}), timeout=10)\n"
            f"peer.sendall(b'{ask}'); print(peer.recv(12).decode())"
        )
        assert hive.run(*PYTHON, script).out.strip() == "HTTP/1.1 403", target
    told = [event for event in hive.authority.events if isinstance(event, Noticed)]
    assert told[-1] == Noticed(about="a", message="tried to reach CONNECT [::1]:443, which is not allowed")


def test_setuid_programs_give_nothing(hive: Hive, tmp_path: Path) -> None:
    su = hive.places.agent("a") / "rootsh"
    su.write_bytes(Path("/bin/sh").read_bytes())
    su.chmod(0o4755)  # root's own file, as an older mistake might have left it
    _, said = shell(hive, f"{su} -p -c 'id -u'; mount -t tmpfs none /mnt && echo mounted")
    assert "0" not in said.splitlines()
    assert "mounted" not in said


def test_a_namespace_of_the_agents_own_uncovers_nothing(hive: Hive) -> None:
    target = hive.places.state / "journal.db"
    target.write_text("secret")
    inner = f"umount -l {hive.places.state}; umount -l /proc; cat {target}; ls /proc/{os.getpid()}/root"
    _, said = shell(hive, f"unshare -Urmpf sh -c {shlex.quote(inner)}; cat {target}")
    assert "secret" not in said


def test_nothing_of_the_machine_can_be_changed_and_gh_cannot_be_replaced(hive: Hive) -> None:
    gh = "/usr/bin/env"  # a program of the machine's
    code, said = shell(
        hive, f"cp /bin/true {gh}; rm -f {gh}; echo x > /etc/hive-was-here; touch {sys.prefix}/x; echo end"
    )
    assert (code, said) == (0, "end")
    assert not Path("/etc/hive-was-here").exists()
    assert Path(gh).stat().st_size > 0


def test_an_empty_environment_opens_no_other_way(hive: Hive) -> None:
    script = "import socket; socket.create_connection(('140.82.112.3', 443), timeout=5); print('reached')"
    done = hive.run("env", "-i", *PYTHON, script)
    assert (done.code, done.out) == (1, "")


def test_another_agents_token_is_nobodys_in_ones_own_hands(hive: Hive) -> None:
    own, stolen = (api_status(hive, TOKENS[name]) for name in ("a", "b"))
    assert (own, stolen) == (403, 401)
    assert any(type(event).__name__ == "TokenRefused" for event in hive.authority.events)


def api_status(hive: Hive, token: str, agent: str = "a") -> int:
    """What the gateway answers on its own host, which needs no forge."""
    script = (
        "import os, socket, sys\n"
        "peer = socket.socket(socket.AF_UNIX); peer.connect(os.environ['HIVE_GATEWAY_SOCKET'])\n"
        "peer.sendall(f'GET /nothing HTTP/1.1\\r\\nHost: hive.invalid\\r\\n"
        "Authorization: token {sys.argv[1]}\\r\\n\\r\\n'.encode())\n"
        "print(peer.recv(64).split()[1].decode())"
    )
    return int(hive.run(*PYTHON, script, token, agent=agent).out)


def test_an_agents_token_is_good_in_its_own_place_alone(hive: Hive) -> None:
    ask = f"GET /nothing HTTP/1.1\r\nHost: hive.invalid\r\nAuthorization: token {TOKENS['a']}\r\n\r\n"
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(hive.places.gateway_socket))
        peer.sendall(ask.encode())
        assert peer.recv(64).split()[1] == b"401"


def test_links_that_an_agent_lays_lead_hives_hand_nowhere(hive: Hive, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    shell(hive, f"rm -rf ~/.config/hive && ln -s {tmp_path} ~/.config/hive", "b")
    from hive.errors import Refused
    from tests.decisions.worlds import spec

    with pytest.raises(Refused, match="Not a directory"):
        hive.seats.renew(spec("b"), token="hive_other")
    assert list(tmp_path.iterdir()) == []
    shell(hive, "rm ~/.config/hive", "b")
    hive.seats.prepare(spec("b"), generation=2, token=TOKENS["b"])


def test_an_agent_that_forks_without_end_stops_at_its_own_limit(hive: Hive) -> None:
    if hive.isolation.groups.fault:
        pytest.skip(f"no control groups here: {hive.isolation.groups.fault}")
    script = (
        "import os, time\nmade = 0\n"
        "try:\n    while made < 500:\n        if not os.fork(): time.sleep(60)\n        made += 1\n"
        "except OSError: print(made)\n"
    )
    done = hive.run(*PYTHON, script)
    assert 10 < int(done.out) < 40


def test_an_agent_that_takes_too_much_memory_is_ended_and_that_can_be_told(hive: Hive) -> None:
    if hive.isolation.groups.fault:
        pytest.skip(f"no control groups here: {hive.isolation.groups.fault}")
    before = hive.isolation.groups.out_of_memory("a")
    done = hive.run(*PYTHON, "data = b'x' * (500 * 1024 * 1024); print(len(data))")
    assert done.code in (-signal.SIGKILL, 128 + signal.SIGKILL)
    assert hive.isolation.groups.out_of_memory("a") > before


def test_what_is_left_of_an_agent_without_a_session_is_ended(hive: Hive) -> None:
    if hive.isolation.groups.fault:
        pytest.skip(f"no control groups here: {hive.isolation.groups.fault}")
    folder = hive.isolation.groups.of("b")[-1]
    with subprocess.Popen(["sleep", "60"]) as left:
        (Path(folder) / "cgroup.procs").write_text(str(left.pid))
        assert hive.isolation.reap(["a"]) == ("b",)
        assert left.wait(10) == -signal.SIGKILL
    assert hive.isolation.groups.of("b") == ()


def test_an_agent_that_holds_all_connections_it_can_get_keeps_no_other_from_the_gateway(hive: Hive) -> None:
    script = (
        "import os, socket, subprocess, sys, time\n"
        "held = []\n"
        "def take(path):\n"
        "    peer = socket.socket(socket.AF_UNIX); peer.settimeout(20); peer.connect(path)\n"
        "    peer.sendall(b'POST /x HTTP/1.1\\r\\nHost: hive.invalid\\r\\nContent-Length: 9\\r\\n'\n"
        "        + f'Authorization: token {sys.argv[1]}\\r\\n\\r\\n'.encode())\n"
        "    held.append(peer)\n"
        "for number in range(100):\n"
        "    try: take(os.environ['HIVE_GATEWAY_SOCKET'])\n"
        "    except OSError: pass\n"
        "print(len(held), flush=True); sys.stdin.read()\n"
    )
    argv = ("sh", "-c", f"sleep 4 | {shlex.join([*PYTHON, script, TOKENS['a']])}")
    with ThreadPoolExecutor(1) as pool:
        greedy = pool.submit(hive.run, *argv)
        until = time.monotonic() + 4
        answers = []
        while time.monotonic() < until:
            answers.append(api_status(hive, TOKENS["b"], "b"))
        assert int(greedy.result().out) > 20
    assert set(answers) == {403}


def test_no_socket_leads_past_the_places_network_and_no_key_is_shared(hive: Hive) -> None:
    script = (
        "import ctypes, errno, os, socket\n"
        "for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):\n"
        "    socket.socket(family, socket.SOCK_DGRAM).close()\n"
        "for family in (40, 38, 17, 31, 29):\n"  # vsock, alg, packet, bluetooth, can
        "    try: socket.socket(family, socket.SOCK_STREAM)\n"
        "    except OSError as error: print(error.errno == errno.EAFNOSUPPORT)\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for number in {'x86_64': (248, 250, 321, 323, 425), 'aarch64': (217, 219, 280, 282, 425)}"
        "[os.uname().machine]:\n"
        "    print(libc.syscall(number, 0, 0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.ENOSYS)\n"
    )
    assert hive.run(*PYTHON, script).out.split() == ["True"] * 10


def test_no_core_of_a_program_is_written(hive: Hive) -> None:
    assert shell(hive, "ulimit -c; ulimit -H -c") == (0, "0\n0")
