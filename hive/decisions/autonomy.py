"""What an agent may do: level and role give a mode, and the mode rules on each action.

The one place that decides it. The gateway asks here about an agent's requests, the daemon about hive's
own intents, and `hive acmm decide` about whatever an operator types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive.decisions.spelling import near_miss
from hive.errors import ConfigError
from hive.facts.autonomy import AcmmLevel, Action, Mode
from hive.facts.verdicts import Ruling, Verdict

ANY_OTHER = "any other"
"""How the row for roles that the table does not name is called in `hive acmm table`."""


@dataclass(frozen=True, slots=True)
class AutonomyTable:
    """The tables of `config/acmm.yaml`, complete: every level, every mode, every action.

    Attributes:
        roles: Role to its mode at L1 to L6; `None` where the role is not started.
        other: The same for every role not named in `roles`.
        rulings: Action to its ruling in each mode; the actions of `never` are not in it.
        never: Actions denied at any level.
    """

    roles: Mapping[str, tuple[Mode | None, ...]]
    other: tuple[Mode | None, ...]
    rulings: Mapping[Action, Mapping[Mode, Ruling]]
    never: frozenset[Action]


@dataclass(frozen=True, slots=True)
class Ruled:
    """A verdict and the mode that it was given in (`None`: the role is not started)."""

    verdict: Verdict
    mode: Mode | None


@dataclass(frozen=True, slots=True)
class Rights:
    """What a mode permits, in the words of the table and in its order; what is in none of the three is denied
    at any level."""

    mode: Mode
    may: tuple[Action, ...] = ()
    held: tuple[Action, ...] = ()
    denied: tuple[Action, ...] = ()


def rights(table: AutonomyTable, mode: Mode) -> Rights:
    """What `rule` answers in `mode` about each action that any mode grants; guardrails may refuse more."""

    def those(ruling: Ruling) -> tuple[Action, ...]:
        return tuple(action for action, by_mode in table.rulings.items() if by_mode[mode] is ruling)

    return Rights(mode, those(Ruling.ALLOW), those(Ruling.HOLD), those(Ruling.DENY))


def effective_level(
    hive: AcmmLevel, repo: AcmmLevel | None = None, agent: AcmmLevel | None = None
) -> AcmmLevel:
    """Return the lowest of the hive's, the repository's and the agent's level; `None` sets none."""
    return min(level for level in (hive, repo, agent) if level is not None)


def check_role(table: AutonomyTable, role: str) -> str:
    """Return `role` when it is one of the table's or a word of its own.

    Raises `ConfigError` for an empty word and for a near miss of a known role: a misspelt `sec-check`
    would otherwise get the modes of "any other" role, which are higher.
    """
    if not role.strip():
        raise ConfigError("a role is a word, and this one is empty")
    meant = near_miss(role, table.roles)
    if meant is not None:
        raise ConfigError(f"unknown role '{role}'; did you mean '{meant}'?")
    return role


def mode(table: AutonomyTable, level: AcmmLevel, role: str, cap: Mode | None = None) -> Mode | None:
    """Return the mode of `role` at `level`, lowered to `cap`; `None` where the role is not started.

    Raises `ConfigError` as `check_role` does.
    """
    row = table.roles.get(check_role(table, role), table.other)
    granted = row[level - 1]
    if granted is None or cap is None:
        return granted
    return min(granted, cap, key=lambda each: each.rank)


def rule(
    table: AutonomyTable, level: AcmmLevel, role: str, action: Action, *, cap: Mode | None = None
) -> Ruled:
    """Rule on one action of an agent with `role` at the effective `level`.

    Raises `ConfigError` as `check_role` does.
    """
    granted = mode(table, level, role, cap)
    if action in table.never:
        verdict = Verdict(Ruling.DENY, f"acmm.never.{action}", f"{action} is never allowed, at any level")
    elif granted is None:
        because = f"role {role} is not started at L{level} ({level.label})"
        verdict = Verdict(Ruling.DENY, "acmm.not-started", because)
    else:
        ruling = table.rulings[action][granted]
        where = f"role {role} at L{level} ({level.label}) is {granted}"
        verdict = Verdict(ruling, f"acmm.{granted}.{action}", f"{where}, which {_says(ruling, action)}")
    return Ruled(verdict, granted)


def _says(ruling: Ruling, action: Action) -> str:
    match ruling:
        case Ruling.ALLOW:
            return f"grants {action}"
        case Ruling.HOLD:
            return f"grants {action} with hive's hold put on in the same step; a person releases it"
        case Ruling.DENY:
            return f"does not grant {action}"
