"""Which isolation is taken, and whether agents start at all."""

from __future__ import annotations

from dataclasses import dataclass

from hive.facts.isolation import IsolationMode, IsolationOptions

_REMEDIES = {
    IsolationMode.UID: "run hive as root",
    IsolationMode.USERNS: "allow unprivileged user namespaces (sysctl user.max_user_namespaces, and "
    "kernel.apparmor_restrict_unprivileged_userns=0 where there is one)",
}
_AS_ROOT = (
    "hive runs as root, and in user namespaces its agents do too: what only root may read on this machine, "
    "they can, but for what hive finds below /etc, /var, /srv and /opt"
)
_NO_ROOT = (
    "set isolation.mode: uid, run hive as a user that owns nothing else, or set isolation.degrade: true to "
    "start them all the same"
)
_LAST = "run agents in pods (`sandbox`), or set isolation.degrade: true to run them as hive's own user"


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the machine allows: a fault for each thing that does not work, empty for one that does.

    Attributes:
        as_root: Whether hive's own user is the machine's root.
    """

    uid: str
    userns: str
    control_groups: str
    as_root: bool = False

    def fault(self, mode: IsolationMode) -> str:
        match mode:
            case IsolationMode.UID:
                return self.uid
            case IsolationMode.USERNS:
                return self.userns
            case IsolationMode.NONE:
                return ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Attributes:
    mode: None where agents are not to be started.
    because: What is missing of what was asked for; empty for nothing.
    remedy: Against that.
    limited: Whether limits are kept by control groups.
    """

    mode: IsolationMode | None
    because: str = ""
    remedy: str = ""
    limited: bool = True

    @property
    def is_degraded(self) -> bool:
        """Agents run, with less than was asked for."""
        return self.mode is not None and bool(self.because)


def choose(options: IsolationOptions, allowed: Allowed) -> Choice:
    """The strongest that works, or the one that is asked for; never less without the operator's word."""
    limited = not allowed.control_groups
    mode, missing, remedy = _mode(options, allowed)
    if mode is IsolationMode.USERNS and allowed.as_root:
        missing, remedy = [_AS_ROOT], _NO_ROOT
    if options.limits.need_control_groups and not limited:
        missing.append(f"no limits can be set: {allowed.control_groups}")
        remedy = remedy or "let hive make control groups (systemd: Delegate=yes), or remove the limits"
    because = "; ".join(missing)
    if missing and not options.degrade:
        return Choice(None, because, remedy, limited)
    return Choice(mode or IsolationMode.NONE, because, remedy, limited)


def _mode(options: IsolationOptions, allowed: Allowed) -> tuple[IsolationMode | None, list[str], str]:
    if options.mode is not None:
        fault = allowed.fault(options.mode)
        if not fault:
            return options.mode, [], ""
        said = f"isolation '{options.mode}' does not work here: {fault}"
        return None, [said], _REMEDIES[options.mode]
    for mode in _REMEDIES:
        if not allowed.fault(mode):
            return mode, [], ""
    faults = ", ".join(f"{mode}: {allowed.fault(mode)}" for mode in _REMEDIES)
    return None, [f"no isolation works here ({faults})"], _LAST
