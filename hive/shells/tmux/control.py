"""One control-mode connection to a tmux server, used from any thread.

Questions are answered in order, so many may be under way at once: that is what makes a sweep over hundreds
of panes cheap. The connection is given up, never mended, when an answer is late or the stream is not what
it should be; the owner makes a new one.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from hive.errors import Unreachable, WorldError
from hive.shells.tmux.channel import Channel, ChannelBroken
from hive.shells.tmux.language import CommandList
from hive.shells.tmux.replies import Notice, Reply, ReplyStream, StreamBroken

PORT = "terminal"


class NotSent(Unreachable):
    """The connection had ended before anything was sent: nothing has happened."""


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
        self, open_channel: Callable[[], Channel], on_notice: Callable[[bytes], None], timeout: float
    ) -> None:
        """Start the client by `open_channel`, in the reader's thread. `on_notice` is called from that
        thread with every notice, and with ``b""`` once when the connection has ended.

        Raises what `open_channel` raises, and `Unreachable` when it takes longer than `timeout` seconds.
        """
        self._on_notice = on_notice
        self._writing = threading.Lock()
        self._waiting: deque[_Question] = deque()
        self._ended = threading.Event()
        self._why = "the connection to tmux ended"
        self._overdue: threading.Event | None = None
        opened: Future[Channel] = Future()
        self._reader = threading.Thread(
            target=self._run, args=(opened, open_channel), name="tmux-control", daemon=True
        )
        self._reader.start()
        try:
            self._channel = opened.result(timeout)
        except TimeoutError:
            self._ended.set()
            raise Unreachable(PORT, f"no connection within {timeout:.1f} s") from None

    @property
    def alive(self) -> bool:
        return not self._ended.is_set()

    @property
    def why(self) -> str:
        """Why the connection ended, in tmux's own words where it said so."""
        return self._why

    def ask(self, questions: Sequence[CommandList], timeout: float) -> list[list[Reply]]:
        """Send all `questions` at once and return the replies to each, in order.

        Raises `Unreachable` when not all are there within `timeout` seconds; what was asked may or may not
        have been done. The connection then stays, `behind` until tmux has caught up, and sends nothing
        more meanwhile: a client killed while its server hangs would be one of those that crash tmux 3.3a
        when it wakes (three do, measured), and with it every agent.
        """
        if not questions:
            return []
        deadline = time.monotonic() + timeout
        done = threading.Event()
        asked = [_Question(question.count, done) for question in questions]
        data = b"".join(question.line + b"\n" for question in questions)
        with self._writing:
            self._catch_up(deadline, timeout)
            if self._ended.is_set():
                raise NotSent(PORT, self._why)
            self._waiting.extend(asked)
            self._write(data, deadline)
        if not done.wait(max(0.0, deadline - time.monotonic())):
            self._overdue = done
            raise Unreachable(PORT, f"tmux did not answer within {timeout:.1f} s")
        if not asked[-1].complete:
            raise Unreachable(PORT, self._why)
        return [question.replies for question in asked]

    @property
    def behind(self) -> bool:
        """Whether an answer is overdue."""
        return self._overdue is not None and not self._overdue.is_set()

    def _catch_up(self, deadline: float, timeout: float) -> None:
        overdue = self._overdue
        if overdue is not None and not overdue.wait(max(0.0, deadline - time.monotonic())):
            raise NotSent(PORT, f"tmux hangs: an earlier answer is overdue, for {timeout:.1f} s more")
        self._overdue = None

    def _write(self, data: bytes, deadline: float) -> None:
        try:
            self._channel.write(data, deadline)
        except ChannelBroken as error:
            self.give_up(str(error) or self._why)
            kind = NotSent if error.untouched else Unreachable
            raise kind(PORT, self._why) from error

    def _run(self, opened: Future[Channel], open_channel: Callable[[], Channel]) -> None:
        try:
            channel = open_channel()
        except WorldError as error:
            self._ended.set()
            opened.set_exception(error)
            return
        opened.set_result(channel)
        try:
            self._read(channel)
        except StreamBroken as error:
            self._why = f"unexpected output of tmux: {error}"
        except OSError as error:
            self._why = f"the connection to tmux broke: {error}"
        except WorldError as error:
            self._why = f"the connection to tmux broke: {error.message}"
        finally:
            self._end(channel)

    def _read(self, channel: Channel) -> None:
        stream = ReplyStream()
        while not self._ended.is_set() and (data := channel.read()):
            for item in stream.feed(data):
                self._take(item)

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

    def _end(self, channel: Channel) -> None:
        if not self._ended.is_set():
            self._why = channel.last_words() or self._why
            self._ended.set()
        channel.end()
        while self._waiting:
            with contextlib.suppress(IndexError):
                self._waiting.popleft().done.set()
        self._on_notice(b"")

    def give_up(self, why: str) -> None:
        """End the connection without waiting for anything."""
        if not self._ended.is_set():
            self._why = why
            self._ended.set()
            self._channel.end()

    def close(self) -> None:
        """End the client and the reader; sessions stay. Idempotent."""
        self.give_up("the connection was closed")
        if threading.current_thread() is self._reader:
            return
        self._reader.join(2.0)
        if not self._reader.is_alive():
            self._channel.release()
