"""From a choice of offerings to what EC2 is asked for: templates, and types in subnets.

Offerings that need the same template share one: the same image, number of pods, interfaces for EFA and
reservation, and the same amounts where the class has expressions for the kubelet. A placement group is
the class's; in one with partitions the lowest is taken that the claim allows, and EC2 chooses where the
claim says nothing of it. Nothing here talks to AWS.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.choice import Candidate, Choice
from nodewright.aws.cluster import Cluster
from nodewright.aws.fleet import Override
from nodewright.aws.placements import PARTITION, PlacementGroup
from nodewright.aws.subnets import Subnet
from nodewright.aws.tags import shared_tags
from nodewright.aws.template import Placement, Reservation, TemplateWish, template_request
from nodewright.aws.userdata.draft import Draft
from nodewright.aws.userdata.render import write_user_data
from nodewright.catalog.images import image_for
from nodewright.catalog.settings import RAID0
from nodewright.model.ec2nodeclass import PROFILE_NAME, EC2NodeClass
from nodewright.model.ec2nodeclass_terms import alias_of
from nodewright.model.hashing import (
    EC2NODECLASS_HASH,
    EC2NODECLASS_HASH_VERSION,
    HASH_VERSION,
    hash_ec2nodeclass,
)
from nodewright.model.instance import InstanceType
from nodewright.model.kubelet import is_expression
from nodewright.model.labels import CAPACITY_TYPE, PLACEMENT_GROUP_PARTITION
from nodewright.model.quantity import MILLI, print_quantity
from nodewright.ports.cloud import LaunchRequest

_EFA: Final = "vpc.amazonaws.com/efa"


class Sort(msgspec.Struct, frozen=True):
    """What machines of one template have in common."""

    image_id: str
    max_pods: int
    efa_count: int
    reservation: Reservation | None
    reserved: tuple[tuple[str, str, str], ...] = ()
    placement: Placement | None = None


class Group(msgspec.Struct, frozen=True):
    """A template that is to be made, and what may be launched from it."""

    template: dict[str, Any]
    overrides: tuple[Override, ...]
    reservation: Reservation | None = None


def group_choice(
    request: LaunchRequest,
    choice: Choice,
    cluster: Cluster,
    subnets: Mapping[str, Subnet],
    group: PlacementGroup | None = None,
) -> tuple[Group, ...]:
    """Give the templates of a launch, and their overrides; none where no image or subnet fits."""
    node_class = request.node_class
    assert isinstance(node_class, EC2NodeClass)
    placement = placement_of(request, group)
    found: dict[Sort, list[Override]] = {}
    for one in choice.candidates:
        image = image_for(one.type, node_class.status.amis)
        subnet = subnets.get(one.offering.zone)
        if image is None or subnet is None:
            continue
        override = Override(
            one.offering.price, one.type.name, one.offering.zone, subnet.id, image.id
        )
        sort = msgspec.structs.replace(_sort(one, image.id, request), placement=placement)
        found.setdefault(sort, []).append(override)
    return tuple(
        Group(
            template_request(_wish(sort, request, choice.capacity_type, cluster)),
            tuple(sorted(overrides)),
            sort.reservation,
        )
        for sort, overrides in found.items()
    )


def placement_of(request: LaunchRequest, group: PlacementGroup | None) -> Placement | None:
    """Give the place of a launch in its class's placement group, if it has one."""
    if group is None:
        return None
    wanted = request.requirements.get(PLACEMENT_GROUP_PARTITION)
    if wanted is None or group.strategy != PARTITION:
        return Placement(group.group_id)
    numbers = range(1, group.partition_count + 1)
    return Placement(group.group_id, next((one for one in numbers if wanted.has(str(one))), None))


