"""The command that makes a plan, written so that somebody can type it: with every choice that is not the default."""

import shlex
from collections.abc import Iterator, Mapping

from nodewright.install.steps import Plan
from nodewright.install.wish import Wish


def command_of(plan: Plan, place: Mapping[str, str]) -> str:
    """Write the command that goes on with a plan, at the same place: --region and its like by name."""
    verb = "uninstall" if plan.verb == "uninstall" else "install"
    more = ["--hand-back"] if plan.verb == "hand-back" else list(_choices(plan))
    where = [word for name, value in place.items() if value for word in (f"--{name}", value)]
    words = ["nodewright", verb, "--cluster", plan.wish.cluster, *where, *more]
    return " ".join(map(shlex.quote, words))


def _choices(plan: Plan) -> Iterator[str]:
    if plan.verb != "install":
        return
    wish, usual = plan.wish, Wish(plan.wish.cluster)
    named = {
        "--node-role": wish.node_role,
        "--security-groups": ",".join(wish.security_groups),
        "--identity": wish.identity if wish.identity != usual.identity else "",
        "--move-group": wish.move_group,
        "--image": wish.image,
        "--journal-s3": wish.journal,
        "--replicas": str(wish.replicas) if wish.replicas != usual.replicas else "",
    }
    switches = {
        "--fargate": wish.is_fargate,
        "--no-pools": not wish.has_pools,
        "--no-take-over": not wish.takes_over,
        "--pin-system": wish.pins_system,
        "--remove-leftovers": wish.removes_leftovers,
    }
    for policy in wish.node_policies:
        yield from ("--node-policy", policy)
    for name, value in named.items():
        if value:
            yield from (name, value)
    yield from (name for name, is_on in switches.items() if is_on)
