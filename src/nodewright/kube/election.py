"""Who leads, as a pure step: what was seen of the leases and when, to what to do next.

A lease is judged by how long *we* have seen it unchanged, never by the times written in it, so a
clock that is wrong on any machine elects nobody. A holder who renews a lease of our name in another
namespace is another autoscaler on the same cluster: while it lives, we neither take nor keep ours.
"""

from enum import Enum
from typing import Final

import msgspec

from nodewright.model.metadata import ObjectMeta, Struct

NAME: Final = "karpenter-leader-election"
LEASE_MS: Final = 15_000
RENEW_MS: Final = 10_000
RETRY_MS: Final = 2_000


class LeaseSpec(Struct, frozen=True):
    """Who holds a lease, and since when."""

    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: str | None = None
    renew_time: str | None = None
    lease_transitions: int | None = None


class Lease(Struct, frozen=True):
    """A lease."""

    metadata: ObjectMeta
    spec: LeaseSpec = LeaseSpec()


class Terms(msgspec.Struct, frozen=True):
    """Which lease is wanted, by whom, and for how long at a time."""

    identity: str
    namespace: str
    name: str = NAME
    lease_ms: int = LEASE_MS
    renew_ms: int = RENEW_MS
    retry_ms: int = RETRY_MS

    def __post_init__(self) -> None:
        assert self.retry_ms < self.renew_ms < self.lease_ms


class Seen(msgspec.Struct, frozen=True):
    """A lease with the moment at which it was first seen to be so."""

    lease: Lease
    since_ticks_ms: int

    @property
    def holder(self) -> str:
        """Who holds it; nobody is empty."""
        return self.lease.spec.holder_identity or ""

    def is_alive(self, ticks_ms: int, least_ms: int) -> bool:
        """Tell whether somebody holds it and may still be renewing it."""
        return bool(self.holder) and ticks_ms < self.ends_ticks_ms(least_ms)

    def ends_ticks_ms(self, least_ms: int) -> int:
        """Tell when it is nobody's any more, unless it is renewed before."""
        written_ms = (self.lease.spec.lease_duration_seconds or 0) * 1000
        return self.since_ticks_ms + max(written_ms, least_ms)


class Step(Enum):
    """What a candidate does next."""

    CREATE = "create"
    TAKE = "take"
    RENEW = "renew"
    WAIT = "wait"
    STEP_DOWN = "step down"


type Sight = dict[str, Seen]
"""The leases of our name, by namespace."""


def look(before: Sight, found: tuple[Lease, ...], ticks_ms: int) -> Sight:
    """Take a new list of leases; one that has not changed keeps the moment it was first seen."""
    sight: Sight = {}
    for lease in found:
        place = lease.metadata.namespace
        known = before.get(place)
        unchanged = known is not None and (
            known.lease.metadata.resource_version == lease.metadata.resource_version
        )
        sight[place] = known if known is not None and unchanged else Seen(lease, ticks_ms)
    return sight


def find_rival(sight: Sight, terms: Terms, ticks_ms: int) -> Seen | None:
    """Give a living holder of the lease's name in another namespace."""
    for place in sorted(sight):
        seen = sight[place]
        if place != terms.namespace and seen.is_alive(ticks_ms, terms.lease_ms):
            return seen
    return None


def choose(sight: Sight, terms: Terms, ticks_ms: int) -> Step:
    """Tell a candidate or a leader what to do next."""
    ours = sight.get(terms.namespace)
    mine = ours is not None and ours.holder == terms.identity
    if find_rival(sight, terms, ticks_ms) is not None:
        return Step.STEP_DOWN if mine else Step.WAIT
    if ours is None:
        return Step.CREATE
    if mine:
        return Step.RENEW
    return Step.WAIT if ours.is_alive(ticks_ms, terms.lease_ms) else Step.TAKE
