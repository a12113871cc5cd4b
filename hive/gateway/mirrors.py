"""Bare mirrors of the forge's repositories: what agents fetch from, and where their pushes are judged.

The real credential reaches git by its environment alone, never by an argument or a file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hive.decisions.requests.git import RefUpdate
from hive.errors import Refused, Unreachable
from hive.gateway import mirror_repair
from hive.gateway.settings import GatewaySettings
from hive.gateway.upstream import Upstream

_PORT = "github"
_SLOWEST_S = 900.0
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")
_PASSED_ON = ("PATH", *_PROXIES)
_CA_VARIABLES = ("GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR")
_MOST_REFUSAL_LINES = 20
_REPAIR_EVERY_S = 60.0
"""A look at all of a large mirror takes seconds, and an agent can give cause for one with each request."""


class Mirror:
    """One repository's mirror. Its methods that write are called with `lock` held."""

    def __init__(self, repo: str, path: Path, settings: GatewaySettings, upstream: Upstream) -> None:
        self.repo = repo
        self.path = path
        self.lock = threading.RLock()
        self._url = f"{settings.git_url}/{repo}.git"
        self._settings = settings
        self._upstream = upstream
        self._looked_at: float | None = None
        self._is_swept = False
        self._is_doubted = False
        self._repaired_at: float | None = None

    def environment(self, *, credential: bool = False, quarantine: Path | None = None) -> dict[str, str]:
        """For git: nothing of the user's configuration; the credential only where git goes upstream."""
        found = {name: os.environ[name] for name in (*_PASSED_ON, *_CA_VARIABLES) if name in os.environ}
        found |= {
            "GIT_DIR": str(self.path),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "HOME": str(self.path),
            "LC_ALL": "C",
        }
        configuration = {
            "safe.directory": "*",
            "core.hooksPath": os.devnull,
            "gc.autoDetach": "false",
            "uploadpack.allowFilter": "true",
        }
        if credential:
            key = f"http.{self._settings.git_url}/.extraHeader"
            configuration[key] = f"Authorization: {self._upstream.git_authorization(self.repo)}"
        if quarantine is not None:
            found["GIT_OBJECT_DIRECTORY"] = str(quarantine)
            found["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(self.path / "objects")
        return found | configured(configuration)

    def git(
        self,
        *arguments: str,
        given: bytes = b"",
        credential: bool = False,
        quarantine: Path | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git in the mirror; the caller looks at its exit code. Raises `Unreachable` when it hangs."""
        try:
            return subprocess.run(
                ["git", *arguments],
                input=given,
                capture_output=True,
                env=self.environment(credential=credential, quarantine=quarantine),
                timeout=_SLOWEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Unreachable(_PORT, f"git {arguments[0]} did not end within {_SLOWEST_S:.0f} s") from None

    def refresh(self, default_branch: str) -> None:
        """Fetch what is new upstream, unless that was done a moment ago. Raises `Unreachable`."""
        with self.lock:
            now = time.monotonic()
            fresh = self._looked_at is not None and now - self._looked_at < self._settings.mirror_fresh_s
            if fresh and self.path.exists():
                return
            if self._is_doubted:
                self._repair(now)
            done = self._fetched()
            if done.returncode != 0 and self._repair(now):
                done = self._fetched()
            if done.returncode != 0:
                raise Unreachable(_PORT, f"{self.repo} cannot be fetched: {_last_line(done.stderr)}")
            self.git("symbolic-ref", "HEAD", f"refs/heads/{default_branch}")
            self._looked_at = now

    def _repair(self, now: float) -> bool:
        """Take the mirror away where it is damaged; whether it was."""
        looked = self._repaired_at
        if not self.path.exists() or (looked is not None and now - looked < _REPAIR_EVERY_S):
            return False
        self._repaired_at, self._is_doubted = now, False
        broken = mirror_repair.is_broken(self.git)
        if broken:
            mirror_repair.discard(self.path)
        return broken

    def doubt(self) -> None:
        """Something failed in it that should not: the next `refresh` looks at all of it, and where it is
        damaged, fetches it anew."""
        self._is_doubted = True
        self._looked_at = None

    def _fetched(self) -> subprocess.CompletedProcess[bytes]:
        if not self.path.exists():
            self._make()
        self._sweep()
        fetch = ("fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head")
        return self.git(*fetch, self._url, "+refs/*:refs/*", credential=True)

    def _make(self) -> None:
        """Made aside and moved into place, so that a half made mirror is never found."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = self.path.with_name(f".{self.path.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run(
            ["git", "init", "--quiet", "--bare", str(part)],
            check=True,
            capture_output=True,
            env={**self.environment(), "GIT_DIR": str(part)},
        )
        part.rename(self.path)

    def ensure(self, default_branch: str) -> None:
        """Fetch it for the first time, where that has not been done. Raises `Unreachable`."""
        if not self.path.exists():
            self.refresh(default_branch)

    def _sweep(self) -> None:
        """Remove what pushes left in quarantine when an earlier process ended under them. Once: later on
        there are quarantines of pushes under way, which hold no lock."""
        if self._is_swept:
            return
        self._is_swept = True
        mirror_repair.sweep(self.path)

    def refs(self) -> dict[str, str]:
        """Every ref with its object id."""
        done = self.git("for-each-ref", "--format=%(objectname) %(refname)")
        pairs = (line.split(" ", 1) for line in done.stdout.decode("utf-8", "replace").splitlines())
        return {name: value for value, name in pairs}

    def quarantine(self) -> Path:
        """A fresh folder for objects that are not judged yet."""
        return Path(tempfile.mkdtemp(prefix="quarantine-", dir=self.path / "objects"))

    def push(self, updates: Sequence[RefUpdate], quarantine: Path | None) -> None:
        """Push upstream, each ref only if it still is what the agent saw.

        Raises `Refused` with the forge's own words.
        """
        leases = [f"--force-with-lease={u.ref}:{'' if u.creates else u.old}" for u in updates]
        specs = [f"{'' if u.deletes else u.new}:{u.ref}" for u in updates]
        atomic = ["--atomic"] if len(updates) > 1 else []
        done = self.git(
            "push",
            "--porcelain",
            "--no-verify",
            *atomic,
            *leases,
            self._url,
            *specs,
            credential=True,
            quarantine=quarantine,
        )
        self._looked_at = None
        if done.returncode != 0:
            said = (
                (done.stderr + done.stdout)
                .decode("utf-8", "replace")
                .replace(self._settings.git_url, f"https://{self._settings.hosts.web}")
            )
            raise Refused(_PORT, "\n".join(said.splitlines()[:_MOST_REFUSAL_LINES]))

    def take_in(self, updates: Sequence[RefUpdate], quarantine: Path | None) -> None:
        """Make what upstream has taken the mirror's own: the objects first, then the refs.

        A mirror left behind by a crash in between is set right by the next `refresh`.
        """
        if quarantine is not None:
            packs = self.path / "objects" / "pack"
            packs.mkdir(exist_ok=True)
            # The index last: git takes a pack for there when its index is.
            for file in sorted((quarantine / "pack").glob("pack-*"), key=lambda f: f.suffix == ".idx"):
                file.replace(packs / file.name)
        lines = [f"delete {u.ref}\n" if u.deletes else f"update {u.ref} {u.new}\n" for u in updates]
        self.git("update-ref", "--stdin", given="".join(lines).encode())


class Mirrors:
    """All mirrors under one folder. Thread-safe."""

    def __init__(self, settings: GatewaySettings, upstream: Upstream) -> None:
        self._settings = settings
        self._upstream = upstream
        self._mirrors: dict[str, Mirror] = {}
        self._lock = threading.Lock()

    def of(self, repo: str) -> Mirror:
        """The mirror of ``OWNER/NAME``, which may not have been fetched yet."""
        with self._lock:
            if repo not in self._mirrors:
                path = self._settings.state / "mirrors" / f"{repo}.git"
                self._mirrors[repo] = Mirror(repo, path, self._settings, self._upstream)
            return self._mirrors[repo]


def configured(values: Mapping[str, str]) -> dict[str, str]:
    """git configuration as environment variables."""
    found = {"GIT_CONFIG_COUNT": str(len(values))}
    for index, (key, value) in enumerate(values.items()):
        found[f"GIT_CONFIG_KEY_{index}"] = key
        found[f"GIT_CONFIG_VALUE_{index}"] = value
    return found


def _last_line(output: bytes) -> str:
    lines: Iterable[str] = output.decode("utf-8", "replace").strip().splitlines()
    return list(lines)[-1] if lines else "git gave no reason"
