"""Strict documents: what is read, and the one line that a mistake gets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.documents import Limits, read, read_all
from hive.documents.models import StrictModel
from hive.documents.values import Duration, Flag, Time, Whole
from hive.errors import ConfigError


class Agent(StrictModel):
    name: str
    tries: Whole | None = None
    patience: Duration | None = None


class Team(StrictModel):
    agents: list[Agent] = []
    by_name: dict[str, Agent] = {}
    strict: Flag = False
    since: Time | None = None


def complaint(text: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        read(text if isinstance(text, bytes) else text.encode(), "f.yaml").parse(Team)
    return str(caught.value)


@pytest.mark.parametrize("text", ["0123456", "1e9", "no", "3.10", "0x1F", "1_000", "12:30:00", "=", "<<"])
def test_text_is_taken_as_it_is_written(text: str) -> None:
    assert read(f"agents: [{{name: {text}}}]".encode(), "f").parse(Team).agents[0].name == text


@pytest.mark.parametrize("text", ["1e9", "3.10", "-0.0"])
def test_a_json_number_in_a_text_field_keeps_its_spelling(text: str) -> None:
    written = f'{{"agents": [{{"name": {text}}}]}}'
    assert read(written.encode(), "f").parse(Team).agents[0].name == text


@pytest.mark.parametrize("text", ["null", "~", ""])
def test_a_plain_null_is_none_and_a_quoted_one_is_text(text: str) -> None:
    assert read(f"agents: [{{name: x, tries: {text}}}]".encode(), "f").parse(Team).agents[0].tries is None
    assert read(f"agents: [{{name: '{text}'}}]".encode(), "f").parse(Team).agents[0].name == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("agents: []\nagnets: 1", "f.yaml:2: unknown key 'agnets'; did you mean 'agents'?"),
        ("agents:\n- name: x\n  naem: y", "f.yaml:3: unknown key 'naem' in agents[0]; did you mean 'name'?"),
        ("agents:\n- nmae: x", "f.yaml:2: unknown key 'nmae' in agents[0]; did you mean 'name'?"),
        ("agents:\n- tries: 1\n  nmae: x", "f.yaml:3: unknown key 'nmae' in agents[0]; did you mean 'name'?"),
        ("by_name: {k: {nam: 1}}", "f.yaml:1: unknown key 'nam' in by_name.k; did you mean 'name'?"),
        ("agents:\n- tries: 1", "f.yaml:2: the key 'name' is missing in agents[0]"),
        ("agents:\n- name: x\n  tries: lots", "f.yaml:3: agents[0].tries: 'lots' is no whole number"),
        ("agents: {}", "f.yaml:1: agents: a list is expected"),
        ("agents:\n- name: [x]", "f.yaml:2: agents[0].name: text is expected"),
        ("strict: yes", "f.yaml:1: strict: 'yes' is neither true nor false"),
        (
            "agents:\n- name: x\n  patience: 5x",
            "f.yaml:3: agents[0].patience: '5x' is no duration; write 90s, 5m, 4h or 2d",
        ),
        (
            "since: 2026-11-30T12:00:00",
            "f.yaml:1: since: '2026-11-30T12:00:00' is no time with zone; write it like 2026-11-30T12:00:00Z",
        ),
        ("agents: []\nagents: []", "f.yaml:2: the key 'agents' is given twice"),
        ('{"agents": [],\n "agents": []}', "f.yaml:2: the key 'agents' is given twice"),
        (
            "agents: !python/tuple []",
            "f.yaml:1: the tag '!python/tuple' is not allowed; write the plain value",
        ),
        ("agents: *gone", "f.yaml:1: the alias '*gone' names nothing that is complete before it"),
        ("[1, 2]", "f.yaml:1: a mapping of keys is expected here"),
        ("", "f.yaml: the document is empty"),
        (b"agents: []\nx: \xff", "f.yaml:2: this is not UTF-8 text; save it as UTF-8"),
        (
            "agents: []\n---\nagents: []",
            "f.yaml:2: there are several documents, one is expected; remove what follows the first '---'",
        ),
        ("a: b: c", "f.yaml:1: this is not valid YAML: mapping values are not allowed in this context"),
    ],
)
def test_a_mistake_gets_one_line_with_its_place_and_remedy(text: str | bytes, expected: str) -> None:
    assert complaint(text) == expected


def test_a_time_is_read_into_utc_whatever_its_zone() -> None:
    team = read(b"since: 2026-11-30T17:30:00+05:30", "f").parse(Team)
    assert team.since is not None
    assert team.since.isoformat() == "2026-11-30T12:00:00+00:00"


def test_an_alias_stands_for_what_it_names() -> None:
    team = read(b"agents:\n- &a {name: x}\n- *a", "f").parse(Team)
    assert [agent.name for agent in team.agents] == ["x", "x"]


def test_aliases_that_expand_without_end_are_refused_quickly() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
    )
    with pytest.raises(ConfigError, match=r"f:7: the input has more than 2000000 values"):
        read(bomb.encode(), "f")


@pytest.mark.parametrize("opening", ["[", "{a: ", '{"a":', "- "])
def test_nesting_without_end_is_refused(opening: str) -> None:
    with pytest.raises(ConfigError, match=r"^f(:\d+)?: the input is nested deeper than 64 levels$"):
        read((opening * 50_000).encode(), "f")


def test_an_input_that_is_too_large_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^f: the input is larger than 1 KiB$"):
        read(b"x" * 1025, "f", limits=Limits(size=1024))


def test_several_documents_are_read_where_they_are_allowed() -> None:
    assert [one.value for one in read_all(b"a: 1\n---\n---\nb: 2\n", "f")] == [{"a": "1"}, {"b": "2"}]


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read(b"\xef\xbb\xbfagents: []", "f").parse(Team).agents == []


def test_half_a_surrogate_pair_is_refused() -> None:
    assert "half of a surrogate pair" in complaint('{"agents": [{"name": "\\ud83d"}]}')


scalars = st.text() | st.none() | st.booleans() | st.integers()
trees = st.dictionaries(
    st.text(), st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)


def as_written(value: object) -> object:
    if isinstance(value, dict):
        return {key: as_written(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_written(inner) for inner in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None else str(value)


@given(trees)
def test_every_json_document_is_read_as_it_is_written(value: dict[str, object]) -> None:
    assert read(json.dumps(value, ensure_ascii=False).encode(), "f").value == as_written(value)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode()))
def test_no_input_causes_anything_but_a_value_or_a_complaint(data: bytes) -> None:
    try:
        read(data, "f")
    except ConfigError as error:
        assert "\n" not in str(error)
