import msgspec
import pytest

from nodewright.model.ec2nodeclass import EC2NodeClassSpec
from nodewright.model.hashing import (
    HASH_VERSION,
    hash_ec2nodeclass,
    hash_nodepool,
    is_same_class,
    stamp_class,
)
from nodewright.model.nodepool import NodePool

TAINTS = [
    {"key": "a", "effect": "NoSchedule"},
    {"key": "b", "value": "x", "effect": "NoExecute"},
]


def a_pool(template=None, *, metadata=None, **spec):
    inner = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
        "requirements": [],
        **(template or {}),
    }
    return msgspec.convert(
        {
            "metadata": {"name": "p"},
            "spec": {"template": {"metadata": metadata or {}, "spec": inner}, **spec},
        },
        NodePool,
    )


def a_class(**spec):
    base = {"amiSelectorTerms": [{"alias": "al2023@latest"}], "role": "r"}
    return msgspec.convert({**base, **spec}, EC2NodeClassSpec)


def test_the_version_is_our_own():
    assert HASH_VERSION.startswith("nodewright")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"taints": TAINTS}, {"taints": TAINTS[::-1]}),
        ({"expireAfter": "1h"}, {"expireAfter": "60m"}),
        ({"terminationGracePeriod": "90s"}, {"terminationGracePeriod": "1m30s"}),
        ({}, {"expireAfter": "720h", "taints": [], "startupTaints": []}),
        ({}, {"requirements": [{"key": "a", "operator": "Exists"}]}),
        ({"taints": [TAINTS[0]]}, {"taints": [{**TAINTS[0], "value": ""}]}),
    ],
)
def test_a_pool_keeps_its_hash_when_no_node_would_differ(one, other):
    assert hash_nodepool(a_pool(one)) == hash_nodepool(a_pool(other))


@pytest.mark.parametrize(
    "spec",
    [
        {"weight": 5},
        {"limits": {"cpu": 1}},
        {"disruption": {"consolidateAfter": "Never", "budgets": []}},
    ],
)
def test_what_lies_outside_the_template_does_not_count(spec):
    assert hash_nodepool(a_pool(**spec)) == hash_nodepool(a_pool())


@pytest.mark.parametrize(
    "pool",
    [
        a_pool({"taints": TAINTS}),
        a_pool({"startupTaints": TAINTS}),
        a_pool({"expireAfter": "Never"}),
        a_pool({"terminationGracePeriod": "1h"}),
        a_pool({"nodeClassRef": {"group": "g", "kind": "k", "name": "other"}}),
        a_pool(metadata={"labels": {"a": "b"}}),
        a_pool(metadata={"labels": {"a": ""}}),
        a_pool(metadata={"annotations": {"a": "b"}}),
    ],
)
def test_every_part_of_the_template_counts(pool):
    assert hash_nodepool(pool) != hash_nodepool(a_pool())


def test_taints_and_startup_taints_are_told_apart():
    taints = a_pool({"taints": TAINTS})
    startup = a_pool({"startupTaints": TAINTS})
    assert hash_nodepool(taints) != hash_nodepool(startup)


@pytest.mark.parametrize(
    "other",
    [
        a_class(amiFamily="AL2023"),
        a_class(amiFamily="AL2023", amiSelectorTerms=[{"id": "ami-1"}]),
        a_class(subnetSelectorTerms=[{"id": "subnet-1"}]),
        a_class(securityGroupSelectorTerms=[{"id": "sg-1"}]),
        a_class(capacityReservationSelectorTerms=[{"id": "cr-1"}]),
        a_class(ipPrefixCount=3),
        a_class(tags={}, kubelet={}, blockDeviceMappings=[]),
        a_class(metadataOptions={"httpTokens": "required"}),
        a_class(detailedMonitoring=False),
    ],
)
def test_a_class_keeps_its_hash_when_no_node_would_differ(other):
    assert hash_ec2nodeclass(other) == hash_ec2nodeclass(a_class())


@pytest.mark.parametrize(
    "other",
    [
        a_class(role="other"),
        a_class(amiFamily="Custom"),
        a_class(userData="x"),
        a_class(tags={"a": "b"}),
        a_class(kubelet={"maxPods": 20}),
        a_class(metadataOptions={"httpPutResponseHopLimit": 2}),
        a_class(detailedMonitoring=True),
        a_class(blockDeviceMappings=[{"deviceName": "/dev/xvda"}]),
    ],
)
def test_everything_else_in_a_class_counts(other):
    assert hash_ec2nodeclass(other) != hash_ec2nodeclass(a_class())


def test_a_class_counts_the_certificate_that_its_nodes_trust():
    known, unknown = hash_ec2nodeclass(a_class(), "pem"), hash_ec2nodeclass(a_class())

    assert known != unknown
    assert is_same_class(known, unknown)
    assert not is_same_class(known, hash_ec2nodeclass(a_class(), "other"))
    assert not is_same_class(known, hash_ec2nodeclass(a_class(role="other"), "pem"))


def test_a_class_keeps_the_certificate_of_its_last_stamp():
    stamped = hash_ec2nodeclass(a_class(), "pem")

    assert stamp_class(a_class(role="other"), stamped) == hash_ec2nodeclass(
        a_class(role="other"), "pem"
    )
    assert stamp_class(a_class(), "") == hash_ec2nodeclass(a_class())


def test_block_devices_may_be_listed_in_any_order():
    disks = [{"deviceName": "/dev/xvda"}, {"deviceName": "/dev/xvdb"}]
    forward = a_class(blockDeviceMappings=disks)
    backward = a_class(blockDeviceMappings=disks[::-1])
    assert hash_ec2nodeclass(forward) == hash_ec2nodeclass(backward)


def test_a_hash_that_is_on_nodes_already_never_changes_within_a_version():
    pool = a_pool(
        {"taints": TAINTS, "terminationGracePeriod": "1h"}, metadata={"labels": {"a": "b"}}
    )
    assert (HASH_VERSION, hash_nodepool(pool)) == ("nodewright-v1", "2fc1208f222c339b")
    node_class = a_class(tags={"a": "b"}, kubelet={"maxPods": 20})
    assert hash_ec2nodeclass(node_class, "pem") == "e785ea673f774711-9b2ff16a5ca31647"
