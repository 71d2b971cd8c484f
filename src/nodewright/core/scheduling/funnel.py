"""The funnel: what a NodePool could make for a pod, rule by rule, until nothing is left.

The masks that the search uses are asked one after the other instead of all at once, so every rule has
its count and the one that leaves nothing is the cause. Types that the cloud has run out of stand in
no mask: they are looked up before a type is called too small or unknown.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.crowding import limit_cause, neighbour_cause
from nodewright.core.scheduling.rules.min_values import distinct_values
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.wishes import Shape, Wish, strict_requirements
from nodewright.model.cause import Cause
from nodewright.model.instance import InstanceType, Offering
from nodewright.model.labels import CAPACITY_TYPE, NODEPOOL, ZONE
from nodewright.model.metadata import Taint
from nodewright.model.quantity import Milli, Resources
from nodewright.model.reason import Reason
from nodewright.model.requirements import Requirement, Requirements, contradiction
from nodewright.model.wording.amounts import show_amount

_KNOWN_MAX: Final = 5
_FIRST: Final = ("cpu", "memory")
_LAST_LABELS: Final = (ZONE, CAPACITY_TYPE)


class Step(msgspec.Struct, frozen=True):
    """One rule of the funnel: what it was about and how many instance types it left."""

    rule: str
    subject: str
    left: int


class Miss(msgspec.Struct, frozen=True):
    """The type that came nearest: what it has free, and what was asked of it."""

    instance_type: str
    resource: str
    needs: Milli
    has: Milli


type Unavailable = tuple[tuple[InstanceType, tuple[Offering, ...]], ...]
"""Types with the offerings of theirs that cannot be had now."""


class Catalog(msgspec.Struct, frozen=True):
    """What a pool's catalog holds beside what the masks know."""

    count: int
    unavailable: Unavailable


