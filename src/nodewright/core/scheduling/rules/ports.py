"""Host ports: two pods on one node may not open the same port of the same address."""

from collections.abc import Iterable

import msgspec

from nodewright.model.pod import PodSpec

_ANY = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - addresses to compare, nothing is bound


class HostPort(msgspec.Struct, frozen=True, cache_hash=True):
    """A port that a pod opens on its node; no address means all of them."""

    address: str
    protocol: str
    port: int

    def clashes(self, other: "HostPort") -> bool:
        """Tell whether both cannot be open at once."""
        if self.port != other.port or self.protocol != other.protocol:
            return False
        return not self.address or not other.address or self.address == other.address


def host_ports(spec: PodSpec) -> tuple[HostPort, ...]:
    """Give the host ports of a pod's containers."""
    return tuple(
        HostPort(
            "" if port.host_ip in _ANY else port.host_ip, port.protocol or "TCP", port.host_port
        )
        for container in spec.containers
        for port in container.ports
        if port.host_port
    )


def first_taken(wanted: Iterable[HostPort], taken: Iterable[HostPort]) -> HostPort | None:
    """Give the first wanted port that another pod has."""
    others = tuple(taken)
    for port in wanted:
        if any(port.clashes(other) for other in others):
            return port
    return None
