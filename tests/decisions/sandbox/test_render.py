"""Templates become manifests: typed values in the place of references, the same every time."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.sandbox import SANDBOX, names_of, objection, render
from hive.errors import ConfigError
from tests.decisions.sandbox.templates import (
    GATEWAY,
    SMALL,
    objects,
    pod,
    request,
    shipped,
    small,
    small_objects,
)


def test_a_parameters_value_takes_the_place_of_the_leaf_that_names_it() -> None:
    made = small_objects(disk="2Gi", count="4", loud="true", kind="b", note="a b")
    assert made == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "trainer",
            "namespace": "hive",
            "labels": {SANDBOX: "trainer"},
            "annotations": {"note": "a b", "plain": "1"},
        },
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {SANDBOX: "trainer"}},
            "template": {
                "metadata": {"labels": {SANDBOX: "trainer"}},
                "spec": {
                    "automountServiceAccountToken": False,
                    "containers": [
                        {
                            "name": "agent",
                            "image": "i",
                            "stdin": True,
                            "args": ["--loud", "--b"],
                            "ports": [{"containerPort": 4}],
                        }
                    ],
                    "volumes": [{"name": "d", "emptyDir": {"sizeLimit": "2Gi"}}],
                },
            },
        },
    }


def test_what_has_no_value_is_left_out_with_its_key() -> None:
    made = small_objects()
    assert made["metadata"]["annotations"] == {"plain": "1"}
    assert made["spec"]["template"]["spec"]["containers"][0]["args"] == ["--a"]


@given(st.text())
def test_no_text_of_a_parameter_ever_becomes_structure(text: str) -> None:
    template = small(SMALL.replace(', pattern: "[a-z ]+"', ""))
    made = small_objects(template, note=text, image=text)
    assert made["metadata"]["annotations"]["note"] == text
    plain = small_objects(template, note="x", image="x")
    plain["metadata"]["annotations"]["note"] = text
    plain["spec"]["template"]["spec"]["containers"][0]["image"] = text
    assert made == plain


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("disk", "5Gx", "parameter 'disk': '5Gx' is no quantity; write it like 2, 500m, 1.5, 64Gi or 1e3"),
        ("disk", "3Gi", "parameter 'disk': 3Gi is too much; at most 2Gi"),
        ("disk", "-1", "parameter 'disk': '-1' is less than nothing; write 0 or more"),
        ("disk", "1k", "parameter 'disk': 1k is too little; at least 1Mi"),
        ("count", "6", "parameter 'count': 6 is too much; at most 5"),
        ("count", "two", "parameter 'count': 'two' is no whole number"),
        ("loud", "yes", "parameter 'loud': 'yes' is neither true nor false"),
        ("kind", "c", "parameter 'kind': 'c' is none of a, b"),
        ("note", "A", "parameter 'note': 'A' does not match [a-z ]+"),
    ],
)
def test_a_wrong_value_names_template_file_line_and_parameter(name: str, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        small_objects(None, **{name: text})
    line = next(at for at, row in enumerate(SMALL.splitlines(), 1) if row.startswith(f"  {name}:"))
    assert str(raised.value) == f"own/small.yaml:{line}: sandbox template 'small': {said}"


def test_an_unknown_parameter_names_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"own/small.yaml:3: .* no parameter 'dusk'; did you mean 'disk'\?"):
        small_objects(dusk="1Gi")


def test_an_image_has_to_come_from_somewhere() -> None:
    wanted = request(template="small")
    with pytest.raises(ConfigError, match=r"small.yaml:4: .*'image' \(The image\) has no default and is not"):
        render(small(), wanted, image="", namespace="hive", gateway=None)


def test_an_image_among_the_parameters_goes_before_the_fleets() -> None:
    container = small_objects(image="own:2")["spec"]["template"]["spec"]["containers"][0]
    assert container["image"] == "own:2"


@pytest.mark.parametrize("name", sorted(shipped()))
def test_rendering_is_the_same_every_time(name: str) -> None:
    once, again = (json.dumps(objects(request(template=name, parameters={"storage": "pvc"}))) for _ in "ab")
    assert once == again


def test_everything_is_in_the_namespace_and_carries_hives_label() -> None:
    made = objects(request("a.b"), namespace="other", gateway=GATEWAY)
    metadata = [each["metadata"] for each in made.values()]
    name = names_of("a.b").name
    assert {(each["namespace"], each["labels"][SANDBOX], each["name"]) for each in metadata} == {
        ("other", name, name)
    }


def test_a_volume_claim_is_made_only_where_the_home_is_to_outlive_the_pod() -> None:
    assert list(objects(request())) == ["ServiceAccount", "NetworkPolicy", "Deployment"]
    made = objects(request(parameters={"storage": "pvc", "disk": "5Gi", "storage_class": "fast"}))
    assert made["PersistentVolumeClaim"]["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "resources": {"requests": {"storage": "5Gi"}},
    }
    volumes = made["Deployment"]["spec"]["template"]["spec"]["volumes"]
    assert volumes[0] == {"name": "home", "persistentVolumeClaim": {"claimName": "trainer"}}


def test_without_a_storage_class_the_clusters_own_is_taken() -> None:
    made = objects(request(parameters={"storage": "pvc"}))
    assert "storageClassName" not in made["PersistentVolumeClaim"]["spec"]


@pytest.mark.parametrize("name", sorted(shipped()))
def test_what_an_operators_cluster_wants_is_in_the_pod_only_where_it_is_given(name: str) -> None:
    wants = {"image_pull_secret": "login", "runtime_class": "gvisor", "priority_class": "low"}
    fields = ("imagePullSecrets", "runtimeClassName", "priorityClassName")
    given, plain = (pod(request(template=name, parameters=each)) for each in (wants, {}))
    assert [given[field] for field in fields] == [[{"name": "login"}], "gvisor", "low"]
    assert not set(fields) & plain.keys()


def test_whoever_wrote_a_request_is_told_what_its_template_does_not_take() -> None:
    template = small()
    assert objection(template, request(template="small", parameters={"disk": "2Gi", "image": "i"})) is None
    assert objection(template, request(template="small", parameters={"disk": "3Gi"}), "i") == (
        "sandbox template 'small': parameter 'disk': 3Gi is too much; at most 2Gi"
    )


PARAMETERS = st.sampled_from(sorted(shipped()["gpu"].parameters))


@given(st.dictionaries(PARAMETERS, st.text(max_size=6) | st.just("2")))
def test_any_text_for_any_parameter_gives_manifests_or_one_line_that_says_why_not(
    parameters: dict[str, str],
) -> None:
    try:
        made = objects(request(template="gpu", parameters=parameters))
    except ConfigError as error:
        assert str(error).startswith("sandbox-templates/gpu.yaml:")
        assert str(error).isprintable()
    else:
        assert {"Deployment", "ServiceAccount", "NetworkPolicy"} <= made.keys()
