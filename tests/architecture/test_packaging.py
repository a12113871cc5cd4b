"""The wheel and the editable install hold the same: commands, plug-ins and data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive import __version__
from tests.architecture.project import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_FACTS = """\
import json, sys
from importlib.resources import files
from pathlib import Path
import hive
from hive import assets
from hive.kernel.plugins import backends, guardrails

def below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                  if path.is_file() and "__pycache__" not in path.parts)

print(json.dumps({
    "hive": str(Path(hive.__file__).parent),
    "backends": {name: backends()[name].name for name in backends()},
    "guardrails": {name: guardrails()[name].name for name in guardrails()},
    "config": below(assets.path("config")),
    "sandbox-templates": below(assets.path("sandbox-templates")),
    "dashboard": below(Path(str(files("hive.dashboard")))),
    "schema": below(Path(str(files("hive.standins.github"))) / "schema"),
}))
"""


@dataclass(frozen=True)
class Installation:
    """A hive on its own interpreter; `folder` is an empty one to run it in."""

    scripts: Path
    folder: Path

    def run(self, *arguments: str) -> str:
        return self._ran([os.fspath(self.scripts / "hive"), *arguments])

    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._ran([os.fspath(self.scripts / "python"), "-c", _FACTS]))
        return found

    def _ran(self, argv: Sequence[str]) -> str:
        kept = ("HOME", "LANG", "LC_ALL", "TMPDIR")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment["PATH"] = os.pathsep.join([os.fspath(self.scripts), os.environ.get("PATH", os.defpath)])
        ran = subprocess.run(
            argv, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", os.fspath(folder), "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed_wheel(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel in an environment of its own, which sees the dependencies of this one."""
    root = tmp_path_factory.mktemp("installed")
    venv.create(root / "venv", with_pip=False, symlinks=True)
    python = root / "venv" / "bin" / "python"
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-compile", os.fspath(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", os.fspath(python), *install], check=True)
    (site,) = (root / "venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return _in(root, python.parent)


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """This very environment, in which hive is installed for work on it."""
    return _in(tmp_path_factory.mktemp("editable"), Path(sysconfig.get_path("scripts")))


def _in(root: Path, scripts: Path) -> Installation:
    folder = root / "elsewhere"
    folder.mkdir()
    return Installation(scripts, folder)


@pytest.fixture(params=["installed_wheel", "editable"])
def installation(request: pytest.FixtureRequest) -> Installation:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Installation)
    return found


def test_commands_that_need_data_run_from_anywhere(installation: Installation) -> None:
    assert installation.run("--version") == f"hive {__version__}\n"
    assert json.loads(installation.run("acmm", "table", "--json"))["levels"]
    assert json.loads(installation.run("schema"))["title"] == "hive.yaml"
    config = installation.folder / "hive.yaml"
    config.unlink(missing_ok=True)
    assert "wrote hive.yaml" in installation.run("init")
    assert config.read_text().startswith("#")


def test_plug_ins_are_found_by_entry_point(installation: Installation) -> None:
    facts = installation.facts()
    assert "scripted" in facts["backends"]
    for kind in ("backends", "guardrails"):
        assert all(name == called for name, called in facts[kind].items())


def test_data_is_found(installation: Installation) -> None:
    facts = installation.facts()
    for folder in ("config", "sandbox-templates"):
        assert facts[folder] == _files(ROOT / folder)
    assert "hive.tcss" in facts["dashboard"]
    assert facts["schema"] == _files(ROOT / "hive/standins/github/schema")


def test_the_wheel_is_what_runs_where_it_is_installed(installed_wheel: Installation) -> None:
    assert Path(installed_wheel.facts()["hive"]).is_relative_to(installed_wheel.scripts.parent)


def test_the_wheel_holds_packages_and_data_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    metadata = f"hive-{__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {
        "hive",
        "hive_backends",
        "hive_guardrails",
        metadata,
    }
    own = [name for name in names if not name.startswith("hive/_assets/")]
    assert [name for name in own if "/tests/" in name] == []
    assert [name for name in names if "__pycache__" in name] == []
    assert f"{metadata}/licenses/LICENSE" in names
    for package in ("hive", "hive_backends", "hive_guardrails"):
        assert f"{package}/py.typed" in names


def _files(folder: Path) -> list[str]:
    """All files below `folder` that the project keeps."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted(name for name in listed.split("\0") if name)