class Walk:
    """A pod's way through the rules of one pool."""

    def __init__(self, board: Board, supply: Supply, catalog: Catalog) -> None:
        self.board = board
        self.supply = supply
        self.catalog = catalog
        self.bits: Bits = board.tables[supply].start.bits
        self.masks: list[tuple[str, str, Bits]] = []
        self.cause: Cause | None = None
        self.miss: Miss | None = None
        self.fitting: Fitting | None = None
        self._wanted = supply.requirements
        self._full: Bits = supply.full

    def steps(self) -> tuple[Step, ...]:
        """Count what every rule left, from the whole catalog on."""
        counted = [
            Step("types", "", self.catalog.count),
            Step("pool", self.supply.name, len(self.supply.types)),
        ]
        for rule, subject, bits in self.masks:
            counted.append(Step(rule, subject, len(self.supply.alive_types(bits))))
        return tuple(counted)

    @property
    def left(self) -> int:
        """How many types were left before the rule that ended it."""
        return len(self.supply.alive_types(self.bits))

    def go(self, shape: Shape, wish: Wish) -> Cause | None:
        """Ask every rule until one leaves nothing; nothing when a new node would do."""
        self.cause = (
            self._taints(wish)
            or self._start()
            or self._labels(shape, wish)
            or self._volumes(shape, wish)
            or self._resources(shape, wish)
            or self._ports(wish)
            or self._board(shape, wish)
        )
        return self.cause

    def _narrow(self, rule: str, subject: str, mask: Bits) -> bool:
        """Apply a mask; tell whether it leaves something. What was left before stays if not."""
        left = self.bits & mask
        self.masks.append((rule, subject, left))
        self._full &= mask
        if left:
            self.bits = left
        return bool(left)

    def _taints(self, wish: Wish) -> Cause | None:
        taint = first_untolerated(self.supply.taints, wish.tolerations)
        if taint is None:
            return None
        self.masks.append(("taints", show_taint(taint), 0))
        return Cause(
            Reason.TAINT_NOT_TOLERATED,
            "taint",
            show_taint(taint),
            {"taint": show_taint(taint), "count": len(wish.spec.tolerations)},
        )

    def _start(self) -> Cause | None:
        if self.bits:
            return None
        self.masks.append(("daemons", "", 0))
        supply = self.supply
        if supply.full:
            return self._reservation_full(supply.full)
        return daemons_cause(supply) or Cause(
            Reason.NO_OFFERING,
            "pool-sold-out",
            supply.name,
            {
                "types": len(supply.types),
                "offerings": sum(len(one.offerings) for one in supply.types),
                "example": supply.types[0].name,
            },
        )

    def _labels(self, shape: Shape, wish: Wish) -> Cause | None:
        supply = self.supply
        clash = contradiction(strict_requirements(wish.spec)) if wish.impossible else None
        if clash is not None:
            self.masks.append(("labels", clash.key, 0))
            values = {"first": str(clash.have), "second": str(clash.want)}
            return Cause(Reason.LABELS_CLASH, "contradiction", clash.key, values)
        clash = supply.requirements.clash(wish.requirements, supply.settings.well_known)
        if clash is not None:
            self.masks.append(("labels", clash.key, 0))
            if clash.have is None:
                found: dict[str, str | int] = {
                    "want": str(clash.want),
                    "key": clash.key,
                    "count": len(supply.requirements),
                }
                if near := clash.hint.removeprefix("did you mean ").removesuffix("?"):
                    found["meant"] = near
                return Cause(Reason.LABEL_UNDEFINED, "label-undefined", clash.key, found)
            known = {"want": str(clash.want), "have": str(clash.have)}
            return Cause(Reason.LABELS_CLASH, "label-clash", clash.key, known)
        self._wanted = supply.requirements.with_all(wish.requirements.values())
        for key in sorted(wish.requirements, key=lambda one: (one in _LAST_LABELS, one)):
            if not self._narrow("labels", key, supply.meeting(self._wanted[key])):
                return self._elsewhere(shape) or self._unlabelled(wish.requirements[key])
        return None

    def _unlabelled(self, wanted: Requirement) -> Cause:
        supply = self.supply
        alone = supply.meeting(self._wanted[wanted.key]) & supply.everything
        values: dict[str, str | int] = {"want": str(wanted), "before": self.left}
        if alone:
            return Cause(Reason.NO_TYPE_LABELLED, "labels-together", wanted.key, values)
        values["before"] = len(supply.types)
        values |= label_hint(wanted, supply.types)
        return Cause(Reason.NO_TYPE_LABELLED, "no-type-label", wanted.key, values)

    def _volumes(self, shape: Shape, wish: Wish) -> Cause | None:
        volumes = [one for one in wish.alternatives if one]
        if not volumes:
            return None
        supply = self.supply
        claim = min((name for _, name in wish.needs.attachments), default="")
        where = " / ".join(sorted({_places(one) for one in volumes}))
        best: Bits | None = None
        chosen = self._wanted
        for one in volumes:
            if self._wanted.clash(one, supply.settings.well_known) is not None:
                continue
            merged = self._wanted.with_all(one.values())
            mask = supply.everything
            for key in one:
                mask &= supply.meeting(merged[key])
            if best is None or (mask & self.bits).bit_count() > (best & self.bits).bit_count():
                best, chosen = mask, merged
        if best is None:
            self.masks.append(("volumes", where, 0))
            have = ", ".join(str(self._wanted[key]) for key in volumes[0] if key in self._wanted)
            values = {"claim": claim, "where": where, "have": have}
            return Cause(Reason.VOLUME_ELSEWHERE, "volume-zone", claim, values)
        self._wanted = chosen
        if self._narrow("volumes", where, best):
            return None
        found: dict[str, str | int] = {"claim": claim, "where": where, "before": self.left}
        return self._elsewhere(shape) or Cause(
            Reason.VOLUME_ELSEWHERE, "volume-no-type", claim, found
        )

    def _resources(self, shape: Shape, wish: Wish) -> Cause | None:
        del wish
        supply = self.supply
        start = self.left
        for name in resource_order(shape.requests):
            amount = shape.requests[name]
            if not amount or self._narrow("resources", name, supply.room(name).having(amount)):
                continue
            before = self.left
            found: dict[str, str | int] = {
                "resource": name,
                "needs": show_amount(amount, name, up=True),
                "before": before,
            }
            roomy = supply.room(name)
            most = roomy.largest(self.bits)
            way = roomy.having(most) & self.bits
            nearest = supply.alive_types(way)[0]
            self.miss = Miss(supply.types[nearest].name, name, amount, most)
            if sold_out := self._elsewhere(shape):
                return sold_out
            if not supply.capacity(name).largest(self.bits):
                return Cause(Reason.RESOURCE_UNKNOWN, "resource-unknown", name, found)
            found["type"] = self.miss.instance_type
            found["has"] = show_amount(max(0, most), name)
            found["short"] = show_amount(amount - max(0, most), name, up=True)
            if before == start:
                return Cause(Reason.NO_TYPE_FITS, "resource-short", name, found)
            found["others"] = _beside(shape.requests, name)
            return Cause(Reason.NO_TYPE_FITS, "resource-beside", name, found)
        return None

    def _ports(self, wish: Wish) -> Cause | None:
        if not wish.ports:
            return None
        if self._narrow("ports", "", ~self.supply.port_blocked(wish.ports)):
            return None
        port = str(wish.ports[0].port)
        values: dict[str, str | int] = {"port": port, "before": self.left}
        return Cause(Reason.PORT_TAKEN, "port-daemon", port, values)

    def _board(self, shape: Shape, wish: Wish) -> Cause | None:
        board = self.board
        answer = board.on_draft(shape, wish, board.new_draft(self.supply))
        if isinstance(answer, Fitting):
            self.fitting = answer
            return None
        match answer:
            case Reason.LIMIT_REACHED:
                self.masks.append(("limits", "", 0))
                return limit_cause(board, self.supply, self.bits)
            case Reason.TOO_FEW_CHOICES:
                return self._few_choices()
            case Reason.RESERVATION_TAKEN:
                self.masks.append(("reservations", "", 0))
                held = {"count": sum(not left for left in board.reservations.left.values())}
                return Cause(answer, "reservation-held", self.supply.name, held)
            case _:
                cause = neighbour_cause(board, self.supply, wish, (self._wanted, self.bits))
                self.masks.append(("neighbours", cause.subject, 0))
                return cause

    def _few_choices(self) -> Cause:
        limits = self.board.limits.get(self.supply)
        bits = self.bits & limits.allowed(None) if limits is not None else self.bits
        least = self.board.min_values[self.supply]
        have = {key: distinct_values(self.supply, bits, key) for key in least}
        key = next(one for one in [*(k for k in least if have[k] < least[k]), *least])
        self.masks.append(("min-values", key, 0))
        values: dict[str, str | int] = {"key": key, "least": least[key], "have": have[key]}
        return Cause(Reason.TOO_FEW_CHOICES, "min-values", key, values)

    def _elsewhere(self, shape: Shape) -> Cause | None:
        """Tell whether capacity that the cloud or a reservation has run out of would have done."""
        found = sold_out(self.catalog.unavailable, self._wanted, shape.requests)
        if found is not None:
            return found
        return self._reservation_full(self._full) if self._full else None

    def _reservation_full(self, full: Bits) -> Cause:
        names = {way.reservation for bit, way in enumerate(self.supply.ways) if full >> bit & 1}
        count = {"count": len(names)}
        return Cause(Reason.RESERVATION_FULL, "reservation-full", self.supply.name, count)


