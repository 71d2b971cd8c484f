"""Cases that users have reported, decided with the built-in EC2 catalog."""

import msgspec
import pytest

from builders import a_daemon_set, a_pod, a_pool, a_world, want
from nodewright.catalog.resolve import instance_types_for
from nodewright.core.explain.pod import explain_pod
from nodewright.core.scheduling.solve import solve
from nodewright.model.labels import ARCH, CAPACITY_TYPE, INSTANCE_TYPE, ZONE

POD_ENI = "vpc.amazonaws.com/pod-eni"
TYPES = instance_types_for("ap-northeast-2")
POOL = a_pool(
    requirements=[
        want(CAPACITY_TYPE, "In", "on-demand"),
        want(ARCH, "In", "amd64"),
        want(INSTANCE_TYPE, "In", "c7i.2xlarge", "c7i.4xlarge"),
        want(ZONE, "In", "ap-northeast-2a", "ap-northeast-2c"),
    ]
)
POD = a_pod(cpu=3, memory="3Gi", requests={POD_ENI: 1})
DAEMONS = [
    a_daemon_set(f"agent-{number}", cpu=cpu, memory=memory)
    for number, (cpu, memory) in enumerate([("300m", "200Mi"), ("10m", "72Mi")])
]


def without(types, resource):
    return tuple(
        msgspec.structs.replace(
            one,
            capacity={name: amount for name, amount in one.capacity.items() if name != resource},
        )
        for one in types
    )


def test_a_pod_with_its_own_security_group_lands_on_a_type_with_branch_interfaces():
    plan = solve(a_world(POD, POOL, DAEMONS, types={"default": TYPES}))

    (node,) = plan.new_nodes

    assert plan.unschedulable == {}
    assert node.offering.instance_type == "c7i.2xlarge"
    assert node.requests["cpu"] == 3310


def test_a_catalog_without_branch_interfaces_is_named_as_the_cause():
    world = a_world(POD, POOL, DAEMONS, types={"default": without(TYPES, POD_ENI)})

    story = explain_pod(world, "default/pod")

    assert story.unplaced.code == "NW-1213"
    assert story.unplaced.summary == (
        "the pod asks for vpc.amazonaws.com/pod-eni 1, and none of 2 instance types has any"
    )
    assert [edit.kind for edit in story.change.edits] == ["drop-request"]


@pytest.mark.parametrize("selector", [{ARCH: "arm64"}, {CAPACITY_TYPE: "spot"}])
def test_incompatible_requirements_name_both_sides_and_what_would_help(selector):
    world = a_world(a_pod(cpu=1, selector=selector), POOL, types={"default": TYPES})

    story = explain_pod(world, "default/pod")

    assert story.unplaced.code == "NW-1202"
    assert "and the NodePool makes only" in story.unplaced.summary
    assert story.change is not None
