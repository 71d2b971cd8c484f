"""What many checks ask of the account: the roles, subnets and groups of the classes. Read once for all.

Classes of today and AWSNodeTemplates of older days are looked at alike: the latter are converted first.
"""

from typing import Any, Final

import msgspec

from nodewright.aws.tags import read_tags
from nodewright.catalog.settings import WINDOWS_BUILDS
from nodewright.convert.nodeclass import ConvertOptions
from nodewright.convert.stream import convert_legacy
from nodewright.doctor.cluster import CLASSES, PROVISIONERS, TEMPLATES, find_controller
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.legacy import AWSNodeTemplate, GlobalSettings, Provisioner
from nodewright.model.older import CONVERTED_FROM, origin_of

NAME_LENGTH_MAX: Final = 64
_PROFILE: Final = "DEFAULT_INSTANCE_PROFILE"
_TEMPLATE: Final = "karpenter.k8s.aws/v1alpha1/AWSNodeTemplate"


class NodeRole(msgspec.Struct, frozen=True):
    """The role that the nodes of a class get; without an ARN the role or its profile is not there."""

    of: str
    name: str
    arn: str = ""
    profile: str = ""
    is_windows: bool = False


async def node_classes(look: Look) -> tuple[EC2NodeClass, ...]:
    """Give every class: those of today, and older ones as what they would be today."""
    return await look.shared("classes", _node_classes)


async def _node_classes(look: Look) -> tuple[EC2NodeClass, ...]:
    today = [_read(one, EC2NodeClass) for one in await look.all(CLASSES)]
    older = [
        *(_read(one, Provisioner) for one in await look.all(PROVISIONERS)),
        *(_read(one, AWSNodeTemplate) for one in await look.all(TEMPLATES)),
    ]
    if not older:
        return tuple(today)
    made = [one.object for one in convert_legacy(older, await _options(look)).made]
    return (*today, *(_marked(one) for one in made if isinstance(one, EC2NodeClass)))


async def _options(look: Look) -> ConvertOptions:
    """Give what older manifests do not say, and the settings of their controller do."""
    controller = await find_controller(look)
    profile = controller.settings.get(_PROFILE, "") if controller else ""
    settings = GlobalSettings(cluster_name=look.subject.cluster, default_instance_profile=profile)
    return ConvertOptions(settings=settings)


def _marked(one: EC2NodeClass) -> EC2NodeClass:
    """Give a class that was made of a template with the mark of where it came from."""
    notes = {**one.metadata.annotations, CONVERTED_FROM: _TEMPLATE}
    metadata = msgspec.structs.replace(one.metadata, annotations=notes)
    return msgspec.structs.replace(one, metadata=metadata)


def title_of(one: EC2NodeClass) -> str:
    """Name a class as the cluster knows it: one that was made of a template by the template."""
    origin = origin_of(one)
    return f"{origin.kind if origin else 'EC2NodeClass'}/{one.metadata.name}"


def _read(document: Json, struct: Any) -> Any:
    return msgspec.convert(document, struct, strict=False)


async def node_roles(look: Look) -> tuple[NodeRole, ...]:
    """Give the role of each class, by its name or by the profile that is named."""
    return await look.shared("node roles", _node_roles)


async def _node_roles(look: Look) -> tuple[NodeRole, ...]:
    controller = await find_controller(look)
    default = controller.settings.get(_PROFILE, "") if controller else ""
    found: list[NodeRole] = []
    for one in await node_classes(look):
        of = title_of(one)
        profile = one.spec.instance_profile or ("" if one.spec.role else default)
        if profile:
            role = await _role_of_profile(look, of, profile)
        elif one.spec.role:
            role = await _role_of_name(look, of, one.spec.role.rpartition("/")[2])
        else:
            continue
        found.append(msgspec.structs.replace(role, is_windows=is_windows(one)))
    return tuple(found)


def is_windows(one: EC2NodeClass) -> bool:
    """Tell whether the nodes of a class run Windows."""
    return one.spec.resolved_family in WINDOWS_BUILDS


async def _role_of_name(look: Look, of: str, name: str) -> NodeRole:
    is_name = len(name) <= NAME_LENGTH_MAX
    told = await look.aws("iam.GetRole", RoleName=name) if is_name else None
    return NodeRole(of, name, str(told["Role"]["Arn"]) if told else "")


async def _role_of_profile(look: Look, of: str, profile: str) -> NodeRole:
    told = await look.aws("iam.GetInstanceProfile", InstanceProfileName=profile)
    roles = (told or {}).get("InstanceProfile", {}).get("Roles") or []
    if not roles:
        return NodeRole(of, "", "", profile)
    return NodeRole(of, str(roles[0]["RoleName"]), str(roles[0]["Arn"]), profile)


async def subnets_of_vpc(look: Look) -> tuple[Json, ...]:
    """Give every subnet of the cluster's VPC, with its tags as `tags`."""
    return await look.shared("subnets", lambda one: _of_vpc(one, "ec2.DescribeSubnets", "Subnets"))


async def groups_of_vpc(look: Look) -> tuple[Json, ...]:
    """Give every security group of the cluster's VPC, with its tags as `tags`."""
    return await look.shared(
        "groups", lambda one: _of_vpc(one, "ec2.DescribeSecurityGroups", "SecurityGroups")
    )


async def _of_vpc(look: Look, call: str, items: str) -> tuple[Json, ...]:
    told = await look.aws("eks.DescribeCluster", name=look.subject.cluster)
    vpc = ((told or {}).get("cluster") or {}).get("resourcesVpcConfig", {}).get("vpcId", "")
    found = await look.aws_all(call, items, Filters=[{"Name": "vpc-id", "Values": [vpc]}])
    return tuple({**one, "tags": read_tags(one.get("Tags"))} for one in found)
