"""Secrets that lie in folders an agent may see: they are left out, and so is what takes their names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hive.facts.isolation import IsolationMode
from hive.shells.isolation.order import written
from hive.shells.isolation.place import Outcome, launcher, run_in_place
from hive.shells.isolation.view import names_of
from tests.shells.isolation.places import need
from tests.shells.isolation.test_launch import PATH, place

MODES = pytest.mark.parametrize("own_user", [True, False], ids=["uid", "userns"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the operator's that agents see, with a secret, and what goes on to be seen."""
    made = tmp_path / "hidden" / "etc"
    (made / "below").mkdir(parents=True)
    for name in ("hive.yaml", "other", "below/deep"):
        (made / name).write_text(f"this is {name}\n")
    (made / "link").symlink_to("other")
    (made / "broken").symlink_to("nowhere")
    for each in (made, made / "below", *made.rglob("*")):
        if not each.is_symlink():
            each.chmod(0o755 if each.is_dir() else 0o644)
    return made


def ran(folder: Path, script: str, masked: tuple[str, ...], *, own_user: bool) -> Outcome:
    top = folder.parents[1]
    order = place(top, "sh", "-c", script, own_user=own_user)
    order = replace(order, shown=(*order.shown, str(folder)), masked=masked)
    return run_in_place(order, order.argv, top / "order", environment=PATH)


@MODES
def test_all_else_of_the_folder_is_there_and_none_of_it_can_be_changed(folder: Path, own_user: bool) -> None:
    need(IsolationMode.UID if own_user else IsolationMode.USERNS)
    tries = "touch new; rm other; mv below x; echo x > other"
    script = f"cd {folder}; ls; cat other link below/deep hive.yaml; {tries}"
    done = ran(folder, script, (str(folder / "hive.yaml"),), own_user=own_user)
    assert done.out.split("\n")[:-1] == [
        *("below", "broken", "link", "other"),
        *("this is other", "this is other", "this is below/deep"),
    ]
    assert "hive.yaml: No such file" in done.err
    assert (folder / "other").read_text() == "this is other\n"


@contextmanager
def asked(folder: Path, script: str, masked: tuple[str, ...], *, own_user: bool) -> Iterator[list[str]]:
    """An agent that is there, and runs `script` at the end of the block; what it says is in the list then."""
    top = folder.parents[1]
    order = place(top, "sh", "-c", f"echo here; read x; {script}", own_user=own_user)
    order = replace(order, shown=(*order.shown, str(folder)), masked=masked)
    (top / "order").write_bytes(written(order))
    with subprocess.Popen(
        launcher(top / "order"), env=PATH, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "here\n"
        said: list[str] = []
        yield said
        out, _ = running.communicate("go\n", timeout=60)
        said += out.split("\n")[:-1]


@MODES
def test_a_secret_that_is_replaced_by_rename_while_the_agent_runs_stays_out_of_sight(
    folder: Path, own_user: bool
) -> None:
    need(IsolationMode.UID if own_user else IsolationMode.USERNS)
    secret, new = folder / "hive.yaml", folder / ".new"
    script = f"cat {secret} {new}; ls {folder}"
    with asked(folder, script, (str(secret),), own_user=own_user) as said:
        new.write_text("the next secret\n")
        os.replace(new, secret)
        new.write_text("one more\n")
    assert said == ["below", "broken", "link", "other"]


@MODES
def test_a_secret_that_comes_after_the_agent_started_is_not_seen(folder: Path, own_user: bool) -> None:
    need(IsolationMode.UID if own_user else IsolationMode.USERNS)
    secret = folder / "token"
    with asked(folder, f"cat {secret}; echo end", (str(secret),), own_user=own_user) as said:
        secret.write_text("a secret\n")
    assert said == ["end"]


def test_a_file_that_links_lead_to_has_all_of_their_names(tmp_path: Path) -> None:
    """As Kubernetes mounts secrets: the name leads through a folder that is replaced by another link."""
    (tmp_path / "..2026").mkdir()
    (tmp_path / "..2026" / "hive.yaml").touch()
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "hive.yaml").symlink_to("..data/hive.yaml")
    (tmp_path / "conf").symlink_to(tmp_path)
    assert names_of(str(tmp_path / "conf" / "hive.yaml")) == (
        str(tmp_path / "hive.yaml"),
        str(tmp_path / "..2026" / "hive.yaml"),
    )


@MODES
def test_a_secret_behind_links_that_are_swapped_stays_out_of_sight(folder: Path, own_user: bool) -> None:
    need(IsolationMode.UID if own_user else IsolationMode.USERNS)
    for version in ("..1", "..2"):
        (folder / version).mkdir(mode=0o755)
        (folder / version / "key").write_text(f"secret {version}\n")
    (folder / "..data").symlink_to("..1")
    (folder / "key").symlink_to("..data/key")
    (folder / "..2").rename(folder.parent / "..2")
    script = f"cat {folder}/key {folder}/..?/key; echo end"
    with asked(folder, script, names_of(str(folder / "key")), own_user=own_user) as said:
        (folder.parent / "..2").rename(folder / "..2")
        (folder / ".new").symlink_to("..2")
        os.replace(folder / ".new", folder / "..data")
    assert said == ["end"]
