"""One supervisor per state folder: a lock that the kernel drops when its holder dies, however it dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
from datetime import datetime
from pathlib import Path
from types import TracebackType

import msgspec

from hive.errors import JournalError, StateLocked
from hive.ports.clock import Clock
from hive.shells.system.clock import SystemClock
from hive.shells.system.files import FILE_MODE, private_folder

LOCK_FILE = "hive.lock"


class _Holder(msgspec.Struct, frozen=True):
    """What the lock file says of its holder: for people; the lock itself is the kernel's."""

    pid: int
    since: datetime


class StateLock:
    """The right to write in a state folder.

    It is an advisory `flock` on ``hive.lock``. The lock belongs to the open file, so a dead holder's is free
    at once and a process that got the dead one's pid does not count as the holder. The file is closed on
    exec: a tmux server or an agent that outlives hive does not keep it. The file is never removed, since
    removing it would let two processes hold locks on two files of one name.

    On network file systems: NFS (Linux 2.6.12 and later) and SMB turn `flock` into a lock held by the
    server, which works between machines only where the server and the mount support locking (NFS:
    not with ``nolock`` or ``local_lock=flock``), and may be lost when the server restarts. SQLite's WAL
    does not work across machines at all: keep the state folder on a local disk.
    """

    def __init__(self, folder: Path, *, clock: Clock | None = None) -> None:
        self._folder = folder
        self._path = folder / LOCK_FILE
        self._clock = clock or SystemClock()
        self._descriptor: int | None = None

    def acquire(self) -> StateLock:
        """Take the lock, or raise `StateLocked` naming the holder.

        Raises `JournalError` where the folder cannot be made or written.
        """
        if self._descriptor is not None:
            return self
        try:
            private_folder(self._folder)
            while self._descriptor is None:
                self._descriptor = self._try_once()
            self._sign(self._descriptor)
        except OSError as error:
            self.release()
            raise JournalError(
                f"state folder {self._folder} cannot be used: {error.strerror}; "
                "make it writable or choose another folder"
            ) from error
        return self

    def is_held(self) -> bool:
        """Whether this object holds the lock on the file that others would try now."""
        return self._descriptor is not None and self._is_current(self._descriptor)

    def release(self) -> None:
        """Let go; harmless when it is not held."""
        if self._descriptor is None:
            return
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)
        self._descriptor = None

    def __enter__(self) -> StateLock:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _try_once(self) -> int | None:
        """Return a descriptor that holds the lock; None when the file was swapped meanwhile."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = self._refusal(descriptor)
            os.close(descriptor)
            raise StateLocked(message) from error
        except BaseException:
            os.close(descriptor)
            raise
        if self._is_current(descriptor):
            return descriptor
        os.close(descriptor)
        return None

    def _is_current(self, descriptor: int) -> bool:
        try:
            named = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(os.fstat(descriptor), named)

    def _sign(self, descriptor: int) -> None:
        os.fchmod(descriptor, FILE_MODE)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(_Holder(pid=os.getpid(), since=self._clock.now())), 0)

    def _refusal(self, descriptor: int) -> str:
        # The holder may be between locking and signing, so the file may say nothing yet.
        try:
            holder = msgspec.json.decode(os.pread(descriptor, 1024, 0), type=_Holder)
            who = f"hive process {holder.pid} since {holder.since:%Y-%m-%d %H:%M:%S} UTC"
        except msgspec.DecodeError:
            who = "another hive process"
        return f"state folder {self._folder} is in use by {who}; stop it or choose another folder"
