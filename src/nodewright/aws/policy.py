"""The controller's policies, made from the table of calls: nothing that is not called is allowed.

Machines, templates and profiles can be touched only where they carry the cluster's tags, and made only
with them. The statements are dealt out to several documents, because a managed policy may hold no
more than 6,144 characters.
"""

from typing import Any, Final

import msgspec

from nodewright.aws.bucket import Place
from nodewright.aws.calls import CALLS, Scope
from nodewright.aws.cluster import partition_of
from nodewright.aws.tags import CLAIM, CLUSTER_NAME, owned_key
from nodewright.model.labels import EC2NODECLASS, NODEPOOL, REGION

CHARACTERS_MAX: Final = 6_144
_MADE: Final = (
    "fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request",
)  # fmt: skip
_USED: Final = ("security-group", "subnet", "capacity-reservation", "placement-group")
_PARTS: Final = {
    "NodeLifecycle": (
        Scope.LAUNCH_USES,
        Scope.LAUNCH_TEMPLATES,
        Scope.LAUNCH_MAKES,
        Scope.CREATION_TAGGING,
        Scope.TAGGING,
        Scope.DELETION,
    ),
    "IAMIntegration": (
        Scope.PASSING,
        Scope.PROFILE_CREATION,
        Scope.PROFILE_TAGGING,
        Scope.PROFILE_CHANGES,
    ),
    "EKSIntegration": (Scope.CLUSTER,),
    "Interruption": (Scope.QUEUE,),
    "ZonalShift": (Scope.SHIFTS,),
    "Journal": (Scope.JOURNAL,),
    "ResourceDiscovery": (
        Scope.REGION,
        Scope.PARAMETERS,
        Scope.PRICES,
        Scope.PROFILE_READS,
        Scope.PROFILE_LISTS,
    ),
}

type Json = dict[str, Any]


class Account(msgspec.Struct, frozen=True):
    """Where the policies hold: names of the account, and of what the controller is given."""

    account_id: str
    region: str
    cluster: str
    node_role: str
    queue: str = ""
    journal: Place | None = None

    @property
    def partition(self) -> str:
        """The part of AWS in which the region lies."""
        return partition_of(self.region)

    def arn(self, service: str, what: str, *, account: str = "", region: str = "") -> str:
        """Name something of the account."""
        return f"arn:{self.partition}:{service}:{region}:{account}:{what}"


def policies(account: Account) -> dict[str, Json]:
    """Give the documents by the names of their parts; parts that allow nothing are left out."""
    actions: dict[Scope, set[str]] = {}
    for one in CALLS.values():
        for scope, action in one.needs:
            actions.setdefault(scope, set()).add(action)
    if not account.queue:
        actions.pop(Scope.QUEUE, None)
    if account.journal is None:
        actions.pop(Scope.JOURNAL, None)
    documents = {}
    for part, scopes in _PARTS.items():
        statements = [_statement(account, one, actions[one]) for one in scopes if one in actions]
        if statements:
            documents[part] = {"Version": "2012-10-17", "Statement": statements}
    return documents


def policy_name(part: str, cluster: str) -> str:
    """Name a managed policy."""
    return f"NodewrightController{part}-{cluster}"


def _statement(account: Account, scope: Scope, actions: set[str]) -> Json:
    found: Json = {
        "Sid": scope.value,
        "Effect": "Allow",
        "Action": sorted(actions),
        "Resource": _resources(account, scope),
    }
    condition = _condition(account, scope)
    return {**found, "Condition": condition} if condition else found


