"""A throw-away world: a GitHub stand-in with a real repository and real issues, and a hive.yaml for it."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from hive import assets
from hive.demo.clusters import Clusters, fleet_settings, sandbox_of
from hive.errors import ConfigError
from hive.shells.system.files import private_folder, write_private
from hive.standins.github.process import StandInProcess, start

ACCOUNT = "hive-bot"
"""Hive's own account on the stand-in."""
_ROLES = ("quality", "scanner", "ci-maintainer", "sec-check", "architect", "guide")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the demo was asked for.

    Attributes:
        repo, issues: A git repository and a file of its issues; None for the demo's own.
        check: Runs on each pull request's merge result; None for the demo's own, or none with `repo`.
        agents: How many; they get roles in turn.
        keep: The world is to stay when the demo is over.
        clusters: Where agents run in pods; None for this machine alone.
        people: Members who may write, by login, with the token of each.
        reviewers: Roles whose agents look through what others opened.
    """

    level: int = 4
    agents: int = 6
    keep: bool = False
    repo: Path | None = None
    issues: Path | None = None
    check: str | None = None
    clusters: Clusters | None = None
    people: Mapping[str, str] = field(default_factory=dict)
    reviewers: tuple[str, ...] = ()


@dataclass(slots=True)
class DemoWorld:
    """A world that runs.

    Attributes:
        folder: Everything of it; the state is ``folder/state``.
    """

    folder: Path
    config: Path
    repository: str
    forge: StandInProcess

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def close(self) -> None:
        self.forge.stop()


def build(folder: Path, wishes: Wishes) -> DemoWorld:
    """Seed the forge, start it, write the configuration.

    Raises `ConfigError` for a repository or a file of issues that cannot be used.
    """
    private_folder(folder)
    repository = _repository_name(wishes)
    token = f"demo_{secrets.token_urlsafe(32)}"
    seed = folder / "seed.json"
    write_private(seed, json.dumps(_seed(wishes, repository, token)).encode())
    check = _check_command(wishes)
    forge = start(folder / "github", seed=seed, check_command=check, outlives=wishes.keep)
    seed.unlink()  # it holds the token, and the forge has read it
    token_file = folder / "token"
    write_private(token_file, token.encode())
    config = folder / "hive.yaml"
    settings = _settings(wishes, repository, forge.api_url, token_file, has_check=check is not None)
    write_private(config, yaml.safe_dump(settings, sort_keys=False).encode())
    return DemoWorld(folder, config, repository, forge)


def _repository_name(wishes: Wishes) -> str:
    if wishes.repo is None:
        return "acme/tally"
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", wishes.repo.resolve().name).strip("-.") or "repository"
    return f"local/{name}"


def _seed(wishes: Wishes, repository: str, token: str) -> dict[str, Any]:
    owner = repository.partition("/")[0]
    issues = wishes.issues
    if issues is None:
        if wishes.repo is not None:
            raise ConfigError("--repo goes with --issues FILE, as `hive triage` takes it; a title is enough")
        issues = assets.path("config/demo/issues.yaml")
    source = (
        {"from_folder": str(assets.path("config/demo/repository")), "default_branch": "main"}
        if wishes.repo is None
        else {"from_git": str(_git_folder(wishes.repo))}
    )
    return {
        "accounts": [
            {"login": owner, "kind": "person", "association": "OWNER", "permission": "admin"},
            *(
                {"login": login, "token": secret, "permission": "write", "association": "MEMBER"}
                for login, secret in {ACCOUNT: token, **wishes.people}.items()
            ),
        ],
        "repos": [{"full_name": repository, **source, "issues": str(issues.resolve())}],
    }


def _git_folder(path: Path) -> Path:
    """The folder, once git itself has read a commit in it. Raises `ConfigError` in git's words."""
    folder = path.resolve()
    if not folder.is_dir():
        raise ConfigError(f"--repo {path}: there is no such folder")
    read = subprocess.run(
        ["git", "-C", os.fspath(folder), "rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": os.fspath(folder.parent), "LC_ALL": "C"},
    )
    if read.returncode == 0:
        return folder
    said = next((line for line in read.stderr.splitlines() if line.startswith("fatal: ")), "")
    if said and "not a git repository" not in said:
        raise ConfigError(f"--repo {path}: git cannot read it: {said.removeprefix('fatal: ')}")
    make = "git init && git add -A && git commit -m first"
    raise ConfigError(f"--repo {path}: this is no git repository with a commit; make one of it with: {make}")


def _check_command(wishes: Wishes) -> str | None:
    if wishes.check is not None:
        return wishes.check
    return f"{shlex.quote(sys.executable)} -m unittest -q" if wishes.repo is None else None


def _settings(
    wishes: Wishes, repository: str, api_url: str, token_file: Path, *, has_check: bool
) -> dict[str, Any]:
    """The configuration, as an operator would write it, but for a hurry that only a demo has."""
    return {
        "level": wishes.level,
        "github": {"api_url": api_url, "token_file": str(token_file)},
        "repositories": [repository],
        "state": "state",
        "tick": "1s",
        "poll": "2s",
        "agents": [
            {
                "name": f"{role}-{number}",
                "role": role,
                "backend": "scripted",
                # However often hive is killed meanwhile: the agents wait for it.
                "environment": {"SCRIPTED_RETRY_SECONDS": "600"},
                **(sandbox_of(wishes.clusters, place) if wishes.clusters is not None else {}),
            }
            for place, (role, number) in enumerate(_crew(wishes.agents))
        ],
        # What the scripted agent says that it used has a price here alone, to show what costs look like.
        "prices": [{"model": "scripted-*", "input": 3, "output": 15, "cache_read": 0.3}],
        **(fleet_settings(wishes.clusters) if wishes.clusters is not None else {}),
        "merge": {"settle": "1s", "allow_no_checks": not has_check},
        **({"pull_requests": {"reviewers": list(wishes.reviewers)}} if wishes.reviewers else {}),
        "lifecycle": {"stagger": "0s", "backoff": "1s", "rest": "2s", "killed_agents": 3},
    }


def _crew(count: int) -> list[tuple[str, int]]:
    return [(_ROLES[index % len(_ROLES)], index // len(_ROLES) + 1) for index in range(count)]


def daemon_arguments(world: DemoWorld) -> list[str]:
    """How to start `hive run` on the world."""
    return [sys.executable, "-m", "hive.cli", "run", "-c", os.fspath(world.config)]
