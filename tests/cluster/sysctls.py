"""Kernel settings that a kubelet changes, put back when the last run that needs them changed has ended.

They are the machine's, whatever folder a run lies in, so what they were is kept in one place of the machine.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from tests.cluster.file_lock import held

MACHINE = Path("/run/hive-test-cluster")
"""What all runs on this machine agree upon. Gone after a boot, as are the settings."""

CHANGED = (
    *("vm.overcommit_memory", "vm.panic_on_oom", "kernel.panic", "kernel.panic_on_oops"),
    *("kernel.keys.root_maxkeys", "kernel.keys.root_maxbytes"),
)
"""What a kubelet sets at its start (Kubernetes 1.36, setupKernelTunables)."""

_PROC = Path("/proc/sys")


class _Kept(TypedDict):
    runs: list[str]
    values: dict[str, str]


def path(name: str) -> Path:
    return _PROC / name.replace(".", "/")


def keep(run: Path) -> None:
    """Save the present values, unless an earlier run that still counts on them has saved the true ones."""
    with held(MACHINE / "sysctls.lock"):
        kept = _kept()
        kept["runs"] = sorted({*kept["runs"], str(run)})
        for name in CHANGED:
            if name not in kept["values"] and path(name).exists():
                kept["values"][name] = path(name).read_text().strip()
        (MACHINE / "sysctls.json").write_text(json.dumps(kept))


def restore(run: Path) -> None:
    """Put the saved values back if `run` was the last that needed them changed."""
    if not (MACHINE / "sysctls.json").exists():
        return
    with held(MACHINE / "sysctls.lock"):
        kept = _kept()
        if str(run) not in kept["runs"]:
            return
        kept["runs"] = [other for other in kept["runs"] if other != str(run) and Path(other).is_dir()]
        if kept["runs"]:
            (MACHINE / "sysctls.json").write_text(json.dumps(kept))
            return
        for name, value in kept["values"].items():
            if path(name).read_text().strip() != value:
                path(name).write_text(value)
        (MACHINE / "sysctls.json").unlink()


def _kept() -> _Kept:
    with suppress(FileNotFoundError):
        kept: _Kept = json.loads((MACHINE / "sysctls.json").read_text())
        return kept
    return {"runs": [], "values": {}}
