"""Classes with what their terms find in the cluster's network, and their images. Read once for all checks.

Terms are matched here and not by EC2: the whole network is read with two calls, however many classes and
terms there are.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from nodewright.doctor.account import groups_of_vpc, node_classes, subnets_of_vpc, title_of
from nodewright.doctor.cluster import describe_cluster
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.ec2nodeclass_terms import SecurityGroupSelectorTerm, SubnetSelectorTerm

DISCOVERY: Final = "karpenter.sh/discovery"
OWNED: Final = "kubernetes.io/cluster/"


class Placed(msgspec.Struct, frozen=True):
    """A class, and the subnets and security groups that its terms find."""

    node_class: EC2NodeClass
    subnets: tuple[Json, ...]
    groups: tuple[Json, ...]

    @property
    def title(self) -> str:
        """How findings name the class."""
        return title_of(self.node_class)


async def placed_classes(look: Look) -> tuple[Placed, ...]:
    """Give every class with what its terms find in the cluster's VPC."""
    return await look.shared("placed classes", _placed_classes)


async def _placed_classes(look: Look) -> tuple[Placed, ...]:
    subnets, groups = await subnets_of_vpc(look), await groups_of_vpc(look)
    return tuple(
        Placed(
            one,
            tuple(each for each in subnets if finds_subnet(one, each)),
            tuple(each for each in groups if finds_group(one, each)),
        )
        for one in await node_classes(look)
    )


def finds_subnet(node_class: EC2NodeClass, subnet: Json) -> bool:
    """Tell whether a class would place machines in a subnet."""
    terms: Iterable[SubnetSelectorTerm] = node_class.spec.subnet_selector_terms
    return any(
        one.id == subnet["SubnetId"] if one.id is not None else has_tags(subnet["tags"], one.tags)
        for one in terms
    )


def finds_group(node_class: EC2NodeClass, group: Json) -> bool:
    """Tell whether a class would give its machines a security group."""
    return any(_is_meant(one, group) for one in node_class.spec.security_group_selector_terms)


def _is_meant(term: SecurityGroupSelectorTerm, group: Json) -> bool:
    if term.id is not None:
        return term.id == str(group["GroupId"])
    if term.name is not None:
        return _is_like(str(group.get("GroupName", "")), term.name)
    return has_tags(group["tags"], term.tags)


def has_tags(tags: dict[str, str], wanted: dict[str, str]) -> bool:
    """Tell whether tags have all that a term asks for; a star alone asks for the key."""
    return bool(wanted) and all(
        key in tags and (value == "*" or _is_like(tags[key], value))
        for key, value in wanted.items()
    )


def _is_like(text: str, pattern: str) -> bool:
    words = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(words, text) is not None


def literal_tags(terms: Iterable[Any]) -> dict[str, str]:
    """Give the tags of the first term that names tags by their whole values."""
    for one in terms:
        if one.tags and not any("*" in value or "?" in value for value in one.tags.values()):
            return dict(one.tags)
    return {}


async def cluster_group(look: Look) -> str:
    """Give the security group that EKS has made for the cluster."""
    told = await describe_cluster(look)
    return str(told.get("resourcesVpcConfig", {}).get("clusterSecurityGroupId", ""))


async def images_of_classes(look: Look) -> dict[str, Json]:
    """Give the images of all classes by id, as EC2 describes them."""
    return await look.shared("images", _images_of_classes)


async def _images_of_classes(look: Look) -> dict[str, Json]:
    ids = {name for one in await node_classes(look) for name in image_ids(one)}
    if not ids:
        return {}
    found = await look.aws_all(
        "ec2.DescribeImages",
        "Images",
        Filters=[{"Name": "image-id", "Values": sorted(ids)}],
        IncludeDeprecated=True,
    )
    return {str(one["ImageId"]): one for one in found}


def image_ids(node_class: EC2NodeClass) -> tuple[str, ...]:
    """Name the images that a class has resolved, and those that it names."""
    named = (one.id for one in node_class.spec.ami_selector_terms if one.id)
    return tuple(dict.fromkeys([*(one.id for one in node_class.status.amis), *named]))
