"""What deleted clusters left behind: node roles of Karpenter with their profiles, and launch templates.

They are shown always and removed only when that is asked for, and never while anything uses them. What
is removed here is not put back by an uninstall: whose cluster is gone needs none of it.
"""

from collections.abc import Iterator

from nodewright.install.found import Found, Leftover
from nodewright.install.resources.roles import GONE, TEMPLATE_GONE, remove_profile
from nodewright.install.steps import Ask, Deed, Step
from nodewright.install.wish import Wish

PROFILE = "profile:"
POLICY = "policy:"


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
    if one.kind != "iam role":
        params = {"LaunchTemplateName": one.name}
        return (Ask("ec2.DeleteLaunchTemplate", params, TEMPLATE_GONE),)
    deeds: list[Deed] = []
    for part in one.parts:
        if part.startswith(PROFILE):
            profile = part.removeprefix(PROFILE)
            deeds.extend(remove_profile(profile, one.name))
        else:
            params = {"RoleName": one.name, "PolicyArn": part.removeprefix(POLICY)}
            deeds.append(Ask("iam.DetachRolePolicy", params, GONE))
    return (*deeds, Ask("iam.DeleteRole", {"RoleName": one.name}, GONE))
