"""Disks, network cards and machine options of an EC2NodeClass."""

from typing import Annotated, Any, Final

import msgspec

from nodewright.model.ec2nodeclass_terms import has
from nodewright.model.metadata import Struct
from nodewright.model.schema import Rule, about

VOLUME_TYPES: Final = ("standard", "io1", "io2", "gp2", "sc1", "st1", "gp3")
VOLUME_SIZE_PATTERN: Final = (
    r"^(([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi"
    r"|([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G"
    r"|([1-9]|[1-4][0-9]|5[0-8])Ti"
    r"|([1-9]|[1-5][0-9]|6[0-4])T)$"
)
_ON_OFF: Final = ["enabled", "disabled"]


class BlockDevice(Struct, frozen=True):
    """One EBS volume."""

    delete_on_termination: Annotated[
        bool | None, about("Whether the volume goes when its instance goes.")
    ] = None
    encrypted: Annotated[bool | None, about("Whether the volume is encrypted.")] = None
    iops: Annotated[int | None, about("Input and output operations per second.")] = None
    kms_key_id: Annotated[
        str | None, about("The key that encrypts the volume, by id, alias or ARN.")
    ] = msgspec.field(default=None, name="kmsKeyID")
    snapshot_id: Annotated[str | None, about("The snapshot that the volume is made from.")] = (
        msgspec.field(default=None, name="snapshotID")
    )
    throughput: Annotated[int | None, about("MiB per second, for gp3.")] = None
    volume_initialization_rate: Annotated[
        int | None,
        about(
            "How fast the snapshot is loaded, in MiB per second. Needs snapshotID.",
            minimum=100,
            maximum=300,
            format="int32",
        ),
    ] = None
    volume_size: Annotated[
        str | None,
        about("The volume's size, with its unit: Gi, G, Ti or T.", pattern=VOLUME_SIZE_PATTERN),
    ] = None
    volume_type: Annotated[str | None, about("The kind of volume.", enum=list(VOLUME_TYPES))] = None


_EBS_RULES: Final = (
    Rule(
        "has(self.snapshotID) || has(self.volumeSize)",
        "ebs needs a volumeSize or a snapshotID",
        lambda ebs: has(ebs, "snapshotID", "volumeSize"),
    ),
    Rule(
        "!has(self.volumeInitializationRate) || has(self.snapshotID)",
        "volumeInitializationRate needs a snapshotID to load from",
        lambda ebs: not has(ebs, "volumeInitializationRate") or has(ebs, "snapshotID"),
    ),
)


class BlockDeviceMapping(Struct, frozen=True):
    """A volume and the name it is attached under."""

    device_name: Annotated[str | None, about("The device's name, such as /dev/xvda.")] = None
    ebs: Annotated[BlockDevice | None, about("The EBS volume behind it.", *_EBS_RULES)] = None
    root_volume: Annotated[
        bool,
        about("Whether pods' ephemeral storage is on this volume (at most one)."),
    ] = False


def _one_root(mappings: Any) -> bool:
    return sum(1 for mapping in mappings if mapping.get("rootVolume")) <= 1


type BlockDeviceMappings = Annotated[
    tuple[BlockDeviceMapping, ...],
    about(
        "The volumes of a node; unset for those of the image family.",
        Rule(
            "self.filter(x, has(x.rootVolume) && x.rootVolume).size() <= 1",
            "at most one block device can be the rootVolume",
            _one_root,
        ),
        maxItems=50,
    ),
]


class NetworkInterface(Struct, frozen=True):
    """One network interface that every instance is started with."""

    network_card_index: Annotated[
        int, about("The network card.", required=True, minimum=0, format="int32")
    ] = 0
    device_index: Annotated[
        int, about("The place on the card.", required=True, minimum=0, format="int32")
    ] = 0
    interface_type: Annotated[
        str,
        about("What kind of interface.", required=True, enum=["interface", "efa-only"]),
    ] = "interface"


