"""Whatever stands in the file, the answer is a configuration or one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hive.errors import ConfigError
from hive.settings.check import check_document
from hive.settings.check_text import render
from hive.settings.hive_file import AgentModel, HiveFile
from hive.settings.loading import load_bytes
from tests.settings.conftest import ENVIRON, backends

GOOD: dict[str, Any] = {
    "level": "4",
    "github": {"token": "${GITHUB_TOKEN}", "api_url": "https://api.github.com"},
    "repositories": ["o/r", {"name": "o/low", "level": "2", "merge": {"settle": "1m"}}],
    "agents": [
        {"name": "a", "role": "scanner", "backend": "claude", "repos": ["o/r"], "lanes": ["bug"]},
        {"name": "b", "role": "quality", "backend": "goose", "command": ["goose"], "environment": {"K": "v"}},
    ],
    "roles": {"scanner": {"4": "advisory"}},
    "raise": {"outreach": {"5": {"mode": "holdgated", "why": "x"}}},
    "triage": {"lanes": {"bug": {"labels": ["bug"]}}, "trusted": ["OWNER"]},
    "merge": {"required": ["build", {"name": "test", "app": "actions"}], "protected_paths": ["infra/"]},
    "lifecycle": {"backoff": "5s", "attempts": "3"},
    "gateway": {"host": "127.0.0.1", "port": "0"},
}
KEYS = sorted({*HiveFile.model_fields, *AgentModel.model_fields, "raise", "token_file", "mode", "4", "x"})
SCALARS = st.one_of(
    st.none(),
    st.text(max_size=8),
    st.sampled_from(
        ["1", "-1", "true", "5m", "0s", "9999999d", "-", "full", "o/r", "${GITHUB_TOKEN}", "${X}", "$${"]
    ),
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=3),
    ),
    max_leaves=6,
)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A good file with one place in it replaced, taken out or added to."""
    whole: Any = json.loads(json.dumps(GOOD))
    part = whole
    while True:
        place = draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
        inner = part[place]
        if isinstance(inner, dict | list) and inner and draw(st.booleans()):
            part = inner
            continue
        break
    match draw(st.sampled_from(["replace", "remove", "add"])):
        case "replace":
            part[place] = draw(JUNK)
        case "remove":
            del part[place]
        case _ if isinstance(part, dict):
            part[draw(st.sampled_from(KEYS))] = draw(JUNK)
        case _:
            part.append(draw(JUNK))
    return whole


@settings(max_examples=150, deadline=None)
@given(damaged())
def test_a_damaged_file_is_answered_with_one_line_that_names_it(content: Any) -> None:
    data = json.dumps(content, indent=1).encode()
    try:
        read = load_bytes(data, Path("/nowhere/hive.yaml"), environ=ENVIRON, backends=backends())
    except ConfigError as error:
        said = str(error)
    else:
        said = "".join(one.message for one in read.rejected)
        assert render(check_document(read))
    assert "\n" not in said
    assert "ghp_" not in said
    assert not said or said.startswith("/nowhere/hive.yaml")
