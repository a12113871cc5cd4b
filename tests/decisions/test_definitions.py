from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from hive.decisions.definitions import (
    DefinitionOutcome,
    DefinitionState,
    compared,
    is_established,
    owner_of,
    why_not,
)

NAME = "bindings.control.kubestellar.io"


def definition(**metadata: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"description": {"type": "string"}}}},
    }
    return {
        "metadata": {"name": NAME, **metadata},
        "spec": {
            "group": "control.kubestellar.io",
            "scope": "Cluster",
            "names": {"kind": "Binding", "plural": "bindings", "shortNames": ["bdg"]},
            "versions": [
                {
                    "name": "v1alpha1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def changed(*path: Any, to: Any) -> dict[str, Any]:
    """Somebody else's definition, in which one thing is different."""
    made = deepcopy(definition(labels={"app.kubernetes.io/managed-by": "them"}))
    part: Any = made["spec"]
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = to
    return made


VERSION = ("versions", 0)
SPEC = (*VERSION, "schema", "openAPIV3Schema", "properties", "spec")


@pytest.mark.parametrize(
    "same",
    [
        changed("conversion", to={"strategy": "None"}),
        changed("names", "shortNames", to=[]),
        changed("names", "listKind", to="BindingList"),
        changed(*VERSION, "additionalPrinterColumns", to=[]),
        changed(*SPEC, "description", to="What is bound to where."),
    ],
)
def test_what_takes_the_same_objects_is_the_same(same: dict[str, Any]) -> None:
    assert compared(definition(), same) == DefinitionOutcome(NAME, DefinitionState.PRESENT, "them")


@pytest.mark.parametrize(
    "other",
    [
        changed("scope", to="Namespaced"),
        changed(*VERSION, "subresources", to={}),
        changed(*SPEC, "required", to=["description"]),
        # A field that is called so is no description.
        changed(*SPEC, "properties", to={}),
        changed(*SPEC, "properties", "description", "type", to="integer"),
    ],
)
def test_what_takes_other_objects_is_different(other: dict[str, Any]) -> None:
    said = "its schema is another than hive's"
    assert compared(definition(), other) == DefinitionOutcome(NAME, DefinitionState.DIFFERENT, "them", said)


def test_a_version_that_is_not_served_is_named() -> None:
    other = changed(*VERSION, "name", to="v1beta1")
    said = "it has no version v1alpha1, but v1beta1"
    assert compared(definition(), other) == DefinitionOutcome(NAME, DefinitionState.DIFFERENT, "them", said)


@pytest.mark.parametrize(
    ("metadata", "owner"),
    [
        ({}, ""),
        ({"labels": {"app.kubernetes.io/managed-by": "hive"}}, "hive"),
        ({"annotations": {"meta.helm.sh/release-name": "ks"}}, "Helm release ks"),
        (
            {
                "labels": {"app.kubernetes.io/managed-by": "Helm"},
                "annotations": {"meta.helm.sh/release-name": "ks"},
            },
            "Helm release ks",
        ),
        (
            {
                "managedFields": [
                    {"manager": "kubectl-client-side-apply"},
                    {"manager": "Binding"},
                    {"manager": "kube-apiserver", "subresource": "status"},
                ]
            },
            "Binding, kubectl-client-side-apply",
        ),
    ],
)
def test_whose_a_definition_is_it_says_itself(metadata: dict[str, Any], owner: str) -> None:
    assert owner_of(definition(**metadata)) == owner


def test_a_definition_is_served_once_it_is_established() -> None:
    made = definition()
    assert (is_established(made), why_not(made)) == (False, "the API server has not taken it up yet")
    taken = {"type": "NamesAccepted", "status": "False", "message": '"bdg" is already in use'}
    made["status"] = {"conditions": [{"type": "Established", "status": "False", "message": "no"}, taken]}
    assert (is_established(made), why_not(made)) == (False, '"bdg" is already in use')
    made["status"] = {"conditions": [{"type": "Established", "status": "True"}]}
    assert is_established(made)
