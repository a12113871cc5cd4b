"""Images come from files of this machine, and are the same for the same files."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.cluster import images
from tests.cluster.image_archive import Layer, save


def layer(text: bytes = b"one") -> Layer:
    layer = Layer()
    layer.file("usr/bin/program", text, 0o755)
    layer.link("bin", "usr/bin")
    layer.folder("home/agent", 0o755, 1000)
    return layer


def test_the_same_files_make_the_same_bytes(tmp_path: Path) -> None:
    first = save(tmp_path / "first.tar", "hive.test/x:1", layer(), {"User": "1000"})
    second = save(tmp_path / "second.tar", "hive.test/x:1", layer(), {"User": "1000"})
    assert first.read_bytes() == second.read_bytes()


def test_an_archive_names_its_reference_and_its_user(tmp_path: Path) -> None:
    path = save(tmp_path / "image.tar", "hive.test/x:1", layer(), {"User": "1000:1000"})
    with tarfile.open(path) as archive:
        (manifest,) = json.load(archive.extractfile("manifest.json") or tmp_path.open("rb"))
        configuration = json.load(archive.extractfile(manifest["Config"]) or tmp_path.open("rb"))
    assert manifest["RepoTags"] == ["hive.test/x:1"]
    assert configuration["config"] == {"User": "1000:1000"}


def test_folders_come_before_what_lies_in_them(tmp_path: Path) -> None:
    path = tmp_path / "layer.tar"
    with tarfile.open(path, "w") as written:
        layer().write(written)
    with tarfile.open(path) as read:
        entries = {entry.name: entry for entry in read}
    assert list(entries) == ["home", "home/agent", "usr", "usr/bin", "bin", "usr/bin/program"]
    assert (entries["home/agent"].uid, entries["home"].uid) == (1000, 0)


def test_a_link_does_not_hide_a_file(tmp_path: Path) -> None:
    both = layer()
    both.link("usr/bin/program", "busybox")
    paths = [
        save(tmp_path / f"{number}.tar", "hive.test/x:1", each, {})
        for number, each in enumerate((both, layer()))
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.cluster
def test_an_image_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIVE_CACHE", str(tmp_path))
    monkeypatch.setattr(images, "_BACKENDS", tmp_path / "hive_backends")
    (tmp_path / "hive_backends").mkdir()
    pause = tmp_path / "pause"
    pause.write_bytes(b"one")
    first = images.agent(pause)
    made = first.stat().st_mtime_ns
    assert images.agent(pause) == first
    assert first.stat().st_mtime_ns == made
    pause.write_bytes(b"another")
    assert images.agent(pause) != first


def test_the_agents_python_is_new_enough_for_the_scripted_agent() -> None:
    assert images.interpreter().version >= (3, 11)
