"""Where nodes stand: the subnets and security groups of the node groups, found by one tag.

Groups come from the launch template of a node group, else the cluster's own group is taken. A tag has one
value, so what is tagged for another cluster already is not tagged anew: the class then names ids.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from nodewright.aws.tags import owned_key
from nodewright.install.found import Account, Found, Json, Tagged
from nodewright.install.names import DISCOVERY, Names
from nodewright.install.steps import Ask, Forget, Remember, Step, times
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

GROUPS: Final = "NW-9706"


class GroupsDiffer(UserError):  # noqa: N818 - it reads as what it is where it is caught.
    """The node groups have different security groups, and somebody must choose."""

    def __init__(self, choices: dict[str, tuple[str, ...]]) -> None:
        shown = "; ".join(f"{name}: {', '.join(ids)}" for name, ids in choices.items())
        super().__init__(
            f"the node groups have different security groups ({shown})",
            code=GROUPS,
            advice="say which ones new nodes get: --security-groups "
            + ",".join(next(iter(choices.values()))),
        )
        self.choices = choices


def choose_subnets(found: Account) -> tuple[str, ...]:
    """Give the subnets of the node groups, else those of the cluster."""
    used = [one for group in found.cluster.node_groups for one in group.subnets]
    return tuple(dict.fromkeys(used or found.cluster.subnets))


def choose_groups(found: Account, wish: Wish, names: Names) -> tuple[str, ...]:
    """Give the security groups of new nodes; refuse what no load balancer could work with."""
    chosen = wish.security_groups or _groups_of(found)
    known = {one.name: one for one in found.groups}
    unknown = [one for one in chosen if one not in known]
    if unknown:
        raise UserError(
            f"there is no security group {unknown[0]} in {found.cluster.vpc_id}, the cluster's VPC",
            code=GROUPS,
        )
    key = owned_key(names.cluster)
    owned = [one for one in chosen if key in known[one].tags]
    if len(owned) > 1:
        raise UserError(
            f"{len(owned)} of the security groups carry the tag {key} ({', '.join(owned)}), "
            "and load balancers work only where exactly one on a node does",
            code=GROUPS,
            advice=f"remove the tag from all but {found.cluster.group_id}, or choose with "
            "--security-groups",
        )
    return chosen


def _groups_of(found: Account) -> tuple[str, ...]:
    own = found.cluster.group_id
    sets = {group.name: group.groups or (own,) for group in found.cluster.node_groups} or {
        "": (own,)
    }
    if len({frozenset(ids) for ids in sets.values()}) > 1:
        raise GroupsDiffer(sets)
    return next(iter(sets.values()))


def network_notes(found: Account, wish: Wish, names: Names) -> Iterator[str]:
    """Say what is odd about the groups, though it hinders nobody now."""
    key = owned_key(names.cluster)
    known = {one.name: one for one in found.groups}
    chosen = choose_groups(found, wish, names)
    if not any(key in known[one].tags for one in chosen):
        yield (
            f"no security group of new nodes carries {key}: a load balancer that targets "
            "instances needs exactly one that does"
        )


def is_tagged_elsewhere(things: Sequence[Tagged], cluster: str) -> str:
    """Name another cluster for which one of these is tagged, if there is one."""
    return next(
        (one for thing in things if (one := thing.tags.get(DISCOVERY, cluster)) != cluster), ""
    )


def terms(things: Sequence[Tagged], cluster: str) -> list[Json]:
    """Give the selector terms by which a class finds these."""
    if is_tagged_elsewhere(things, cluster):
        return [{"id": one.name} for one in things]
    return [{"tags": {DISCOVERY: cluster}}]


def chosen_subnets(found: Account) -> list[Tagged]:
    """Give the chosen subnets with their tags."""
    known = {one.name: one for one in found.subnets}
    return [known[one] for one in choose_subnets(found)]


def chosen_groups(found: Account, wish: Wish, names: Names) -> list[Tagged]:
    """Give the chosen security groups with their tags."""
    known = {one.name: one for one in found.groups}
    return [known[one] for one in choose_groups(found, wish, names)]


def plan_network(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan the tags of subnets and groups."""
    account = found.account
    yield _plan_tags("subnet", chosen_subnets(account), names)
    yield _plan_tags("security group", chosen_groups(account, wish, names), names)


def _plan_tags(kind: str, things: Sequence[Tagged], names: Names) -> Step:
    title = things[0].name if len(things) == 1 else times(len(things))
    shown = kind if len(things) == 1 else f"{kind}s"
    if other := is_tagged_elsewhere(things, names.cluster):
        return Step("=", shown, title, f"tagged for cluster {other}: chosen by id")
    bare = [one for one in things if DISCOVERY not in one.tags]
    if not bare:
        return Step("=", shown, title, f"{DISCOVERY}={names.cluster}")
    ids = [one.name for one in bare]
    tag = [{"Key": DISCOVERY, "Value": names.cluster}]
    kept = tuple(Remember(f"tag.{one}", None) for one in ids)
    deed = Ask("ec2.CreateTags", {"Resources": ids, "Tags": tag})
    return Step("~", shown, title, f"+ tag {DISCOVERY}={names.cluster}", (*kept, deed))


def undo_network(found: Found, names: Names) -> Iterator[Step]:
    """Take the tags off that were put on, where they still say what was put there."""
    keys = sorted(key for key in found.kube.record if key.startswith("tag."))
    if not keys:
        return
    ids = [key.removeprefix("tag.") for key in keys]
    tag = [{"Key": DISCOVERY, "Value": names.cluster}]
    # With its value named, EC2 leaves a tag that says something else by now.
    gone = Ask("ec2.DeleteTags", {"Resources": ids, "Tags": tag}, _GONE)
    shown = ids[0] if len(ids) == 1 else times(len(ids))
    yield Step("~", "tags", shown, f"- tag {DISCOVERY}", (gone, *(Forget(key) for key in keys)))


_GONE: Final = ("InvalidSubnetID.NotFound", "InvalidGroup.NotFound", "InvalidID")
