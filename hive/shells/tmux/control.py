"""One control-mode connection to a tmux server, used from any thread.

Questions are answered in order, so many may be under way at once: that is what makes a sweep over hundreds
of panes cheap. The connection is given up, never mended, when an answer is late or the stream is not what
it should be; the owner makes a new one.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from hive.errors import Unreachable
from hive.shells.tmux.language import CommandList
from hive.shells.tmux.replies import Notice, Reply, ReplyStream, StreamBroken

PORT = "terminal"


class _Question:
    """A command list under way and the replies that came for it."""

    __slots__ = ("count", "done", "replies")

    def __init__(self, count: int, done: threading.Event) -> None:
        self.count = count
        self.replies: list[Reply] = []
        self.done = done

    @property
    def complete(self) -> bool:
        """Whether the last reply is here. After a failure tmux drops the rest of a list."""
        return bool(self.replies) and (not self.replies[-1].ok or len(self.replies) >= self.count)


class ControlConnection:
    """A running ``tmux -C`` client."""

    def __init__(
        self, argv: Sequence[str], environment: Mapping[str, str], on_notice: Callable[[bytes], None]
    ) -> None:
        """Start the client. `on_notice` is called from the reader's thread with every notice, and with
        ``b""`` once when the connection has ended."""
        self._on_notice = on_notice
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            env=dict(environment),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inlet = self._process.stdin.fileno()
        self._outlet = self._process.stdout.fileno()
        os.set_blocking(self._inlet, False)
        self._writing = threading.Lock()
        self._waiting: deque[_Question] = deque()
        self._ended = threading.Event()
        self._why = "the connection to tmux ended"
        self._reader = threading.Thread(target=self._read, name="tmux-control", daemon=True)
        self._reader.start()

    @property
    def alive(self) -> bool:
        return not self._ended.is_set()

    @property
    def why(self) -> str:
        """Why the connection ended, in tmux's own words where it said so."""
        return self._why

    def ask(self, questions: Sequence[CommandList], timeout: float) -> list[list[Reply]]:
        """Send all `questions` at once and return the replies to each, in order.

        Raises `Unreachable` when not all are there within `timeout` seconds; the connection is then closed,
        and what was asked may or may not have been done.
        """
        if not questions:
            return []
        deadline = time.monotonic() + timeout
        done = threading.Event()
        asked = [_Question(question.count, done) for question in questions]
        data = b"".join(question.line + b"\n" for question in questions)
        with self._writing:
            if self._ended.is_set():
                raise Unreachable(PORT, self._why)
            self._waiting.extend(asked)
            self._write(data, deadline)
        if not done.wait(max(0.0, deadline - time.monotonic())):
            self._give_up(f"tmux did not answer within {timeout:g} s")
            raise Unreachable(PORT, self._why)
        if not asked[-1].complete:
            raise Unreachable(PORT, self._why)
        return [question.replies for question in asked]

    def _write(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._inlet, view) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self._inlet], [], left)[1]:
                    self._give_up("tmux took no more input")
                    raise Unreachable(PORT, self._why) from None
            except OSError as error:
                self._give_up(self._why)
                raise Unreachable(PORT, self._why) from error

    def _read(self) -> None:
        stream = ReplyStream()
        try:
            while data := os.read(self._outlet, 1 << 18):
                for item in stream.feed(data):
                    self._take(item)
        except StreamBroken as error:
            self._why = f"unexpected output of tmux: {error}"
        except OSError as error:
            self._why = f"the connection to tmux broke: {error}"
        finally:
            self._end()

    def _take(self, item: Reply | Notice) -> None:
        if isinstance(item, Notice):
            if item.line.startswith(b"%exit "):
                self._why = f"tmux: {item.line[6:].decode('utf-8', 'replace')}"
            self._on_notice(item.line)
            return
        if not self._waiting:
            raise StreamBroken("an answer that nobody asked for")
        question = self._waiting[0]
        question.replies.append(item)
        if question.complete:
            self._waiting.popleft()
            if not self._waiting or self._waiting[0].done is not question.done:
                question.done.set()

    def _end(self) -> None:
        self._ended.set()
        self._stop_process()
        while self._waiting:
            with contextlib.suppress(IndexError):
                self._waiting.popleft().done.set()
        self._on_notice(b"")

    def _give_up(self, why: str) -> None:
        if not self._ended.is_set():
            self._why = why
            self._ended.set()
            self._stop_process()

    def _stop_process(self) -> None:
        """End the client: left behind, it would keep a killed server from exiting."""
        if self._process.poll() is None:
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)

    def close(self) -> None:
        """End the client and the reader; sessions stay. Idempotent."""
        self._give_up("the connection was closed")
        if threading.current_thread() is not self._reader:
            self._reader.join(2.0)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
