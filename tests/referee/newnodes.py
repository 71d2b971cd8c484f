"""Planned nodes: every listed type must do, whatever is launched within the requirements."""

from collections.abc import Iterator

from nodewright.model.labels import RESERVED, normalize_key
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod
from nodewright.model.requirements import Requirements
from referee.amounts import lacking, ports_clash, ports_of, untolerated
from referee.board import Board
from referee.daemons import daemons_on_launch, sum_of
from referee.labels import (
    accepts_missing,
    allows,
    keys_of,
    pod_accepts,
    preferred_terms,
    required_terms,
)
from referee.places import NewPlace, pool_requirements
from referee.verdict import Violation


def judge_new_nodes(board: Board) -> Iterator[Violation]:
    """Everything that is wrong with one planned node, taken by itself."""
    for place in board.new:
        if place.pool is None:
            yield Violation("pool", place.name, f"there is no NodePool {place.node.node_pool}")
            continue
        yield from _judge_pool(place, place.pool)
        yield from _judge_types(place)
        yield from _judge_pods(place)
        yield from _judge_fit(place, board)
        yield from _judge_requests(place, board)
        yield from _judge_min_values(place, place.pool)


def _judge_pool(place: NewPlace, pool: NodePool) -> Iterator[Violation]:
    if pool.spec.replicas is not None:
        yield Violation("pool", place.name, f"{pool.metadata.name} has a fixed number of nodes")
    if pool.metadata.deletion_timestamp:
        yield Violation("pool", place.name, f"{pool.metadata.name} is being deleted")
    if any(one.type == "Ready" and one.status != "True" for one in pool.status.conditions):
        yield Violation("pool", place.name, f"{pool.metadata.name} is not ready")
    if not place.node.pods:
        yield Violation("pods", place.name, "has no pods")
    demands = pool_requirements(pool)
    for labels in place.label_sets(demands):
        for key, demand in demands.items():
            value = labels.get(key)
            if not (accepts_missing(demand) if value is None else allows(demand, value)):
                yield Violation(
                    "pool requirements", place.name, f"may get {key}={value}, not {demand}"
                )
                return


def _judge_types(place: NewPlace) -> Iterator[Violation]:
    listed = place.node.instance_types
    if not listed:
        yield Violation("types", place.name, "lists no instance type")
    if len(set(listed)) != len(listed):
        yield Violation("types", place.name, "lists an instance type twice")
    launched = {launch.instance_type.name for launch in place.launches}
    for name in listed:
        if name not in place.types:
            yield Violation("types", place.name, f"{name} is not a type of its pool")
        elif name not in launched:
            yield Violation(
                "offering", place.name, f"{name} has no offering on sale within the requirements"
            )


def _judge_pods(place: NewPlace) -> Iterator[Violation]:
    for pod in place.pods:
        for taint in untolerated(pod, place.taints):
            yield Violation("taint", pod.key, f"does not tolerate {taint.key} of {place.name}")
        yield from _judge_labels(place, pod)
    yield from judge_ports(place.name, place.pods, [])


def _judge_labels(place: NewPlace, pod: Pod) -> Iterator[Violation]:
    keys = keys_of(pod)
    unknown = keys - place.defined - _shunned(place, pod)
    for labels in place.label_sets(keys):
        if not pod_accepts(pod, labels):
            shown = ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))
            yield Violation(
                "labels", pod.key, f"{place.name} may get labels it refuses: {shown or 'none'}"
            )
            return
        known = {key: value for key, value in labels.items() if key not in unknown}
        if unknown and not pod_accepts(pod, known):
            yield Violation(
                "undefined label",
                pod.key,
                f"{place.name} has no way to get {', '.join(sorted(unknown))}",
            )
            return


def _shunned(place: NewPlace, pod: Pod) -> set[str]:
    """Labels of which others on the node rule out values: its claim speaks of them, so it gets them."""
    return {
        normalize_key(one.key)
        for other in place.pods
        if other is not pod
        for term in (*required_terms(other), *preferred_terms(other))
        for one in term.match_expressions
        if one.operator == "NotIn"
    }


def judge_ports(where: str, pods: list[Pod], others: list[Pod]) -> Iterator[Violation]:
    """Host ports that two pods of one node would both open."""
    for index, pod in enumerate(pods):
        mine = ports_of(pod)
        for other in (*pods[:index], *others) if mine else ():
            if clash := ports_clash(mine, ports_of(other)):
                yield Violation(
                    "host port", pod.key, f"port {clash[1]} on {where} is taken by {other.key}"
                )


def _judge_fit(place: NewPlace, board: Board) -> Iterator[Violation]:
    asked = sum_of(place.pods)
    judged: set[tuple[str, frozenset[str]]] = set()
    for launch in place.launches:
        daemons = daemons_on_launch(place, launch, board.daemons)
        kind = launch.instance_type
        fingerprint = (kind.name, frozenset(pod.key for pod in daemons))
        if fingerprint in judged:
            continue
        judged.add(fingerprint)
        need = dict(asked)
        for name, amount in sum_of(daemons).items():
            need[name] = need.get(name, 0) + amount
        if short := lacking(need, kind.allocatable):
            yield Violation("fit", place.name, f"{kind.name} has too little {', '.join(short)}")
        for pod in place.pods:
            for daemon in daemons:
                if clash := ports_clash(ports_of(pod), ports_of(daemon)):
                    yield Violation(
                        "host port", pod.key, f"port {clash[1]} is {daemon.key}'s on {kind.name}"
                    )


def _judge_requests(place: NewPlace, board: Board) -> Iterator[Violation]:
    pods = sum_of(place.pods)
    every = sum_of([*place.pods, *board.daemons])
    companies = {
        tuple(pod.key for pod in daemons): daemons
        for launch in (place.launches if board.daemons else ())
        for daemons in (daemons_on_launch(place, launch, board.daemons),)
    }
    surely = [sum_of([*place.pods, *daemons]) for daemons in companies.values()]
    for name in {*pods, *every, *place.node.requests}:
        told = place.node.requests.get(name, 0)
        least = min((one.get(name, 0) for one in surely), default=pods.get(name, 0))
        if told < least:
            yield Violation(
                "requests", place.name, f"{name} is {told}, below {least} (thousandths)"
            )
        if told > every.get(name, 0):
            yield Violation(
                "requests",
                place.name,
                f"{name} is {told}, above {every.get(name, 0)} (thousandths)",
            )


def _judge_min_values(place: NewPlace, pool: NodePool) -> Iterator[Violation]:
    if place.world.options.min_values_policy != "Strict":
        return
    if place.node.offering.capacity_type == RESERVED:
        # Slots that are paid for are used first, even if few types have any.
        return
    types = [place.types[name] for name in place.node.instance_types if name in place.types]
    for demand in Requirements(pool_requirements(pool).values()).values():
        if demand.min_values is None:
            continue
        held = {
            value
            for kind in types
            if (own := kind.requirements.get(demand.key)) is not None
            for value in own.values
        }
        if len(held) < demand.min_values:
            yield Violation(
                "minValues",
                place.name,
                f"{len(held)} values of {demand.key}, at least {demand.min_values} are asked for",
            )
