"""The cluster, as EKS describes it; what the settings say of it comes first."""

from typing import Any, Final

import msgspec

from nodewright.aws.calls import DESCRIBE_CLUSTER
from nodewright.aws.cluster import Cluster
from nodewright.aws.gateway import Fault, Gateway

_FIELDS: Final = ("endpoint", "authority", "service_range", "version")


async def discover_cluster(gateway: Gateway, told: Cluster) -> Cluster | Fault:
    """Fill in what is not told; EKS is asked only where something is missing."""
    if all(getattr(told, name) for name in _FIELDS):
        return told
    answer = await gateway.ask(DESCRIBE_CLUSTER, {"name": told.name})
    if isinstance(answer, Fault):
        return answer
    found = _read(answer["cluster"])
    missing = {name: value for name, value in found.items() if not getattr(told, name)}
    return msgspec.structs.replace(told, **missing)


def _read(description: dict[str, Any]) -> dict[str, str]:
    network = description.get("kubernetesNetworkConfig") or {}
    is_ipv6 = network.get("ipFamily") == "ipv6"
    return {
        "endpoint": str(description.get("endpoint", "")),
        "authority": str((description.get("certificateAuthority") or {}).get("data", "")),
        "service_range": str(
            network.get("serviceIpv6Cidr" if is_ipv6 else "serviceIpv4Cidr") or ""
        ),
        "version": str(description.get("version", "")),
    }
