"""The plan of an installation and of its undoing: what is wanted against what was found. Pure.

The order is that in which things need each other; the record comes first, because a change that is not
written down cannot be undone, and another autoscaler is stopped last; only then a node group is moved off.
Undoing goes the other way.
"""

from collections.abc import Iterator

from nodewright.install.found import Found
from nodewright.install.names import Names
from nodewright.install.resources import (
    access,
    fargate,
    groups,
    identity,
    leftovers,
    network,
    objects,
    pools,
    queue,
    roles,
    scalers,
)
from nodewright.install.steps import Plan, Step
from nodewright.install.wish import Wish


def names_of(found: Found) -> Names:
    """Give the names that follow from what was found."""
    account = found.account
    return Names(account.account_id, account.region, account.cluster.name)


def plan_install(found: Found, wish: Wish) -> Plan:
    """Plan an installation."""
    fargate.check_home(found, wish)
    names = names_of(found)
    return Plan(
        verb="install",
        wish=wish,
        account_id=names.account_id,
        region=names.region,
        steps=tuple(_install_steps(found, wish, names)),
        notes=tuple(_install_notes(found, wish, names)),
    )


def _install_steps(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    yield objects.plan_namespace(found)
    yield from leftovers.plan_leftovers(found, wish)
    yield from roles.plan_node_role(found, wish, names)
    yield roles.plan_spot_role(found)
    yield from identity.plan_before_role(found, wish, names)
    trusted = identity.controller_trust(found, wish, names)
    yield from roles.plan_controller(found, wish, names, trusted)
    yield from identity.plan_association(found, wish, names)
    yield from network.plan_network(found, wish, names)
    yield access.plan_access(found, wish, names)
    yield from queue.plan_queue(found, names)
    yield from fargate.plan_fargate(found, wish, names)
    yield objects.plan_definitions(found)
    yield from objects.plan_chart(found, wish, names)
    yield from pools.plan_pools(found, wish, names)
    yield from scalers.plan_pins(found, wish)
    yield from scalers.plan_scalers(found, wish)
    yield from groups.plan_move(found, wish, names)


def _install_notes(found: Found, wish: Wish, names: Names) -> Iterator[str]:
    yield from network.network_notes(found.account, wish, names)
    yield from leftovers.leftover_notes(found, wish)
    yield from scalers.scaler_notes(found, wish)
    yield from groups.move_notes(found, wish)
    yield from scalers.pin_notes(found, wish)
    count = sum(group.desired for group in found.account.cluster.node_groups)
    if not wish.is_fargate and count == 1:
        yield "one node in the node groups: the controller runs once, without a stand-in"
    if not wish.is_fargate and count == 0:
        yield "the node groups have no machine: the controller waits until one has"


def plan_uninstall(found: Found, wish: Wish) -> Plan:
    """Plan to undo an installation: what is ours goes, what was changed is put back."""
    names = names_of(found)
    steps = tuple(_uninstall_steps(found, names))
    return Plan(
        verb="uninstall",
        wish=wish,
        account_id=names.account_id,
        region=names.region,
        steps=steps,
        notes=tuple(_uninstall_notes(found, steps)),
    )


def plan_hand_back(found: Found, wish: Wish) -> Plan:
    """Plan to give the cluster back to the autoscaler before us; our parts stay, and rest."""
    names = names_of(found)
    back = (*groups.undo_moves(found, names), *scalers.undo_scalers(found))
    steps = (*scalers.plan_rest(found), *back)
    return Plan("hand-back", wish, names.account_id, names.region, steps)


def _uninstall_steps(found: Found, names: Names) -> Iterator[Step]:
    yield from groups.undo_moves(found, names)
    yield from scalers.plan_wake(found)
    yield from pools.undo_pools(found)
    yield from objects.undo_objects(found)
    yield from scalers.undo_scalers(found)
    yield from scalers.undo_pins(found)
    yield from objects.undo_definitions(found)
    yield from fargate.undo_fargate(found, names)
    yield from queue.undo_queue(found, names)
    yield from access.undo_access(found, names)
    yield from network.undo_network(found, names)
    yield from identity.undo_identity(found, names)
    yield from roles.undo_made(found)
    yield from roles.undo_roles(found, names)
    yield from objects.undo_namespace(found)


def _uninstall_notes(found: Found, steps: tuple[Step, ...]) -> Iterator[str]:
    others = objects.foreign_pools(found)
    claims = [one for one in found.kube.claims if _pool_of(one) in others]
    back = [
        one.name
        for one in found.kube.scalers
        if one.kind == "karpenter" and (one.replicas or one.key in found.kube.record)
    ]
    if others:
        who = back[0] if back else "nobody"
        yield (
            f"nodepool/{', nodepool/'.join(others)} stays, because install did not make it; "
            f"{who} looks after its nodes ({len(claims)}) from then on"
        )
    if steps and not found.kube.record and objects.RECORD_PATH not in found.kube.live:
        yield (
            "the record of what was there before is gone: tags on subnets and security groups, and "
            "aws-auth, stay as they are"
        )


def _pool_of(claim: dict[str, dict[str, dict[str, str]]]) -> str:
    return (claim.get("metadata", {}).get("labels") or {}).get("karpenter.sh/nodepool", "")