def pods_of(choice: Choice) -> int:
    """Give the smallest number of pods of the machines that a choice may become."""
    return min(one.type.capacity.get("pods", 0) // MILLI for one in choice.candidates)


def tags_of(request: LaunchRequest, cluster: Cluster) -> dict[str, str]:
    """Give the tags of everything that a launch makes."""
    node_class = request.node_class
    assert isinstance(node_class, EC2NodeClass)
    own = {**node_class.spec.tags, **request.tags}
    return shared_tags(cluster.name, request.node_pool, node_class.metadata.name, own)


def stamps_of(request: LaunchRequest, cluster: Cluster) -> dict[str, str]:
    """Give the annotations by which a claim remembers what its machine was made from."""
    node_class = request.node_class
    assert isinstance(node_class, EC2NodeClass)
    return {
        EC2NODECLASS_HASH: hash_ec2nodeclass(node_class.spec, cluster.authority),
        EC2NODECLASS_HASH_VERSION: HASH_VERSION,
        PROFILE_NAME: node_class.status.instance_profile,
    }


def unattached_resources(request: LaunchRequest) -> frozenset[str]:
    """Name what a type could have and this launch leaves out: EFA is attached for those who ask."""
    node_class = request.node_class
    assert isinstance(node_class, EC2NodeClass)
    has_efa = request.requests.get(_EFA) or node_class.spec.network_interfaces
    return frozenset() if has_efa else frozenset({_EFA})


def _sort(one: Candidate, image_id: str, request: LaunchRequest) -> Sort:
    node_class = request.node_class
    assert isinstance(node_class, EC2NodeClass)
    wants_efa = bool(request.requests.get(_EFA)) and not node_class.spec.network_interfaces
    return Sort(
        image_id=image_id,
        max_pods=one.type.capacity.get("pods", 0) // MILLI,
        efa_count=one.type.capacity.get(_EFA, 0) // MILLI if wants_efa else 0,
        reservation=one.reservation,
        reserved=_worked_out(node_class.spec.kubelet, one.type),
    )


def _worked_out(
    kubelet: Mapping[str, object], kind: InstanceType
) -> tuple[tuple[str, str, str], ...]:
    """Give what stands for expressions on a type: field, resource and the amount that was planned with."""
    amounts = {
        "kubeReserved": kind.overhead.kube_reserved,
        "systemReserved": kind.overhead.system_reserved,
    }
    return tuple(
        (field, resource, print_quantity(found[resource], resource))
        for field, found in amounts.items()
        for resource, text in _entries(kubelet.get(field))
        if is_expression(text)
    )


def _entries(amounts: object) -> list[tuple[str, object]]:
    return sorted(amounts.items()) if isinstance(amounts, dict) else []


def _settled(kubelet: Mapping[str, object], sort: Sort) -> dict[str, object]:
    """Give kubelet settings without expressions: each node is told the amounts of its type."""
    settled = dict(kubelet)
    for field, resource, amount in sort.reserved:
        settled[field] = {**dict(_entries(settled.get(field))), resource: amount}
    return settled


def _wish(sort: Sort, request: LaunchRequest, capacity_type: str, cluster: Cluster) -> TemplateWish:
    node_class = request.node_class
    assert isinstance(node_class, EC2NodeClass)
    spec, status = node_class.spec, node_class.status
    alias = alias_of(spec.ami_selector_terms)
    draft = Draft(
        cluster=cluster,
        max_pods=sort.max_pods,
        labels={**request.labels, CAPACITY_TYPE: capacity_type},
        taints=request.taints,
        kubelet=_settled(spec.kubelet, sort),
        joins_disks=spec.instance_store_policy == RAID0,
        written=spec.user_data or "",
        image_version=alias[1] if alias else "",
    )
    return TemplateWish(
        cluster=cluster,
        spec=spec,
        image_id=sort.image_id,
        user_data=write_user_data(spec.resolved_family, draft),
        security_groups=tuple(one.id for one in status.security_groups),
        profile=status.instance_profile,
        tags=tags_of(request, cluster),
        capacity_type=capacity_type,
        efa_count=sort.efa_count,
        reservation=sort.reservation,
        placement=sort.placement,
    )
