"""Roles and profiles of IAM: that of the nodes, that of the controller with its policies, that of spot.

A node role that is named, or that Karpenter's guide made, is used as it is; what it lacks is attached and
written down, so that it can be taken off again. The controller's role is always ours.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.aws import policy as controller
from nodewright.aws.bucket import Place, read_place
from nodewright.aws.tags import print_tags
from nodewright.install.found import Account, Found, Json, MadeProfile, Role
from nodewright.install.names import Names
from nodewright.install.steps import Ask, Deed, Forget, Remember, Step, times
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

FOREIGN: Final = "NW-9704"
EXISTS: Final = ("EntityAlreadyExists",)
GONE: Final = ("NoSuchEntity",)
TEMPLATE_GONE: Final = (
    "InvalidLaunchTemplateId.NotFound",
    "InvalidLaunchTemplateName.NotFoundException",
)
SPOT: Final = "spot.amazonaws.com"
SPOT_ROLE: Final = "AWSServiceRoleForEC2Spot"
_SPOT_KEY: Final = "spot-role"
_WORKER: Final = "AmazonEKSWorkerNodePolicy"
_PLUGIN: Final = "AmazonEKS_CNI_Policy"
_REGISTRY: Final = "AmazonEC2ContainerRegistryPullOnly"
_SESSIONS: Final = "AmazonSSMManagedInstanceCore"
# A role may read images by the older, wider policy just as well.
_SAME: Final = {_REGISTRY: ("AmazonEC2ContainerRegistryReadOnly",)}
NODE_POLICIES: Final = (_WORKER, _PLUGIN, _REGISTRY, _SESSIONS)
_VERSIONS_MAX: Final = 5


def write(document: Json) -> str:
    """Write a policy document as AWS takes it."""
    return msgspec.json.encode(document).decode()


def trust(principal: Json, *actions: str, condition: Json | None = None) -> Json:
    """Give the document by which somebody may take a role on."""
    statement: Json = {"Effect": "Allow", "Principal": principal, "Action": list(actions)}
    if condition:
        statement["Condition"] = condition
    return {"Version": "2012-10-17", "Statement": [statement]}


def policy_parts() -> tuple[str, ...]:
    """Name the parts into which the controller's policy is dealt out."""
    every = controller.Account("", "", "", "", queue="any", journal=Place("any"))
    return tuple(controller.policies(every))


def choose_node_role(found: Account, wish: Wish, names: Names) -> str:
    """Name the role of nodes: the one that is given, Karpenter's where it is there, else ours."""
    if wish.node_role:
        if wish.node_role not in found.roles:
            raise UserError(
                f"there is no role {wish.node_role} in account {found.account_id}",
                code=FOREIGN,
                advice="name one that exists, or leave --node-role out and one is made",
            )
        return wish.node_role
    if names.karpenter_node_role in found.roles:
        return names.karpenter_node_role
    return names.node_role


def node_role_arn(found: Account, wish: Wish, names: Names) -> str:
    """Give the ARN of the role of nodes, which may have a path."""
    name = choose_node_role(found, wish, names)
    known = found.roles.get(name)
    return known.arn if known else names.iam(f"role/{name}")


