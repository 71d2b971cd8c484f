"""A first NodePool and its class, drafted from the node groups: the same machines, freely mixed.

They are drafted only where the cluster has no pool yet. On uninstall, the pool goes first and its nodes with
it, while the controller is still there to drain them; pools that others made are left alone.
"""

import re
from collections.abc import Iterator
from typing import Final

from nodewright.install.found import Found, Json, NodeGroup
from nodewright.install.names import INSTALLER, MADE_BY, Names
from nodewright.install.resources.network import chosen_groups, chosen_subnets, terms
from nodewright.install.resources.roles import choose_node_role
from nodewright.install.steps import Apply, Forget, Remember, Remove, Step, times
from nodewright.install.wish import Wish

NAME: Final = "default"
CLAIMS: Final = "/apis/karpenter.sh/v1/nodeclaims"
POOLS: Final = "/apis/karpenter.sh/v1/nodepools"
CLASSES: Final = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses"
_CLASS: Final = "karpenter.k8s.aws"
_CATEGORIES: Final = ("c", "m", "r")
_CATEGORY: Final = re.compile(r"[a-z]+")
_CPU_MAX: Final = 1000
_CAPACITY: Final = {"SPOT": "spot", "ON_DEMAND": "on-demand"}


def draft(found: Found, wish: Wish, names: Names) -> tuple[Json, Json]:
    """Draft the class and the pool."""
    groups = [one for one in found.account.cluster.node_groups if "WINDOWS" not in one.ami_type]
    meta = {"name": NAME, "labels": {MADE_BY: INSTALLER}}
    node_class = {
        "apiVersion": f"{_CLASS}/v1",
        "kind": "EC2NodeClass",
        "metadata": meta,
        "spec": {
            "role": choose_node_role(found.account, wish, names),
            "amiSelectorTerms": [{"alias": _alias(groups)}],
            "subnetSelectorTerms": terms(chosen_subnets(found.account), names.cluster),
            "securityGroupSelectorTerms": terms(
                chosen_groups(found.account, wish, names), names.cluster
            ),
        },
    }
    reference = {"group": _CLASS, "kind": "EC2NodeClass", "name": NAME}
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": meta,
        "spec": {
            "template": {
                "spec": {
                    "nodeClassRef": reference,
                    "requirements": _requirements(groups),
                    "expireAfter": "720h",
                }
            },
            "limits": {"cpu": str(_CPU_MAX)},
            "disruption": {
                "consolidationPolicy": "WhenEmptyOrUnderutilized",
                "consolidateAfter": "1m",
            },
        },
    }
    return node_class, pool


def _requirements(groups: list[NodeGroup]) -> list[Json]:
    archs = sorted({"arm64" if "ARM" in one.ami_type else "amd64" for one in groups}) or ["amd64"]
    capacity = sorted({_CAPACITY.get(one.capacity_type, "on-demand") for one in groups})
    found = {_category(kind) for one in groups for kind in one.instance_types}
    # A burstable machine in a node group says little about what its pods would run well on.
    categories = sorted({*_CATEGORIES, *found} - {"t"}) if found else list(_CATEGORIES)
    wanted = {
        "kubernetes.io/arch": archs,
        "kubernetes.io/os": ["linux"],
        "karpenter.sh/capacity-type": capacity or ["on-demand"],
        f"{_CLASS}/instance-category": categories,
    }
    listed: list[Json] = [
        {"key": key, "operator": "In", "values": values} for key, values in wanted.items()
    ]
    newer = {"key": f"{_CLASS}/instance-generation", "operator": "Gt", "values": ["2"]}
    return [*listed, newer]


def _category(instance_type: str) -> str:
    found = _CATEGORY.match(instance_type)
    return found.group()[0] if found else "m"


def _alias(groups: list[NodeGroup]) -> str:
    is_bottlerocket = bool(groups) and all(
        one.ami_type.startswith("BOTTLEROCKET") for one in groups
    )
    return f"{'bottlerocket' if is_bottlerocket else 'al2023'}@latest"


def plan_pools(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan the drafted pool and class, where there is no pool."""
    if found.kube.pools:
        shown = ", ".join(found.kube.pools[:3])
        yield Step("=", "nodepools", times(len(found.kube.pools)), shown)
        return
    if found.kube.provisioners:
        count = times(len(found.kube.provisioners))
        yield Step("=", "provisioners", count, "obeyed as they are; `convert` writes them as v1")
        return
    if not wish.has_pools:
        return
    node_class, pool = draft(found, wish, names)
    groups = ", ".join(group.name for group in found.account.cluster.node_groups)
    detail = f"drafted from node group {groups}" if groups else "drafted for Linux on amd64"
    if NAME not in found.kube.classes:
        deeds = (Remember(f"class.{NAME}", None), Apply(node_class))
        yield Step("+", "ec2nodeclass", NAME, detail, deeds)
    yield Step("+", "nodepool", NAME, detail, (Remember(f"pool.{NAME}", None), Apply(pool)))


def undo_pools(found: Found) -> Iterator[Step]:
    """Take the drafted pool away, wait for its nodes, then take its class away."""
    record = found.kube.record
    if f"pool.{NAME}" in record:
        claims = [one for one in found.kube.claims if _is_of(one, NAME)]
        detail = f"{len(claims)} nodes are drained first" if claims else ""
        waits = f"{CLAIMS}?labelSelector=karpenter.sh%2Fnodepool%3D{NAME}"
        deeds = (Remove(f"{POOLS}/{NAME}", until_none=waits, waits=True), Forget(f"pool.{NAME}"))
        yield Step("-", "nodepool", NAME, detail, deeds)
    if f"class.{NAME}" in record:
        deeds = (Remove(f"{CLASSES}/{NAME}", waits=True), Forget(f"class.{NAME}"))
        yield Step("-", "ec2nodeclass", NAME, "", deeds)


def _is_of(claim: Json, pool: str) -> bool:
    labels = claim.get("metadata", {}).get("labels") or {}
    return bool(labels.get("karpenter.sh/nodepool") == pool)
