"""Terms of classes against a network, and the checks of network and classes that rest on them."""

import msgspec
import pytest

from nodewright.doctor.checks import (
    found_groups,
    found_subnets,
    free_addresses,
    group_rules,
    image_versions,
    old_images,
    owned_groups,
    private_subnets,
    root_devices,
    stale_validation,
    user_data,
    volume_keys,
)
from nodewright.doctor.placed import Placed, has_tags, image_ids, literal_tags
from nodewright.model.ec2nodeclass import EC2NodeClass

DISCOVERY = {"karpenter.sh/discovery": "shop"}
ROLE = "arn:aws:iam::111122223333:role/controller"
DAY_MS = 24 * 3_600_000


def a_class(status=None, **spec):
    given = {
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "subnetSelectorTerms": [{"tags": DISCOVERY}],
        "securityGroupSelectorTerms": [{"tags": DISCOVERY}],
        **spec,
    }
    document = {"metadata": {"name": "default"}, "spec": given, "status": status or {}}
    return msgspec.convert(document, EC2NodeClass)


def a_document(status=None, annotations=None, **spec):
    metadata = {"name": "default", "annotations": annotations or {}}
    return {"metadata": metadata, "spec": spec, "status": status or {}}


def a_subnet(name="subnet-1", zone="us-west-2a", free=100):
    return {
        "SubnetId": name,
        "AvailabilityZone": zone,
        "AvailableIpAddressCount": free,
        "tags": DISCOVERY,
    }


def a_rule(port=None, **source):
    if port is None:
        return {"IpProtocol": "-1", **source}
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **source}


def from_group(name):
    return {"UserIdGroupPairs": [{"GroupId": name}]}


def a_group(name="sg-1", *rules, tags=DISCOVERY):
    return {"GroupId": name, "GroupName": name, "IpPermissions": list(rules), "tags": tags}


SUBNETS = (a_subnet(),)
GROUPS = (a_group(),)


def placed(subnets=SUBNETS, groups=GROUPS, **spec):
    return Placed(a_class(**spec), tuple(subnets), tuple(groups))


def a_pool(*zones):
    item = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": list(zones)}
    return found_subnets.Pool("NodePool/default", "default", (item,))


def a_table(*subnets, target="0.0.0.0/0"):
    links = [{"SubnetId": one} for one in subnets]
    return {"Associations": links, "Routes": [{"DestinationCidrBlock": target}]}


def a_key(*principals, state="Enabled"):
    statements = [
        {"Effect": "Allow", "Principal": {"AWS": list(principals)}, "Action": "kms:*"},
    ]
    policy = msgspec.json.encode({"Statement": statements}).decode()
    arn = "arn:aws:kms:us-west-2:111122223333:key/1"
    return volume_keys.Key(arn, ("EC2NodeClass/default",), arn, state, policy)


OWNED = {**DISCOVERY, "kubernetes.io/cluster/shop": "owned"}
CLUSTER = a_group("sg-c", a_rule(**from_group("sg-c")))
APART = a_group("sg-n", a_rule(10250, **from_group("sg-c")), a_rule(**from_group("sg-n")))
PLANE = a_group("sg-c", a_rule(443, **from_group("sg-n")))
REFUSED = {
    "conditions": [
        {
            "type": "ValidationSucceeded",
            "status": "False",
            "reason": "CreateFleetAuthCheckFailed",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ]
}
ROOTED = [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "20Gi"}}]
IMAGE = {"amis": [{"id": "ami-1"}]}
NOW_MS = 1_800_000_000_000


def networked(tables, endpoints=()):
    return private_subnets.Facts("vpc-1", "us-west-2", ("subnet-1",), tables, endpoints)


