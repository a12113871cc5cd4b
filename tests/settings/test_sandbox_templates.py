"""Template files: strict, tried when they are read, and told about with their line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hive import documents
from hive.errors import ConfigError
from hive.settings.manifest_text import typed
from hive.settings.sandbox_templates import load_templates, read_template
from tests.decisions.sandbox.templates import SMALL


def complaint(old: str, new: str, *, source: str = "own/small.yaml") -> str:
    """What is said of the small template with `old` replaced by `new`."""
    assert old in SMALL
    with pytest.raises(ConfigError) as raised:
        read_template(SMALL.replace(old, new, 1).encode(), source)
    return str(raised.value)


def test_the_shipped_templates_are_sound() -> None:
    assert sorted(load_templates()) == ["cpu", "gpu"]


def test_an_operators_own_template_stands_beside_and_over_the_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL)
    (tmp_path / "cpu.yaml").write_text(SMALL.replace("name: small", "name: cpu", 1))
    (tmp_path / "notes.txt").write_text("no template")
    found = load_templates(tmp_path)
    assert sorted(found) == ["cpu", "gpu", "small"]
    assert found["cpu"].source == str(tmp_path / "cpu.yaml")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match="none: the folder of sandbox templates cannot be read: No such file"
    ):
        load_templates(tmp_path / "none")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "description: A pod.",
            "descripton: A pod.",
            ":2: unknown key 'descripton'; did you mean 'description'?",
        ),
        ("name: small", "name: other", ":1: name: 'other' is not the file's own name; write small"),
        ("type: quantity", "type: quantty", ":5: parameters.disk.type: one of "),
        ("default: 1Gi", "default: 3Gi", ":5: parameters.disk: default: 3Gi is too much; at most 2Gi"),
        ("maximum: 2Gi", "maximum: 2Gx", ":5: parameters.disk: maximum: '2Gx' is no quantity"),
        (
            "type: boolean,",
            "type: boolean, minimum: a,",
            ":7: parameters.loud: only a quantity or an integer has",
        ),
        (
            "type: boolean,",
            "type: boolean, required: true,",
            ":7: parameters.loud: what has a default is never",
        ),
        ("values: [a, b], ", "", ":8: parameters.kind: an enum has values, and nothing else has"),
        ("[a-z ]+", "[a-z", ":9: parameters.note.pattern: '[a-z' is no regular expression"),
        (
            "{parameter: disk}",
            "{parameter: dusk}",
            ":5: sandbox template 'small': parameter 'disk' is used by no",
        ),
        (
            "image: {parameter: image}",
            "image: x",
            ":4: sandbox template 'small': parameter 'image' is used by no",
        ),
        (
            "{given: name}",
            "{given: nme}",
            ":13: sandbox template 'small': there is no given value 'nme'; there are:",
        ),
        (
            "{given: name}",
            "{given: name}, namespace: x",
            ":13: sandbox template 'small': metadata.namespace is hive's",
        ),
        (
            "metadata: {name: {given: name}, annotations",
            "metadata: {annotations",
            ":11: sandbox template 'small': the object has no metadata.name",
        ),
        (
            "kind: Deployment",
            "kind: StatefulSet",
            ":10: sandbox template 'small': there has to be one Deployment",
        ),
        ("replicas: 1", "replicas: 2", ":10: sandbox template 'small': of an agent there is one copy"),
        (
            "type: Recreate",
            "type: RollingUpdate",
            ":10: sandbox template 'small': of an agent there is one copy",
        ),
        (
            "        metadata: {labels: {given: labels}}\n",
            "",
            ":10: sandbox template 'small': the pod's metadata",
        ),
        (
            "automountServiceAccountToken: false",
            "nodeName: x",
            ":10: sandbox template 'small': the pod's spec needs",
        ),
        (
            "{parameter: loud}\n                  then",
            "{loud: x}\n                  then",
            ":27: sandbox template 'small': when: write",
        ),
        ("replicas: 1", "1: x", ":15: the key '1' is not text; write it in quotes"),
        ("replicas: 1", "replicas: .inf", ":10: sandbox template 'small': of an agent there is one copy"),
    ],
)
def test_a_mistake_is_told_with_its_line(old: str, new: str, said: str) -> None:
    assert complaint(old, new).startswith(f"own/small.yaml{said}")


def test_every_branch_is_tried_when_a_template_is_read() -> None:
    assert "there is no parameter 'nope'" in complaint("then: --b", "then: {parameter: nope}")


def test_a_manifests_plain_scalars_are_kubernetes_own() -> None:
    text = "a: [1, -2, 1.5, true, no, on, 'yes', \"1\", 0440, 1_000, 1:30, ~, null, 1e3, <<]\nb: {<<: x}\n"
    assert typed(documents.read(text.encode(), "t")) == {
        "a": [1, -2, 1.5, True, "no", "on", "yes", "1", "0440", "1_000", "1:30", None, None, "1e3", "<<"],
        "b": {"<<": "x"},
    }


def test_a_file_larger_than_any_template_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big.yaml").write_text("# " + "x" * 300_000)
    with pytest.raises(ConfigError, match=re.escape("big.yaml: the input is larger than 256 KiB")):
        load_templates(tmp_path)
