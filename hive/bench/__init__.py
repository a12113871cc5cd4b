"""Benchmarks: hive against a limit that is measured in the same run.

Law: no absolute number is a target. A machine is noisy and another's is faster; what counts is the ratio to
what the tool below hive can do at best, here and now. Modules are loaded by name only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One figure beside its limit.

    Attributes:
        ratio: `value` to `limit_value`; None where the target is on `value` itself.
        target: In words: ``≤ 1.15×``; empty for a figure that is only told.
        ok: Whether the target is met; None without one.
    """

    name: str
    value: float
    unit: str
    limit_name: str = ""
    limit_value: float | None = None
    ratio: float | None = None
    target: str = ""
    ok: bool | None = None


@dataclass(frozen=True, slots=True)
class BenchResult:
    """What one benchmark found. `about`: machine and sizes, for a reader."""

    name: str
    rows: tuple[BenchRow, ...]
    about: str = ""

    @property
    def ok(self) -> bool:
        """Whether all targets are met."""
        return all(row.ok is not False for row in self.rows)

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        rows = [asdict(row) for row in self.rows]
        return {"name": self.name, "about": self.about, "ok": self.ok, "rows": rows}


def at_most(
    name: str, value: float, unit: str, limit_name: str, limit: float, *, times: float | None
) -> BenchRow:
    """A row whose value may be at most `times` its limit; no target where `times` is None."""
    ratio = value / limit
    ok = None if times is None else ratio <= times
    return BenchRow(name, value, unit, limit_name, limit, ratio, f"≤ {times:g}×" if times else "", ok)


def at_least(name: str, value: float, unit: str, limit_name: str, limit: float, *, times: float) -> BenchRow:
    """A row whose value must be at least `times` its limit."""
    ratio = value / limit
    return BenchRow(name, value, unit, limit_name, limit, ratio, f"≥ {times:g}×", ratio >= times)


def faster(name: str, value: float, unit: str, other_name: str, other: float, *, times: float) -> BenchRow:
    """A row of a duration that must be `times` shorter than `other`."""
    ratio = other / value
    return BenchRow(name, value, unit, other_name, other, ratio, f"≥ {times:g}× faster", ratio >= times)


def below(name: str, value: float, unit: str, most: float) -> BenchRow:
    """A row with a bound of its own."""
    return BenchRow(name, value, unit, target=f"≤ {most:g} {unit}", ok=value <= most)


def below_or_near(
    name: str, value: float, unit: str, most: float, limit_name: str, limit: float, *, times: float
) -> BenchRow:
    """A row with a bound of its own; where the limit itself is slow (a busy machine), `times` the limit."""
    ratio = value / limit
    ok = value <= most or ratio <= times
    return BenchRow(name, value, unit, limit_name, limit, ratio, f"≤ {most:g} {unit}, or {times:g}×", ok)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where a benchmark is and what it is about.

    Attributes:
        module: Has `run(**sizes) -> BenchResult`.
        size: The keyword of `run` that counts most.
    """

    module: str
    about: str
    size: str


MODULES = {
    "agents": Bench("hive.bench.agents", "each supervised agent: its cost, how soon it is known", "agents"),
    "daemon": Bench("hive.bench.daemon", "an idle fleet of scripted agents on one daemon", "agents"),
    "dash": Bench("hive.bench.dash", "the dashboard's own processor time", "agents"),
    "gateway": Bench("hive.bench.gateway", "the forge through the gateway: calls, pushes", "calls"),
    "github": Bench("hive.bench.github", "many repositories: from new looks to the plan", "repos"),
    "journal": Bench("hive.bench.journal", "durable appends and replay", "replayed"),
    "kubernetes": Bench("hive.bench.kubernetes", "what is read of a long list of pods", "pods"),
    "prompts": Bench("hive.bench.prompts", "texts into panes: exact, and how soon", "times"),
    "start": Bench("hive.bench.start", "how soon the command line answers", "runs"),
    "tmux": Bench("hive.bench.tmux", "sessions: create, list, capture, hear; an idle daemon", "sessions"),
}
"""Every benchmark, by name."""


def load(name: str) -> Callable[..., BenchResult]:
    """The benchmark `name`, which takes its sizes as keywords. Raises `KeyError` where there is none."""
    run: Callable[..., BenchResult] = import_module(MODULES[name].module).run
    return run


def _run(name: str) -> BenchResult:
    return load(name)()


BENCHES: dict[str, Callable[[], BenchResult]] = {name: partial(_run, name) for name in MODULES}
"""Every benchmark in its usual size, by name; nothing is imported before a call."""
