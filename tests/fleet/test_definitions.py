from __future__ import annotations

from hive.decisions.definitions import DefinitionOutcome, DefinitionState
from hive.errors import Refused
from hive.facts.kubernetes import CUSTOM_RESOURCES, NAMESPACES, Manifest, ResourceType, name_of
from hive.fleet.definitions import Installed, install, shipped
from tests.fakes.kubernetes import FakeKubernetes

BINDINGS = "bindings.control.kubestellar.io"
POLICIES = "bindingpolicies.control.kubestellar.io"


def wanted(*names: str) -> list[Manifest]:
    return [each for each in shipped() if name_of(each) in (names or (BINDINGS,))]


def establish(cluster: FakeKubernetes, name: str, status: str = "True") -> None:
    said = {"type": "Established", "status": status, "message": "its names are taken"}
    cluster.patch(CUSTOM_RESOURCES, name, {"status": {"conditions": [said]}}, subresource="status")


class Serving(FakeKubernetes):
    """Takes up at once what it is given."""

    def create(self, kind: ResourceType, manifest: Manifest, *, dry_run: bool = False) -> Manifest:
        made = super().create(kind, manifest, dry_run=dry_run)
        if kind == CUSTOM_RESOURCES and not dry_run:
            establish(self, name_of(manifest))
        return made


def test_every_kind_is_shipped_once() -> None:
    names = [name_of(each) for each in shipped()]
    assert len(names) == len(set(names)) == 18
    assert names == sorted(names)


def test_a_dry_run_changes_nothing() -> None:
    cluster = Serving("hub")
    assert install(cluster, wanted(), "hive", dry_run=True) == Installed(
        (DefinitionOutcome(BINDINGS, DefinitionState.CREATED, "hive"),), "hive", made_namespace=True
    )
    assert cluster.writes == []


def test_what_is_there_stays_and_its_namespace_too() -> None:
    cluster = Serving("hub")
    install(cluster, wanted(), "hive")
    cluster.writes.clear()
    done = install(cluster, wanted(BINDINGS, POLICIES), "hive")
    assert [(each.name, each.state) for each in done.definitions] == [
        (POLICIES, DefinitionState.CREATED),
        (BINDINGS, DefinitionState.PRESENT),
    ]
    assert not done.made_namespace
    assert cluster.writes[0] == f"create CustomResourceDefinition {POLICIES}"
    assert not [each for each in cluster.writes if BINDINGS in each]


def test_one_that_somebody_else_was_quicker_with_is_theirs() -> None:
    cluster = Serving("hub")

    def quicker(verb: str, kind: ResourceType, name: str) -> None:
        cluster.before = None
        theirs = {
            **wanted()[0],
            "metadata": {"name": BINDINGS, "labels": {"app.kubernetes.io/managed-by": "ks"}},
        }
        cluster.create(CUSTOM_RESOURCES, theirs)

    def at_create(verb: str, kind: ResourceType | None, name: str) -> None:
        if verb == "create" and kind == CUSTOM_RESOURCES:
            quicker(verb, kind, name)

    cluster.before = at_create
    (found,) = install(cluster, wanted(), "hive").definitions
    assert found == DefinitionOutcome(BINDINGS, DefinitionState.PRESENT, "ks")


def test_one_that_the_server_refuses_fails_with_its_words_and_the_others_are_installed() -> None:
    cluster = Serving("hub")

    def refuse(verb: str, kind: ResourceType, name: str) -> None:
        if verb == "create" and name == BINDINGS:
            raise Refused("kubernetes", "hub: create: the group is protected")

    cluster.before = refuse
    done = install(cluster, wanted(BINDINGS, POLICIES), "hive")
    assert done.definitions == (
        DefinitionOutcome(POLICIES, DefinitionState.CREATED, "hive"),
        DefinitionOutcome(BINDINGS, DefinitionState.FAILED, message="hub: create: the group is protected"),
    )
    assert not done.is_complete


def test_one_that_is_never_served_fails_with_the_reason() -> None:
    cluster = FakeKubernetes("hub")
    cluster.create(CUSTOM_RESOURCES, wanted()[0])
    establish(cluster, BINDINGS, "False")
    (found,) = install(cluster, wanted(), "hive", patience=0.05).definitions
    assert found == DefinitionOutcome(BINDINGS, DefinitionState.FAILED, "hive", "its names are taken")


def test_everybody_hears_of_each() -> None:
    heard: list[str] = []
    install(Serving("hub"), wanted(BINDINGS, POLICIES), "hive", tell=lambda each: heard.append(each.name))
    assert heard == [POLICIES, BINDINGS]


def test_the_namespace_carries_hives_label() -> None:
    cluster = Serving("hub")
    install(cluster, [], "sandboxes")
    assert (
        cluster.get(NAMESPACES, "sandboxes")["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "hive"
    )
