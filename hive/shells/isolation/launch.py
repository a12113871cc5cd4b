"""The first process of an agent's pane: makes the place that a file describes, and starts the program there.

``python -I -S launch.py ORDER``. Three processes come of it: this one, which waits outside and ends as the
program did; the first one of the place, which forwards to hive's gateway and takes in orphans; and the
program. When either of the two ends, everything in the place does.
"""

from __future__ import annotations

import os
import resource
import signal
import struct
import sys

if __name__ == "__main__":  # nothing is on the path of an isolated interpreter but the standard library
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))))

from hive.shells.isolation import filtering, forwarding, mounts, order, syscalls

CANNOT_PREPARE, CANNOT_START = 125, 127
"""Exit codes: the place could not be made; the program could not be started in it."""
_OF_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_NOT_FOR_US = (*_OF_THE_TERMINAL, signal.SIGHUP, signal.SIGTERM)
"""Meant for the program, which gets them too: it is in the same group."""
_DEFAULTS = (*_NOT_FOR_US, signal.SIGPIPE, signal.SIGXFSZ)
_STATUS = struct.Struct("=i")
_MOST_DESCRIPTORS = 1024


def main(path: str) -> int:
    os.closerange(3, _MOST_DESCRIPTORS)
    try:
        with open(path, "rb") as file:
            place = order.read(file.read())
        for number in _NOT_FOR_US:
            signal.signal(number, signal.SIG_IGN)
        return _outside(place)
    except OSError as error:
        return _failed(f"the agent's place cannot be made: {error}", CANNOT_PREPARE)


def _failed(said: str, code: int) -> int:
    os.write(2, f"hive: {said}\n".encode("utf-8", "surrogateescape"))
    return code


def _outside(place: order.PlaceOrder) -> int:
    """Make the place but for its processes, start its first one, and end as the program does."""
    for group in place.cgroups:
        _write(f"{group}/cgroup.procs", str(os.getpid()))
    spaces = syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWPID
    if place.own_network:
        spaces |= syscalls.CLONE_NEWNET
    if place.own_user:
        if os.isatty(0):
            os.fchown(0, place.uid, -1)
        syscalls.unshare(spaces)
    else:
        _in_a_user_namespace(spaces, place)
    mounts.build_view(place)
    if place.own_network:
        forwarding.raise_loopback()
    reading, writing = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(reading)
        os._exit(_first_process(place, writing))
    os.close(writing)
    told = os.read(reading, _STATUS.size)
    _, own = os.waitpid(first, 0)
    return _end_alike(_STATUS.unpack(told)[0] if len(told) == _STATUS.size else own)


def _write(path: str, text: str) -> None:
    # As bytes: the modules of other encodings may be hidden already.
    with open(path, "wb", buffering=0) as file:
        file.write(text.encode())


def _in_a_user_namespace(spaces: int, place: order.PlaceOrder) -> None:
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(spaces | syscalls.CLONE_NEWUSER)
    for name, line in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        _write(f"/proc/self/{name}", line)


def _end_alike(status: int) -> int:
    """The exit code; a program that a signal ended is followed by the same one."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return os.waitstatus_to_exitcode(status)


def _first_process(place: order.PlaceOrder, writing: int) -> int:
    """Inside: give up every right, start the program, forward and wait until it ends."""
    try:
        mounts.mount_processes()
        listeners = forwarding.listen(place.forwards) if place.own_network else []
        # Where the machine's memory runs out, an agent goes before hive.
        _write("/proc/self/oom_score_adj", "300")
        if place.uid == 0:
            # Root, though without rights, is still the owner of the machine's settings there.
            syscalls.set_read_only("/proc", wanted=True, below=False)
        _give_up_rights(place)
        syscalls.end_with_parent(signal.SIGKILL)
        program = os.fork()
        if program == 0:
            os.close(writing)
            for listener, _ in listeners:
                listener.close()
            os._exit(_become(place))
        syscalls.close_memory()
        forwarding.serve(listeners)
    except OSError as error:
        return _failed(f"the agent's place cannot be made: {error}", CANNOT_PREPARE)
    while True:
        ended, status = os.wait()
        if ended == program:
            os.write(writing, _STATUS.pack(status))
            return 0


def _give_up_rights(place: order.PlaceOrder) -> None:
    syscalls.drop_bounding_set()
    if place.own_user:
        os.setgroups([])
        os.setresgid(place.gid, place.gid, place.gid)
        os.setresuid(place.uid, place.uid, place.uid)
    syscalls.drop_capabilities()
    syscalls.forbid_new_privileges()
    filtering.leave_out_calls()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # its memory is nobody's file
    os.umask(0o077)


def _become(place: order.PlaceOrder) -> int:
    # The folder at hand is the one of before: read only, and below what hides it.
    for number in _DEFAULTS:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.chdir(place.workdir)
        os.execvp(place.argv[0], place.argv)  # noqa: S606  # no shell is what is wanted
    except OSError as error:
        said = f"cannot start {place.argv[0]} in the agent's place: {error.strerror}"
        return _failed(f"{said}; is its folder hidden there? name it under isolation.readable", CANNOT_START)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
