"""Asks AWS whether the caller may do all of a plan, before the first step of it is done.

A plan that ends in the middle for want of a permission would leave the account half changed; so what is
missing is named beforehand, with the statement that allows it. The account's root may do everything.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from nodewright.install.asking import Asking, denial
from nodewright.install.calls import TABLE, Scope
from nodewright.install.found import Json
from nodewright.install.names import Names
from nodewright.install.policy import resources
from nodewright.install.steps import Ask, Plan
from nodewright.install.wish import Wish

_SESSION: Final = re.compile(r"arn:([\w-]+):sts::(\d+):assumed-role/([^/]+)/.+")
_SERVICES: Final = {
    "iam.AddRoleToInstanceProfile": "ec2.amazonaws.com",
    "eks.CreatePodIdentityAssociation": "pods.eks.amazonaws.com",
    "eks.CreateFargateProfile": "eks-fargate-pods.amazonaws.com",
}


async def check_allowed(asking: Asking, plan: Plan, names: Names, caller: str) -> None:
    """Refuse a plan of which something is not allowed to whoever asks."""
    source = await _source(asking, caller)
    if not source:
        return
    for (resource, service), actions in sorted(_questions(plan, names).items()):
        context = [
            {
                "ContextKeyName": "iam:PassedToService",
                "ContextKeyValues": [service],
                "ContextKeyType": "string",
            }
        ]
        told = await asking.ask(
            "iam.SimulatePrincipalPolicy",
            PolicySourceArn=source,
            ActionNames=sorted(actions),
            ResourceArns=[resource],
            ContextEntries=context if service else [],
        )
        for one in told["EvaluationResults"]:
            if one["EvalDecision"] != "allowed":
                raise denial(str(one["EvalActionName"]), resource)


async def _source(asking: Asking, caller: str) -> str:
    """Give whose policies are to be asked about: a session acts by its role."""
    session = _SESSION.fullmatch(caller)
    if session is None:
        return "" if caller.endswith(":root") else caller
    told = await asking.find("iam.GetRole", RoleName=session.group(3))
    partition, account, name = session.groups()
    return str(told["Role"]["Arn"]) if told else f"arn:{partition}:iam::{account}:role/{name}"


def _questions(plan: Plan, names: Names) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for step in plan.changes:
        for deed in step.deeds:
            if not isinstance(deed, Ask):
                continue
            for scope, action in TABLE[deed.call].needs:
                service = _SERVICES.get(deed.call, "") if action == "iam:PassRole" else ""
                for resource in concrete(deed, scope, names, plan.wish):
                    found.setdefault((resource, service), set()).add(action)
    return found


def concrete(deed: Ask, scope: Scope, names: Names, wish: Wish) -> tuple[str, ...]:
    """Give the ARNs that a call touches, as far as its parameters say."""
    params = deed.params
    match scope:
        case Scope.ROLES | Scope.PASSING:
            return (_role(params, names),)
        case Scope.POLICIES:
            return (str(params.get("PolicyArn") or names.iam(f"policy/{params['PolicyName']}")),)
        case Scope.PROFILES:
            return (names.iam(f"instance-profile/{params['InstanceProfileName']}"),)
        case Scope.PROVIDER:
            issuer = str(params.get("Url", "")).removeprefix("https://")
            known = params.get("OpenIDConnectProviderArn")
            return (str(known or names.iam(f"oidc-provider/{issuer}")),)
        case Scope.RULES:
            name = params.get("Name") or params.get("Rule")
            return (names.here("events", f"rule/{name}"),)
        case Scope.QUEUE:
            url = str(params.get("QueueUrl") or params["QueueName"])
            return (names.here("sqs", url.rpartition("/")[2]),)
        case Scope.NETWORK:
            return tuple(_thing(str(one), names) for one in params["Resources"])
        case Scope.ENTRANCE:
            return (_part(deed, names),)
    return tuple(_several(resources(names, scope, wish)))


def _role(params: Json, names: Names) -> str:
    known = params.get("roleArn") or params.get("podExecutionRoleArn")
    return str(known or names.iam(f"role/{params['RoleName']}"))


def _part(deed: Ask, names: Names) -> str:
    """Name what is changed of a cluster: the cluster itself where something is made in it."""
    if "Create" in deed.call:
        return names.here("eks", f"cluster/{names.cluster}")
    kind = deed.call.partition(".")[2]
    for word, part in _KINDS.items():
        if kind.endswith(word):
            return names.here("eks", f"{part}/{names.cluster}/*")
    return names.here("eks", f"cluster/{names.cluster}")


_KINDS: Final = {
    "AccessEntry": "access-entry",
    "Addon": "addon",
    "FargateProfile": "fargateprofile",
    "NodegroupConfig": "nodegroup",
    "PodIdentityAssociation": "podidentityassociation",
}


def _thing(name: str, names: Names) -> str:
    kind = "subnet" if name.startswith("subnet-") else "security-group"
    return names.here("ec2", f"{kind}/{name}")


def _several(value: Any) -> Iterable[str]:
    return [value] if isinstance(value, str) else value
