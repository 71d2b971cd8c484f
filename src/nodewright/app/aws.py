"""The cloud that is AWS, made from the settings: who we are there, which cluster it is, what it has.

Everything that would keep machines from being made for want of an answer is found out here, once, and
said in one sentence. What may change while we run (the cluster's version) is looked at again.
"""

import asyncio
import base64
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Final

import msgspec

from nodewright.app.provider import Provider
from nodewright.app.settings import Order
from nodewright.aws.calls import Call
from nodewright.aws.classes import ClassOptions, open_classes
from nodewright.aws.cloud import AwsCloud, Options
from nodewright.aws.cluster import Cluster
from nodewright.aws.discovery import discover_cluster
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.session import Access, Clients
from nodewright.catalog.settings import NodeSettings
from nodewright.kube.client import Client, Request, Unreachable
from nodewright.kube.session import Session, greet
from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.cloudview import SeenNode
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.ports.classes import Classes
from nodewright.state.live import seen_nodes

NO_CLUSTER: Final = "NW-3113"
VERSION_MS: Final = 300_000
_DNS: Final = "/api/v1/namespaces/kube-system/services/kube-dns"
_UNKNOWN: Final = "ResourceNotFoundException"
_log: Final = logging.getLogger("nodewright.aws")

type Note = Callable[[str, str, str, int], None]
"""Told of each try: service, operation, error's code (nothing where it succeeded), milliseconds."""


@asynccontextmanager
async def open_aws(order: Order, session: Session, note: Note) -> AsyncIterator[Provider]:
    """Have the cloud of a cluster of EKS, for the length of a block."""
    machine = session.client.machine
    clients = await asyncio.to_thread(connect, order)

    def meter(call: Call, code: str, duration_ms: int) -> None:
        note(call.service, call.operation, code, duration_ms)

    gateway = Gateway(clients, machine.clock, machine.rng, meter)
    if order.written.dry_run:
        gateway.only_look()
    try:
        cluster = await _find_cluster(order, session.client, gateway, clients.region)
        facts = {
            "cluster": cluster.name,
            "region": cluster.region,
            "endpoint": cluster.endpoint,
            "kubernetes": cluster.version,
            "dns": cluster.dns_ip,
        }
        _log.info("discovered the cluster", extra={"facts": facts})
        options = _options(order, lambda: seen_nodes(session.mirror))
        cloud = AwsCloud(gateway, machine.clock, cluster, options)
        told = _class_options(order, options.base, cloud)
        asks_eks = order.aws.written.eks_control_plane
        classes = LiveClasses(told, session, gateway, cluster, asks_eks=asks_eks)
        yield Provider(cloud, cluster.region, cloud.run, classes)
    finally:
        gateway.close()


def connect(order: Order) -> Clients:
    """Give the clients of AWS that the settings name, where there are credentials."""
    written = order.aws.written
    clients = Clients(
        Access(
            region=order.written.region,
            profile=written.profile,
            assume_role=written.assume_role_arn,
            assume_role_s=order.aws.role_s,
        )
    )
    clients.check_credentials()
    return clients


def _options(order: Order, nodes: Callable[[], Iterable[SeenNode]]) -> Options:
    written = order.aws.written
    return Options(
        # Who only looks must not hide messages from the one who acts.
        queue="" if order.written.dry_run else written.interruption_queue,
        is_isolated=written.isolated_vpc,
        heeds_shifts=written.enable_zonal_shift,
        uses_reservations=order.controllers.options.feature_gates["ReservedCapacity"],
        base=NodeSettings(
            reserved_enis=written.reserved_enis,
            vm_memory_overhead_percent=written.vm_memory_overhead_percent,
        ),
        nodes=nodes,
    )


def _class_options(order: Order, base: NodeSettings, cloud: AwsCloud) -> ClassOptions:
    written = order.aws.written
    return ClassOptions(
        rehearses=not written.disable_dry_run and not order.written.dry_run,
        uses_reservations=order.controllers.options.feature_gates["ReservedCapacity"],
        is_isolated=written.isolated_vpc,
        allows_expressions=order.aws.gates["NodeClassCEL"],
        images_ms=order.aws.images_ms,
        subnets_ms=order.aws.subnets_ms,
        base=base,
        shapes=cloud.shapes,
        is_left_alone=cloud.is_left_alone,
        note_memory=cloud.note_memory,
    )


