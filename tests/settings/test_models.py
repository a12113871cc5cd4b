"""`models`: keys that hive holds, and which agent asks which provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from hive.contracts.backend import Backend, BackendTraits
from hive.errors import ConfigError
from hive.facts.models import Dialect
from hive.settings import check
from hive.settings.loading import load
from hive.settings.settings import Settings
from tests.settings.conftest import ENVIRON, Program

KEY = "sk-ant-api03-0123456789"
BACKENDS = {
    "claude": {Dialect.ANTHROPIC: "ANTHROPIC_API_KEY"},
    "copilot": {Dialect.OPENAI: "COPILOT_KEY", Dialect.ANTHROPIC: "COPILOT_KEY"},
    "scripted": {},
}
TEXT = """\
github: {token: "${GITHUB_TOKEN}"}
repositories: [o/r]
models:
  claude-team: {dialect: anthropic, key: "${KEY}", backends: [claude]}
MORE
agents:
  - {name: a, role: quality, backend: BACKEND}
"""


def backends() -> Mapping[str, Backend]:
    return {
        name: cast(Backend, Program(name, replace(BackendTraits((name,)), model_keys=keys)))
        for name, keys in BACKENDS.items()
    }


def loaded(folder: Path, more: str = "", backend: str = "claude") -> Settings:
    path = folder / "hive.yaml"
    path.write_text(TEXT.replace("MORE", more).replace("BACKEND", backend))
    path.chmod(0o600)
    return load(path, environ={**ENVIRON, "KEY": KEY}, backends=backends())


def fault(folder: Path, more: str = "", backend: str = "claude") -> str:
    with pytest.raises(ConfigError) as raised:
        loaded(folder, more, backend)
    return str(raised.value).removeprefix(f"{folder}/hive.yaml:")


def test_an_agent_has_the_provider_of_its_backend(tmp_path: Path) -> None:
    settings = loaded(tmp_path)
    assert [(spec.provider, spec.account) for spec in settings.agents] == [("claude-team", "claude-team")]
    provider = settings.models["claude-team"]
    assert (provider.base_url, provider.credential()) == ("https://api.anthropic.com", KEY)
    assert KEY not in repr(settings)
    assert [spec.provider for spec in loaded(tmp_path, backend="scripted").agents] == [""]


def test_an_agent_may_name_another_provider(tmp_path: Path) -> None:
    second = '  second: {dialect: anthropic, key: "${KEY}", backends: []}'
    settings = loaded(tmp_path, second, "claude, provider: second")
    assert [spec.provider for spec in settings.agents] == ["second"]


def test_check_says_who_asks_whom_and_no_key(tmp_path: Path) -> None:
    document = check.check_document(loaded(tmp_path))
    assert document["models"] == [
        {
            "name": "claude-team",
            "dialect": "anthropic",
            "base_url": "https://api.anthropic.com",
            "account": "claude-team",
            "credential": "key",
            "backends": ["claude"],
        }
    ]
    assert document["agents"][0]["provider"] == "claude-team"
    assert KEY not in str(document)


def test_a_key_file_is_read_anew_and_only_where_nobody_else_can(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-first-0123456789\n")
    file.chmod(0o600)
    more = "  second: {dialect: openai, key_file: key}"
    provider = loaded(tmp_path, more).models["second"]
    assert (provider.backends, provider.credential()) == (("copilot",), "sk-first-0123456789")
    file.write_text("sk-second-0123456789\n")
    assert provider.credential() == "sk-second-0123456789"
    file.chmod(0o644)
    assert "models.second.key_file" in fault(tmp_path, more)
    assert "others may read this key" in fault(tmp_path, more)


@pytest.mark.parametrize(
    ("more", "backend", "said"),
    [
        ("  x: {dialect: openai}", "claude", "models.x: there is no key; write key: ${NAME_OF_A_VARIABLE}"),
        ('  x: {dialect: openai, key: "${KEY}", key_file: k}', "claude", "key and key_file are both given"),
        (
            '  x: {dialect: anthropic, key: "${KEY}"}',
            "claude",
            "models.x: 'claude-team' is for the backend 'claude' already",
        ),
        (
            '  x: {dialect: gemini, key: "${KEY}", backends: [claude]}',
            "claude",
            "models.x.backends[0]: 'claude' is no backend that can be pointed at a provider of 'gemini'",
        ),
        ("", "claude, provider: claude-tema", "did you mean 'claude-team'?"),
        ("", "scripted, provider: claude-team", "'scripted' cannot be pointed at a provider of 'anthropic'"),
        ("", "claude, environment: {ANTHROPIC_API_KEY: x}", "hive itself sets ANTHROPIC_API_KEY"),
        ("", 'scripted, environment: {X: "${KEY}"}', "this is the key of the provider 'claude-team'"),
        ('  x: {dialect: openai, key: "${KEY}", base_url: "http://e.example/v1"}', "claude", "in the clear"),
        ('  "X Y": {dialect: openai, key: "${KEY}"}', "claude", "cannot name a provider"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_remedy(
    tmp_path: Path, more: str, backend: str, said: str
) -> None:
    assert said in fault(tmp_path, more, backend)
