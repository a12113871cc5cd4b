"""Runs a check command on the merge result of each pull request's new head, as a workflow named CI would."""

import os
import queue
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from hive.standins.github import checks, merging, settling
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GITHUB_SIGNATURE, GitFailure, git
from hive.standins.github.records import CheckRun, Pull, Repository

APP = "github-actions"
WORKFLOW = "CI"
NAME = "check"
# What a reader needs of a failed check, as the last lines (chosen; GitHub takes 65,535 characters).
_LAST_LINES = 60
_LONGEST = 16_000
_ENVIRONMENT = {"CI": "true", "LC_ALL": "C.UTF-8"}


class CheckRunner:
    """A few worker threads; without a command it does nothing."""

    def __init__(self, forge: Forge, command: str | None, timeout_s: float, workers: int) -> None:
        self._forge = forge
        self._command = command
        self._timeout_s = timeout_s
        self._workers = workers
        self._waiting: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._threads: list[threading.Thread] = []
        if command is not None:
            forge.checker = self

    def start(self) -> None:
        """Begin to work, with what a former process left undone."""
        if self._command is None:
            return
        with self._forge.lock:
            for run in self._forge.store.checks:
                if run.app == APP and run.status != "completed" and run.pull is not None:
                    self._waiting.put(run.id)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._workers)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End what runs; the runs stay unfinished, for the next start."""
        self._stopping.set()
        for _ in self._threads:
            self._waiting.put(None)
        for process in list(self._running):
            _kill(process)
        for thread in self._threads:
            thread.join(5)

    def head_moved(self, repo: Repository, pull: Pull) -> None:
        """Queue a check of a new head; none where it conflicts with its base, as on GitHub."""
        if (
            merging.merged_tree(self._forge, repo, settling.base_tip(self._forge, pull), pull.head_sha)
            is None
        ):
            return
        run = checks.create_run(self._forge, repo, pull.head_sha, NAME, APP)
        run.workflow, run.pull = WORKFLOW, pull.number
        self._waiting.put(run.id)

    def _work(self) -> None:
        while (number := self._waiting.get()) is not None and not self._stopping.is_set():
            self._run(number)

    def _run(self, number: int) -> None:
        with self._forge.transaction():
            run = self._forge.store.checks.get(number)
            if run is None or run.pull is None:
                return
            repo = self._forge.repo_of(run.repo)
            checks.update_run(self._forge, run, "in_progress", None)
            commit = self._merge_result(repo, run)
        if commit is None:
            conclusion, output = "failure", "The branch conflicts with its base."
        else:
            conclusion, output = self._execute(repo, commit)
        if self._stopping.is_set():
            return
        with self._forge.transaction():
            run.title, run.summary = NAME, f"`{NAME}` ended with {conclusion}"
            run.text = output
            checks.update_run(self._forge, run, "completed", conclusion)

    def _merge_result(self, repo: Repository, run: CheckRun) -> str | None:
        pull = self._forge.pull(repo, run.pull or 0)
        if pull is None:
            return None
        base = settling.base_tip(self._forge, pull)
        tree = merging.merged_tree(self._forge, repo, base, run.head_sha)
        if tree is None:
            return None
        author = {"GIT_AUTHOR_NAME": "GitHub", "GIT_AUTHOR_EMAIL": "noreply@github.com", **GITHUB_SIGNATURE}
        message = f"Merge {run.head_sha} into {base}\n".encode()
        made = self._forge.git(repo).run(
            "commit-tree", tree, "-p", base, "-p", run.head_sha, data=message, variables=author
        )
        return made.strip()

    def _execute(self, repo: Repository, commit: str) -> tuple[str, str]:
        """Conclusion and last lines of the command in a fresh checkout of `commit`."""
        with tempfile.TemporaryDirectory(prefix="check-") as folder:
            work = Path(folder) / repo.name
            try:
                # A clone of its own: what the command does to it cannot reach the repository.
                git("init", "--quiet", str(work))
                git(
                    "-C",
                    str(work),
                    "fetch",
                    "--quiet",
                    "--depth=1",
                    str(self._forge.path_of(repo.full_name)),
                    commit,
                )
                git("-C", str(work), "checkout", "--quiet", "--detach", "FETCH_HEAD")
            except GitFailure as failure:
                return "failure", f"The checkout failed: {failure}"
            return self._command_in(work, Path(folder))

    def _command_in(self, work: Path, home: Path) -> tuple[str, str]:
        assert self._command is not None
        log = home / "output"
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["sh", "-c", self._command],
                cwd=work,
                env={
                    "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                    "HOME": str(home),
                    "CI": "true",
                    "LC_ALL": "C.UTF-8",
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._running.add(process)
        try:
            code = process.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            _kill(process)
            return "timed_out", _tail(log)
        finally:
            self._running.discard(process)
            _kill(process)
        return ("success" if code == 0 else "failure"), _tail(log)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and whatever it started in its session's process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # Everything of it has ended already.
        return
    process.wait()


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _LONGEST))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-_LAST_LINES:])
