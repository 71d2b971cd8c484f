"""Instance types for pools that bring none of their own: the built-in EC2 table.

The region comes from the snapshot, else from the zones of the pool's EC2NodeClass. A pool whose class
is of another kind is served by somebody else and stays without types.
"""

from collections.abc import Mapping, Sequence

import msgspec

from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.resolve import instance_types_for
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.labels import AWS_GROUP
from nodewright.model.nodepool import NodePool

type TypesByPool = Mapping[str, tuple[InstanceType, ...]]


class MissingTypes(msgspec.Struct, frozen=True):
    """Why a pool can be given no types: which one, the field at fault, and what to do."""

    pool: str
    field: str
    sentence: str


def add_builtin_types(
    given: TypesByPool,
    pools: Sequence[NodePool],
    classes: Sequence[EC2NodeClass],
    region: str,
) -> TypesByPool | MissingTypes:
    """Give every pool of ours types: those given, else the built-in ones of its class."""
    by_name = {one.metadata.name: one for one in classes}
    types = dict(given)
    for pool in pools:
        name = pool.metadata.name
        reference = pool.spec.template.spec.node_class_ref
        if name in types or (reference.group, reference.kind) != (AWS_GROUP, "EC2NodeClass"):
            continue
        node_class = by_name.get(reference.name)
        if node_class is None:
            return MissingTypes(
                name,
                "spec.template.spec.nodeClassRef.name",
                f"NodePool {name} refers to EC2NodeClass {reference.name}, which is not in the "
                "snapshot; add it, or give the pool an entry under instanceTypes",
            )
        where = region or _region_of(node_class)
        if not where:
            return MissingTypes(
                name,
                "",
                f"NodePool {name} has no entry under instanceTypes, and nothing says which "
                "region's machines to use; set metadata.region",
            )
        try:
            types[name] = instance_types_for(where, settings_of(node_class))
        except UserError as error:
            return MissingTypes(name, "", error.message)
    return types


def _region_of(node_class: EC2NodeClass) -> str:
    for subnet in node_class.status.subnets:
        if subnet.zone:
            return subnet.zone.rstrip("abcdefghijklmnopqrstuvwxyz")
    return ""
