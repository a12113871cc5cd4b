"""Plug-ins, found by entry point: a package that is installed is there, and nothing else is.

Names are listed without importing anything; a plug-in is imported when it is asked for, once. One that
is missing or broken is told by name with its cause, and hive refuses to start: a guardrail that failed
to load must never mean that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeVar, cast

from hive.contracts.backend import Backend
from hive.contracts.command import BackendKind
from hive.contracts.guardrail import Guardrail
from hive.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BACKENDS = "hive.backends"
BACKEND_KINDS = "hive.backend_kinds"
GUARDRAILS = "hive.guardrails"

_BACKEND_PARTS = ("name", "traits", "launch", "read", "is_agent", "transcript", "turns", "conversation")
_KIND_PARTS = ("name", "objection", "make")
_GUARDRAIL_PARTS = ("name", "__call__")

Plugin = TypeVar("Plugin")


class UnknownPlugin(PluginError, KeyError):
    """No installed package has a plug-in of that name. A `KeyError` too, so that mappings' `get` works."""

    def __str__(self) -> str:
        return str(self.args[0])


class Plugins(Mapping[str, Plugin]):
    """Plug-ins of one entry-point group, by name, in plain order of their names.

    Looking one up imports it. Raises `UnknownPlugin`, or `PluginError` when it is broken.
    """

    def __init__(self, group: str, kind: str, parts: tuple[str, ...]) -> None:
        self._group = group
        self._kind = kind
        self._parts = parts
        self._found: dict[str, list[EntryPoint]] | None = None
        self._loaded: dict[str, Plugin] = {}

    def __getitem__(self, name: str) -> Plugin:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._entry_points()))

    def __len__(self) -> int:
        return len(self._entry_points())

    def __contains__(self, name: object) -> bool:
        return name in self._entry_points()

    def _entry_points(self) -> dict[str, list[EntryPoint]]:
        if self._found is None:
            # Imported here: it costs more than everything else that `hive --help` imports.
            from importlib.metadata import entry_points

            self._found = {}
            for point in entry_points(group=self._group):
                self._found.setdefault(point.name, []).append(point)
        return self._found

    def _load(self, name: str) -> Plugin:
        points = self._entry_points().get(name)
        if not points:
            raise UnknownPlugin(self._unknown(name))
        if len({point.value for point in points}) > 1:
            packages = ", ".join(sorted(f"{_package(point)} ({point.value})" for point in points))
            raise PluginError(f"{self._kind} {name!r} is claimed by several packages: {packages}; remove one")
        plugin = self._import(points[0])
        self._check(points[0], plugin)
        return cast("Plugin", plugin)

    def _import(self, point: EntryPoint) -> object:
        try:
            return point.load()
        except (Exception, SystemExit) as error:  # foreign code: whatever it raises, it is broken
            cause = f"{type(error).__name__}: {' '.join(str(error).split())}"
            origin = f"{self._kind} {point.name!r} of {_package(point)}"
            raise PluginError(f"{origin} cannot be loaded from {point.value}: {cause}") from error

    def _check(self, point: EntryPoint, plugin: object) -> None:
        origin = f"{self._kind} {point.name!r} of {_package(point)} ({point.value})"
        missing = [part for part in self._parts if not hasattr(plugin, part)]
        if isinstance(plugin, type):
            raise PluginError(f"{origin} is a class; the entry point must name an instance of it")
        if missing:
            raise PluginError(f"{origin} is no {self._kind}: it has no {', '.join(missing)}")
        called = getattr(plugin, "name", None)
        if called != point.name:
            raise PluginError(f"{origin} calls itself {called!r}; both names must be the same")

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches

        known = list(self)
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        if near:
            return f"no {self._kind} {name!r} is installed; did you mean {near[0]!r}?"
        listed = ", ".join(known) or "none"
        return f"no {self._kind} {name!r} is installed; installed: {listed}"


@cache
def backends() -> Mapping[str, Backend]:
    """The installed backends; what is installed does not change while hive runs."""
    return Plugins[Backend](BACKENDS, "backend", _BACKEND_PARTS)


@cache
def backend_kinds() -> Mapping[str, BackendKind]:
    """What makes backends of an operator's descriptions."""
    return Plugins[BackendKind](BACKEND_KINDS, "kind of backend", _KIND_PARTS)


@cache
def guardrails() -> Mapping[str, Guardrail]:
    """The installed guardrails."""
    return Plugins[Guardrail](GUARDRAILS, "guardrail", _GUARDRAIL_PARTS)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
