import pytest

from builders.awsclients import Hurried
from builders.installs import Table
from nodewright.install.drain import LIMIT_MS, drain
from nodewright.model.errors import UserError


def a_pod(name, owner="ReplicaSet", node="n", **meta):
    owners = [{"kind": owner}] if owner else []
    return {
        "metadata": {"namespace": "shop", "name": name, "ownerReferences": owners, **meta},
        "spec": {"nodeName": node},
        "status": {"phase": "Running"},
    }


def a_table(*pods):
    table = Table()
    for one in pods:
        table.objects[f"/api/v1/namespaces/shop/pods/{one['metadata']['name']}"] = one
    return table


async def test_pods_go_and_those_of_daemons_and_of_other_nodes_stay():
    mirror = a_pod("static", annotations={"kubernetes.io/config.mirror": "x"})
    table = a_table(a_pod("a"), a_pod("b"), a_pod("d", "DaemonSet"), mirror, a_pod("far", node="m"))
    said = []
    await drain(table, Hurried(), "n", said.append)

    left = sorted(path.rpartition("/")[2] for path in table.objects)
    assert left == ["d", "far", "static"]
    assert said == ["2 pods of n to go"]


async def test_a_pod_that_a_budget_holds_is_named_in_the_end():
    table, clock, said = a_table(a_pod("a")), Hurried(), []
    table.held = {"a"}

    with pytest.raises(UserError, match="pod/shop/a on n is not gone after 30 min") as caught:
        await drain(table, clock, "n", said.append)
    assert "kubectl get pdb" in caught.value.advice
    assert said[0] == "1 pod of n to go; pod/shop/a is held"
    assert sum(clock.slept) >= LIMIT_MS


async def test_a_pod_that_nobody_would_make_anew_is_not_lost():
    table = a_table(a_pod("a"), a_pod("alone", owner=""))

    with pytest.raises(UserError, match="pod/shop/alone on n has no owner"):
        await drain(table, Hurried(), "n", lambda _: None)
    assert len(table.objects) == 2
