"""Where machines of a class may be started: its subnets and its security groups, as EC2 has them."""

from collections.abc import Iterable
from typing import Any

from nodewright.aws.calls import DESCRIBE_SECURITY_GROUPS, DESCRIBE_SUBNETS, Call
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.subnets import Subnet
from nodewright.aws.terms import group_questions, subnet_questions
from nodewright.model.ec2nodeclass import SecurityGroupStatus
from nodewright.model.ec2nodeclass_terms import SecurityGroupSelectorTerm, SubnetSelectorTerm


async def find_subnets(
    gateway: Gateway, terms: Iterable[SubnetSelectorTerm]
) -> tuple[Subnet, ...] | Fault:
    """Give the subnets of a class, those with most free addresses first."""
    found = await _find(gateway, DESCRIBE_SUBNETS, subnet_questions(terms), "Subnets")
    if isinstance(found, Fault):
        return found
    known = {str(one["SubnetId"]): _subnet(one) for one in found}
    return tuple(sorted(known.values(), key=lambda one: (-one.free, one.id)))


async def find_groups(
    gateway: Gateway, terms: Iterable[SecurityGroupSelectorTerm]
) -> tuple[SecurityGroupStatus, ...] | Fault:
    """Give the security groups of a class, by id."""
    questions = group_questions(terms)
    found = await _find(gateway, DESCRIBE_SECURITY_GROUPS, questions, "SecurityGroups")
    if isinstance(found, Fault):
        return found
    known = {
        str(one["GroupId"]): SecurityGroupStatus(
            id=str(one["GroupId"]), name=str(one.get("GroupName", ""))
        )
        for one in found
    }
    return tuple(known[name] for name in sorted(known))


async def _find(
    gateway: Gateway, call: Call, questions: list[dict[str, Any]], items: str
) -> list[Any] | Fault:
    found: list[Any] = []
    for question in questions:
        answer = await gateway.ask_all(call, question, items)
        if isinstance(answer, Fault):
            return answer
        found.extend(answer)
    return found


def _subnet(description: dict[str, Any]) -> Subnet:
    return Subnet(
        id=str(description["SubnetId"]),
        zone=str(description["AvailabilityZone"]),
        zone_id=str(description.get("AvailabilityZoneId", "")),
        free=int(description.get("AvailableIpAddressCount", 0)),
    )
