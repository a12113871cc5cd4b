"""One push: its objects in quarantine, and what the commits that it brings change."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from hive.contracts.guardrail import CUT_OFF
from hive.decisions.requests import NotUnderstood
from hive.decisions.requests.git import RefUpdate
from hive.gateway.mirrors import Mirror

_MOST_TEXT = 4 * 1024 * 1024
_MOST_PATHS = 8 * 1024 * 1024
# What is already in the repository's own branches and tags is not new. Its other refs hold strangers'
# commits too: refs/pull/N/head is whatever a fork proposes.
_LOG = (
    *("log", "--patch", "--cc", "--text", "--pretty=fuller", "--encoding=UTF-8", "--no-renames"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-decorate", "--no-notes", "--no-mailmap"),
    "--no-show-signature",
)
_KNOWN = ("--not", "--branches", "--tags")


class Push:
    """Attributes:
    objects: The quarantine folder; `None` when the push brings no objects.
    """

    def __init__(self, mirror: Mirror, quarantine: Path, updates: tuple[RefUpdate, ...]) -> None:
        self.mirror = mirror
        self.updates = updates
        self.objects: Path | None = None if all(update.deletes for update in updates) else quarantine

    def receive(self, pack: Iterable[bytes]) -> str:
        """Unpack into quarantine; empty, or what is wrong with the pack."""
        if self.objects is None:
            return "" if not b"".join(pack) else "bytes follow the push"
        process = subprocess.Popen(
            ["git", "index-pack", "--stdin", "--fix-thin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.mirror.environment(quarantine=self.objects),
        )
        assert process.stdin is not None
        try:
            # A broken pack ends index-pack early; the rest of the body is read all the same.
            for piece in pack:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.write(piece)
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
        if process.returncode != 0:
            return "the pack of the push is broken"
        return self._unconnected()

    def _unconnected(self) -> str:
        """Whether the new tips lead to objects that are nowhere."""
        new = [update.new for update in self.updates if not update.deletes]
        done = self.mirror.git(
            "rev-list", "--objects", "--quiet", *new, "--not", "--all", quarantine=self.objects
        )
        return "" if done.returncode == 0 else "the push leads to objects that are missing"

    def stale(self) -> str:
        """The first ref that is not what the agent saw; empty for none."""
        refs = self.mirror.refs()
        for update in self.updates:
            if refs.get(update.ref, "") != ("" if update.creates else update.old):
                return update.ref
        return ""

    def fast_forward(self, update: RefUpdate) -> bool | None:
        if update.creates or update.deletes:
            return None
        done = self.mirror.git("merge-base", "--is-ancestor", update.old, update.new, quarantine=self.objects)
        return done.returncode == 0

    def paths(self, update: RefUpdate) -> tuple[str, ...]:
        """Every file that a new commit of `update` touches, in whichever of them.

        Raises `NotUnderstood` when there are too many to look at all of them.
        """
        arguments = ("log", "-m", "-z", "--no-renames", "--name-only", "--format=", update.new)
        done = self.mirror.git(*arguments, *_KNOWN, quarantine=self.objects)
        if done.returncode != 0 or len(done.stdout) > _MOST_PATHS:
            raise NotUnderstood("what it changes cannot be listed, or is too much to be judged")
        names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
        return tuple(sorted({name.strip("\n") for name in names if name.strip("\n")}))

    def text(self, update: RefUpdate) -> str:
        """The log of the new commits with their changes (`contracts.guardrail.Proposal.text`).

        Of a merge what neither parent has, and every file as text: nothing that is sent on stays unseen.
        """
        process = subprocess.Popen(
            ["git", *_LOG, update.new, *_KNOWN],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.mirror.environment(quarantine=self.objects),
        )
        assert process.stdout is not None
        with process.stdout:
            found = process.stdout.read(_MOST_TEXT + 1)
        process.kill()
        process.wait()
        text = found[:_MOST_TEXT].decode("utf-8", "replace")
        return text + CUT_OFF if len(found) > _MOST_TEXT else text

    def messages(self) -> Iterator[tuple[str, str]]:
        """Each new commit's id with its message, newest first.

        Raises `NotUnderstood` when there are too many to read all of them.
        """
        new = [update.new for update in self.updates if not update.deletes]
        if not new:
            return
        arguments = ("log", "-z", "--encoding=UTF-8", "--no-notes", "--format=%H%n%B", *new, *_KNOWN)
        done = self.mirror.git(*arguments, quarantine=self.objects)
        if done.returncode != 0 or len(done.stdout) > _MOST_TEXT:
            raise NotUnderstood("the messages of its commits cannot be read, or are too much to be judged")
        for one in done.stdout.decode("utf-8", "replace").split("\0"):
            commit, _, message = one.partition("\n")
            if commit:
                yield commit, message


def inspected(push: Push) -> tuple[RefUpdate, ...]:
    """The updates of `push` with what its objects tell. Raises `NotUnderstood`."""
    return tuple(
        update
        if update.deletes
        else replace(
            update,
            fast_forward=push.fast_forward(update),
            paths=push.paths(update),
            text=push.text(update),
        )
        for update in push.updates
    )
