"""Real places on this machine, for tests; each skips in one line where the machine does not allow it."""

from __future__ import annotations

import os
from functools import cache

import pytest

from hive.facts.isolation import IsolationMode
from hive.shells.isolation.probing import fault_of

AGENT_UID = 64321
"""Nobody's on any machine that runs these tests."""


@cache
def fault(mode: IsolationMode) -> str:
    return fault_of(mode, AGENT_UID)


def need(mode: IsolationMode) -> None:
    """Skip the test where places of this kind cannot be made here."""
    if found := fault(mode):
        pytest.skip(f"no isolation '{mode}' here: {found}")


def need_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("this takes root")
