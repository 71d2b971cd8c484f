"""Launch templates: everything about a machine but its type, its subnet and its claim.

A template is named by the hash of what it says, so that whoever needs the same one finds it made
already, in whichever process. An open capacity reservation is never used by accident: a machine that
is not meant for one says so.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.cluster import Cluster
from nodewright.aws.devices import Json, Network, block_devices, network_interfaces
from nodewright.aws.tags import tag_specification
from nodewright.aws.userdata.render import encode
from nodewright.model.ec2nodeclass import EC2NodeClassSpec
from nodewright.model.ec2nodeclass_devices import MetadataOptions
from nodewright.model.labels import SPOT

NAME_PREFIX: Final = "karpenter.k8s.aws/"
_DIGEST_BYTES: Final = 10


class Reservation(msgspec.Struct, frozen=True):
    """Reserved capacity that machines of a template draw on."""

    reservation_id: str
    kind: str = "default"
    is_interruptible: bool = False

    @property
    def market(self) -> str:
        """How EC2 names the way of buying it, or nothing for the plain one."""
        if self.kind == "capacity-block":
            return "capacity-block"
        return "interruptible-capacity-reservation" if self.is_interruptible else ""


class Placement(msgspec.Struct, frozen=True):
    """The placement group of a machine, and its partition where the group has some."""

    group_id: str
    partition: int | None = None


class TemplateWish(msgspec.Struct, frozen=True):
    """A template that is wanted."""

    cluster: Cluster
    spec: EC2NodeClassSpec
    image_id: str
    user_data: str
    security_groups: tuple[str, ...]
    profile: str
    tags: Mapping[str, str]
    capacity_type: str
    efa_count: int = 0
    reservation: Reservation | None = None
    placement: Placement | None = None


def template_request(wish: TemplateWish) -> Json:
    """Give the parameters of CreateLaunchTemplate."""
    data = template_data(wish)
    tags = [tag_specification("launch-template", wish.tags)]
    return {
        "LaunchTemplateName": _name(wish.cluster.name, data, tags),
        "LaunchTemplateData": data,
        "TagSpecifications": tags,
    }


def template_data(wish: TemplateWish) -> Json:
    """Give what machines are launched with."""
    spec, cluster = wish.spec, wish.cluster
    network = Network(wish.security_groups, cluster.is_ipv6, wish.efa_count)
    interfaces = network_interfaces(spec, network)
    data: Json = {
        "ImageId": wish.image_id,
        "IamInstanceProfile": {"Name": wish.profile},
        "UserData": encode(wish.user_data),
        "BlockDeviceMappings": block_devices(spec),
        "NetworkInterfaces": interfaces,
        "SecurityGroupIds": [] if interfaces else list(wish.security_groups),
        "MetadataOptions": _metadata_options(spec.metadata_options, cluster.region),
        "Monitoring": None
        if spec.detailed_monitoring is None
        else {"Enabled": spec.detailed_monitoring},
        "CpuOptions": _cpu_options(spec),
        "Placement": _placement(wish.placement),
        "TagSpecifications": _tag_specifications(wish),
        **_reserved(wish.reservation),
    }
    return {name: value for name, value in data.items() if value not in (None, [], {})}


def _metadata_options(options: MetadataOptions, region: str) -> Json:
    found: Json = {
        "HttpEndpoint": options.http_endpoint,
        "HttpPutResponseHopLimit": options.http_put_response_hop_limit,
        "HttpTokens": options.http_tokens,
        "InstanceMetadataTags": "disabled",
    }
    # The isolated regions do not know this option.
    if not region.startswith("us-iso"):
        found["HttpProtocolIpv6"] = options.http_protocol_ipv6
    return found


def _cpu_options(spec: EC2NodeClassSpec) -> Json | None:
    if spec.cpu_options is None or spec.cpu_options.nested_virtualization is None:
        return None
    return {"NestedVirtualization": spec.cpu_options.nested_virtualization}


def _placement(placement: Placement | None) -> Json | None:
    if placement is None:
        return None
    partition = {} if placement.partition is None else {"PartitionNumber": placement.partition}
    return {"GroupId": placement.group_id, **partition}


def _tag_specifications(wish: TemplateWish) -> list[Json]:
    kinds = ["network-interface"]
    if wish.capacity_type == SPOT:
        kinds.append("spot-instances-request")
    return [tag_specification(kind, wish.tags) for kind in kinds]


def _reserved(reservation: Reservation | None) -> Json:
    if reservation is None:
        return {"CapacityReservationSpecification": {"CapacityReservationPreference": "none"}}
    found: Json = {
        "CapacityReservationSpecification": {
            "CapacityReservationPreference": "capacity-reservations-only",
            "CapacityReservationTarget": {"CapacityReservationId": reservation.reservation_id},
        }
    }
    if reservation.market:
        found["InstanceMarketOptions"] = {"MarketType": reservation.market}
    return found


def _name(cluster: str, data: Json, tags: Any) -> str:
    said = msgspec.json.encode([cluster, data, tags], order="deterministic")
    return NAME_PREFIX + hashlib.blake2b(said, digest_size=_DIGEST_BYTES).hexdigest()
