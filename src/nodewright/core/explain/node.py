"""A node explained: what is on it, what is left, which waiting pods it takes, and why not others."""

from collections.abc import Mapping

import msgspec

from nodewright.core.explain.existing import subject_of
from nodewright.core.scheduling.hosts import Host, Joined
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.core.scheduling.verdicts import bare_wishes
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.metadata import Taint
from nodewright.model.quantity import BadQuantity, Resources
from nodewright.model.reason import Reason
from nodewright.model.world import World


class Refusal(msgspec.Struct, frozen=True):
    """Waiting pods that one rule keeps off a node."""

    reason: Reason
    subject: str
    pods: tuple[str, ...]


class NodeStory(msgspec.Struct, frozen=True):
    """What a node is, holds, takes and refuses."""

    name: str
    node_pool: str
    instance_type: str
    zone: str
    capacity_type: str
    price: NanoUSD | None
    state: str
    taints: tuple[Taint, ...]
    allocatable: Resources
    free: Resources
    daemons_expected: Resources
    pods: tuple[str, ...]
    takes: tuple[str, ...]
    refuses: tuple[Refusal, ...]


def explain_node(world: World, name: str, effort: Effort = Effort.NORMAL) -> NodeStory | None:
    """Explain one node, or one claim that has no node yet; nothing when there is none."""
    problem = Problem(world)
    joined = next((one for one in problem.joined if name in _names(one)), None)
    if joined is None:
        return None
    board, shapes = problem.new_board()
    host = next((one for one in board.hosts if one.name in _names(joined)), None)
    takes: tuple[str, ...] = ()
    refused: dict[tuple[Reason, str], list[str]] = {}
    if host is not None:
        plan = solve(world, effort)
        takes = tuple(
            pod for one in plan.existing_nodes if one.name == host.name for pod in one.pods
        )
        for shape in shapes:
            wish = bare_wishes(shape)[-1]
            reason = board.on_host(shape, wish, host)
            if reason is not None:
                subject = subject_of(reason, shape, wish, host)
                refused.setdefault((reason, subject), []).extend(pod.key for pod in shape.pods)
    labels = joined.labels()
    return NodeStory(
        name=name,
        node_pool=labels.get(NODEPOOL, ""),
        instance_type=labels.get(INSTANCE_TYPE, ""),
        zone=labels.get(ZONE, ""),
        capacity_type=labels.get(CAPACITY_TYPE, ""),
        price=_price(world, labels),
        state=_state(joined, host),
        taints=tuple(joined.taints()),
        allocatable=_allocatable(joined),
        free=host.available if host is not None else {},
        daemons_expected=host.daemons_expected if host is not None else {},
        pods=tuple(
            pod.key
            for pod in world.pods
            if pod.spec.node_name == name and pod.status.phase not in ("Succeeded", "Failed")
        ),
        takes=takes,
        refuses=tuple(
            Refusal(reason, subject, tuple(sorted(pods)))
            for (reason, subject), pods in sorted(
                refused.items(), key=lambda one: (-len(one[1]), one[0][0].code, one[0][1])
            )
        ),
    )


def _names(joined: Joined) -> set[str]:
    return {one.metadata.name for one in (joined.node, joined.claim) if one is not None}


def _state(joined: Joined, host: Host | None) -> str:
    if joined.is_deleting:
        return "Deleting"
    if joined.node is None:
        return "Launched"
    if not joined.is_registered:
        return "Unregistered"
    if not joined.is_initialized:
        return "Initializing"
    if joined.node.spec.unschedulable:
        return "Cordoned"
    return "Ready" if host is not None else "Unknown"


def _allocatable(joined: Joined) -> Resources:
    try:
        return joined.amounts("allocatable")
    except BadQuantity:
        return {}


def _price(world: World, labels: Mapping[str, str]) -> NanoUSD | None:
    """Look up what a machine like this costs in its pool's price list."""
    for one in world.instance_types.get(labels.get(NODEPOOL, ""), ()):
        if one.name == labels.get(INSTANCE_TYPE):
            for offering in one.offerings:
                if (offering.zone, offering.capacity_type) == (
                    labels.get(ZONE),
                    labels.get(CAPACITY_TYPE),
                ):
                    return offering.price
    return None
