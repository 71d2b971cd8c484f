"""Subnets and security groups of a class, found through EC2."""

import pytest

from builders.standin import a_network
from nodewright.aws.gateway import Fault
from nodewright.aws.network import find_groups, find_subnets
from nodewright.model.ec2nodeclass_terms import SecurityGroupSelectorTerm, SubnetSelectorTerm
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture(scope="module")
def network(standin):
    made = a_network(standin)
    ec2 = standin.client("ec2")
    tag = [{"Key": "karpenter.sh/discovery", "Value": "demo"}]
    ec2.create_tags(Resources=[*made.subnets[:2], made.group], Tags=tag)
    ec2.create_tags(Resources=[made.subnets[2]], Tags=[{"Key": "other", "Value": "x"}])
    return made


async def test_terms_are_alternatives_and_each_subnet_comes_once(gateway, network):
    terms = [
        SubnetSelectorTerm(tags={"karpenter.sh/discovery": "demo"}),
        SubnetSelectorTerm(tags={"karpenter.sh/discovery": "*"}),
        SubnetSelectorTerm(id=network.subnets[2]),
    ]
    found = await find_subnets(gateway, terms)

    assert {one.id for one in found} == set(network.subnets)
    assert len(found) == 3
    assert all(one.zone_id.startswith("usw2-az") and one.free > 4000 for one in found)


async def test_fields_of_a_term_must_all_hold(gateway, network):
    terms = [SubnetSelectorTerm(tags={"karpenter.sh/discovery": "demo", "other": "x"})]

    assert await find_subnets(gateway, terms) == ()


async def test_an_id_that_is_gone_does_not_spoil_the_others(gateway, network):
    terms = [SubnetSelectorTerm(id="subnet-gone"), SubnetSelectorTerm(id=network.subnets[0])]

    assert [one.id for one in await find_subnets(gateway, terms)] == [network.subnets[0]]


async def test_groups_are_found_by_name_and_by_tag(gateway, network):
    by_tag = [SecurityGroupSelectorTerm(tags={"karpenter.sh/discovery": "demo"})]
    by_name = [SecurityGroupSelectorTerm(name="net")]

    for terms in (by_tag, by_name, [*by_tag, *by_name]):
        [found] = await find_groups(gateway, terms)
        assert (found.id, found.name) == (network.group, "net")


async def test_what_ec2_does_not_answer_is_told(standin, gateway, network):
    standin.account.faults.set("ec2.*", Switch("deny"))
    terms = [SubnetSelectorTerm(tags={"a": "b"})]

    assert isinstance(await find_subnets(gateway, terms), Fault)
