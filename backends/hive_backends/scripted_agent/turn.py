"""One turn: a prompt goes in, steps come out, in the order in which a person would do them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator

from hive_backends.scripted_agent import forge, misbehaviour, rounds
from hive_backends.scripted_agent.effects import Answer, Effect, End, Result, Say, Steps, Wait
from hive_backends.scripted_agent.marks import Marks
from hive_backends.scripted_agent.once import Once
from hive_backends.scripted_agent.persistence import Failed, Refused, reason
from hive_backends.scripted_agent.prompts import Prompt, Task
from hive_backends.scripted_agent.transcript import Transcript
from hive_backends.scripted_agent.workshop import Workshop

Note = Callable[[str], None]
"""Takes the state that is about to be; see `truth`."""


class Turn:
    """A prompt, and the marks that hold for it."""

    def __init__(
        self, prompt: Prompt, marks: Marks, home: str, *, note: Note, transcript: Transcript
    ) -> None:
        self.prompt = prompt
        self.marks = marks
        self.home = home
        self.note = note
        self.transcript = transcript
        self.once = Once(home)
        task = prompt.task
        self.subject: tuple[object, ...] = (task.repository, task.issue) if task else (prompt.data,)

    def steps(self) -> Steps:
        """All of it. A refusal and a failure are ends like any other, told on the screen."""
        try:
            return (yield from self._steps())
        except Refused as refusal:
            yield Say(f"Hive refused: {refusal}")
            return End("refused", str(refusal), status=f"✗ Turn refused: {refusal}")
        except (Failed, OSError) as failure:
            yield Say(f"That failed: {failure}")
            return failed(str(failure))

    def _steps(self) -> Steps:
        for name in self.prompt.marks.unknown:
            yield Say(f"Unknown script mark, ignored: {name}")
        if self.prompt.problem:
            return failed(self.prompt.problem)
        self.crash_at("start")
        misbehaviour.die(self.marks, self.once, self.subject, self.note)
        if "wrong-turn" in self.marks:
            self.transcript.end("wrong/turn/1", "done", "the end of a turn that nobody asked for")
        end = yield from misbehaviour.before_work(self.marks, self.once, self.subject)
        if end is not None:
            return end
        task = self.prompt.task
        if task is None:
            yield Say("I follow hive's tasks; this prompt is none of them, so there is nothing to do.")
            return misbehaviour.asked(self.marks) or End("done", "not a task")
        detail = yield from self._work(task)
        return misbehaviour.asked(self.marks) or End("done", detail)

    def _work(self, task: Task) -> Generator[Effect, Answer, str]:
        if task.kind == "standing":
            yield from forge.record_finding(task, "Looked over the repository; the README is short.")
            return "recorded a finding"
        if task.kind != "issue":
            return (yield from rounds.work(task, self.home))
        yield Say(f"Working on {task.repository}#{task.issue}: {task.title}")
        yield Wait(_pace())
        if task.mode in ("advisory", "measured"):
            return (yield from self._advise(task))
        return (yield from self._open_a_pull_request(task))

    def _advise(self, task: Task) -> Generator[Effect, Answer, str]:
        yield from forge.record_finding(task, f"Read issue #{task.issue}. It asks:\n\n{_opening(task.text)}")
        yield Say("Recorded a finding.")
        if task.mode == "measured" and not self.once.was("comment", *self.subject):
            yield from forge.comment(task, f"Looked at this; a finding is recorded with hive: {task.title}")
            self.once.note("comment", *self.subject)
            yield Say("Commented on the issue.")
        return f"recorded a finding on #{task.issue}"

    def _open_a_pull_request(self, task: Task) -> Generator[Effect, Answer, str]:
        shop = Workshop(self.home, task)
        for is_last in (False, True):
            try:
                if not (yield from self._push(shop)):
                    return f"nothing to do: {task.base} has what #{task.issue} asks for"
                break
            except Refused as refusal:
                if is_last or "fetch, and push again" not in str(refusal):
                    raise
        yield Wait(_pace())
        opened = yield from forge.open_pull_request(task, shop.folder)
        self.crash_at("after-pr")
        address = _address(opened)
        yield Say(f"Opened a pull request: {address}")
        if "remove-hold" in self.marks:
            yield from forge.remove_hold(task, shop.folder, address.rpartition("/")[2])
        if "merge-own" in self.marks:
            yield from forge.merge(task, shop.folder)
        return f"opened {address}"

    def _push(self, shop: Workshop) -> Generator[Effect, Answer, bool]:
        """Have the change on the task's branch on the server; whether it differs from the base at all."""
        yield from shop.open()
        yield Wait(_pace())
        if (yield from shop.change()):
            yield Say("Made the change and committed it.")
        self.crash_at("before-push")
        if not (yield from shop.differs()):
            return False
        if "push-main" in self.marks:
            yield from shop.push_to(f"refs/heads/{shop.task.base}")
        yield from shop.push()
        return True

    def crash_at(self, point: str) -> None:
        """Die here, without a word, when a mark says so."""
        once = "crash-once" in self.marks and self.marks.text("crash-once", "start") == point
        if (
            f"crash-{point}" in self.marks
            or f"crash-at-{point}" in self.marks
            or (once and self.once.first("crash", *self.subject))
        ):
            self.note("ended")
            os.kill(os.getpid(), signal.SIGKILL)


def failed(detail: str) -> End:
    return End("error", detail, status=f"✗ Turn failed: {detail}")


def _address(opened: Result) -> str:
    found = [word for word in opened.output.split() if word.startswith(("https://", "http://"))]
    return found[-1] if found else reason(opened.output) or "no address was told"


def _opening(text: str) -> str:
    """The first lines of `text`, quoted: a finding is short."""
    return "\n".join(f"> {line}" for line in text.strip().splitlines()[:20])


def _pace() -> float:
    """Seconds between steps, so that a person can watch (SCRIPTED_PACE)."""
    try:
        return float(os.environ.get("SCRIPTED_PACE", "0.05"))
    except ValueError:
        return 0.05
