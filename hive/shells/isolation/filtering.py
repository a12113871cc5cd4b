"""System calls that a place's namespaces do not cover: a filter of the kernel's (seccomp) leaves them out.

Sockets of other families than Unix, IP and netlink lead past the network namespace, to the host of a virtual
machine for one (vsock); keys are kept by user and not by namespace; io_uring makes sockets behind a filter's
back. All of these are answered as a kernel without them would.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in what a filter is shown (struct seccomp_data); the low half of an argument comes first."""
_OTHER_ABI = 0x40000000
"""Bit of calls by x86's third interface, which has the same architecture."""
_PR_SET_SECCOMP, _FILTER = 22, 2
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
_IO_URING_SETUP = 425

# Architecture, then the numbers of: socket; add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd.
_KNOWN = {
    "x86_64": (0xC000003E, 41, (248, 249, 250, 321, 298, 323)),
    "aarch64": (0xC00000B7, 198, (217, 218, 219, 280, 241, 282)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def program(machine: str) -> bytes:
    """The filter for a kind of machine (`os.uname`); empty where its calls' numbers are not known here."""
    if machine not in _KNOWN:
        return b""
    architecture, make_socket, others = _KNOWN[machine]
    absent = (*others, _IO_URING_SETUP)
    # Each jump says how many steps to leave out where it fits, and where it does not.
    families = [(_EQUAL, len(_FAMILIES) - place, 0, family) for place, family in enumerate(_FAMILIES)]
    calls = [(_EQUAL, len(absent) - place, 0, number) for place, number in enumerate(absent)]
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 0, len(calls) + 4, architecture),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, len(calls) + 2, 0, _OTHER_ABI),
        (_EQUAL, len(calls) + 2, 0, make_socket),
        *calls,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        *families,
        (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def leave_out_calls() -> None:
    """For this process and all that it starts; takes `forbid_new_privileges`. Raises `OSError`."""
    steps = program(os.uname().machine)
    if not steps:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    filled = _Program(len(steps) // 8, steps)
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(filled), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "seccomp")
