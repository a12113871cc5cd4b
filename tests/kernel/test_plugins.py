"""Plug-ins by entry point: found without being imported, refused by name when they cannot be used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hive.contracts.backend import Backend
from hive.contracts.guardrail import Guardrail
from hive.errors import PluginError
from hive.kernel.plugins import BACKENDS, GUARDRAILS, Plugins, UnknownPlugin, backends, guardrails

GOOD_GUARDRAIL = """
class Quiet:
    name = "quiet"
    def __call__(self, proposal):
        return None
guardrail = Quiet()
cls = Quiet
half = object()
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a package with entry points on the path: `install("pkg", code, "name = module:object", …)`."""

    def put(package: str, code: str, *points: str, group: str = GUARDRAILS) -> None:
        module = f"{package}_{abs(hash(tmp_path)) % 10**8}"
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "\n".join(point.replace("MODULE", module) for point in points)
        (info / "entry_points.txt").write_text(f"[{group}]\n{lines}\n")

    monkeypatch.syspath_prepend(str(tmp_path))
    return put


def registry() -> Plugins[Guardrail]:
    return Plugins[Guardrail](GUARDRAILS, "guardrail", ("name", "__call__"))


def message(found: Plugins[Guardrail], name: str) -> str:
    with pytest.raises(PluginError) as caught:
        found[name]
    return str(caught.value)


def test_the_scripted_backend_is_found_by_its_entry_point() -> None:
    found = backends()
    assert "scripted" in found
    backend: Backend = found["scripted"]
    assert backend.name == "scripted"
    assert backends()["scripted"] is backend


def test_every_installed_plug_in_can_be_loaded() -> None:
    assert {name: backend.name for name, backend in backends().items()} == {name: name for name in backends()}
    assert {name: rule.name for name, rule in guardrails().items()} == {name: name for name in guardrails()}


def test_listing_names_imports_no_plug_in(install: Install) -> None:
    install("loud", "raise RuntimeError('imported')", "loud = MODULE:guardrail")
    found = registry()
    assert "loud" in found
    assert "loud" in list(found)
    assert len(found) == len(list(found))


def test_a_third_party_plug_in_is_used_like_a_built_in_one(install: Install) -> None:
    install("third", GOOD_GUARDRAIL, "quiet = MODULE:guardrail")
    assert registry()["quiet"].name == "quiet"


def test_a_name_that_is_not_installed_is_told_with_the_nearest_one() -> None:
    with pytest.raises(UnknownPlugin) as caught:
        backends()["scriptd"]
    assert str(caught.value) == "no backend 'scriptd' is installed; did you mean 'scripted'?"
    assert backends().get("scriptd") is None


def test_a_name_that_resembles_nothing_is_told_with_all_that_are_installed() -> None:
    found = Plugins[Backend](BACKENDS, "backend", ())
    with pytest.raises(PluginError) as caught:
        found["xyzzy-42"]
    assert str(caught.value) == f"no backend 'xyzzy-42' is installed; installed: {', '.join(found)}"


def test_a_plug_in_that_fails_on_import_is_told_by_name_and_cause(install: Install) -> None:
    install("broken", "import no_such_module_here", "rotten = MODULE:guardrail")
    text = message(registry(), "rotten")
    assert text.startswith("guardrail 'rotten' of broken cannot be loaded from broken_")
    assert text.endswith("ModuleNotFoundError: No module named 'no_such_module_here'")


def test_a_plug_in_that_ends_the_process_on_import_is_only_broken(install: Install) -> None:
    install("quitter", "raise SystemExit(3)", "quitter = MODULE:guardrail")
    assert message(registry(), "quitter").endswith("SystemExit: 3")


def test_a_plug_in_whose_object_does_not_exist_is_broken(install: Install) -> None:
    install("hollow", GOOD_GUARDRAIL, "quiet = MODULE:no_such_object")
    assert "AttributeError" in message(registry(), "quiet")


def test_an_object_that_is_no_guardrail_is_refused_with_what_it_lacks(install: Install) -> None:
    install("half", GOOD_GUARDRAIL, "half = MODULE:half")
    assert message(registry(), "half").endswith("is no guardrail: it has no name, __call__")


def test_a_class_in_the_place_of_an_instance_is_refused(install: Install) -> None:
    install("classy", GOOD_GUARDRAIL, "quiet = MODULE:cls")
    assert message(registry(), "quiet").endswith("is a class; the entry point must name an instance of it")


def test_a_plug_in_that_calls_itself_something_else_is_refused(install: Install) -> None:
    install("misnamed", GOOD_GUARDRAIL, "loud = MODULE:guardrail")
    assert message(registry(), "loud").endswith("calls itself 'quiet'; both names must be the same")


def test_one_name_claimed_by_two_packages_is_refused(install: Install) -> None:
    install("one", GOOD_GUARDRAIL, "quiet = MODULE:guardrail")
    install("two", GOOD_GUARDRAIL, "quiet = MODULE:guardrail")
    text = message(registry(), "quiet")
    assert text.startswith("guardrail 'quiet' is claimed by several packages: one (one_")
    assert text.endswith("; remove one")


def test_importing_the_registry_reads_no_package_metadata() -> None:
    code = "import sys, hive.kernel.plugins as p; p.backends(); sys.exit('importlib.metadata' in sys.modules)"
    assert subprocess.run((sys.executable, "-c", code), check=False, timeout=60).returncode == 0