CASES = [
    (
        found_groups,
        found_groups.Facts((placed(groups=()),), "sg-c"),
        found_groups.Facts((placed(),), "sg-c"),
    ),
    (
        owned_groups,
        owned_groups.Facts(
            "shop", (placed(groups=[a_group("sg-c", tags=OWNED), a_group(tags=OWNED)]),), "sg-c"
        ),
        owned_groups.Facts(
            "shop", (placed(groups=[a_group("sg-c", tags=OWNED), a_group()]),), "sg-c"
        ),
    ),
    (
        free_addresses,
        free_addresses.Facts((placed([a_subnet(free=29)]),), {"default": ("m5.xlarge",)}, {}),
        free_addresses.Facts((placed([a_subnet(free=30)]),), {"default": ("m5.xlarge",)}, {}),
    ),
    (
        group_rules,
        group_rules.Facts((placed(groups=[APART]),), a_group("sg-c")),
        group_rules.Facts((placed(groups=[APART]),), PLANE),
    ),
    (
        group_rules,
        group_rules.Facts((placed(groups=[a_group("sg-c")]),), a_group("sg-c")),
        group_rules.Facts((placed(groups=[CLUSTER]),), CLUSTER),
    ),
    (
        private_subnets,
        networked((a_table("subnet-1", target="10.0.0.0/16"),)),
        networked((a_table("subnet-1"),)),
    ),
    (
        private_subnets,
        networked((a_table("subnet-1", target="10.0.0.0/16"),), private_subnets.NEEDED[1:]),
        networked((a_table("subnet-1", target="10.0.0.0/16"),), private_subnets.NEEDED),
    ),
    (
        image_versions,
        image_versions.Facts(34, (("EC2NodeClass/default", "ami-1", "amazon-eks-node-1.35-v1"),)),
        image_versions.Facts(34, (("EC2NodeClass/default", "ami-1", "amazon-eks-node-1.31-v1"),)),
    ),
    (
        image_versions,
        image_versions.Facts(34, (("EC2NodeClass/default", "ami-1", "eks-node-1.30-v1"),)),
        image_versions.Facts(34, (("EC2NodeClass/default", "ami-1", "our-own"),)),
    ),
    (
        user_data,
        user_data.Facts(
            (a_class(amiSelectorTerms=[{"alias": "bottlerocket@latest"}], userData="[a"),)
        ),
        user_data.Facts((a_class(userData="#!/bin/bash\ntrue\n"),)),
    ),
    (
        found_subnets,
        found_subnets.Facts((placed(()),), (), ("subnet-1",)),
        found_subnets.Facts((placed(),), (a_pool("us-west-2a"),), ("subnet-1",)),
    ),
    (
        found_subnets,
        found_subnets.Facts((placed(),), (a_pool("us-west-2a", "us-west-2b"),), ()),
        found_subnets.Facts((placed(),), (a_pool("us-west-2a"),), ()),
    ),
    (
        volume_keys,
        volume_keys.Facts("us-west-2", ROLE, (a_key("arn:aws:iam::111122223333:role/other"),)),
        volume_keys.Facts("us-west-2", ROLE, (a_key("arn:aws:iam::111122223333:root"),)),
    ),
    (
        volume_keys,
        volume_keys.Facts("us-west-2", ROLE, (a_key(ROLE, state="Disabled"),)),
        volume_keys.Facts("us-west-2", ROLE, (a_key(ROLE),)),
    ),
    (
        volume_keys,
        volume_keys.Facts("us-west-2", ROLE, (), (("i-1", "Client.InternalError: key"),)),
        volume_keys.Facts("us-west-2", ROLE),
    ),
    (
        root_devices,
        root_devices.Facts(
            (a_document(IMAGE, blockDeviceMappings=ROOTED),), {"ami-1": "/dev/sda1"}
        ),
        root_devices.Facts(
            (a_document(IMAGE, blockDeviceMappings=ROOTED),), {"ami-1": "/dev/xvda"}
        ),
    ),
    (
        old_images,
        old_images.Facts(NOW_MS, (("EC2NodeClass/default", "ami-1", "2025-01-01T00:00:00Z"),)),
        old_images.Facts(NOW_MS, (("EC2NodeClass/default", "ami-1", "2026-12-01T00:00:00Z"),)),
    ),
    (
        old_images,
        old_images.Facts(NOW_MS, (), "amazon/amazon-k8s-cni:v1.11.4"),
        old_images.Facts(NOW_MS, (), "amazon/amazon-k8s-cni:v1.20.0"),
    ),
    (
        stale_validation,
        stale_validation.Facts(NOW_MS, (a_document(REFUSED),)),
        stale_validation.Facts(NOW_MS, (a_document(REFUSED),), frozenset({"ec2:CreateFleet"})),
    ),
    (
        stale_validation,
        stale_validation.Facts(
            NOW_MS, (a_document(REFUSED, {"nodewright.dev/looked-at": str(NOW_MS - DAY_MS)}),)
        ),
        stale_validation.Facts(
            NOW_MS, (a_document(REFUSED, {"nodewright.dev/looked-at": str(NOW_MS)}),)
        ),
    ),
]


@pytest.mark.parametrize(("module", "broken", "healthy"), CASES)
def test_a_broken_network_is_found_and_a_healthy_one_is_not(module, broken, healthy):
    found = list(module.CHECK.judge(broken))

    assert found
    assert all(one.commands and one.facts and one.objects for one in found)
    assert all(one.message.en != one.message.ko for one in found)
    assert list(module.CHECK.judge(healthy)) == []


def test_every_way_between_nodes_and_the_control_plane_is_looked_at():
    found = list(group_rules.judge(group_rules.Facts((placed(groups=[a_group()]),), PLANE)))
    ports = [one.mends[0].step.detail for one in found]

    assert ports == ["+ 443 from sg-1", "+ 10250 from sg-c", "+ all from sg-1"]


def test_terms_match_as_ec2_matches():
    tags = {"team": "shop-a", "env": "prod"}

    assert has_tags(tags, {"team": "*"})
    assert has_tags(tags, {"team": "shop-*", "env": "pro?"})
    assert not has_tags(tags, {"team": "shop"})
    assert not has_tags(tags, {"owner": "*"})
    assert not has_tags(tags, {})


def test_only_whole_values_can_be_given_to_a_thing():
    terms = a_class(
        subnetSelectorTerms=[{"id": "subnet-1"}, {"tags": {"a": "*"}}, {"tags": DISCOVERY}]
    )

    assert literal_tags(terms.spec.subnet_selector_terms) == DISCOVERY


def test_images_are_those_that_were_resolved_and_those_that_are_named():
    node_class = a_class(IMAGE, amiFamily="AL2023", amiSelectorTerms=[{"id": "ami-2"}])

    assert image_ids(node_class) == ("ami-1", "ami-2")
