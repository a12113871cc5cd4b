"""What an issue waits for: as the forge links it, and as its text says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hive.decisions.triage.references import named_blockers
from hive.decisions.triage.rings import rings
from hive.facts.forge import Issue


@dataclass(frozen=True, slots=True)
class Blocking:
    """What stands in the way of one issue.

    Attributes:
        ring: Issues that block each other, it among them: ``#3``, and ``o/r#3`` of another repository.
        linked: Numbers of open issues, as the forge links them; those of the ring left out.
        named: What its text names besides: ``#3``, ``o/r#3``.
        unwatched: What its text names of repositories that hive does not watch: no obstacle.
    """

    ring: tuple[str, ...] = ()
    linked: tuple[int, ...] = ()
    named: tuple[str, ...] = ()
    unwatched: tuple[str, ...] = ()


FREE = Blocking()


def blocking(
    issues: Iterable[Issue],
    named: Mapping[int, tuple[str, ...]],
    elsewhere: Mapping[str, bool],
    across: Mapping[int, tuple[str, ...]],
) -> dict[int, Blocking]:
    """By number, what blocks those of `issues` that something blocks or may block.

    `named` has by number what the text says (`names_of`); `elsewhere` says of what it names and is none of
    `issues` whether it is open. What is not in it is closed, or not watched where it is another
    repository's. `across` has the rings that lead through other repositories (`rings_across`).
    """
    given = {issue.number: issue for issue in issues}
    edges = {
        number: (*issue.blocked_by, *_own(named.get(number, ()), given)) for number, issue in given.items()
    }
    ringed = rings(edges)
    found = {}
    for number, issue in given.items():
        inner = set(ringed.get(number, ()))
        ring = across.get(number) or tuple(f"#{one}" for one in sorted(inner))
        inner |= {int(one[1:]) for one in ring if one.startswith("#")}
        linked = tuple(sorted({one for one in issue.blocked_by if one in given} - inner))
        said = named.get(number, ())
        if ring or linked or said:
            own = [one for one in _own(said, given) if one not in inner and one not in linked]
            others = tuple(key for key in said if elsewhere.get(key) and key not in ring)
            unwatched = tuple(key for key in said if not key.startswith("#") and key not in elsewhere)
            found[number] = Blocking(ring, linked, (*(f"#{one}" for one in own), *others), unwatched)
    return found


def names_of(issues: Iterable[Issue]) -> dict[int, tuple[str, ...]]:
    """What the text of each names as its blockers; those that name none are left out."""
    return {issue.number: named for issue in issues if (named := named_blockers(issue))}


def _own(named: tuple[str, ...], given: Mapping[int, Issue]) -> tuple[int, ...]:
    numbers = (int(key[1:]) for key in named if key.startswith("#"))
    return tuple(number for number in numbers if number in given)
