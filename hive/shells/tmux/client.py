"""A control client that is a process of this machine."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence

from hive.errors import Unreachable
from hive.shells.tmux.channel import ChannelBroken
from hive.shells.tmux.control import PORT


class ClientProcess:
    """`Channel` to a child. Made in the thread that reads: the child is bound to the thread that started
    it (see `TmuxServer.attach_argv`)."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        """Raises `Unreachable` when it cannot be started."""
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                env=dict(environment),
            )
        except OSError as error:
            raise Unreachable(PORT, f"cannot start {argv[0]}: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inlet = self._process.stdin.fileno()
        self._outlet = self._process.stdout.fileno()
        os.set_blocking(self._inlet, False)
        # tmux's server holds the other ends itself: a killed client alone would not wake the reader.
        self._wake = os.eventfd(0, os.EFD_CLOEXEC)

    def read(self) -> bytes:
        if self._wake in select.select([self._outlet, self._wake], [], [])[0]:
            return b""
        return os.read(self._outlet, 1 << 18)

    def write(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._inlet, view) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self._inlet], [], left)[1]:
                    raise ChannelBroken("tmux took no more input") from None
            except OSError as error:
                raise ChannelBroken(untouched=len(view) == len(data)) from error

    def last_words(self) -> str:
        return ""

    def end(self) -> None:
        """Left behind, the client would keep a killed server from exiting."""
        if self._wake >= 0:
            os.eventfd_write(self._wake, 1)
        if self._process.poll() is None:
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)

    def release(self) -> None:
        if self._wake < 0:
            return
        os.close(self._wake)
        self._wake = -1
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()
