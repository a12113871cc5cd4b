"""What an agent might try, tried: run in a place as its user, ``python -I -S attempts.py``.

Reads targets as JSON from standard input and prints ``{ATTEMPT: FOUND}``: `FOUND` is empty where it was in
vain, and says what was reached where it was not. Standard library alone; nothing outside is changed but the
signal to `pid`, which is a process that was started to be hit.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_TIMEOUT_S = 1.0
_CLONE_NEWUSER, _CLONE_NEWNS, _MNT_DETACH, _MS_BIND, _MS_REMOUNT = 0x10000000, 0x20000, 2, 4096, 32
_PTRACE_ATTACH, _AF_VSOCK = 16, 40

Targets = dict[str, Any]


def read_files(at: Targets) -> str:
    """Hive's own and other agents' files."""
    return _first(at["files"], lambda path: _opened(path, os.O_RDONLY))


def write_files(at: Targets) -> str:
    """The same, and programs and settings of the machine."""
    paths = [*at["files"], "/etc/passwd", "/proc/sys/kernel/core_pattern", sys.executable]
    return _first(paths, lambda path: _opened(path, os.O_WRONLY))


def open_sockets(at: Targets) -> str:
    """Tmux's, the operators', and abstract ones, which have no file."""
    return _first(at["sockets"], _connected)


def see_processes(at: Targets) -> str:
    """The environment or the command line of `pid`, which hold `marker`."""
    for name in (each for each in os.listdir("/proc") if each.isdecimal() and int(each) != os.getpid()):
        for part in ("environ", "cmdline"):
            with contextlib.suppress(OSError), open(f"/proc/{name}/{part}", "rb") as file:
                if at["marker"].encode() in file.read():
                    return f"process {name}"
    return ""


def enter_processes(at: Targets) -> str:
    """The memory, files, root and folder of `pid`, by its name and by its number."""
    pid = at["pid"]
    if not _is_it(at):
        return ""
    return _first(
        [f"/proc/{pid}/mem", f"/proc/{pid}/root/etc", f"/proc/{pid}/cwd/."],
        lambda path: _opened(path, os.O_RDONLY),
    ) or ("ptrace" if _libc().ptrace(_PTRACE_ATTACH, pid, None, None) == 0 else "")


def end_processes(at: Targets) -> str:
    """Whether `pid` lives is for the one to see who started it."""
    if at["pid"] != os.getpid():
        with contextlib.suppress(OSError):
            os.kill(at["pid"], signal.SIGKILL)
    return ""


def leave_limits(at: Targets) -> str:
    """Raise what its control group allows, or move out of it."""
    found = []
    for folder, _, names in os.walk("/sys/fs/cgroup"):
        found += [f"{folder}/{name}" for name in names if name in ("cgroup.procs", "memory.max", "pids.max")]
        if len(found) > 200:
            break
    return _first(found, lambda path: _opened(path, os.O_WRONLY))


def share_memory(at: Targets) -> str:
    """System V's of anybody, and POSIX's."""
    with open("/proc/sysvipc/shm", encoding="ascii") as listed:
        if any(line.split()[4:5] == [str(at["owner"])] for line in listed):
            return "shared memory of System V"
    return _first(at["shared_files"], lambda path: _opened(path, os.O_RDONLY))


def gain_rights(at: Targets) -> str:
    """By calls, by programs with setuid bits, by a new user namespace."""
    for name, call in (("setuid", os.setuid), ("setgid", os.setgid)):
        with contextlib.suppress(OSError):
            if os.geteuid() != 0:
                call(0)
                return name
    return _in_a_child(lambda: _uncovered(at))


def go_out(at: Targets) -> str:
    """By TCP and UDP, by name of none: loopback of the machine, its own addresses, others."""
    for host, port in at["endpoints"]:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            if _reached(host, port, kind):
                return f"{host} port {port}" + ("" if kind == socket.SOCK_STREAM else " by UDP")
    return ""


def go_around(at: Targets) -> str:
    """By raw sockets, and by what virtual machines have to their host."""
    for family, kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW)):
        with contextlib.suppress(OSError):
            socket.socket(family, kind, socket.IPPROTO_ICMP if family == socket.AF_INET else 0).close()
            return "raw sockets"
    with contextlib.suppress(OSError), socket.socket(_AF_VSOCK, socket.SOCK_STREAM):
        return "sockets to the host of this virtual machine"
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    return f"interface {others[0]}" if others else ""


ATTEMPTS: Sequence[Callable[[Targets], str]] = (
    read_files,
    write_files,
    open_sockets,
    see_processes,
    enter_processes,
    end_processes,
    leave_limits,
    share_memory,
    gain_rights,
    go_out,
    go_around,
)


def _first(each: Sequence[str], reach: Callable[[str], bool]) -> str:
    """The first that is reached; empty for none."""
    for one in each:
        with contextlib.suppress(OSError):
            if reach(one):
                return one.replace("\0", "@")
    return ""


def _opened(path: str, flags: int) -> bool:
    os.close(os.open(path, flags | os.O_NONBLOCK))
    return True


def _connected(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(_TIMEOUT_S)
        peer.connect(path)
    return True


def _reached(host: str, port: int, kind: socket.SocketKind) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, kind) as peer:
            peer.settimeout(_TIMEOUT_S)
            peer.connect((host, port))
            peer.send(b"hive")
            # A datagram that nobody takes is told of by the next call.
            return kind == socket.SOCK_STREAM or peer.recv(4) == b"hive"
    except OSError:
        return False


def _is_it(at: Targets) -> bool:
    with contextlib.suppress(OSError), open(f"/proc/{at['pid']}/cmdline", "rb") as file:
        return at["marker"].encode() in file.read()
    return False


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _in_a_child(found: Callable[[], str]) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(OSError):
            os.write(writing, found().encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read().decode()
    os.waitpid(child, 0)
    return said


def _uncovered(at: Targets) -> str:
    """In user and mount namespaces of its own: take off what covers, and write where all is read only."""
    libc, uid, gid = _libc(), os.geteuid(), os.getegid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS) != 0:
        return ""
    for name, line in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    for folder in _above(at["files"]):
        libc.umount2(folder.encode(), _MNT_DETACH)
    libc.mount(b"none", b"/", None, _MS_REMOUNT | _MS_BIND, None)
    return read_files(at) or _first(["/etc/passwd"], lambda path: _opened(path, os.O_WRONLY))


def _above(paths: Sequence[str]) -> Iterator[str]:
    yield from dict.fromkeys(str(each) for path in paths for each in (path, *Path(path).parents))


def main() -> None:
    at = json.loads(sys.stdin.read())
    found = {}
    for attempt in ATTEMPTS:
        try:
            found[attempt.__name__] = attempt(at)
        except OSError:
            found[attempt.__name__] = ""
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
