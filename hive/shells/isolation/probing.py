"""What isolation this machine allows: each kind is tried once, on nothing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hive.facts.isolation import IsolationMode
from hive.shells.isolation.order import PlaceOrder
from hive.shells.isolation.place import run_in_place
from hive.shells.isolation.view import needed_paths

_PATH = "/usr/local/bin:/usr/bin:/bin"
_PATIENCE_S = 10.0


def fault_of(mode: IsolationMode, uid: int) -> str:
    """Why a place of this kind cannot be made here; empty where it can. `uid` is one for agents."""
    if mode is IsolationMode.NONE:
        return ""
    own_user = mode is IsolationMode.UID
    if own_user and os.geteuid() != 0:
        return "hive does not run as root"
    user = uid if own_user else os.geteuid()
    with tempfile.TemporaryDirectory(prefix="hive-probe-") as folder:
        home = Path(folder) / "home"
        home.mkdir(0o700)
        if own_user:
            os.chown(home, user, user)
        order = PlaceOrder(
            argv=("true",),
            uid=user,
            gid=user,
            own_user=own_user,
            user="agent",
            home=str(home),
            workdir=str(home),
            hidden=(folder,),
            masked=(),
            shown=needed_paths(),
        )
        done = run_in_place(
            order, order.argv, Path(folder) / "order", environment={"PATH": _PATH}, timeout=_PATIENCE_S
        )
    if done.code == 0:
        return ""
    words = done.err.strip().splitlines()
    return words[-1].removeprefix("hive: ") if words else f"exit code {done.code}"