async def _find_cluster(order: Order, client: Client, gateway: Gateway, region: str) -> Cluster:
    written = order.aws.written
    told = Cluster(
        name=order.written.cluster_name,
        region=region,
        endpoint=written.cluster_endpoint,
        authority=written.cluster_ca_bundle,
        dns_ip=await _dns_address(client),
        version="" if written.eks_control_plane else await _version(client),
    )
    found = await discover_cluster(gateway, told)
    if isinstance(found, Fault):
        if not told.endpoint or found.code == _UNKNOWN:
            raise _not_discovered(told, found)
        _log.warning("EKS does not describe the cluster, so its settings must do: %s", found)
        found = msgspec.structs.replace(told, version=told.version or await _version(client))
    if found.authority:
        return found
    return msgspec.structs.replace(found, authority=_own_authority(client))


def _not_discovered(told: Cluster, fault: Fault) -> UserError:
    where = f"cluster {told.name} in {told.region}"
    if fault.code == _UNKNOWN:
        return UserError(
            "EKS does not know the cluster",
            code=NO_CLUSTER,
            where=where,
            advice="look at --cluster-name and --region, and in which account you are",
        )
    advice = "look at the credentials, and whether AWS can be reached"
    if fault.is_unauthorized:
        advice = "allow eks:DescribeCluster on it"
    return UserError(
        f"EKS does not describe the cluster: {fault}", code=NO_CLUSTER, where=where, advice=advice
    )


async def _dns_address(client: Client) -> str:
    """Give the address of the cluster's DNS; nothing where it has none under its usual name."""
    try:
        reply = await client.ask(Request("GET", _DNS))
    except Unreachable as error:
        _log.warning("the address of kube-dns is not known: %s", error)
        return ""
    if reply.status != HTTPStatus.OK:
        _log.warning("the address of kube-dns is not known: the API server says %d", reply.status)
        return ""
    service: dict[str, Any] = msgspec.json.decode(reply.body)
    address = str(service.get("spec", {}).get("clusterIP") or "")
    return "" if address == "None" else address


async def _version(client: Client) -> str:
    """Give the minor version of the API server, as EKS writes it."""
    return minor_version(await greet(client))


def minor_version(version: str) -> str:
    """Give the first two parts of a version: `v1.34.4-eks-1` is `1.34`."""
    return ".".join(version.removeprefix("v").split(".")[:2])


def _own_authority(client: Client) -> str:
    """Give whom we ourselves trust to be the API server."""
    return base64.b64encode(client.access.authority.read()).decode()


class LiveClasses:
    """Answers for classes, with the version that the cluster has now: it is looked at again and again.

    Images follow the version, so a cluster that was upgraded gets those of its new one.
    """

    def __init__(
        self,
        options: ClassOptions,
        session: Session,
        gateway: Gateway,
        cluster: Cluster,
        *,
        asks_eks: bool,
    ) -> None:
        self._options = options
        self._asks_eks = asks_eks
        self._client = session.client
        self._mirror = session.mirror
        self._gateway = gateway
        self._cluster = cluster
        self._clock = session.client.machine.clock
        self._seen_ms = self._clock.now_ms()
        self._classes = self._open()

    def _open(self) -> Classes:
        return open_classes(self._gateway, self._clock, self._cluster, self._options)

    async def find(self, node_class: EC2NodeClass) -> ClassFacts:
        """Give what was found for a class, and make what its machines need."""
        if self._clock.now_ms() - self._seen_ms >= VERSION_MS:
            await self._look()
        return await self._classes.find(node_class)

    async def release(self, node_class: EC2NodeClass) -> Trouble | None:
        """Give back what was made for a class."""
        return await self._classes.release(node_class)

    async def tag(self, provider_id: str, tags: Mapping[str, str]) -> Trouble | None:
        """Put tags on a machine."""
        return await self._classes.tag(provider_id, tags)

    async def _look(self) -> None:
        self._seen_ms = self._clock.now_ms()
        version = await self._ask()
        if not version or version == self._cluster.version:
            return
        facts = {"kubernetes-version": version, "before": self._cluster.version}
        _log.info("discovered kubernetes version", extra={"facts": facts})
        self._cluster = msgspec.structs.replace(self._cluster, version=version)
        self._mirror.learn_version(version)
        self._classes = self._open()

    async def _ask(self) -> str:
        if self._asks_eks:
            unknown = Cluster(self._cluster.name, self._cluster.region)
            found = await discover_cluster(self._gateway, unknown)
            return "" if isinstance(found, Fault) else found.version
        try:
            return await _version(self._client)
        except UserError:
            # What was known is still the best that is known.
            return ""