def resource_order(requests: Resources) -> list[str]:
    """Order resources as people think of them: cpu, memory, others by name, pods last."""
    others = sorted(name for name in requests if name not in (*_FIRST, "pods"))
    return [name for name in (*_FIRST, *others, "pods") if name in requests]


def _beside(requests: Resources, name: str) -> str:
    """Write what was asked for before a resource."""
    order = resource_order(requests)
    earlier = order[: order.index(name)]
    return ", ".join(f"{one} {show_amount(requests[one], one, up=True)}" for one in earlier)


def show_taint(taint: Taint) -> str:
    """Write a taint as kubectl does."""
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def daemons_cause(supply: Supply) -> Cause | None:
    """Say which resource daemon pods alone overfill on every type, if it is they."""
    worst: tuple[Milli, int, str] | None = None
    for index in range(len(supply.types)):
        shortest = min(
            ((amount, name) for name, amount in supply.free(index).items()), default=None
        )
        if shortest is None or shortest[0] >= 0:
            return None
        if worst is None or shortest[0] > worst[0]:
            worst = (shortest[0], index, shortest[1])
    if worst is None:
        return None
    _, index, name = worst
    values: dict[str, str | int] = {
        "resource": name,
        "needs": show_amount(supply.daemons[index].requests.get(name, 0), name, up=True),
        "before": len(supply.types),
        "type": supply.types[index].name,
        "has": show_amount(supply.types[index].allocatable.get(name, 0), name),
    }
    return Cause(Reason.DAEMONS_TOO_LARGE, "daemons", name, values)


