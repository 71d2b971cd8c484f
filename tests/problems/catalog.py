"""Catalogs of instance types: families and sizes in zones, some reserved, some sold out."""

from typing import Any

from problems.dice import Dice

ZONE = "topology.kubernetes.io/zone"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ARCH = "kubernetes.io/arch"
OS = "kubernetes.io/os"
CPU = "karpenter.k8s.aws/instance-cpu"
FAMILY = "karpenter.k8s.aws/instance-family"
GPU_COUNT = "karpenter.k8s.aws/instance-gpu-count"
RESERVATION_ID = "karpenter.k8s.aws/capacity-reservation-id"
GPU = "nvidia.com/gpu"
ZONES = ("zone-a", "zone-b", "zone-c")

_GIB_PER_CPU = {"c": 2, "m": 4, "r": 8, "g": 4}
_PRICE_PER_CPU = {"c": 0.043, "m": 0.048, "r": 0.063, "g": 0.21}


def term(key: str, operator: str, *values: str) -> dict[str, Any]:
    """One expression on node labels."""
    return (
        {"key": key, "operator": operator, "values": list(values)}
        if values
        else {
            "key": key,
            "operator": operator,
        }
    )


def make_catalog(dice: Dice, flavour: set[str]) -> list[dict[str, Any]]:
    """A catalog of a few dozen types."""
    families = dice.some(("c", "m", "r"), 1) + (["g"] if "gpu" in flavour else [])
    sizes = dice.some((1, 2, 4, 8, 16, 32, 64), 3)
    arches = ("amd64", "arm64") if dice.chance(0.4) else ("amd64",)
    return [
        _make_type(dice, flavour, family, cpus, arch)
        for family in families
        for cpus in sizes
        for arch in (arches if family != "g" else ("amd64",))
    ]


def _make_type(dice: Dice, flavour: set[str], family: str, cpus: int, arch: str) -> dict[str, Any]:
    name = f"{family}{'7' if arch == 'amd64' else '7g'}.{cpus}x"
    capacity = {
        "cpu": str(cpus),
        "memory": f"{cpus * _GIB_PER_CPU[family]}Gi",
        "pods": str(min(110, 8 + 8 * cpus)),
        "ephemeral-storage": "100Gi",
    }
    requirements = [
        term(INSTANCE_TYPE, "In", name),
        term(ARCH, "In", arch),
        term(OS, "In", "linux"),
        term(CPU, "In", str(cpus)),
        term(FAMILY, "In", name.split(".", maxsplit=1)[0]),
    ]
    if family == "g":
        count = max(1, cpus // 8)
        capacity[GPU] = str(count)
        requirements.append(term(GPU_COUNT, "In", str(count)))
    else:
        requirements.append(term(GPU_COUNT, "DoesNotExist"))
    offerings = _make_offerings(dice, flavour, name, cpus * _PRICE_PER_CPU[family])
    for key in (ZONE, CAPACITY_TYPE, RESERVATION_ID):
        values = sorted({value for one in offerings for value in _values(one, key)})
        if values:
            requirements.append(term(key, "In", *values))
    return {
        "name": name,
        "requirements": requirements,
        "capacity": capacity,
        "overhead": {
            "kubeReserved": {"cpu": f"{60 + 5 * cpus}m", "memory": f"{200 + 20 * cpus}Mi"},
            "systemReserved": {},
            "evictionThreshold": {"memory": "100Mi"},
        },
        "offerings": offerings,
    }


def _values(offering: dict[str, Any], key: str) -> list[str]:
    return [v for one in offering["requirements"] if one["key"] == key for v in one["values"]]


def _make_offerings(dice: Dice, flavour: set[str], name: str, price: float) -> list[dict[str, Any]]:
    zones = ZONES if dice.chance(0.7) else dice.some(ZONES)
    offerings = []
    for zone in zones:
        for kind in ("on-demand", "spot"):
            factor = 1.0 if kind == "on-demand" else 0.3 + 0.3 * dice.random.random()
            sold_out = "unavailable" in flavour and dice.chance(0.25)
            offerings.append(
                {
                    "requirements": [term(ZONE, "In", zone), term(CAPACITY_TYPE, "In", kind)],
                    "price": round(price * factor, 6),
                    "available": not sold_out,
                }
            )
    if "reserved" in flavour and dice.chance(0.5):
        zone = dice.pick(zones)
        offerings.append(
            {
                "requirements": [
                    term(ZONE, "In", zone),
                    term(CAPACITY_TYPE, "In", "reserved"),
                    term(RESERVATION_ID, "In", f"cr-{name}-{zone}"),
                ],
                "price": round(price * 1e-7, 12),
                "available": dice.chance(0.9),
                "reservationCapacity": dice.number(0, 3),
            }
        )
    return offerings
