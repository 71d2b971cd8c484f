"""The least that whoever installs must be allowed, made from the table of calls.

Roles, policies, profiles, rules and the queue are limited to the names that an installation gives; what is
only read is read from the whole account.
"""

from nodewright.install.calls import TABLE, Scope
from nodewright.install.found import Json
from nodewright.install.names import Names
from nodewright.install.resources.roles import SPOT
from nodewright.install.wish import Wish

_PASSED = ("ec2.amazonaws.com", "pods.eks.amazonaws.com", "eks-fargate-pods.amazonaws.com")
_LEFT_ROLES = (
    "*NodeRole-*", "*ControllerRole-*", "*FargateRole-*", "eksctl-*", "*-karpenter",
)  # fmt: skip
_LEFT_POLICIES = ("Karpenter*", "NodewrightController*", "eksctl-*")


def installer_policy(names: Names, wish: Wish) -> Json:
    """Give the policy document for installing on a cluster as wished, and uninstalling again."""
    actions: dict[Scope, set[str]] = {}
    for entry in TABLE.values():
        for scope, action in entry.needs:
            actions.setdefault(scope, set()).add(action)
    return {
        "Version": "2012-10-17",
        "Statement": [
            _statement(names, scope, sorted(actions[scope]), wish)
            for scope in Scope
            if scope in actions
        ],
    }


def _statement(names: Names, scope: Scope, actions: list[str], wish: Wish) -> Json:
    found: Json = {
        "Sid": scope.value,
        "Effect": "Allow",
        "Action": actions,
        "Resource": resources(names, scope, wish),
    }
    if scope is Scope.PASSING:
        found["Condition"] = {"StringEquals": {"iam:PassedToService": list(_PASSED)}}
    return found


def resources(names: Names, scope: Scope, wish: Wish) -> list[str] | str:
    """Give what the actions of a scope are needed on; leftovers have the names of other clusters."""
    roles = [names.node_role, names.karpenter_node_role, names.controller_role, names.fargate_role]
    roles += [wish.node_role] if wish.node_role else []
    role_arns = [names.iam(f"role/{one}") for one in dict.fromkeys(roles)]
    others = wish.removes_leftovers
    cluster = names.here("eks", f"cluster/{names.cluster}")
    found: dict[Scope, list[str]] = {
        Scope.CLUSTER: [cluster],
        Scope.PARTS: _children(names),
        Scope.ENTRANCE: [cluster, *_children(names)],
        Scope.ROLES: [*role_arns, *(_left(names, "role", _LEFT_ROLES) if others else [])],
        Scope.PASSING: role_arns,
        Scope.POLICIES: [
            names.iam(f"policy/{names.policy('*')}"),
            *(_left(names, "policy", _LEFT_POLICIES) if others else []),
        ],
        Scope.PROFILES: [names.iam("instance-profile/*")],
        Scope.PROVIDER: [names.iam("oidc-provider/*")],
        Scope.SPOT: [names.iam(f"role/aws-service-role/{SPOT}/*")],
        Scope.QUEUE: [names.here("sqs", "*" if others else names.queue)],
        Scope.QUEUES_READ: [names.here("sqs", "*")],
        Scope.RULES: [names.here("events", "rule/*" if others else "rule/Nodewright*")],
        Scope.RULES_READ: [names.here("events", "rule/*")],
        Scope.NETWORK: [names.here("ec2", f"{kind}/*") for kind in ("subnet", "security-group")],
        Scope.LEFTOVERS: [names.here("ec2", "launch-template/*")],
    }
    return found.get(scope, "*")


def _left(names: Names, kind: str, patterns: tuple[str, ...]) -> list[str]:
    return [names.iam(f"{kind}/{one}") for one in patterns]


def _children(names: Names) -> list[str]:
    kinds = ("access-entry", "addon", "fargateprofile", "nodegroup", "podidentityassociation")
    return [names.here("eks", f"{kind}/{names.cluster}/*") for kind in kinds]
