"""Capacity reservations of a class: found by its terms, with how much is left of each.

A capacity block is over before its end: forty minutes earlier machines in it begin to go, so nothing new
is started there. A plain reservation counts until it ends.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import DESCRIBE_CAPACITY_RESERVATIONS
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.terms import a_filter, tag_filters
from nodewright.catalog.settings import Reservation
from nodewright.model.ec2nodeclass import CapacityReservationStatus
from nodewright.model.ec2nodeclass_terms import CapacityReservationSelectorTerm
from nodewright.model.instant import print_instant

EXPIRING_MS: Final = 40 * 60_000
_BLOCK: Final = "capacity-block"


class FoundReservation(msgspec.Struct, frozen=True):
    """A reservation as the class's status tells it, and how many machines it has room for."""

    status: CapacityReservationStatus
    count: int

    @property
    def offered(self) -> Reservation:
        """What it offers to launches."""
        return Reservation(
            reservation_id=self.status.id,
            instance_type=self.status.instance_type,
            zone=self.status.availability_zone,
            count=self.count,
            kind=self.status.reservation_type,
            is_interruptible=self.status.interruptible,
            is_expiring=self.status.state == "expiring",
        )


async def find_reservations(
    gateway: Gateway, terms: Iterable[CapacityReservationSelectorTerm], now_ms: int
) -> tuple[FoundReservation, ...] | Fault:
    """Give the active reservations of a class, by id; none where it names none."""
    found: dict[str, FoundReservation] = {}
    for question in _questions(terms):
        answer = await gateway.ask_all(
            DESCRIBE_CAPACITY_RESERVATIONS, question, "CapacityReservations"
        )
        if isinstance(answer, Fault):
            # An id that is gone must not spoil the others.
            if answer.is_gone:
                continue
            return answer
        for one in answer:
            found[str(one["CapacityReservationId"])] = _read(one, now_ms)
    return tuple(found[name] for name in sorted(found))


def _questions(terms: Iterable[CapacityReservationSelectorTerm]) -> list[dict[str, Any]]:
    active = a_filter("state", "active")
    questions: list[dict[str, Any]] = []
    for term in terms:
        if term.id is not None:
            questions.append({"CapacityReservationIds": [term.id], "Filters": [active]})
            continue
        filters = [active, *tag_filters(term.tags)]
        if term.owner_id is not None:
            filters.append(a_filter("owner-id", term.owner_id))
        if term.instance_match_criteria is not None:
            filters.append(a_filter("instance-match-criteria", term.instance_match_criteria))
        questions.append({"Filters": filters})
    return questions


def _read(description: Mapping[str, Any], now_ms: int) -> FoundReservation:
    kind = str(description.get("ReservationType") or "default")
    end = description.get("EndDate")
    end_ms = int(end.timestamp() * 1000) if end is not None else None
    is_expiring = kind == _BLOCK and end_ms is not None and end_ms - now_ms <= EXPIRING_MS
    status = CapacityReservationStatus(
        id=str(description["CapacityReservationId"]),
        availability_zone=str(description.get("AvailabilityZone", "")),
        instance_type=str(description.get("InstanceType", "")),
        owner_id=str(description.get("OwnerId", "")),
        instance_match_criteria=str(description.get("InstanceMatchCriteria") or "targeted"),
        reservation_type=kind,
        state="expiring" if is_expiring else "active",
        interruptible=bool(description.get("Interruptible")),
        end_time=None if end_ms is None else print_instant(end_ms),
    )
    return FoundReservation(status, int(description.get("AvailableInstanceCount", 0)))
