from __future__ import annotations

import pytest

from hive.decisions.placement.tolerations import spell_taint, tolerates, untolerated
from hive.facts.fleet import Taint, Toleration

TAINT = Taint("dedicated", "gpu", "NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        (Toleration("dedicated", "Equal", "gpu", "NoSchedule"), True),
        (Toleration("dedicated", "Equal", "gpu"), True),
        (Toleration("dedicated", "Equal", "cpu", "NoSchedule"), False),
        (Toleration("dedicated", "Equal", "", "NoSchedule"), False),
        (Toleration("dedicated", "Equal", "gpu", "NoExecute"), False),
        (Toleration("other", "Equal", "gpu", "NoSchedule"), False),
        (Toleration("dedicated", "Exists"), True),
        (Toleration("dedicated", "Exists", "", "NoSchedule"), True),
        (Toleration("dedicated", "Exists", "", "NoExecute"), False),
        (Toleration("other", "Exists"), False),
        (Toleration("", "Exists"), True),
        (Toleration("", "Exists", "", "NoSchedule"), True),
        (Toleration("", "Exists", "", "NoSelect"), False),
        (Toleration("", "Equal", "gpu"), True),
        (Toleration("", "Equal", "cpu"), False),
        (Toleration("Dedicated", "Exists"), False),
    ],
)
def test_a_taint_is_tolerated_as_kubernetes_does(toleration: Toleration, tolerated: bool) -> None:
    assert tolerates(toleration, TAINT) is tolerated


def test_one_toleration_is_enough_for_a_taint_and_each_taint_needs_one() -> None:
    other = Taint("zone", "", "NoExecute")
    tolerations = (Toleration("x", "Exists"), Toleration("dedicated", "Exists"))
    assert untolerated((TAINT, other), tolerations) == (other,)
    assert untolerated((TAINT, other), ()) == (TAINT, other)


def test_a_taint_is_spelled_as_kubectl_does() -> None:
    assert spell_taint(TAINT) == "dedicated=gpu:NoSchedule"
    assert spell_taint(Taint("zone", "", "NoExecute")) == "zone:NoExecute"