def find_unavailable(types: Sequence[InstanceType]) -> Unavailable:
    """Give the types that have offerings which cannot be had now."""
    return tuple(
        (one, missing)
        for one in types
        if (missing := tuple(offering for offering in one.offerings if not offering.available))
    )


def sold_out(types: Unavailable, wanted: Requirements, requests: Resources) -> Cause | None:
    """Say which types would do if the cloud had them now; nothing when there are none."""
    names: list[str] = []
    offerings: list[tuple[InstanceType, Offering]] = []
    for one, missing in types:
        if one.requirements.conflict(wanted) is not None:
            continue
        if any(amount > one.allocatable.get(name, 0) for name, amount in requests.items()):
            continue
        fitting = [
            (one, offering) for offering in missing if not offering.requirements.conflict(wanted)
        ]
        if fitting:
            names.append(one.name)
            offerings += fitting
    if not names:
        return None
    first, offering = offerings[0]
    values: dict[str, str | int] = {
        "types": len(names),
        "offerings": len(offerings),
        "example": f"{first.name} ({offering.capacity_type}, {offering.zone})",
    }
    return Cause(Reason.NO_OFFERING, "sold-out", names[0], values)


def label_hint(wanted: Requirement, types: Sequence[InstanceType]) -> Mapping[str, str]:
    """Say what types do have: another label with these values, or other values of this one."""
    listed = frozenset() if wanted.complement else wanted.values
    if listed:
        by_key: dict[str, set[str]] = {}
        for one in types:
            for key, have in one.requirements.items():
                if not have.complement and key != NODEPOOL:
                    by_key.setdefault(key, set()).update(have.values)
        meant = [key for key in sorted(by_key) if listed <= by_key[key] and key != wanted.key]
        if meant:
            return {"meant": f"{meant[0]} {wanted.operator} [{', '.join(sorted(listed))}]"}
    known = sorted(set(_values_of(wanted.key, types)))
    if not known:
        return {}
    shown = ", ".join(known[:_KNOWN_MAX])
    more = len(known) - _KNOWN_MAX
    return {"known": f"{shown} … (+{more})" if more > 0 else shown}


def _values_of(key: str, types: Sequence[InstanceType]) -> Iterator[str]:
    for one in types:
        have = one.requirements.get(key)
        if have is not None and not have.complement:
            yield from have.values


def _places(requirements: Requirements) -> str:
    return " + ".join(
        ", ".join(sorted(one.values)) if one.values and not one.complement else str(one)
        for one in requirements.values()
    )
