"""Money: limits of pools, slots of reservations, and the price that is told."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from nodewright.model.labels import NODEPOOL
from nodewright.model.nodepool import NodePool
from nodewright.model.quantity import parse_resources
from referee.board import Board
from referee.places import Launch, NewPlace, reservation_id
from referee.verdict import Violation

_ROUNDING = 1


def judge_limits(board: Board) -> Iterator[Violation]:
    """Limits that are broken if each planned node becomes the largest type on its list."""
    for pool in board.world.node_pools:
        places = [place for place in board.new if place.pool is pool]
        if places and pool.spec.limits:
            yield from _judge_limit(pool, places, board)


def _judge_limit(pool: NodePool, places: list[NewPlace], board: Board) -> Iterator[Violation]:
    used: dict[str, int] = {}
    for old in board.old:
        if old.labels.get(NODEPOOL) == pool.metadata.name and not old.is_leaving:
            for name, amount in {**old.capacity, "nodes": 1000}.items():
                used[name] = used.get(name, 0) + amount
    for name, limit in parse_resources(pool.spec.limits or {}).items():
        wanted = sum(1000 if name == "nodes" else _largest(place, name) for place in places)
        if wanted and used.get(name, 0) + wanted > limit:
            yield Violation(
                "limit",
                pool.metadata.name,
                f"{name}: {used.get(name, 0)} in use and {wanted} planned, limit {limit}",
            )


def _largest(place: NewPlace, resource: str) -> int:
    listed = [place.types[name] for name in place.node.instance_types if name in place.types]
    return max((kind.capacity.get(resource, 0) for kind in listed), default=0)


def judge_prices(board: Board) -> Iterator[Violation]:
    """Offerings that are not the cheapest, lists out of order, and sums that do not add up."""
    told = sum(place.node.offering.price for place in board.new)
    if abs(told - board.plan.price) > _ROUNDING * (1 + len(board.new)):
        yield Violation("price", "plan", f"says {board.plan.price}, its nodes add up to {told}")
    held = _held_slots(board)
    for place in board.new:
        yield from _judge_offering(place, board.slots, held)
        yield from _judge_order(place)


def _judge_offering(
    place: NewPlace, slots: Mapping[str, int], held: Mapping[str, int]
) -> Iterator[Violation]:
    chosen = place.node.offering
    same = [
        launch.offering
        for launch in place.launches
        if launch.instance_type.name == chosen.instance_type
        and launch.offering.zone == chosen.zone
        and launch.offering.capacity_type == chosen.capacity_type
    ]
    if not any(abs(one.price - chosen.price) <= _ROUNDING for one in same):
        yield Violation(
            "price",
            place.name,
            f"{chosen.instance_type} {chosen.capacity_type} in {chosen.zone} is not on sale for "
            f"{chosen.price}",
        )
        return
    if not any(one.is_reserved for one in same):
        free = [one for one in _reservations(place) if slots.get(one, 0) > held.get(one, 0)]
        if free:
            yield Violation("reserved", place.name, f"leaves a paid slot of {min(free)} unused")
    cheapest = min(
        launch.offering.price
        for launch in place.launches
        if launch.offering.is_reserved == (chosen.capacity_type == "reserved")
    )
    if chosen.price > cheapest + _ROUNDING:
        yield Violation("price", place.name, f"pays {chosen.price} though {cheapest} would do")


def _judge_order(place: NewPlace) -> Iterator[Violation]:
    if _reservations(place):
        return
    prices: dict[str, int] = {}
    for launch in place.launches:
        name = launch.instance_type.name
        prices[name] = min(launch.offering.price, prices.get(name, launch.offering.price))
    listed = [prices[name] for name in place.node.instance_types if name in prices]
    if any(later < sooner - _ROUNDING for sooner, later in pairwise(listed)):
        yield Violation("order", place.name, "does not list its types cheapest first")


def _reservations(place: NewPlace, type_name: str = "") -> set[str]:
    return {
        reservation_id(launch.offering, place.world)
        for launch in place.launches
        if launch.offering.is_reserved and type_name in ("", launch.instance_type.name)
    }


def _held_slots(board: Board) -> dict[str, int]:
    held: dict[str, int] = {}
    for place in board.new:
        if place.node.offering.capacity_type == "reserved":
            for name in _reservations(place):
                held[name] = held.get(name, 0) + 1
    return held


def judge_reservations(board: Board) -> Iterator[Violation]:
    """Reservations that hold fewer slots than the plan means to draw on."""
    if not board.slots:
        return
    drawing = [place for place in board.new if place.node.offering.capacity_type == "reserved"]
    wishes = [sorted(_chosen_reservations(place)) for place in drawing]
    if not _all_served(wishes, board.slots):
        yield Violation("reserved", "plan", "draws on more reserved slots than there are")
        return
    able = [sorted(_reservations(place)) for place in drawing]
    for place in board.new:
        others = [one for one, owner in zip(able, drawing, strict=True) if owner is not place]
        for name in place.node.instance_types:
            launches = [one for one in place.launches if one.instance_type.name == name]
            if launches and all(launch.offering.is_reserved for launch in launches):
                own = sorted(_reservations(place, name))
                if not _all_served([own, *others], board.slots):
                    yield Violation(
                        "reserved", place.name, f"no slot is left to launch {name} within"
                    )


def _chosen_reservations(place: NewPlace) -> set[str]:
    chosen = place.node.offering

    def is_chosen(launch: Launch) -> bool:
        return (
            launch.offering.is_reserved
            and launch.instance_type.name == chosen.instance_type
            and launch.offering.zone == chosen.zone
        )

    return {
        reservation_id(launch.offering, place.world)
        for launch in place.launches
        if is_chosen(launch)
    }


def _all_served(wishes: list[list[str]], slots: Mapping[str, int]) -> bool:
    """Whether each one can get a slot of one of the reservations it would take."""
    taken: dict[str, list[int]] = {}

    def serve(who: int, seen: set[str]) -> bool:
        for name in wishes[who]:
            if name in seen:
                continue
            seen.add(name)
            users = taken.setdefault(name, [])
            if len(users) < slots.get(name, 0):
                users.append(who)
                return True
            for position, user in enumerate(users):
                if serve(user, seen):
                    users[position] = who
                    return True
        return False

    return all(serve(who, set()) for who in range(len(wishes)))
