"""From a choice of offerings to templates and overrides."""

import base64

import msgspec
import pytest
import yaml

from builders.awsdrafts import a_cluster
from builders.awslaunches import a_launch, a_spec
from builders.types import a_type
from nodewright.aws.aliases import for_arch
from nodewright.aws.choice import choose
from nodewright.aws.drafting import group_choice, pods_of, tags_of, unattached_resources
from nodewright.aws.subnets import Subnet
from nodewright.model.ec2nodeclass import (
    AMIStatus,
    EC2NodeClass,
    EC2NodeClassStatus,
    SecurityGroupStatus,
)
from nodewright.model.instance import Overhead
from nodewright.model.metadata import ObjectMeta

SUBNETS = {"zone-a": Subnet("s-a", "zone-a"), "zone-b": Subnet("s-b", "zone-b")}
GIB = 1024**3 * 1000
MIB = 1024**2 * 1000
EFA = "vpc.amazonaws.com/efa"


def a_request(spec=None, **more):
    status = EC2NodeClassStatus(
        amis=(AMIStatus(id="ami-1", requirements=for_arch("amd64")),),
        security_groups=(SecurityGroupStatus(id="sg-1"),),
        instance_profile="p",
    )
    node_class = EC2NodeClass(ObjectMeta(name="standard"), spec or a_spec(), status)
    return a_launch(node_class=node_class, **more)


def reserving(name, kube, system):
    kind = a_type(name)
    overhead = Overhead({**kube, "memory": GIB}, system, {})
    return msgspec.structs.replace(kind, overhead=overhead)


def groups(request, *types, subnets=SUBNETS):
    [choice] = choose(request, types)
    return group_choice(request, choice, a_cluster(), subnets)


def test_types_that_need_the_same_template_share_it():
    [group] = groups(a_request(), a_type("m", cpu=4), a_type("n", cpu=8))

    assert [(one.instance_type, one.subnet_id) for one in group.overrides] == [
        ("m", "s-a"),
        ("m", "s-b"),
        ("n", "s-a"),
        ("n", "s-b"),
    ]
    assert {one.image_id for one in group.overrides} == {"ami-1"}


def test_another_number_of_pods_needs_another_template():
    first, second = groups(a_request(), a_type("m", pods=29), a_type("n", pods=58))

    assert first.template["LaunchTemplateName"] != second.template["LaunchTemplateName"]
    [choice] = choose(a_request(), [a_type("m", pods=29), a_type("n", pods=58)])
    assert pods_of(choice) == 29


def test_nodes_are_told_the_amounts_that_expressions_came_to_for_their_type():
    kubelet = {
        "kubeReserved": {"cpu": "vcpus * 30", "memory": "1Gi"},
        "systemReserved": {"memory": "memory_mib / 64"},
    }
    spec = a_spec(kubelet=kubelet)
    types = [
        reserving("m", {"cpu": 120}, {"memory": 256 * MIB}),
        reserving("n", {"cpu": 240}, {"memory": 512 * MIB}),
        reserving("o", {"cpu": 240}, {"memory": 512 * MIB}),
    ]
    first, second = groups(a_request(spec), *types)

    def told(group):
        data = base64.b64decode(group.template["LaunchTemplateData"]["UserData"]).decode()
        (config,) = [one for one in data.split("--//") if "NodeConfig" in one]
        written = yaml.safe_load(config.partition("\n\n")[2])["spec"]["kubelet"]["config"]
        return written["kubeReserved"], written["systemReserved"]

    assert told(first) == ({"cpu": "120m", "memory": "1Gi"}, {"memory": "256Mi"})
    assert told(second) == ({"cpu": "240m", "memory": "1Gi"}, {"memory": "512Mi"})
    assert {one.instance_type for one in second.overrides} == {"n", "o"}


def test_without_a_subnet_or_an_image_there_is_nothing_to_launch():
    assert groups(a_request(), a_type("m"), subnets={}) == ()
    arm = a_type("m", labels={"kubernetes.io/arch": "arm64"})
    assert groups(a_request(), arm) == ()


def test_efa_is_attached_for_those_who_ask():
    kind = a_type("m", more={EFA: 4})
    [plain] = groups(a_request(), kind)
    [asked] = groups(a_request(requests={EFA: 1000}), kind)

    assert "NetworkInterfaces" not in plain.template["LaunchTemplateData"]
    assert len(asked.template["LaunchTemplateData"]["NetworkInterfaces"]) == 4
    assert unattached_resources(a_request()) == {EFA}
    assert unattached_resources(a_request(requests={EFA: 1000})) == frozenset()


@pytest.mark.parametrize("raid", [None, "RAID0"])
def test_local_disks_are_joined_where_the_class_says_so(raid):
    [group] = groups(a_request(a_spec(instanceStorePolicy=raid)), a_type("m"))
    plain = groups(a_request(), a_type("m"))[0].template["LaunchTemplateData"]["UserData"]

    assert (group.template["LaunchTemplateData"]["UserData"] == plain) is (raid is None)


def test_tags_of_the_class_and_of_the_request_are_there():
    request = a_request(a_spec(tags={"team": "x"}), tags={"more": "y"})
    tags = tags_of(request, a_cluster())

    assert (tags["team"], tags["more"]) == ("x", "y")
    assert tags["karpenter.k8s.aws/ec2nodeclass"] == "standard"
    assert request.claim not in tags.values()
