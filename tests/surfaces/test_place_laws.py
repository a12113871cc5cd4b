"""Equal documents give equal bytes, in whatever order and whatever files they come."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from hive.errors import ConfigError
from hive.surfaces.place import place_documents, render_place
from tests.surfaces.fleet_documents import DEPLOYMENT, EAST, FACTS, NOW, POLICY, REQUEST, bytes_of, spoiled

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n"
BINDING = """\
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: {name: hive-s1}
spec:
  destinations: [{clusterId: CLUSTER}]
  workload: {namespaceScope: [{resource: sandboxrequests, namespace: hive, name: s1}]}
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.apps}
spec: {group: apps, scope: SCOPE, names: {kind: Deployment, plural: PLURAL}}
"""
POOL: tuple[str, ...] = (
    *(spoiled(EAST, "name: east", f"name: {name}") for name in ("c1", "c2", "c10")),
    spoiled(EAST, "name: east", "name: c1").replace("prod", "test"),
    *(spoiled(FACTS, "{name: east}", f"{{name: {name}}}") for name in ("c1", "c2", "c10")),
    spoiled(FACTS, "{name: east}", "{name: c2}").replace('gpu: "1"', 'gpu: "4"'),
    spoiled(FACTS, "{name: east}", "{name: c2}").replace('cpu: "2"', "cpu: 2x"),
    *(spoiled(REQUEST, "scanner-1", name) for name in ("s1", "s2", "s10")),
    spoiled(REQUEST, "scanner-1", "s1").replace("count: 1", "count: 3"),
    spoiled(REQUEST, "scanner-1", "s3").replace("bin-pack", "spread"),
    spoiled(REQUEST, "scanner-1", "s4").replace("20Gi", "x"),
    spoiled(REQUEST, "{name: scanner-1, ", "{"),
    spoiled(REQUEST, "{name: scanner-1, ", "{").replace("20Gi", "x"),
    POLICY,
    spoiled(POLICY, "name: p", "name: q").replace("apps", "apps/v1"),
    spoiled(POLICY, "name: p", "name: r").replace("env: prod", "'': prod"),
    spoiled(POLICY, "name: p", "name: p").replace("env: prod", "env: test"),
    spoiled(POLICY, "name: p", "name: t").replace("resources: [deployments]", 'resources: ["*"]'),
    DEPLOYMENT,
    spoiled(DEPLOYMENT, "apps/v1", "apps/v1beta1"),
    spoiled(DEPLOYMENT, "name: web", "name: a"),
    spoiled(DEPLOYMENT, "{app: web}", "[app]").replace("name: web", "name: b"),
    NAMESPACE,
    spoiled(NAMESPACE, "team: a", "team: b"),
    *(BINDING.replace("CLUSTER", name) for name in ("c1", "c2")),
    *(
        CRD.replace("PLURAL", plural).replace("SCOPE", scope)
        for plural in ("deps", "deployments")
        for scope in ("Cluster", "Namespaced")
    ),
)


def answered(files: list[list[str]]) -> tuple[bytes, str, int]:
    inputs = [("\n---\n".join(texts).encode(), f"{place}.yaml") for place, texts in enumerate(files)]
    answer, code = place_documents(inputs, now=NOW)
    return bytes_of(answer), render_place(answer), code


@given(st.lists(st.sampled_from(POOL), max_size=16), st.data())
def test_the_order_of_documents_means_nothing(texts: list[str], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(texts))
    cut = data.draw(st.integers(0, len(texts)))
    assert answered([shuffled[:cut], shuffled[cut:]]) == answered([texts])


scalars = st.one_of(
    st.none(), st.sampled_from(["", "east", "*", "-1", "true", "9" * 30, "a/b", "\u202e", "é"])
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["name", "key", "labels"]), inner, max_size=2),
    ),
    max_leaves=4,
)


@given(st.sampled_from([EAST, FACTS, REQUEST, POLICY, DEPLOYMENT, BINDING, CRD]), values, st.data())
def test_any_value_anywhere_is_answered_or_refused_in_one_line(
    text: str, value: Any, data: st.DataObject
) -> None:
    document = yaml.load(text, Loader=yaml.BaseLoader)
    where = document
    while True:
        key = data.draw(st.sampled_from(sorted(where) if isinstance(where, dict) else range(len(where))))
        if not isinstance(where[key], dict | list) or not where[key] or data.draw(st.booleans()):
            break
        where = where[key]
    where[key] = value
    others = [each for each in (EAST, FACTS, REQUEST, POLICY, DEPLOYMENT) if each != text]
    inputs = [(each.encode(), "good.yaml") for each in others]
    try:
        answer, code = place_documents([*inputs, (json.dumps(document).encode(), "bad.json")], now=NOW)
    except ConfigError as error:
        assert str(error).startswith("bad.json:")
        assert "\n" not in str(error)
    else:
        assert code in (0, 1)
        assert all("\n" not in line for line in render_place(answer).splitlines())
