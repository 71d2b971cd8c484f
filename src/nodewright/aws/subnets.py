"""Subnets and how many addresses are left in them, with launches on their way counted in.

EC2's number is old as soon as it is told, so each launch sets addresses aside for the pods of the machine
that it expects, and gives back what it did not use. A new number from EC2 begins the count anew.
"""

from collections.abc import Iterable, Mapping

import msgspec


class Subnet(msgspec.Struct, frozen=True):
    """A subnet as EC2 describes it."""

    id: str
    zone: str
    zone_id: str = ""
    free: int = 0


class SubnetBook:
    """The free addresses of subnets, as far as we know."""

    def __init__(self) -> None:
        self._free: dict[str, int] = {}

    def learn(self, found: Iterable[Subnet]) -> None:
        """Take EC2's word for how many addresses are free."""
        self._free.update({one.id: one.free for one in found})

    def free(self, subnet: Subnet) -> int:
        """Give how many addresses are left, by what EC2 said and what was set aside since."""
        return self._free.get(subnet.id, subnet.free)

    def choose(self, subnets: Iterable[Subnet], zones: frozenset[str]) -> dict[str, Subnet]:
        """Give the subnet with most free addresses of each zone; of equals the first by id."""
        found: dict[str, Subnet] = {}
        for one in sorted(subnets, key=lambda one: (-self.free(one), one.id)):
            if one.zone in zones:
                found.setdefault(one.zone, one)
        return found

    def set_aside(self, chosen: Mapping[str, Subnet], count: int) -> None:
        """Count addresses as used for a launch that may end up in any of the subnets."""
        for one in chosen.values():
            self._free[one.id] = self.free(one) - count

    def give_back(self, chosen: Mapping[str, Subnet], count: int, used: str) -> None:
        """Count addresses as free again, but for those of the subnet that was used."""
        for one in chosen.values():
            if one.id != used:
                self._free[one.id] = self.free(one) + count

    def exhaust(self, subnet_id: str) -> None:
        """Take note that a subnet has no address left."""
        self._free[subnet_id] = 0
