"""Finds the roles that clusters which are gone have left: of their nodes, of their controllers, of Fargate.

A role is of the cluster that its tags name, else its own name does. Who has a role is not written anywhere: what
uses it is told by machines and profiles, by whom it trusts, and by when and where it was used last.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from nodewright.aws.tags import CLUSTER_NAME, OURS, read_tags
from nodewright.install.asking import Asking
from nodewright.install.documents import read_document
from nodewright.install.found import Json, Leftover
from nodewright.install.look_made import BY_PROFILE, machine_with
from nodewright.install.names import ROLE_MAX, fit
from nodewright.install.resources.leftovers import INLINE, POLICY, PROFILE

KEYS: Final = (CLUSTER_NAME, "karpenter.k8s.aws/cluster", OURS)
_EKSCTL: Final = "alpha.eksctl.io/cluster-name"
_EKSCTL_ACCOUNT: Final = "alpha.eksctl.io/iamserviceaccount-name"
_NAMED: Final = re.compile(
    r"((?:eksctl-)?(?:Karpenter|Nodewright)NodeRole-"
    r"|(?:Karpenter|Nodewright)ControllerRole-|NodewrightFargateRole-)(.+)"
)
# Eksctl cuts these names, and others have such names too: here only its tags are believed.
_BY_EKSCTL: Final = re.compile(r"eksctl-.+-addon-iamserviceaccount-.+|.+-karpenter")
_SCALERS: Final = ("karpenter", "nodewright", "cluster-autoscaler")
_SERVICES: Final = ("ec2.", "pods.eks.", "eks-fargate-pods.")
_OF_NODE_GROUP: Final = "eks-"
_OF_AWS: Final = ":aws:policy/"
_PAGE: Final = 1000
_DAY_MS: Final = 86_400_000
# Whoever has a role renews it within hours, and IAM says so within hours.
_FRESH_DAYS: Final = 2


class Look:
    """Looks at roles, given the clusters that are there, the region, and the moment."""

    def __init__(self, asking: Asking, clusters: frozenset[str], region: str, now_ms: int) -> None:
        self._asking = asking
        self._clusters = clusters
        self._region = region
        self._now_ms = now_ms

    async def roles(self) -> list[Leftover]:
        """Find the roles, and the policies that only they have."""
        found: list[Leftover] = []
        for one in await self._asking.list("iam.ListRoles", "Roles", MaxItems=_PAGE):
            name = str(one["RoleName"])
            if self._may_be_left(name):
                told = await self._asking.ask("iam.GetRole", RoleName=name)
                cluster = _cluster_of(name, read_tags(told["Role"].get("Tags")))
                if cluster and cluster not in self._clusters:
                    found += await self._role(told["Role"], cluster)
        return found

    def _may_be_left(self, name: str) -> bool:
        named = _NAMED.fullmatch(name)
        if named is None:
            return bool(_BY_EKSCTL.fullmatch(name))
        # The name of a role is cut where that of its cluster is long.
        return all(name != fit(named.group(1), one, ROLE_MAX) for one in self._clusters)

    async def _role(self, role: Json, cluster: str) -> list[Leftover]:
        name = str(role["RoleName"])
        ask = self._asking.list
        profiles = await ask("iam.ListInstanceProfilesForRole", "InstanceProfiles", RoleName=name)
        attached = await ask("iam.ListAttachedRolePolicies", "AttachedPolicies", RoleName=name)
        inline = await ask("iam.ListRolePolicies", "PolicyNames", RoleName=name)
        parts = [f"{PROFILE}{one['InstanceProfileName']}" for one in profiles]
        parts += [f"{POLICY}{one['PolicyArn']}" for one in attached]
        parts += [f"{INLINE}{one}" for one in inline]
        used = await self._used_by(role, profiles)
        own = [
            str(one["PolicyArn"])
            for one in attached
            if str(one["PolicyName"]).endswith(f"-{cluster}")
        ]
        return [
            Leftover("iam role", name, cluster, tuple(sorted(parts)), used),
            *[await self._policy(one, cluster, used) for one in own if _OF_AWS not in one],
        ]

    async def _policy(self, arn: str, cluster: str, used: str) -> Leftover:
        told = await self._asking.ask("iam.GetPolicy", PolicyArn=arn)
        versions = await self._asking.list("iam.ListPolicyVersions", "Versions", PolicyArn=arn)
        old = sorted(str(one["VersionId"]) for one in versions if not one["IsDefaultVersion"])
        others = int(told["Policy"].get("AttachmentCount", 1)) - 1
        if not used and others:
            used = f"{others} more {'have' if others > 1 else 'has'} it"
        return Leftover("iam policy", arn.rpartition("/")[2], cluster, (arn, *old), used)

    async def _used_by(self, role: Json, profiles: list[Any]) -> str:
        machine = await machine_with(
            self._asking, BY_PROFILE, [str(one["Arn"]) for one in profiles]
        )
        if machine:
            return machine
        names = sorted(str(one["InstanceProfileName"]) for one in profiles)
        groups = [one for one in names if one.startswith(_OF_NODE_GROUP)]
        if groups:
            return f"a node group has it, by the instance profile {groups[0]}"
        strangers = sorted(_strangers(read_document(role["AssumeRolePolicyDocument"])))
        if strangers:
            return f"{strangers[0]} may take it on"
        # Roles are of the whole account: a cluster of that name may well run in another region.
        last = role.get("RoleLastUsed") or {}
        elsewhere = last.get("Region") or self._region
        if elsewhere != self._region:
            return f"it was used in {elsewhere} last"
        return self._used_lately(last.get("LastUsedDate"))

    def _used_lately(self, when: datetime | None) -> str:
        if when is None:
            return ""
        days = (self._now_ms - int(when.timestamp() * 1000)) // _DAY_MS
        return f"it was used less than {_FRESH_DAYS} days ago" if days < _FRESH_DAYS else ""


def said(tags: dict[str, str]) -> str:
    """Give the cluster that the tags of a thing name."""
    return next((tags[key] for key in KEYS if key in tags), "")


def _cluster_of(name: str, tags: dict[str, str]) -> str:
    if told := said(tags):
        return told
    if named := _NAMED.fullmatch(name):
        return named.group(2)
    # Of the service accounts, only those of autoscalers are our business.
    account = tags.get(_EKSCTL_ACCOUNT, name).rpartition("/")[2]
    return tags.get(_EKSCTL, "") if any(one in account for one in _SCALERS) else ""


def _strangers(trust: Json) -> Iterable[str]:
    """Name whom a role trusts besides machines, pods and the issuers of clusters."""
    for statement in _listed(trust.get("Statement")):
        principal = statement.get("Principal") or {}
        if not isinstance(principal, dict):
            yield "anybody"
            continue
        for kind, values in principal.items():
            for one in map(str, _listed(values)):
                is_known = (kind == "Service" and one.startswith(_SERVICES)) or (
                    kind == "Federated" and ":oidc-provider/oidc.eks." in one
                )
                if not is_known:
                    yield one


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []
