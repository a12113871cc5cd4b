"""The questions about rights, asked of a real API server."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from hive.app.doctor.clusters import cluster_checks
from hive.app.doctor.examination import examine
from hive.decisions.doctor.finding import State
from hive.settings.fleet import FleetSettings, MemberSettings
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import cluster_run, control_plane

__all__ = ["cluster_run", "control_plane"]

READER = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}]


def found(kubeconfig: Path, context: str) -> dict[str, tuple[State, str]]:
    fleet = FleetSettings(
        kubeconfig=str(kubeconfig),
        hub=context,
        members=(MemberSettings(context, "east"),),
        inventory=None,
        namespace="hive",
        stale_after=timedelta(minutes=5),
        image=None,
    )
    told = examine(cluster_checks(fleet), patience=60)
    return {each.name.removeprefix(f"hub {context}"): (each.state, each.found) for each in told}


@pytest.mark.cluster
@pytest.mark.slow
def test_who_may_do_all_is_fine_and_who_may_only_read_is_told_what_is_missing(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    context = control_plane.name
    token = tmp_path / "token"
    admin = control_plane.token("doctor-admin")
    token.write_text(admin.value)
    kubeconfig = control_plane.kubeconfig_for(token_file=token)
    seen = found(kubeconfig, context)
    assert seen[": rights"] == (State.OK, "all 26 that hive needs")
    assert seen["cluster east: rights"] == (State.OK, "all 32 that hive needs")
    assert seen["cluster east"][0] is State.OK
    assert seen["cluster east: nodes"] == (State.WARNING, "0 of 0 ready")
    reader = control_plane.token("doctor-reader", READER)
    token.write_text(reader.value)
    seen = found(kubeconfig, context)
    assert seen[": rights"] == (
        State.PROBLEM,
        "it may not create managedclusters.cluster.open-cluster-management.io, "
        "patch managedclusters.cluster.open-cluster-management.io, "
        "patch managedclusters.cluster.open-cluster-management.io/status, "
        "create bindingpolicies.control.kubestellar.io, "
        "update bindingpolicies.control.kubestellar.io, "
        "delete bindingpolicies.control.kubestellar.io and 11 more",
    )
    assert seen["cluster east: rights"][0] is State.PROBLEM
    assert seen["cluster east: network"][0] is State.WARNING
    for each in (admin, reader):
        each.revoke()
        assert each.value not in str(seen)
