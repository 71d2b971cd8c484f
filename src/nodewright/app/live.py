"""A snapshot of the live cluster, taken the way the controllers see it.

Every kind is listed once into a mirror, and the mirror is written down: what the controllers would
plan with, without what only a running controller remembers. Types are those of the built-in table,
for the region that was named, else the one that the nodes are in. A pool for which none can be found
is written without any, and that is said.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import msgspec

from nodewright.app.settings import Written, read_settings
from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.resolve import instance_types_for
from nodewright.kube.access import Access, find_access
from nodewright.kube.client import Client, Request
from nodewright.kube.crds import NO_CLUSTER
from nodewright.kube.machine import Machine, this_machine
from nodewright.kube.session import Plan, greet, open_session
from nodewright.kwok.cloud import REGION as ANY_REGION
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.labels import REGION
from nodewright.model.nodeclass import ClassKey, NodeClass, key_of_reference
from nodewright.model.resource import NODE_POOLS, NODES
from nodewright.model.world import Options
from nodewright.state.expectations import Held
from nodewright.state.live import find_class, find_pools, is_served, take_snapshot, with_machines
from nodewright.state.mirror import Mirror
from nodewright.state.writing import SnapshotMetadata, write_snapshot

_SYNC_MS: Final = 60_000
_INSTANCE: Final = "nodewright-cli"


class Place(msgspec.Struct, frozen=True):
    """Which cluster, and whose machines."""

    kubeconfig: str = ""
    context: str = ""
    region: str = ""


class Taken(msgspec.Struct, frozen=True):
    """A snapshot document, and what there is to say about it."""

    document: bytes
    warnings: tuple[str, ...] = ()


def take_live(place: Place, environment: Mapping[str, str]) -> Taken:
    """Take a snapshot of the cluster that a kubeconfig names."""
    access = find_access(environment, place.kubeconfig or None, place.context or None)
    return asyncio.run(_take(access, this_machine(), place))


async def _take(access: Access, machine: Machine, place: Place) -> Taken:
    client = Client(access, machine)
    try:
        running = await greet(client)
        await find_pools_or_refuse(client)
    finally:
        await client.close()
    async with open_session(access, machine, Plan(instance=_INSTANCE)) as session:
        session.mirror.learn_version(running)
        await session.wait_synced(_SYNC_MS)
        metadata = SnapshotMetadata(
            name=access.context,
            cluster=access.server,
            region=place.region or find_region(session.mirror),
        )
        return write_mirror(session.mirror, machine.clock.now_ms(), metadata)


async def find_pools_or_refuse(client: Client) -> None:
    """Refuse a cluster that does not know what we work with, before anybody waits for it."""
    reply = await client.ask(Request("GET", NODE_POOLS.path(), {"limit": "1"}))
    if reply.status == HTTPStatus.NOT_FOUND:
        raise UserError(
            "the cluster does not know NodePools",
            code=NO_CLUSTER,
            where=client.access.server,
            advice="`nodewright crds | kubectl apply --server-side -f -` installs the kinds",
        )


def write_mirror(
    mirror: Mirror, now_ms: int, metadata: SnapshotMetadata, options: Options | None = None
) -> Taken:
    """Write down what a mirror shows, with the types of the built-in table."""
    warnings: list[str] = []
    types = find_types(mirror, metadata.region, warnings)
    chosen = options or read_settings(Written()).controllers.options
    world = with_machines(take_snapshot(mirror, now_ms, types, chosen), mirror)
    return Taken(write_snapshot(world, metadata, held=Held()), tuple(warnings))


def find_region(mirror: Mirror) -> str:
    """Give the region that most nodes are in; nothing where they do not say."""
    counts = Counter(
        region for node in mirror.all(NODES) if (region := node.metadata.labels.get(REGION))
    )
    return min(counts, key=lambda region: (-counts[region], region), default="")


def find_types(
    mirror: Mirror, region: str, warnings: list[str]
) -> dict[str, tuple[InstanceType, ...]]:
    """Give what each pool can buy by the built-in table; what is odd is added to the warnings."""
    by_class: dict[ClassKey, tuple[InstanceType, ...]] = {}
    found: dict[str, tuple[InstanceType, ...]] = {}
    for pool in find_pools(mirror):
        reference, name = pool.spec.template.spec.node_class_ref, pool.metadata.name
        if not is_served(mirror, reference):
            continue
        key = key_of_reference(reference)
        try:
            if key not in by_class:
                by_class[key] = _types_of(find_class(mirror, reference), region)
            found[name] = by_class[key]
        except UserError as error:
            warnings.append(f"NodePool {name} has no instance types: {error.message}")
    return found


def _types_of(node_class: NodeClass | None, region: str) -> tuple[InstanceType, ...]:
    if node_class is None:
        raise UserError("its node class is not there", code="NW-9017")
    if not isinstance(node_class, EC2NodeClass):
        return instance_types_for(region or ANY_REGION)
    zones = [subnet.zone for subnet in node_class.status.subnets if subnet.zone]
    where = region or (zones[0].rstrip("abcdefghijklmnopqrstuvwxyz") if zones else "")
    if not where:
        raise UserError("nothing says in which region it is; give --region", code="NW-9017")
    return instance_types_for(where, settings_of(node_class))