def plan_node_role(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan the role of nodes, and a profile of the same name where the role is ours."""
    name = choose_node_role(found.account, wish, names)
    role = found.account.roles.get(name)
    wanted = [*NODE_POLICIES, *wish.node_policies]
    missing = [one for one in wanted if not _holds(role, one, names)]
    attach = tuple(_attach(name, names.managed(one)) for one in missing)
    if role is None:
        shown = ", ".join(one.removeprefix("Amazon") for one in wanted)
        trusted = trust({"Service": f"ec2.{_suffix(names)}"}, "sts:AssumeRole")
        deeds = (_create(names, name, trusted, "Nodes that Nodewright launches"), *attach)
        yield Step("+", "iam role", name, shown, deeds)
    elif not missing:
        yield Step("=", "iam role", name, "role of nodes")
    else:
        shown = ", ".join(f"+ {one.removeprefix('Amazon')}" for one in missing)
        kept: tuple[Deed, ...] = ()
        if not names.is_ours(role.tags):
            kept = (Remember(f"role.{name}", [names.managed(one) for one in missing]),)
        yield Step("~", "iam role", name, shown, (*kept, *attach))
    if role is None or names.is_ours(role.tags):
        yield _plan_profile(found.account, names, name)


def _plan_profile(found: Account, names: Names, role: str) -> Step:
    profile = found.profiles.get(role)
    add = Ask(
        "iam.AddRoleToInstanceProfile",
        {"InstanceProfileName": role, "RoleName": role},
        ("LimitExceeded",),
    )
    if profile is None:
        made = Ask(
            "iam.CreateInstanceProfile",
            {"InstanceProfileName": role, "Tags": print_tags(names.tags)},
            EXISTS,
        )
        return Step("+", "instance profile", role, "for classes that name a profile", (made, add))
    if role not in profile.roles:
        return Step("~", "instance profile", role, f"+ role {role}", (add,))
    return Step("=", "instance profile", role)


def plan_controller(found: Found, wish: Wish, names: Names, trusted: Json) -> Iterator[Step]:
    """Plan the policies of the controller, and its role that trusts as is said."""
    attached: list[str] = []
    documents = controller.policies(
        controller.Account(
            account_id=names.account_id,
            region=names.region,
            cluster=names.cluster,
            node_role=node_role_arn(found.account, wish, names),
            queue=names.queue,
            journal=read_place(wish.journal),
        )
    )
    for part, document in documents.items():
        yield _plan_policy(found.account, names, names.policy(part), document)
        attached.append(names.iam(f"policy/{names.policy(part)}"))
    yield _plan_controller_role(found.account, names, trusted, attached)


def _plan_policy(found: Account, names: Names, name: str, document: Json) -> Step:
    known = found.policies.get(name)
    count = len(document["Statement"])
    shown = f"{count} statement{'s' if count > 1 else ''}"
    if known is None:
        params = {
            "PolicyName": name,
            "PolicyDocument": write(document),
            "Tags": print_tags(names.tags),
        }
        return Step("+", "iam policy", name, shown, (Ask("iam.CreatePolicy", params, EXISTS),))
    if known.document == document:
        return Step("=", "iam policy", name, shown)
    _refuse_foreign(names, "policy", known)
    deeds: list[Deed] = []
    if len(known.old_versions) >= _VERSIONS_MAX - 1:
        oldest = {"PolicyArn": known.arn, "VersionId": known.old_versions[0]}
        deeds.append(Ask("iam.DeletePolicyVersion", oldest, GONE))
    newer = {"PolicyArn": known.arn, "PolicyDocument": write(document), "SetAsDefault": True}
    deeds.append(Ask("iam.CreatePolicyVersion", newer))
    return Step("~", "iam policy", name, "what the controller needs has changed", tuple(deeds))


def _plan_controller_role(found: Account, names: Names, trusted: Json, attached: list[str]) -> Step:
    name = names.controller_role
    role = found.roles.get(name)
    if role is None:
        deeds = (
            _create(names, name, trusted, "The controller of Nodewright"),
            *(_attach(name, arn) for arn in attached),
        )
        detail = f"{len(attached)} policies, only what is tagged with this cluster"
        return Step("+", "iam role", name, detail, deeds)
    changes: list[Deed] = [_attach(name, arn) for arn in attached if arn not in role.policies]
    if role.trust != trusted:
        params = {"RoleName": name, "PolicyDocument": write(trusted)}
        changes.insert(0, Ask("iam.UpdateAssumeRolePolicy", params))
    if changes:
        _refuse_foreign(names, "role", role)
        return Step("~", "iam role", name, "trust and policies of the controller", tuple(changes))
    return Step("=", "iam role", name, "role of the controller")


def plan_spot_role(found: Found) -> Step:
    """Plan the role without which AWS starts no spot machine."""
    if found.account.has_spot_role:
        return Step("=", "iam role", SPOT_ROLE)
    # AWS says only in words that it is there already.
    made = Ask("iam.CreateServiceLinkedRole", {"AWSServiceName": SPOT}, ("InvalidInput",))
    return Step("+", "iam role", SPOT_ROLE, "spot needs it", (Remember(_SPOT_KEY, None), made))


def undo_roles(found: Found, names: Names) -> Iterator[Step]:
    """Take off what was attached, and take away the roles, policies and profiles that are ours."""
    account, record = found.account, found.kube.record
    for key, was in sorted(record.items()):
        if key.startswith("role."):
            name = key.removeprefix("role.")
            deeds = tuple(_detach(name, arn) for arn in was["was"])
            yield Step("~", "iam role", name, "without what was attached", (*deeds, Forget(key)))
    ours = [role for role in account.roles.values() if names.is_ours(role.tags)]
    for role in sorted(ours, key=lambda one: one.name):
        yield from _undo_role(found, names, role)
    for policy in sorted(account.policies.values(), key=lambda one: one.name):
        if names.is_ours(policy.tags):
            deeds = remove_policy(policy.arn, policy.old_versions)
            yield Step("-", "iam policy", policy.name, "", deeds)
    if _SPOT_KEY in record:
        gone = Ask("iam.DeleteServiceLinkedRole", {"RoleName": SPOT_ROLE}, GONE)
        detail = "AWS keeps it while a spot machine needs it"
        yield Step("-", "iam role", SPOT_ROLE, detail, (gone, Forget(_SPOT_KEY)))


def _undo_role(found: Found, names: Names, role: Role) -> Iterator[Step]:
    going = {one.name for one in found.account.made_profiles if goes(one, found)}
    own = found.account.profiles.get(role.name)
    is_own = own is not None and names.is_ours(own.tags)
    staying = set(role.profiles) - going - ({role.name} if is_own else set())
    if staying:
        detail = f"stays: instance profile {min(staying)} holds it"
        yield Step("=", "iam role", role.name, detail)
        return
    if is_own:
        yield Step("-", "instance profile", role.name, "", remove_profile(role.name, role.name))
    deeds = (
        *(_detach(role.name, arn) for arn in role.policies),
        Ask("iam.DeleteRole", {"RoleName": role.name}, GONE),
    )
    yield Step("-", "iam role", role.name, "", deeds)


def undo_made(found: Found) -> Iterator[Step]:
    """Take away what the controller made on its way: launch templates, and profiles of classes."""
    templates = found.account.made_templates
    if templates:
        deeds = tuple(
            Ask("ec2.DeleteLaunchTemplate", {"LaunchTemplateId": one}, TEMPLATE_GONE)
            for one in templates
        )
        yield Step("-", "launch templates", times(len(templates)), "", deeds)
    for profile in found.account.made_profiles:
        if not goes(profile, found):
            yield Step("=", "instance profile", profile.name, f"stays: {profile.used_by}")
            continue
        # A profile holds one role at most.
        role = next(iter(profile.roles), "")
        yield Step("-", "instance profile", profile.name, "", remove_profile(profile.name, role))


def goes(profile: MadeProfile, found: Found) -> bool:
    """Tell whether no machine will have a profile: its class goes with its machines, or has none."""
    return not profile.used_by or f"class.{profile.node_class}" in found.kube.record


def remove_policy(arn: str, old_versions: tuple[str, ...]) -> tuple[Ask, ...]:
    """Take away the versions that are not in force, then the policy."""
    versions = (
        Ask("iam.DeletePolicyVersion", {"PolicyArn": arn, "VersionId": one}, GONE)
        for one in old_versions
    )
    return (*versions, Ask("iam.DeletePolicy", {"PolicyArn": arn}, GONE))


def remove_profile(name: str, role: str) -> tuple[Ask, ...]:
    """Take a role out of a profile, then the profile away."""
    both = {"InstanceProfileName": name, "RoleName": role}
    alone = Ask("iam.DeleteInstanceProfile", {"InstanceProfileName": name}, GONE)
    return (Ask("iam.RemoveRoleFromInstanceProfile", both, GONE), alone) if role else (alone,)


def _holds(role: Role | None, policy: str, names: Names) -> bool:
    same = (policy, *_SAME.get(policy, ()))
    return role is not None and any(names.managed(one) in role.policies for one in same)


def _refuse_foreign(names: Names, kind: str, thing: Role | object) -> None:
    tags = getattr(thing, "tags", {})
    if not names.is_ours(tags):
        name = getattr(thing, "name", "")
        raise UserError(
            f"the {kind} {name} exists, and Nodewright did not make it for {names.cluster}",
            code=FOREIGN,
            where=str(getattr(thing, "arn", "")),
            advice="rename or delete it, or give it the tag "
            f"nodewright.dev/cluster={names.cluster} if it is to be Nodewright's",
        )


def _create(names: Names, name: str, trusted: Json, words: str) -> Ask:
    params = {
        "RoleName": name,
        "AssumeRolePolicyDocument": write(trusted),
        "Description": words,
        "Tags": print_tags(names.tags),
    }
    return Ask("iam.CreateRole", params, EXISTS)


def _attach(role: str, arn: str) -> Ask:
    return Ask("iam.AttachRolePolicy", {"RoleName": role, "PolicyArn": arn})


def _detach(role: str, arn: str) -> Ask:
    return Ask("iam.DetachRolePolicy", {"RoleName": role, "PolicyArn": arn}, GONE)


def _suffix(names: Names) -> str:
    return "amazonaws.com.cn" if names.partition == "aws-cn" else "amazonaws.com"