def _resources(account: Account, scope: Scope) -> list[str] | str:
    region, number = account.region, account.account_id
    profiles = account.arn("iam", "instance-profile/*", account=number)
    match scope:
        case Scope.LAUNCH_USES:
            public = [
                account.arn("ec2", f"{kind}/*", region=region) for kind in ("image", "snapshot")
            ]
            return public + _ec2(account, *_USED)
        case Scope.LAUNCH_TEMPLATES:
            return _ec2(account, "launch-template")
        case Scope.LAUNCH_MAKES | Scope.CREATION_TAGGING:
            return _ec2(account, *_MADE)
        case Scope.TAGGING:
            return _ec2(account, "instance")
        case Scope.DELETION:
            return _ec2(account, "instance", "launch-template")
        case Scope.PASSING:
            return [account.node_role]
        case Scope.CLUSTER:
            return [_cluster_arn(account)]
        case Scope.QUEUE:
            return [account.arn("sqs", account.queue, account=number, region=region)]
        case Scope.JOURNAL:
            assert account.journal is not None, "nothing is allowed without a place"
            copies = f"{account.journal.bucket}/{account.journal.key('*')}"
            return [account.arn("s3", copies)]
        case Scope.PARAMETERS:
            return [account.arn("ssm", "parameter/aws/service/*", region=region)]
        case Scope.REGION | Scope.PRICES | Scope.PROFILE_LISTS | Scope.SHIFTS:
            return "*"
    return [profiles]


def _cluster_arn(account: Account) -> str:
    name, number = f"cluster/{account.cluster}", account.account_id
    return account.arn("eks", name, account=number, region=account.region)


def _ec2(account: Account, *kinds: str) -> list[str]:
    return [account.arn("ec2", f"{kind}/*", account="*", region=account.region) for kind in kinds]


def _condition(account: Account, scope: Scope) -> Json:
    match scope:
        case Scope.LAUNCH_TEMPLATES | Scope.DELETION:
            return _resource_is_ours(account)
        case Scope.LAUNCH_MAKES:
            return _request_is_ours(account)
        case Scope.CREATION_TAGGING:
            made = _request_is_ours(account)
            calls = ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]
            return {**made, "StringEquals": {**made["StringEquals"], "ec2:CreateAction": calls}}
        case Scope.TAGGING:
            return {
                **_resource_is_ours(account),
                "StringEqualsIfExists": {f"aws:RequestTag/{CLUSTER_NAME}": account.cluster},
                "ForAllValues:StringEquals": {"aws:TagKeys": [CLUSTER_NAME, CLAIM, "Name"]},
            }
        case Scope.PASSING:
            suffix = ".cn" if account.partition == "aws-cn" else ""
            services = ["ec2.amazonaws.com", *([f"ec2.amazonaws.com{suffix}"] if suffix else [])]
            return {"StringEquals": {"iam:PassedToService": services}}
        case Scope.PROFILE_CREATION:
            return _profile_is_ours(account, "RequestTag", is_named=True)
        case Scope.PROFILE_TAGGING:
            parts = [
                _profile_is_ours(account, key, is_named=True)
                for key in ("ResourceTag", "RequestTag")
            ]
            return {name: {**parts[0][name], **parts[1][name]} for name in parts[0]}
        case Scope.PROFILE_CHANGES:
            return _profile_is_ours(account, "ResourceTag", is_named=False)
        case Scope.SHIFTS:
            arn = _cluster_arn(account)
            return {"StringEquals": {"arc-zonal-shift:ResourceIdentifier": arn}}
        case Scope.REGION:
            return {"StringEquals": {"aws:RequestedRegion": account.region}}
    return {}


def _resource_is_ours(account: Account) -> Json:
    return {
        "StringEquals": {f"aws:ResourceTag/{owned_key(account.cluster)}": "owned"},
        "StringLike": {f"aws:ResourceTag/{NODEPOOL}": "*"},
    }


def _request_is_ours(account: Account) -> Json:
    return {
        "StringEquals": {
            f"aws:RequestTag/{owned_key(account.cluster)}": "owned",
            f"aws:RequestTag/{CLUSTER_NAME}": account.cluster,
        },
        "StringLike": {f"aws:RequestTag/{NODEPOOL}": "*"},
    }


def _profile_is_ours(account: Account, key: str, *, is_named: bool) -> Json:
    equal = {
        f"aws:{key}/{owned_key(account.cluster)}": "owned",
        f"aws:{key}/{REGION}": account.region,
    }
    if is_named:
        equal[f"aws:{key}/{CLUSTER_NAME}"] = account.cluster
    return {
        "StringEquals": equal,
        "StringLike": {f"aws:{key}/{EC2NODECLASS}": "*"},
    }
