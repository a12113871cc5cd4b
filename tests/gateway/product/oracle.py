"""The tables of autonomy as people read them, kept apart from the data and code that hive decides by.

They are written down a second time on purpose: a change of `config/acmm.yaml` alone fails here.
"""

from __future__ import annotations

from enum import Enum

_MODES = """
| role                  | L1       | L2       | L3        | L4        | L5        | L6       |
| supervisor            | –        | advisory | advisory  | advisory  | advisory  | advisory |
| guide                 | advisory | advisory | advisory  | measured  | holdgated | full     |
| brainstorm            | advisory | advisory | advisory  | advisory  | advisory  | advisory |
| scanner               | –        | advisory | advisory  | measured  | holdgated | full     |
| quality               | –        | advisory | holdgated | holdgated | holdgated | full     |
| ci-maintainer         | –        | –        | advisory  | holdgated | holdgated | full     |
| sec-check             | –        | –        | –         | holdgated | holdgated | full     |
| architect, strategist | –        | –        | –         | –         | holdgated | full     |
| outreach              | –        | –        | –         | –         | –         | full     |
| gardener              | –        | advisory | advisory  | measured  | holdgated | full     |
"""
"""`gardener` stands for any other role."""

_CAPABILITIES = """
| capability                                          | advisory | measured | holdgated | full |
| read, record-finding                                | yes      | yes      | yes       | yes  |
| file-issue, comment, label-own, close-own           | no       | yes      | yes       | yes  |
| push-own-branch                                     | no       | no       | yes       | yes  |
| open-pr, update-own-pr                              | no       | no       | held      | yes  |
| review-comment, request-changes                     | no       | no       | yes       | yes  |
| approve                                             | no       | no       | no        | yes  |
| request-merge                                       | no       | no       | no        | yes  |
"""


class Outcome(Enum):
    """What has to become of a request at the forge."""

    DONE = "yes"
    HELD = "held"
    """Done, with hive's hold on the pull request."""
    REFUSED = "no"


def _rows(table: str) -> tuple[list[str], dict[str, list[str]]]:
    lines = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.strip().splitlines()]
    named = {name.strip(): row[1:] for row in lines[1:] for name in row[0].split(",")}
    return lines[0][1:], named


_LEVELS, _BY_ROLE = _rows(_MODES)
_COLUMNS, _BY_CAPABILITY = _rows(_CAPABILITIES)

ROLES = tuple(_BY_ROLE)
CAPABILITIES = tuple(_BY_CAPABILITY)
MODES = tuple(_COLUMNS)


def mode(level: int, role: str) -> str | None:
    """The mode of `role`; `None` where it is not started."""
    word = _BY_ROLE[role][level - 1]
    return None if word == "–" else word


def expected(level: int, role: str, capability: str) -> Outcome:
    """What becomes of a request that needs `capability`; what is none of them is never allowed."""
    granted = mode(level, role)
    if granted is None or capability not in _BY_CAPABILITY:
        return Outcome.REFUSED
    return Outcome(_BY_CAPABILITY[capability][_COLUMNS.index(granted)])


def pairs() -> list[tuple[int, str]]:
    """Every level with every role."""
    return [(level, role) for level in range(1, 7) for role in ROLES]


def one_of_each_mode() -> list[tuple[int, str, str]]:
    """For each mode, and for no mode, a level and a role that have it, and how it is called."""
    found: dict[str, tuple[int, str, str]] = {}
    for level, role in pairs():
        name = mode(level, role) or "not started"
        found.setdefault(name, (level, role, name))
    return list(found.values())
