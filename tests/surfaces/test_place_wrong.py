"""Bad input to `hive place`: what ends it (exit 2), and what is only that object's own problem."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from hive.errors import ConfigError
from hive.surfaces.place import place_documents
from tests.surfaces.fleet_documents import (
    ALL,
    DEPLOYMENT,
    EAST,
    FACTS,
    NOW,
    POLICY,
    REQUEST,
    place,
    problems,
    spoiled,
)

KINDS = {"request": REQUEST, "facts": FACTS, "policy": POLICY, "cluster": EAST, "workload": DEPLOYMENT}
CASES = yaml.load(Path(__file__).with_name("place_wrong.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)


def case_id(case: dict[str, str]) -> str:
    return f"{case['kind']}: {case['new'].strip()[:40]}"


def complaint(*texts: str) -> str:
    with pytest.raises(ConfigError) as caught:
        place(*texts)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize("case", CASES["text"], ids=case_id)
def test_wrong_text_ends_it_with_the_line_and_the_remedy(case: dict[str, str]) -> None:
    found = complaint(spoiled(KINDS[case["kind"]], case["old"], case["new"]))
    assert found.startswith(f"fleet.yaml:{case['message']}")


@pytest.mark.parametrize("text", ["- a\n- b\n", "[]\n", "just text\n", "3\n"])
def test_what_is_no_object_at_all_ends_it(text: str) -> None:
    expected = "fleet.yaml:1: a Kubernetes object is expected here: a mapping with apiVersion and kind"
    assert complaint(text) == expected


def test_the_line_is_the_one_in_its_document() -> None:
    found = complaint(EAST, spoiled(REQUEST, "template:", "tmeplate:"))
    assert found.startswith("fleet.yaml:17: unknown key 'tmeplate' in spec")


def test_the_line_is_the_one_in_its_list() -> None:
    indented = spoiled(REQUEST, "template:", "tmeplate:").replace("\n", "\n    ")
    text = f"apiVersion: v1\nkind: List\nitems:\n  - {indented}"
    assert complaint(text).startswith("fleet.yaml:8: unknown key 'tmeplate' in items[0].spec")


def test_a_list_whose_items_are_no_list_ends_it() -> None:
    assert (
        complaint("apiVersion: v1\nkind: List\nitems: {a: b}\n") == "fleet.yaml:3: items: a list is expected"
    )


def test_the_file_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        place_documents([(EAST.encode(), "a.yaml"), (b"\xff", "b.yaml")], now=NOW)
    assert str(caught.value) == "b.yaml:1: this is not UTF-8 text; save it as UTF-8"


@pytest.mark.parametrize("case", CASES["values"], ids=case_id)
def test_a_wrong_value_is_that_objects_own_problem(case: dict[str, str]) -> None:
    good = KINDS[case["kind"]]
    texts = [spoiled(text, case["old"], case["new"]) if text == good else text for text in ALL]
    assert problems(*texts) == {case["object"]: case["message"]}


def test_what_is_wrong_takes_no_part_and_everything_else_is_decided() -> None:
    bad = [
        spoiled(EAST, "name: east", "name: bad").replace("Client: true", "Client: x"),
        spoiled(REQUEST, "scanner-1", "bad").replace("20Gi", "x"),
        spoiled(POLICY, "name: p", "name: bad").replace(
            "{matchLabels: {env: prod}}", "{matchLabels: {'': x}}"
        ),
        spoiled(DEPLOYMENT, "{app: web}", "[app]").replace("name: web", "name: bad"),
    ]
    whole, _ = place(*ALL)
    answer, code = place(*ALL, *bad)
    empty = {"policy": "bad", "clusters": [], "objects": [], "modulation": {}}
    assert answer["bindings"] == [empty, *whole["bindings"]]
    assert answer["placements"] == whole["placements"]
    assert [each["object"].rpartition("/")[2] for each in answer["problems"]] == ["bad"] * 4
    assert code == 1


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_same_object_twice_takes_no_part(kind: str) -> None:
    answer, code = place(*ALL, KINDS[kind])
    (problem,) = answer["problems"]
    assert problem["message"] == "it is given twice; keep one"
    assert code == 1
    if kind == "request":
        assert answer["placements"] == []
    elif kind in ("facts", "cluster"):
        assert answer["placements"][0]["cluster"] is None
    elif kind == "policy":
        empty = {"policy": "p", "clusters": [], "objects": [], "modulation": {}}
        assert answer["bindings"] == [empty]
    else:
        assert answer["bindings"][0]["objects"] == []


def test_an_object_is_the_same_in_another_version() -> None:
    other = spoiled(DEPLOYMENT, "apps/v1", "apps/v1beta1")
    assert problems(*ALL, other, other) == {"apps/v1/deployments/shop/web": "it is given 3 times; keep one"}


def test_an_object_is_another_one_in_another_namespace_or_group() -> None:
    others = (spoiled(DEPLOYMENT, "shop", "other"), spoiled(DEPLOYMENT, "apps/", "extensions/"))
    assert problems(*ALL, *others) == {}


def test_two_objects_without_a_name_are_one_problem() -> None:
    nameless = spoiled(DEPLOYMENT, "{name: web, ", "{")
    found = problems(*ALL, nameless, nameless)
    assert list(found) == ["apps/v1/deployments/shop/"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("spec: {}", "spec: []", "spec: a mapping of keys is expected"),
        (
            "spec: {}",
            "spec: {workload: {namespaceScope: x}}",
            "spec.workload.namespaceScope: a list is expected",
        ),
        ("spec: {}", "spec: {destinations: [x]}", "spec.destinations[0]: a mapping of keys is expected"),
    ],
)
def test_a_binding_of_the_wrong_form_is_its_own_problem(old: str, new: str, message: str) -> None:
    binding = "apiVersion: control.kubestellar.io/v1alpha1\nkind: Binding\nmetadata: {name: b}\nspec: {}\n"
    name = "control.kubestellar.io/v1alpha1/bindings//b"
    assert problems(*ALL, binding) == {}
    assert problems(*ALL, spoiled(binding, old, new)) == {name: message}


@pytest.mark.parametrize("spec", ["", "spec:\n", "spec: {}\n"])
def test_a_policy_without_a_spec_chooses_nothing(spec: str) -> None:
    policy = POLICY[: POLICY.index("spec:")] + spec
    answer, _ = place(EAST, policy, DEPLOYMENT)
    assert answer["bindings"] == [{"policy": "p", "clusters": [], "objects": [], "modulation": {}}]
    message = "clusterSelectors is empty, which chooses no cluster; write [{}] for all"
    assert [each["message"] for each in answer["problems"]] == [message]


@pytest.mark.parametrize("text", [FACTS, REQUEST, POLICY])
def test_a_spec_that_is_no_mapping_ends_it(text: str) -> None:
    assert complaint(text[: text.index("spec:")] + "spec: x\n") == (
        "fleet.yaml:4: spec: a mapping of keys is expected"
    )


def test_a_crd_of_the_wrong_form_is_its_own_problem() -> None:
    """Its kind is then named as if it were not there."""
    crd = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: c}\nspec: []\n"
    )
    name = "apiextensions.k8s.io/v1/customresourcedefinitions//c"
    assert problems(*ALL, crd) == {name: "spec: a mapping of keys is expected"}
