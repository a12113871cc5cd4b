"""`hive place -f FILE…`: what policies bind, where sandboxes go, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from hive import assets
from hive.decisions.counting import counted
from hive.decisions.one_line import one_line
from hive.decisions.placement import MOST, Fresh, Placement, PolicyBinding, place
from hive.facts.fleet import Modulation, Problem
from hive.surfaces.place_reading import read_fleet
from hive.surfaces.shapes import Answer

STALE_AFTER = timedelta(minutes=5)
"""How old an observation may be, where nobody says otherwise."""


class ModulationAnswer(Answer):
    """How an object is sent, in KubeStellar's words."""

    create_only: bool = Field(serialization_alias="createOnly")
    status_collectors: list[str] = Field(serialization_alias="statusCollectors")
    singleton: bool = Field(serialization_alias="wantSingletonReportedState")
    multi: bool = Field(serialization_alias="wantMultiWECReportedState")


class BindingAnswer(Answer):
    policy: str
    clusters: list[str]
    objects: list[str]
    modulation: dict[str, ModulationAnswer]


class PlacementAnswer(Answer):
    """`cluster` and `node` are null where there is no place; `why` has the nearest misses first."""

    request: str
    cluster: str | None
    node: str | None
    why: dict[str, str]


class ProblemAnswer(Answer):
    object: str
    message: str


class PlaceAnswer(Answer):
    """The output of `hive place`: each list in plain string order of what names its entries."""

    bindings: list[BindingAnswer]
    placements: list[PlacementAnswer]
    problems: list[ProblemAnswer]


def place_documents(
    inputs: Sequence[tuple[bytes, str]],
    *,
    now: datetime,
    stale_after: timedelta = STALE_AFTER,
    why_all: bool = False,
) -> tuple[dict[str, Any], int]:
    """Decide on all documents of `inputs` (bytes, and how to call them in messages).

    Returns the answer and the exit code: 0, or 1 where a request has no place or something is wrong with
    an object. Raises `ConfigError` for bad input.
    """
    fleet, unreadable = read_fleet(inputs)
    decided = place(
        fleet, Fresh(now, stale_after), templates=templates(), most_reasons=None if why_all else MOST
    )
    problems = sorted({*decided.problems, *unreadable}, key=lambda one: (one.object, one.message))
    answer = PlaceAnswer(
        bindings=[_binding(each) for each in decided.bindings],
        placements=[_placement(each) for each in decided.placements],
        problems=[_problem(each) for each in problems],
    )
    is_whole = not problems and all(each.cluster is not None for each in decided.placements)
    return answer.model_dump(mode="json", by_alias=True), 0 if is_whole else 1


def templates() -> tuple[str, ...]:
    """The names of the sandbox templates that hive ships."""
    return tuple(name.removesuffix(".yaml") for name in assets.names("sandbox-templates", ".yaml"))


def render_place(answer: dict[str, Any]) -> str:
    """The same facts for a person."""
    return "\n".join(_lines(answer)) or "nothing to place"


def _lines(answer: dict[str, Any]) -> Iterator[str]:
    for each in answer["bindings"]:
        where = ", ".join(each["clusters"]) or "no cluster"
        count = counted(len(each["objects"]), "object")
        yield f"policy {one_line(each['policy'])} binds {count} to {one_line(where)}"
        for name in each["objects"]:
            yield f"  {one_line(name)}{_marks(each['modulation'][name])}"
    for each in answer["placements"]:
        place = f"{each['cluster']}, node {each['node']}" if each["cluster"] is not None else "no place"
        yield f"request {one_line(each['request'])}: {one_line(place)}"
        width = max((len(name) for name in each["why"]), default=0)
        for name, reason in each["why"].items():
            yield f"  {one_line(name).ljust(min(width, 40))}  {one_line(reason)}"
    for each in answer["problems"]:
        yield f"problem {one_line(each['object'])}: {one_line(each['message'])}"


def _marks(modulation: dict[str, Any]) -> str:
    """What of a modulation is not as usual."""
    collectors = modulation["statusCollectors"]
    words = [name for name, value in modulation.items() if value is True]
    words += [f"statusCollectors: {', '.join(collectors)}"] if collectors else []
    return f" ({one_line('; '.join(words))})" if words else ""


def _binding(binding: PolicyBinding) -> BindingAnswer:
    return BindingAnswer(
        policy=binding.policy,
        clusters=list(binding.clusters),
        objects=[name for name, _ in binding.objects],
        modulation={name: _modulation(each) for name, each in binding.objects},
    )


def _modulation(modulation: Modulation) -> ModulationAnswer:
    return ModulationAnswer(
        create_only=modulation.create_only,
        status_collectors=sorted(modulation.status_collectors),
        singleton=modulation.wants_singleton_status,
        multi=modulation.wants_multi_cluster_status,
    )


def _placement(placement: Placement) -> PlacementAnswer:
    return PlacementAnswer(
        request=placement.request,
        cluster=placement.cluster,
        node=placement.node,
        why=dict(placement.why),
    )


def _problem(problem: Problem) -> ProblemAnswer:
    return ProblemAnswer(object=problem.object, message=problem.message)
