"""Instance types as EC2 describes them, made short for tests of the catalog."""

import msgspec

from nodewright.catalog.table import Shape, Sheet

_PLAIN = Shape(
    name="m5.large",
    vcpu=2,
    memory_mib=8192,
    arch="amd64",
    manufacturer="Intel",
    clock_mhz=3100,
    hypervisor="nitro",
    encrypts_in_transit=False,
    has_enclaves=False,
    usage_classes=("on-demand", "spot"),
    store_gb=0,
    store_is_nvme=False,
    ebs_mbps=4750,
    network_mbps=750,
    card_interfaces=(3,),
    default_card=0,
    ipv4_per_interface=10,
    has_ena=True,
    efa_interfaces=0,
    branch_interfaces=9,
    gpus=(),
    neurons=(),
    accelerators=(),
    placements=("cluster", "partition", "spread"),
    nests_virtualization=False,
    is_bare_metal=False,
    is_current=True,
)


def a_shape(name="m5.large", **changes):
    """Make a type that is an m5.large but for what is said."""
    return msgspec.structs.replace(_PLAIN, name=name, **changes)


def a_sheet(*shapes, zones=("xx-test-1a", "xx-test-1b"), prices=None, **changes):
    """Make a sheet that sells these types in every zone, quoted at 0.1 each unless said."""
    count = len(shapes)
    sheet = Sheet(
        region="xx-test-1",
        currency="USD",
        zones=zones,
        zones_are_assumed=False,
        types=tuple(range(count)),
        zone_masks=((1 << len(zones)) - 1,) * count,
        prices=tuple(prices or (100_000_000,) * count),
        price_sources=(0,) * count,
        price_is_estimate=(False,) * count,
    )
    return msgspec.structs.replace(sheet, **changes)
