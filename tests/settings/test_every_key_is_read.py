"""A configuration has no key that nothing reads."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pydantic import BaseModel

import hive
from hive.contracts.command import CommandDefinition, ScreenRule, TranscriptRule, UsageRule
from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.merge_gate import MergePolicy, RequiredCheck
from hive.decisions.triage import Kind, Lane, TriagePolicy
from hive.facts.agents import AgentSpec
from hive.facts.alternatives import Alternative
from hive.settings import command_backends, fallback_model, fleet_model, hive_file, policies, triage_section
from hive.settings.fleet import FleetSettings, MemberSettings
from hive.settings.github import GithubSettings
from hive.settings.settings import GatewayOptions, RepositorySettings, Settings

ROOT = Path(hive.__file__).parent
BACKENDS = ROOT.parent / "backends"

MODELS: dict[type[BaseModel], type] = {
    hive_file.HiveFile: Settings,
    hive_file.GithubModel: GithubSettings,
    hive_file.RepositoryModel: RepositorySettings,
    hive_file.AgentModel: AgentSpec,
    fallback_model.FallbackModel: Alternative,
    hive_file.GatewayModel: GatewayOptions,
    hive_file.MergeModel: MergePolicy,
    hive_file.LifecycleModel: LifecyclePolicy,
    command_backends.CommandModel: CommandDefinition,
    command_backends.ScreenRuleModel: ScreenRule,
    command_backends.TranscriptRuleModel: TranscriptRule,
    command_backends.UsageRuleModel: UsageRule,
    fleet_model.FleetModel: FleetSettings,
    fleet_model.MemberModel: MemberSettings,
    policies.RequiredCheckModel: RequiredCheck,
    triage_section.TriageModel: TriagePolicy,
    triage_section.KindModel: Kind,
    triage_section.RuleModel: Lane,
    policies.LaneModel: Lane,
}
"""Each section and what is made of it, attribute by attribute."""

MADE_INTO = {
    "roles": "table",
    "raise_": "table",
    "token": "credential",
    "token_file": "credential",
    "method": "merge_method",
    "count": "agents",
    "strict": "rejected",
    "fallback": "choices",
}
"""Keys that are used up in loading, and the attribute that what they say is read from."""


@cache
def attributes_read() -> frozenset[str]:
    """Names of attributes that code outside of the settings reads."""
    rooms = [room for room in ROOT.iterdir() if room.name not in ("settings", "standins")]
    files = [file for room in (*rooms, BACKENDS / "hive_backends") for file in room.rglob("*.py")]
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in files)
    return frozenset(
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    )


def keys() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Each key: its section, the attribute that it becomes, and the attributes that there are."""
    for model, made in MODELS.items():
        fields = frozenset(field.name for field in dataclasses.fields(made)) | frozenset(dir(made))
        for key in model.model_fields:
            yield model.__name__, MADE_INTO.get(key, key), fields


def test_every_key_becomes_an_attribute() -> None:
    everywhere = {*dir(Settings), *dir(GithubSettings), *dir(RepositorySettings)}
    assert [(where, name) for where, name, fields in keys() if name not in fields | everywhere] == []


def test_every_attribute_is_read_by_somebody() -> None:
    read = attributes_read()
    assert [name for _, name, _ in keys() if name not in read] == []
