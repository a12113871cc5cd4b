"""A task in a working copy: clone, branch, change, commit, push; each step may be repeated safely."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Generator
from contextlib import suppress

from hive_backends.scripted_agent.effects import Answer, Effect, Result, Run, Say
from hive_backends.scripted_agent.persistence import Failed, persist, reason
from hive_backends.scripted_agent.prompts import Task, diff_in

_QUIET = ("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "advice.detachedHead=false")
Step = Generator[Effect, Answer, Result]


class Workshop:
    """The working copy of one task: hive's own where the task names one, else one below ``$HOME/work``."""

    def __init__(self, home: str, task: Task) -> None:
        self.task = task
        own = os.path.join(home, "work", f"{task.repository.rpartition('/')[2]}-{task.issue}")
        self.folder = task.folder or own
        self._identity: tuple[str, ...] = ()

    def git(self, *arguments: str, stdin: bytes = b"") -> Step:
        """One git command in the working copy, whatever its exit status."""
        result = yield self._command(*arguments, stdin=stdin)
        assert isinstance(result, Result)
        return result

    def must(self, *arguments: str, stdin: bytes = b"") -> Step:
        """One git command that has to succeed. Raises `Failed`."""
        result = yield from self.git(*arguments, stdin=stdin)
        if result.exit != 0:
            raise Failed(f"git {arguments[0]}: {reason(result.output)}")
        return result

    def _command(self, *arguments: str, shown: str = "", stdin: bytes = b"") -> Run:
        argv = ("git", *_QUIET, *self._identity, *arguments)
        return Run(argv, shown=shown, cwd=self.folder, stdin=stdin)

    def open(self) -> Step:
        """Have a fresh view of the repository, and the task's branch checked out.

        A branch that is on the server already is gone on with: what it holds was pushed by this task.
        """
        if os.path.isdir(os.path.join(self.folder, ".git")):
            self._unlock()
            yield from self.must("remote", "set-url", "origin", self.task.clone)
            fetch = self._command("fetch", "--quiet", "--prune", "origin", shown="git fetch origin")
            yield from persist("git fetch", fetch)
        else:
            yield from self._clone()
        email = yield from self.git("config", "user.email")
        if email.exit != 0:
            self._identity = ("-c", "user.name=Scripted agent", "-c", "user.email=scripted@localhost")
        server = "refs/remotes/origin"
        branch = self.task.branch
        pushed = yield from self.git("rev-parse", "--verify", "--quiet", f"{server}/{branch}")
        start = branch if pushed.exit == 0 else self.task.base
        checkout = ("checkout", "--quiet", "--force", "--no-track", "-B", branch, f"{server}/{start}")
        return (yield from self.must(*checkout))

    def change(self) -> Generator[Effect, Answer, bool]:
        """Make the change and commit it; whether there was anything to commit."""
        yield from self.must("clean", "-fdq")
        patch = diff_in(self.task.text)
        if not patch or not (yield from self.apply(patch.encode())):
            yield from self._write_note()
        return (yield from self.commit(f"{_quiet(self.task.title)}\n\nFixes #{self.task.issue}"))

    def commit(self, message: str) -> Generator[Effect, Answer, bool]:
        """Commit what is in the index; whether there was anything."""
        staged = yield from self.git("diff", "--cached", "--quiet")
        if staged.exit == 0:
            return False
        words = f"{message}\n".encode()
        yield from self.must("commit", "--quiet", "--no-gpg-sign", "-F", "-", stdin=words)
        return True

    def differs(self) -> Generator[Effect, Answer, bool]:
        """Whether the working copy holds anything that the base does not."""
        same = yield from self.git("diff", "--quiet", f"refs/remotes/origin/{self.task.base}", "HEAD")
        return same.exit != 0

    def push(self) -> Step:
        """Push to the task's own branch."""
        return (yield from self.push_to(f"refs/heads/{self.task.branch}"))

    def push_to(self, reference: str, *, anew: bool = False) -> Step:
        """`anew`: what is there may be replaced, if it is what was fetched."""
        shown = f"git push origin HEAD:{reference}"
        force = ("--force-with-lease",) if anew else ()
        push = self._command("push", "--quiet", *force, "origin", f"HEAD:{reference}", shown=shown)
        return (yield from persist("git push", push))

    def _clone(self) -> Step:
        # Cloned beside and moved: a clone that was cut off is never taken for a working copy.
        part = f"{self.folder}.part"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(os.path.dirname(self.folder), mode=0o700, exist_ok=True)
        argv = ("git", *_QUIET, "clone", "--quiet", "--", self.task.clone, part)
        cloned = yield from persist("git clone", Run(argv, shown=f"git clone {self.task.clone}"))
        shutil.rmtree(self.folder, ignore_errors=True)
        os.rename(part, self.folder)
        return cloned

    def _unlock(self) -> None:
        """The working copy is this program's alone: a lock in it is left from one that was killed."""
        for name in ("index.lock", "HEAD.lock"):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, ".git", name))

    def write(self, path: str, text: str) -> Step:
        """A file of the working copy, into the index."""
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        return (yield from self.must("add", "--force", "--", path))

    def apply(self, patch: bytes) -> Generator[Effect, Answer, bool]:
        """Whether the change that the issue proposes is now in the index, or was there already."""
        done = yield from self.git("apply", "--reverse", "--check", "-", stdin=patch)
        if done.exit == 0:
            return True
        applied = yield from self.git("apply", "--index", "--whitespace=nowarn", "-", stdin=patch)
        if applied.exit != 0:
            yield Say(f"The proposed diff does not apply ({reason(applied.output)}); leaving a note instead.")
        return applied.exit == 0

    def _write_note(self) -> Step:
        task = self.task
        asked = "\n".join(f"    {line}".rstrip() for line in task.text.strip().splitlines())
        text = f"# {task.title}\n\nIssue #{task.issue} of {task.repository} asks:\n\n{asked}\n"
        return (yield from self.write(os.path.join("notes", f"issue-{task.issue}.md"), text))


def _quiet(title: str) -> str:
    """A title for a commit's message: it mentions nobody and refers to no other issue, as hive demands."""
    return re.sub(r"[@#](?=\w)", lambda sign: f"{sign[0]} ", title)
