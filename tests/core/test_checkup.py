"""Checkups are written on pools and classes under doctor's codes, once, and taken back."""

import msgspec
import pytest

from nodewright.core.checkup import CHECKUP, check_up
from nodewright.model.ec2nodeclass import EC2NodeClass, EC2NodeClassSpec
from nodewright.model.metadata import (
    ObjectMeta,
)
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import DaemonSet
from nodewright.model.world import World

TYPE = "node.kubernetes.io/instance-type"


def a_pool(*requirements, taints=(), conditions=()):

    document = {
        "metadata": {"name": "default"},
        "spec": {
            "template": {
                "spec": {
                    "requirements": list(requirements),
                    "taints": list(taints),
                    "nodeClassRef": {
                        "group": "karpenter.k8s.aws",
                        "kind": "EC2NodeClass",
                        "name": "default",
                    },
                }
            }
        },
        "status": {"conditions": list(conditions)},
    }
    return msgspec.convert(document, NodePool)


def an_item(key, *values):
    return {"key": key, "operator": "In", "values": list(values)}


def written(world):
    return {
        one.subject.name: next(
            each for each in one.change["status"]["conditions"] if each["type"] == CHECKUP
        )
        for one in check_up(world)
    }


@pytest.mark.parametrize(
    ("pool", "reason"),
    [
        (a_pool(an_item(TYPE, "c", "m")), "NW3026"),
        (a_pool(an_item(TYPE, "m5.large", "c1.medium")), "NW3041"),
        (a_pool(an_item("efa", "true")), "NW3017"),
    ],
)
def test_what_is_wrong_with_a_pool_is_its_condition(pool, reason):
    found = written(World(0, node_pools=(pool,)))["default"]

    assert (found["status"], found["reason"]) == ("False", reason)
    assert found["message"].startswith(reason.replace("NW", "NW-"))


def test_a_daemon_that_keeps_off_is_told_on_the_pool():
    taint = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
    daemon = DaemonSet(ObjectMeta(name="agent", namespace="kube-system"))

    found = written(World(0, node_pools=(a_pool(taints=[taint]),), daemon_sets=(daemon,)))

    assert found["default"]["reason"] == "NW3012"


def test_a_variable_that_nobody_filled_in_is_told_on_the_class():
    one = EC2NodeClass(ObjectMeta(name="default"), EC2NodeClassSpec(tags={"team": "${TEAM}"}))

    assert written(World(0, node_classes=(one,)))["default"]["reason"] == "NW3003"


def test_nothing_is_written_on_who_is_well_and_what_was_mended_is_taken_back():
    well = a_pool(an_item(TYPE, "m5.large"))
    mended = a_pool(
        an_item(TYPE, "m5.large"),
        conditions=[{"type": CHECKUP, "status": "False", "reason": "NW3026", "message": "NW-3026"}],
    )

    assert written(World(0, node_pools=(well,))) == {}
    assert written(World(0, node_pools=(mended,)))["default"]["status"] == "True"
