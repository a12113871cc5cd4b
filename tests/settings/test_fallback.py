"""`fallback`: what an agent runs on while its account is limited."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.facts.alternatives import Alternative
from hive.settings import check, check_text
from tests.settings.test_models import fault, loaded


def test_an_agent_has_its_own_choice_first_and_each_fallback_with_the_provider_of_its_backend(
    tmp_path: Path,
) -> None:
    (agent,) = loaded(
        tmp_path, backend="scripted, fallback: [{backend: claude, model: haiku}, {backend: copilot}]"
    ).agents
    assert agent.choices == (
        Alternative("scripted"),
        Alternative("claude", "haiku", "claude-team", "claude-team"),
        Alternative("copilot"),
    )
    assert (agent.choice, agent.backend) == (0, "scripted")
    taken = agent.taking(1)
    assert (taken.backend, taken.model, taken.provider, taken.shares) == (
        "claude",
        "haiku",
        "claude-team",
        "claude-team",
    )
    assert taken.taking(0) == agent


def test_another_model_of_the_same_account_has_its_limits_counted_apart(tmp_path: Path) -> None:
    (agent,) = loaded(tmp_path, backend="claude, fallback: [{backend: claude, model: haiku}]").agents
    assert [one.shares for one in agent.choices] == ["claude-team", "claude-team/haiku"]


def test_without_fallback_there_is_no_choice(tmp_path: Path) -> None:
    (agent,) = loaded(tmp_path).agents
    assert agent.choices == ()


@pytest.mark.parametrize(
    ("fallback", "said"),
    [
        (
            "[{backend: claud}]",
            "fallback[0].backend: unknown backend 'claud'; did you mean 'claude'?",
        ),
        (
            "[{backend: claude, provider: team}]",
            "agents[0].fallback[0].provider: unknown provider 'team'",
        ),
        (
            "[{backend: scripted, command: [claude]}]",
            "agents[0].fallback[0].command: backend is 'scripted', but command starts 'claude'",
        ),
        (
            "[{backend: copilot}, {backend: copilot}]",
            "fallback[1]: this is the same as one before it",
        ),
        ("[{backend: claude}]", "agents[0].fallback[0]: this is the same as one before it"),
        ("[{backend: copilot, modle: x}]", "did you mean 'model'?"),
    ],
)
def test_a_wrong_fallback_is_named_with_its_place(tmp_path: Path, fallback: str, said: str) -> None:
    assert said in fault(tmp_path, backend=f"claude, fallback: {fallback}")


def test_check_names_what_agents_fall_back_on(tmp_path: Path) -> None:
    document = check.check_document(
        loaded(tmp_path, backend="claude, fallback: [{backend: copilot, model: small}]")
    )
    assert document["agents"][0]["fallback"] == ["copilot (small)"]
    assert "Fall back while limited:\n  a: copilot (small)\n" in check_text.render(document)
