"""Commands out of a stage: who goes together, what is made for them first, and where each pod goes."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from nodewright.core.disruption.candidates import Candidate, Census
from nodewright.core.disruption.components import components
from nodewright.core.disruption.stage import Gone, Stage
from nodewright.core.disruption.worth import BALANCED, Move, Scales, move_cost
from nodewright.core.scheduling.pools import pool_requirements
from nodewright.model import labels as names
from nodewright.model.disruption import (
    EMPTY,
    UNDERUTILIZED,
    Command,
    Leaving,
    Method,
    Score,
)
from nodewright.model.instance import NanoUSD
from nodewright.model.plan import ChosenOffering, PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.requirements import BadRequirement

_ORDER = {method: index for index, method in enumerate(Method)}


def write_commands(stage: Stage) -> list[Command]:
    """Write down everything that goes, in the order of methods."""
    places = _places(stage)
    planned = stage.drafting.write()
    drafts = {number: stage.drafting.filling.pods_of[number] for number in planned}
    found: list[Command] = []
    empty = [one for one in stage.gone.values() if one.reason == EMPTY]
    if empty:
        found.append(_empty(empty))
    moving = []
    for name, gone in stage.gone.items():
        if gone.method is Method.STATIC_DRIFT:
            found.append(_static(gone, stage.census))
        elif gone.reason != EMPTY:
            moving.append(name)
    pods = {pod.key: pod for name in moving for pod in stage.gone[name].candidate.pods}
    for part in components(moving, stage.origin, drafts):
        if part.nodes:
            made = [planned[number] for number in part.drafts]
            numbers = {number: index for index, number in enumerate(part.drafts)}
            targets = {
                key: numbers[place] if isinstance(place, int) else place
                for name in part.nodes
                for key, place in places.get(name, ())
            }
            goners = [stage.gone[name] for name in part.nodes]
            moved = [pods[key] for key in targets]
            # Room that is kept for pods to come has no name; pods that wait are named.
            named = [
                [pod.key for pod in drafts[number] if pod.key not in stage.pieces]
                for number in part.drafts
            ]
            made = [replace(one, pods=tuple(keys)) for one, keys in zip(made, named, strict=True)]
            command = _moving(goners, made, targets, moved)
            found.append(replace(command, scores=_scores(stage, goners, command)))
    return sorted(found, key=lambda one: _ORDER[one.method])


def _scores(stage: Stage, goners: Sequence[Gone], command: Command) -> tuple[Score, ...]:
    """Give what Balanced pools think of a move for money."""
    ones = [one.candidate for one in goners]
    policies = {one.pool.spec.disruption.consolidation_policy for one in ones}
    if command.reason != UNDERUTILIZED or BALANCED not in policies:
        return ()
    new_price = sum(one.offering.price for one in command.replacements)
    scales = Scales(stage.census, stage.memory, stage.settings)
    return tuple(scales.scores(Move(ones, (), new_price)))


def _places(stage: Stage) -> dict[str, list[tuple[str, str | int]]]:
    """Tell where the pods of every node that goes are now: on a node, or on a draft by number."""
    found: dict[str, list[tuple[str, str | int]]] = {}
    for name in sorted(stage.received):
        for pods in stage.floor.loads[stage.floor.row_of[name]].values():
            for pod in pods:
                home = stage.origin.get(id(pod))
                if home is not None and home in stage.gone:
                    found.setdefault(home, []).append((pod.key, name))
    for number, pods in stage.drafting.filling.pods_of.items():
        for pod in pods:
            home = stage.origin.get(id(pod))
            if home is not None and home in stage.gone:
                found.setdefault(home, []).append((pod.key, number))
    return {name: sorted(places) for name, places in found.items()}


def _empty(goners: Sequence[Gone]) -> Command:
    return Command(
        reason=EMPTY,
        method=Method.EMPTINESS,
        nodes=tuple(leaving(one.candidate) for one in goners),
        savings=NanoUSD(sum(one.candidate.price or 0 for one in goners)),
    )


def _moving(
    goners: Sequence[Gone],
    planned: Sequence[PlannedNode],
    moves: Mapping[str, str | int],
    pods: Sequence[Pod],
) -> Command:
    first = goners[0]
    old = sum(one.candidate.price or 0 for one in goners)
    new = sum(one.offering.price for one in planned)
    method = first.method
    if first.reason == UNDERUTILIZED:
        method = Method.MULTI if len(goners) > 1 else Method.SINGLE
    return Command(
        reason=first.reason,
        method=method,
        nodes=tuple(leaving(one.candidate) for one in goners),
        replacements=tuple(planned),
        moves=moves,
        savings=NanoUSD(old - new),
        move_cost=move_cost(pods),
        detail=first.detail,
    )


def _static(gone: Gone, census: Census) -> Command:
    one = gone.candidate
    made = plan_static(one, census)
    new = made.offering.price if made is not None else 0
    return Command(
        reason=gone.reason,
        method=gone.method,
        nodes=(leaving(one),),
        replacements=(made,) if made is not None else (),
        savings=NanoUSD((one.price or 0) - new),
        detail=gone.detail,
    )


def plan_static(one: Candidate, census: Census) -> PlannedNode | None:
    """Plan a node of a static pool from its bare template; nothing where nothing can be had."""
    try:
        wanted = pool_requirements(one.pool)
    except BadRequirement:
        return None
    well_known = census.world.options.well_known_labels
    ways = [
        (offering.price, kind.name, offering)
        for kind in census.prices.types.get(one.pool_name, ())
        if kind.requirements.conflict(wanted) is None
        for offering in kind.offerings
        if offering.available and wanted.clash(offering.requirements, well_known) is None
    ]
    if not ways:
        return None
    ways.sort(key=lambda way: (way[0], way[1], way[2].zone, way[2].capacity_type))
    _, cheapest, offering = ways[0]
    return PlannedNode(
        node_pool=one.pool_name,
        pods=(),
        instance_types=tuple(dict.fromkeys(name for _, name, _ in ways)),
        offering=ChosenOffering(
            cheapest,
            offering.zone,
            offering.capacity_type,
            offering.price,
            offering.price_is_estimate,
        ),
        requirements=wanted,
        requests={},
    )


def leaving(one: Candidate) -> Leaving:
    """Write a candidate down as a node that goes."""
    return Leaving(
        node=one.name,
        claim=one.claim.metadata.name,
        node_pool=one.pool_name,
        instance_type=one.labels.get(names.INSTANCE_TYPE, ""),
        zone=one.labels.get(names.ZONE, ""),
        capacity_type=one.labels.get(names.CAPACITY_TYPE, ""),
        price=one.price or NanoUSD(0),
        pods=tuple(sorted(pod.key for pod in one.pods)),
    )
