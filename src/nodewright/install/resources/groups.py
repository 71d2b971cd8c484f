"""Moving off a node group: its nodes are closed and emptied, then it is made as small as it can be.

One group at a time, and only when Nodewright can make nodes for what has to go somewhere. Another autoscaler is
stopped before, because it would make the group grow again. The sizes that a group had are kept.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.install.found import Found, NodeGroup
from nodewright.install.names import Names
from nodewright.install.resources.identity import MISSING
from nodewright.install.resources.objects import DEPLOYMENT_PATH
from nodewright.install.steps import (
    Ask,
    AwaitNodes,
    Deed,
    Drain,
    Forget,
    Merge,
    Remember,
    Step,
    times,
)
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

CANNOT_MOVE: Final = "NW-9721"
_SIZE: Final = "group."
_CLOSED: Final = "closed."


def plan_move(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan to move off a node group, where that is asked for."""
    if not wish.move_group:
        return
    group = _check_move(found, wish)
    nodes = [one for one in found.kube.nodes if one.group == group.name]
    if nodes:
        open_nodes = [one.name for one in nodes if not one.is_closed]
        yield Step(
            "~",
            "nodes",
            times(len(nodes)),
            f"of node group {group.name}: closed, then emptied by evictions",
            (
                Remember(f"{_CLOSED}{group.name}", open_nodes),
                *(Merge(_path(one), {"spec": {"unschedulable": True}}) for one in open_nodes),
                *(Drain(one.name) for one in nodes),
            ),
        )
    if group.desired == 0:
        yield Step("=", "node group", group.name, "no machines")
        return
    was = {"minSize": group.smallest, "maxSize": group.largest, "desiredSize": group.desired}
    deeds = (
        Remember(f"{_SIZE}{group.name}", was),
        _resize(names, group.name, {**was, "minSize": 0, "desiredSize": 0}),
    )
    yield Step("~", "node group", group.name, f"machines {group.desired} → 0", deeds)


def _check_move(found: Found, wish: Wish) -> NodeGroup:
    groups = {one.name: one for one in found.account.cluster.node_groups}
    name = wish.move_group
    if name not in groups:
        known = ", ".join(groups) or "none"
        raise UserError(
            f"there is no node group {name} (there is: {known})",
            code=CANNOT_MOVE,
        )
    if found.kube.live.get(DEPLOYMENT_PATH) is None or not (
        found.kube.pools or found.kube.provisioners
    ):
        raise UserError(
            f"nobody would make nodes for the pods of node group {name} yet",
            code=CANNOT_MOVE,
            advice="install first, without --move-group, then move one group at a time",
        )
    if not wish.is_fargate and not any(one.desired for one in groups.values() if one.name != name):
        raise UserError(
            f"{name} is the only node group with machines, and the controller needs one: it cannot "
            "run on nodes that it makes itself",
            code=CANNOT_MOVE,
            advice="keep it (two small machines are enough), or add --fargate, which runs the "
            "controller without it",
        )
    running = [one for one in found.kube.scalers if one.replicas]
    if running and not wish.takes_over:
        raise UserError(
            f"{running[0].namespace}/{running[0].name} would make node group {name} grow again",
            code=CANNOT_MOVE,
            advice="leave --no-take-over out",
        )
    return groups[name]


def move_notes(found: Found, wish: Wish) -> Iterator[str]:
    """Say how the other node groups are moved off."""
    scaled = any(one.kind == "cluster-autoscaler" for one in found.kube.scalers)
    full = [one.name for one in found.account.cluster.node_groups if one.desired]
    if scaled and wish.takes_over and not wish.move_group and len(full) > 1:
        yield (
            f"pods stay on node groups {', '.join(full)}; `--move-group {full[0]}` later moves them "
            "off one group, and --hand-back puts everything back"
        )


def undo_moves(found: Found, names: Names) -> Iterator[Step]:
    """Open the nodes again that are still there, and give the groups their sizes back."""
    for key, kept in sorted(found.kube.record.items()):
        if key.startswith(_CLOSED):
            there = {one.name for one in found.kube.nodes}
            still = [one for one in kept["was"] if one in there]
            opened: tuple[Deed, ...] = tuple(Merge(_path(one), _OPEN) for one in still)
            detail = f"of node group {key.removeprefix(_CLOSED)}: open again"
            yield Step("~", "nodes", times(len(still)), detail, (*opened, Forget(key)))
    for key, kept in sorted(found.kube.record.items()):
        if key.startswith(_SIZE):
            name, was = key.removeprefix(_SIZE), kept["was"]
            count = int(was["desiredSize"])
            resize, wait = _resize(names, name, was), AwaitNodes(name, count)
            detail = f"machines → {count}, as it was"
            yield Step("~", "node group", name, detail, (resize, wait, Forget(key)))


_OPEN: Final = {"spec": {"unschedulable": None}}


def _resize(names: Names, name: str, sizes: dict[str, int]) -> Ask:
    params = {"clusterName": names.cluster, "nodegroupName": name, "scalingConfig": sizes}
    return Ask("eks.UpdateNodegroupConfig", params, MISSING)


def _path(node: str) -> str:
    return f"/api/v1/nodes/{node}"
