"""`logins`: subscriptions' files, each for one agent alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from hive.contracts.backend import Backend, BackendTraits
from hive.errors import ConfigError
from hive.kernel.plugins import backends as installed
from hive.settings.check import check_document
from hive.settings.loading import load
from hive.settings.settings import Settings
from tests.settings.conftest import ENVIRON, Program

TEXT = """\
github: {token: "${GITHUB_TOKEN}"}
repositories: [o/r]
MORE
agents:
  - {name: a, role: quality, backend: claude}
  - {name: b, role: quality, backend: claude}
  - {name: c, role: quality, backend: codex}
  - {name: d, role: quality, backend: goose}
"""


def backends() -> Mapping[str, Backend]:
    return {
        name: cast(
            Backend, Program(name, replace(BackendTraits((name,)), login=installed()[name].traits.login))
        )
        for name in ("claude", "codex", "goose")
    }


def claude(refresh: str = "r1", **more: object) -> dict[str, object]:
    return {"claudeAiOauth": {"accessToken": "a1", "refreshToken": refresh, "expiresAt": 1}, **more}


def login(folder: Path, name: str, content: object, mode: int = 0o600) -> None:
    (folder / name).write_text(json.dumps(content))
    (folder / name).chmod(mode)


def loaded(folder: Path, logins: str) -> Settings:
    path = folder / "hive.yaml"
    path.write_text(TEXT.replace("MORE", f"logins: {logins}" if logins else ""))
    return load(path, environ=ENVIRON, backends=backends())


def fault(folder: Path, logins: str) -> str:
    with pytest.raises(ConfigError) as raised:
        loaded(folder, logins)
    return str(raised.value).removeprefix(f"{folder}/hive.yaml:").replace(str(folder), "")


def test_an_agent_has_the_login_that_names_it_or_its_backend(tmp_path: Path) -> None:
    login(tmp_path, "one.json", claude())
    tokens = {"access_token": "x", "refresh_token": "y", "account_id": "acc"}
    login(tmp_path, "codex.json", {"tokens": tokens})
    settings = loaded(tmp_path, "{a: one.json, codex: codex.json}")
    assert {name: (one.file, one.backend) for name, one in settings.logins.items()} == {
        "a": (tmp_path / "one.json", "claude"),
        "c": (tmp_path / "codex.json", "codex"),
    }
    assert [(one["name"], one["login"]) for one in check_document(settings)["agents"]] == [
        ("a", True),
        ("b", False),
        ("c", True),
        ("d", False),
    ]


def test_two_agents_never_have_one_login(tmp_path: Path) -> None:
    login(tmp_path, "one.json", claude())
    login(tmp_path, "copy.json", claude(organizationUuid="o"))
    said = (
        "3: logins.b: this is the login that a has: two that refresh it log each other out; log in once more "
        "for the second"
    )
    assert fault(tmp_path, "{a: one.json, b: copy.json}") == said
    assert fault(tmp_path, "{a: one.json, b: one.json}") == said
    assert fault(tmp_path, "{claude: one.json}") == (
        "3: logins.claude: one login is for one agent, and 'claude' is the backend of 2 (a, b): two that "
        "refresh it log each other out; name the agent, and give the others logins of their own"
    )
    login(tmp_path, "two.json", claude("r2") | {"claudeAiOauth": {"accessToken": "a2", "refreshToken": "r2"}})
    assert sorted(loaded(tmp_path, "{a: one.json, claude: two.json}").logins) == ["a", "b"]


@pytest.mark.parametrize(
    ("logins", "said"),
    [
        ("{aa: one.json}", "'aa' is no agent and no backend; did you mean 'a'?"),
        ("{d: one.json}", "hive knows no file with a login of 'goose'"),
        ("{a: none.json}", "/none.json: it cannot be read: No such file or directory"),
        ("{a: open.json}", "/open.json: others may read this login; chmod 600 /open.json"),
        (
            "{a: empty.json}",
            "/empty.json: it has no claudeAiOauth.accessToken; log in with the program first",
        ),
        ("{a: broken.json}", "/broken.json: it is no JSON"),
        ("{a: large.json}", "/large.json: it is larger than 65536 bytes"),
        ("{a: .}", ": it cannot be read: Is a directory"),
    ],
)
def test_what_is_no_login_of_the_agents_program_is_one_line(tmp_path: Path, logins: str, said: str) -> None:
    login(tmp_path, "one.json", claude())
    login(tmp_path, "open.json", claude(), 0o644)
    login(tmp_path, "empty.json", {})
    login(tmp_path, "large.json", claude(filler="x" * 70_000))
    (tmp_path / "broken.json").write_text('{"claudeAiOauth": "secret')
    (tmp_path / "broken.json").chmod(0o600)
    key = logins[1:].partition(":")[0]
    assert fault(tmp_path, logins) == f"3: logins.{key}: {said}"


def test_an_agent_with_a_provider_needs_no_login(tmp_path: Path) -> None:
    login(tmp_path, "one.json", claude())
    made = {
        name: cast(Backend, replace(cast(Program, one), traits=installed()[name].traits))
        for name, one in backends().items()
    }
    path = tmp_path / "hive.yaml"
    more = "models: {p: {dialect: anthropic, key: '${ANTHROPIC_API_KEY}', backends: [claude]}}\n"
    path.write_text(TEXT.replace("MORE", f"{more}logins: {{a: one.json}}"))
    with pytest.raises(ConfigError, match="a has the provider 'p' already; keep one of the two"):
        load(path, environ=ENVIRON, backends=made)
