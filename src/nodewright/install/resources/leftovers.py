"""What deleted clusters left behind: roles with their profiles and policies, launch templates, rules and queues.

They are shown always and removed only when that is asked for, and never while anything uses them. What
is removed here is not put back by an uninstall: whose cluster is gone needs none of it.
"""

from collections.abc import Iterator

from nodewright.install.found import Found, Leftover
from nodewright.install.resources.queue import QUEUE_GONE, remove_rule
from nodewright.install.resources.roles import GONE, TEMPLATE_GONE, remove_policy, remove_profile
from nodewright.install.steps import Ask, Deed, Step
from nodewright.install.wish import Wish

PROFILE = "profile:"
POLICY = "policy:"
INLINE = "inline:"


def plan_leftovers(found: Found, wish: Wish) -> Iterator[Step]:
    """Plan the removal of what nobody uses, where it is asked for."""
    if not wish.removes_leftovers:
        return
    for one in found.account.leftovers:
        if not one.used_by:
            detail = f"left by cluster {one.cluster}, which is gone"
            yield Step("-", one.kind, one.name, detail, _deeds(one))


def leftover_notes(found: Found, wish: Wish) -> Iterator[str]:
    """Say what was found and stays."""
    for one in found.account.leftovers:
        if one.used_by:
            yield f"{one.kind} {one.name} of the deleted cluster {one.cluster} stays: {one.used_by}"
        elif not wish.removes_leftovers:
            yield (
                f"{one.kind} {one.name} was left by cluster {one.cluster}, which is gone; "
                "--remove-leftovers removes it"
            )


def _deeds(one: Leftover) -> tuple[Deed, ...]:
    match one.kind:
        case "iam role":
            return _remove_role(one)
        case "iam policy":
            return remove_policy(one.parts[0], one.parts[1:])
        case "event rule":
            return remove_rule(one.name, one.parts)
        case "sqs queue":
            return (Ask("sqs.DeleteQueue", {"QueueUrl": one.parts[0]}, QUEUE_GONE),)
    params = {"LaunchTemplateName": one.name}
    return (Ask("ec2.DeleteLaunchTemplate", params, TEMPLATE_GONE),)


def _remove_role(one: Leftover) -> tuple[Deed, ...]:
    deeds: list[Deed] = []
    for part in one.parts:
        kind, _, name = part.partition(":")
        role = {"RoleName": one.name}
        match kind:
            case "profile":
                deeds.extend(remove_profile(name, one.name))
            case "policy":
                deeds.append(Ask("iam.DetachRolePolicy", {**role, "PolicyArn": name}, GONE))
            case _:
                deeds.append(Ask("iam.DeleteRolePolicy", {**role, "PolicyName": name}, GONE))
    return (*deeds, Ask("iam.DeleteRole", {"RoleName": one.name}, GONE))
