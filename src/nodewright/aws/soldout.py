"""What could not be had a moment ago, and is not asked for again until it may be.

An offering is a type, a zone and a capacity type. Beside single ones a whole capacity type may be out
(spot without its service role), a reservation (whose machines are taken back), and a subnet (without free
addresses): its zone is out when all of the zone's subnets are. Marking again begins the time anew.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from nodewright.aws.faults import NO_ADDRESSES, NO_SPOT_ROLE, FleetError
from nodewright.catalog.settings import Reservation
from nodewright.model.ec2nodeclass import SubnetStatus
from nodewright.model.instance import InstanceType, Offering
from nodewright.model.labels import (
    CAPACITY_TYPE,
    INSTANCE_TYPE,
    RESERVATION_ID,
    RESERVED,
    SPOT,
    ZONE,
)

SOLD_OUT_MS: Final = 180_000
type OfferingKey = tuple[str, str, str]


class SoldOut:
    """Offerings, capacity types and subnets that are out, each until an instant."""

    def __init__(self) -> None:
        self._offerings: dict[OfferingKey, int] = {}
        self._kinds: dict[str, int] = {}
        self._subnets: dict[str, int] = {}
        self._zones: dict[str, int] = {}
        self._reservations: dict[str, int] = {}

    def note(self, errors: Iterable[FleetError], capacity_type: str, now_ms: int) -> None:
        """Take note of why a fleet could not launch some of its overrides.

        Of reserved capacity it is the reservation that is empty: another may have room in the same zone.
        """
        until = now_ms + SOLD_OUT_MS
        for one in errors:
            if one.code == NO_SPOT_ROLE:
                self._kinds[SPOT] = until
            elif one.is_sold_out and one.instance_type and one.zone and capacity_type != RESERVED:
                self._offerings[(one.instance_type, one.zone, capacity_type)] = until
            if one.code == NO_ADDRESSES and one.subnet_id:
                self._subnets[one.subnet_id] = until
            if one.is_full_group and one.zone:
                self._zones[one.zone] = until

    def mark(self, key: OfferingKey, now_ms: int) -> None:
        """Take note that an offering is out."""
        self._offerings[key] = now_ms + SOLD_OUT_MS

    def mark_like(self, labels: Mapping[str, str], now_ms: int) -> None:
        """Take note that the offering that a machine with these labels came from is out."""
        names = (labels.get(key, "") for key in (INSTANCE_TYPE, ZONE, CAPACITY_TYPE))
        kind, zone, capacity_type = names
        reservation = labels.get(RESERVATION_ID, "")
        if capacity_type == RESERVED and reservation:
            self._reservations[reservation] = now_ms + SOLD_OUT_MS
        elif kind and zone and capacity_type == SPOT:
            self.mark((kind, zone, capacity_type), now_ms)

    def note_reserved(self, reservations: Iterable[str], now_ms: int) -> None:
        """Take note that nothing is left in some reservations."""
        for one in reservations:
            self._reservations[one] = now_ms + SOLD_OUT_MS

    def spend(self, found: tuple[Reservation, ...], now_ms: int) -> tuple[Reservation, ...]:
        """Give reservations with nothing left in those that are out."""
        return tuple(
            msgspec.structs.replace(one, count=0)
            if self._reservations.get(one.reservation_id, 0) > now_ms
            else one
            for one in found
        )

    def has(self, key: OfferingKey, now_ms: int) -> bool:
        """Tell whether an offering is out."""
        out = max(self._offerings.get(key, 0), self._kinds.get(key[2], 0))
        return out > now_ms

    def has_subnet(self, subnet_id: str, now_ms: int) -> bool:
        """Tell whether a subnet is out."""
        return self._subnets.get(subnet_id, 0) > now_ms

    def apply(
        self, types: tuple[InstanceType, ...], subnets: Iterable[SubnetStatus], now_ms: int
    ) -> tuple[InstanceType, ...]:
        """Give the types with what is out marked as such."""
        self._forget(now_ms)
        if not (self._offerings or self._kinds or self._subnets or self._zones):
            return types
        zones = self._zones_out(subnets, now_ms)
        names = {key[0] for key in self._offerings}
        touches_all = bool(self._kinds or zones)
        return tuple(
            self._applied(one, zones, now_ms) if touches_all or one.name in names else one
            for one in types
        )

    def _applied(self, kind: InstanceType, zones: set[str], now_ms: int) -> InstanceType:
        def is_out(one: Offering) -> bool:
            key = (kind.name, one.zone, one.capacity_type)
            return one.zone in zones or self.has(key, now_ms)

        if not any(one.available and is_out(one) for one in kind.offerings):
            return kind
        offerings = tuple(
            msgspec.structs.replace(one, available=False) if is_out(one) else one
            for one in kind.offerings
        )
        return msgspec.structs.replace(kind, offerings=offerings)

    def _zones_out(self, subnets: Iterable[SubnetStatus], now_ms: int) -> set[str]:
        out: dict[str, bool] = {zone: at > now_ms for zone, at in self._zones.items()}
        for one in subnets:
            if one.zone not in self._zones:
                out[one.zone] = out.get(one.zone, True) and self.has_subnet(one.id, now_ms)
        return {zone for zone, is_out in out.items() if is_out}

    def _forget(self, now_ms: int) -> None:
        self._offerings = {key: at for key, at in self._offerings.items() if at > now_ms}
        self._kinds = {kind: at for kind, at in self._kinds.items() if at > now_ms}
        self._subnets = {name: at for name, at in self._subnets.items() if at > now_ms}
        self._zones = {zone: at for zone, at in self._zones.items() if at > now_ms}
        self._reservations = {name: at for name, at in self._reservations.items() if at > now_ms}
