"""Kubernetes is built once, found afterwards, and taken from elsewhere when the operator says so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster import binaries
from tests.cluster.unavailable import Unavailable

ROOT = Path(__file__).parents[2]


def program(path: Path) -> None:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def test_the_cache_is_where_the_operator_says() -> None:
    assert binaries.cache({"HIVE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert binaries.cache({"XDG_CACHE_HOME": "/b"}) == Path("/b/hive")
    assert binaries.cache({}) == Path.home() / ".cache" / "hive"


def test_envtest_assets_go_before_what_is_built(tmp_path: Path) -> None:
    for name in binaries.CONTROL_PLANE:
        program(tmp_path / name)
    found = binaries.find({"KUBEBUILDER_ASSETS": str(tmp_path)})
    assert found == binaries.Binaries({name: tmp_path / name for name in binaries.CONTROL_PLANE}, True)


def test_envtest_assets_give_control_planes_but_no_node(tmp_path: Path) -> None:
    for name in binaries.CONTROL_PLANE:
        program(tmp_path / name)
    found = binaries.find({"KUBEBUILDER_ASSETS": str(tmp_path)})
    assert found is not None
    with pytest.raises(Unavailable, match=r"kubelet is not in KUBEBUILDER_ASSETS .* unset it"):
        found["kubelet"]


def test_assets_without_the_programs_are_named_and_not_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "etcd")
    with pytest.raises(Unavailable, match=r"KUBEBUILDER_ASSETS is .*, where kube-apiserver cannot be run"):
        binaries.find({"KUBEBUILDER_ASSETS": str(tmp_path)})


def test_an_empty_cache_holds_nothing(tmp_path: Path) -> None:
    assert binaries.find({"HIVE_CACHE": str(tmp_path)}) is None


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_two_builders_at_once_build_once_and_leave_one_whole_folder(tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from tests.cluster import binaries\n"
    script += "print(binaries.build('pause', Path(sys.argv[1]), lambda line: print('built')))"
    argv = [sys.executable, "-c", script, str(tmp_path)]
    builders = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
    said = sorted(builder.communicate()[0].split() for builder in builders)
    folder = next((tmp_path / "cluster").glob("pause-*"))
    assert said == [[str(folder)], ["built", str(folder)]]
    assert sorted(path.name for path in (tmp_path / "cluster").iterdir()) == [folder.name, "pause.lock"]


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_what_is_built_runs_without_any_library(tmp_path: Path) -> None:
    built = binaries.build("pause", tmp_path) / "pause"
    linked = subprocess.run(["ldd", built], capture_output=True, text=True, check=False)
    assert "not a dynamic executable" in linked.stdout + linked.stderr


def test_a_build_that_fails_leaves_nothing_and_says_the_compilers_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = tmp_path / "go"
    shutil.copytree(binaries.MODULES / "pause", modules / "pause")
    (modules / "pause" / "main.go").write_text("package main\n\nfunc main() { missing() }\n")
    monkeypatch.setattr(binaries, "MODULES", modules)
    with pytest.raises(Unavailable, match=r"building pause failed: .*undefined: missing"):
        binaries.build("pause", tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache" / "cluster").iterdir()] == ["pause.lock"]


def test_a_machine_without_go_uses_what_another_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "go_version", lambda: None)
    for module in binaries.LINKS:
        (tmp_path / "cluster" / f"{module}-{binaries.key(module)}-go1.99.0").mkdir(parents=True)
    found = binaries.find({"HIVE_CACHE": str(tmp_path)})
    assert found is not None
    assert found["kubelet"].parent.name.endswith("-go1.99.0")


def test_a_machine_with_neither_go_nor_a_cache_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "go_version", lambda: None)
    with pytest.raises(Unavailable, match=r"install Go 1\.26 or later, or set KUBEBUILDER_ASSETS"):
        binaries.build("kube", tmp_path)