def _place(interface: Any) -> tuple[Any, Any]:
    return interface.get("networkCardIndex"), interface.get("deviceIndex")


def _has_primary(interfaces: Any) -> bool:
    return any(_place(i) == (0, 0) and i.get("interfaceType") == "interface" for i in interfaces)


def _places_differ(interfaces: Any) -> bool:
    places = [_place(interface) for interface in interfaces]
    return len(places) == len(set(places))


def _one_efa_per_card(interfaces: Any) -> bool:
    cards = [_place(i)[0] for i in interfaces if i.get("interfaceType") == "efa-only"]
    return len(cards) == len(set(cards))


type NetworkInterfaces = Annotated[
    tuple[NetworkInterface, ...],
    about(
        "The network interfaces of a node; unset for the usual one.",
        Rule(
            "self.exists(x, x.networkCardIndex == 0 && x.deviceIndex == 0 "
            "&& x.interfaceType == 'interface')",
            "networkInterfaces must hold the primary one: card 0, device 0, type interface",
            _has_primary,
        ),
        Rule(
            "self.all(x, self.exists_one(y, x.networkCardIndex == y.networkCardIndex "
            "&& x.deviceIndex == y.deviceIndex))",
            "two networkInterfaces have the same card and device: give each its own place",
            _places_differ,
        ),
        Rule(
            "self.all(x, x.interfaceType != 'efa-only' || self.exists_one(y, "
            "y.interfaceType == 'efa-only' && y.networkCardIndex == x.networkCardIndex))",
            "a network card can have only one efa-only interface",
            _one_efa_per_card,
        ),
        maxItems=150,
    ),
]


class MetadataOptions(Struct, frozen=True):
    """How the instance metadata service answers."""

    http_endpoint: Annotated[
        str, about("Whether it answers at all.", enum=_ON_OFF, default="enabled")
    ] = "enabled"
    http_protocol_ipv6: Annotated[
        str, about("Whether it answers on IPv6.", enum=_ON_OFF, default="disabled")
    ] = msgspec.field(default="disabled", name="httpProtocolIPv6")
    http_put_response_hop_limit: Annotated[
        int,
        about(
            "How many network hops its tokens travel; pods need 2.",
            minimum=1,
            maximum=64,
            default=1,
        ),
    ] = 1
    http_tokens: Annotated[
        str,
        about(
            "Whether a token is needed (IMDSv2).",
            enum=["required", "optional"],
            default="required",
        ),
    ] = "required"


METADATA_OPTIONS_DEFAULT: Final = {
    "httpEndpoint": "enabled",
    "httpProtocolIPv6": "disabled",
    "httpPutResponseHopLimit": 1,
    "httpTokens": "required",
}


class ConnectionTracking(Struct, frozen=True):
    """How long idle connections are remembered, in seconds."""

    tcp_established_timeout: Annotated[
        int | None, about("For established TCP, in seconds.", minimum=60, maximum=432_000)
    ] = None
    udp_stream_timeout: Annotated[
        int | None, about("For UDP streams, in seconds.", minimum=60, maximum=180)
    ] = None
    udp_timeout: Annotated[
        int | None, about("For other UDP, in seconds.", minimum=30, maximum=60)
    ] = None


_TIMEOUTS: Final = ("tcpEstablishedTimeout", "udpStreamTimeout", "udpTimeout")
type OneTimeout = Annotated[
    ConnectionTracking | None,
    about(
        "How long idle connections are remembered; needs a nitro instance.",
        Rule(
            " || ".join(f"has(self.{name})" for name in _TIMEOUTS),
            f"connectionTracking needs at least one of {', '.join(_TIMEOUTS)}",
            lambda tracking: has(tracking, *_TIMEOUTS),
        ),
    ),
]


class CPUOptions(Struct, frozen=True):
    """Options of the processor."""

    nested_virtualization: Annotated[
        str | None, about("Whether virtual machines can run inside.", enum=_ON_OFF)
    ] = None
