"""The type of the intents that change something on the forge (`intents.ON_FORGE`)."""

from __future__ import annotations

from typing import TypeAlias

from hive.facts import intents as i

OnForge: TypeAlias = (
    i.HoldPullRequest
    | i.LiftHold
    | i.MergePullRequest
    | i.EnqueuePullRequest
    | i.DequeuePullRequest
    | i.DeleteBranch
    | i.OpenRevert
    | i.UpdateBranch
)
