import pytest

from builders.found import a_cluster, a_found, a_group, steps_of
from nodewright.install.found import Kube, Subnet, Tagged
from nodewright.install.resources.network import GroupsDiffer
from nodewright.install.steps import Ask, Forget, Remember, times
from nodewright.model.errors import UserError

DISCOVERY = "karpenter.sh/discovery"


def test_the_groups_of_a_launch_template_are_taken():
    cluster = a_cluster(node_groups=(a_group(groups=("sg-other",)),))

    step = steps_of(a_found(cluster))["security group sg-other"]
    assert step.deeds == (
        Remember("tag.sg-other", None),
        Ask(
            "ec2.CreateTags",
            {"Resources": ["sg-other"], "Tags": [{"Key": DISCOVERY, "Value": "shop"}]},
        ),
    )


def test_without_a_template_the_cluster_group_is_taken():
    assert "security group sg-cluster" in steps_of(a_found())


def test_node_groups_with_different_groups_ask_for_a_choice():
    cluster = a_cluster(node_groups=(a_group("a"), a_group("b", groups=("sg-other",))))

    with pytest.raises(GroupsDiffer, match="a: sg-cluster; b: sg-other") as caught:
        steps_of(a_found(cluster))
    assert caught.value.choices == {"a": ("sg-cluster",), "b": ("sg-other",)}

    assert "security group sg-other" in steps_of(a_found(cluster), security_groups=("sg-other",))


def test_two_groups_with_the_tag_of_the_cluster_are_refused():
    owned = {"kubernetes.io/cluster/shop": "owned"}
    groups = (Tagged("sg-a", tags=owned), Tagged("sg-b", tags=owned))

    with pytest.raises(UserError, match="exactly one on a node does"):
        steps_of(a_found(groups=groups), security_groups=("sg-a", "sg-b"))


def test_a_group_of_another_network_is_refused():
    with pytest.raises(UserError, match="no security group sg-x in vpc-1"):
        steps_of(a_found(), security_groups=("sg-x",))


def test_what_is_tagged_for_another_cluster_is_left_and_named_by_id():
    theirs = Subnet("subnet-a", tags={DISCOVERY: "lab"})
    steps = steps_of(a_found(subnets=(theirs, Subnet("subnet-b"))))

    assert steps[f"subnets {times(2)}"].sign == "="
    spec = steps["ec2nodeclass default"].deeds[1].document["spec"]
    assert spec["subnetSelectorTerms"] == [{"id": "subnet-a"}, {"id": "subnet-b"}]
    assert spec["securityGroupSelectorTerms"] == [{"tags": {DISCOVERY: "shop"}}]


def test_tags_that_were_there_before_stay():
    tagged = {DISCOVERY: "shop"}
    subnets = (Subnet("subnet-a", tags=tagged), Subnet("subnet-b", tags=tagged))
    kube = Kube(record={"tag.sg-cluster": {"was": None}})

    undone = steps_of(a_found(kube=kube, subnets=subnets), "uninstall")
    assert undone["tags sg-cluster"].deeds == (
        Ask(
            "ec2.DeleteTags",
            {"Resources": ["sg-cluster"], "Tags": [{"Key": DISCOVERY, "Value": "shop"}]},
            ("InvalidSubnetID.NotFound", "InvalidGroup.NotFound", "InvalidID"),
        ),
        Forget("tag.sg-cluster"),
    )
