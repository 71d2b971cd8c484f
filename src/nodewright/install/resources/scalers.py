"""Other autoscalers, and pods of the system: what Nodewright takes over from, and what must not move.

Two autoscalers would fight each other, so the other one is scaled to zero as the last step, asked for apart;
how many it had is kept. Pods of the system can be held on the node groups, where nobody moves them.
"""

import copy
from collections.abc import Iterator
from typing import Any, Final

from nodewright.install.found import Found, Json, Scaler
from nodewright.install.names import ACCOUNT, NAMESPACE
from nodewright.install.resources.objects import DEPLOYMENT_PATH
from nodewright.install.steps import Deed, Forget, Merge, Remember, Step
from nodewright.install.wish import Wish

SYSTEM: Final = ("coredns", "metrics-server", "prometheus", "grafana")
KINDS: Final = {"cluster-autoscaler": "Cluster Autoscaler", "karpenter": "Karpenter"}
NODE_GROUP: Final = "eks.amazonaws.com/nodegroup"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PIN: Final = "affinity."


def plan_scalers(found: Found, wish: Wish) -> Iterator[Step]:
    """Plan the end of other autoscalers."""
    for one in found.kube.scalers:
        if one.replicas == 0:
            yield Step("=", "deployment", f"{one.namespace}/{one.name}", "0 replicas")
        elif wish.takes_over:
            detail = f"replicas {one.replicas} → 0, last step"
            yield Step("~", "deployment", f"{one.namespace}/{one.name}", detail, _stop(one), True)


def _stop(one: Scaler) -> tuple[Deed, ...]:
    return (Remember(one.key, one.replicas), Merge(one.path, {"spec": {"replicas": 0}}))


def scaler_notes(found: Found, wish: Wish) -> Iterator[str]:
    """Say what stands beside us and stays."""
    for one in found.kube.scalers:
        if one.replicas and not wish.takes_over:
            yield (
                f"{KINDS[one.kind]} ({one.namespace}/{one.name}) keeps running; "
                "Nodewright does not act while Karpenter's lease is renewed"
            )


def undo_scalers(found: Found) -> Iterator[Step]:
    """Put the other autoscalers back as they were."""
    for one in found.kube.scalers:
        kept = found.kube.record.get(one.key)
        if kept is not None:
            detail = f"replicas {one.replicas} → {kept['was']}"
            deeds = (Merge(one.path, {"spec": {"replicas": kept["was"]}}), Forget(one.key))
            yield Step("~", "deployment", f"{one.namespace}/{one.name}", detail, deeds)


def plan_rest(found: Found) -> Iterator[Step]:
    """Plan the rest of our own controller, while another one scales the cluster again."""
    live = found.kube.live.get(DEPLOYMENT_PATH)
    if live is None:
        return
    count = int(live["spec"].get("replicas", 1))
    if count == 0:
        yield Step("=", "deployment", f"{NAMESPACE}/{ACCOUNT}", "0 replicas")
        return
    rest = Merge(DEPLOYMENT_PATH, {"spec": {"replicas": 0}})
    yield Step("~", "deployment", f"{NAMESPACE}/{ACCOUNT}", f"replicas {count} → 0", (rest,))


def plan_wake(found: Found) -> Iterator[Step]:
    """Plan to wake our controller, if it rests and nobody else would drain the nodes of our pool."""
    live = found.kube.live.get(DEPLOYMENT_PATH)
    rests = live is not None and live["spec"].get("replicas", 1) == 0
    drained_by_others = any(one.kind == "karpenter" and one.replicas for one in found.kube.scalers)
    if rests and found.kube.claims and not drained_by_others:
        wake = Merge(DEPLOYMENT_PATH, {"spec": {"replicas": 1}})
        detail = "replicas 0 → 1, to drain its nodes"
        yield Step("~", "deployment", f"{NAMESPACE}/{ACCOUNT}", detail, (wake,))


def plan_pins(found: Found, wish: Wish) -> Iterator[Step]:
    """Plan to hold pods of the system on the node groups."""
    groups = [group.name for group in found.account.cluster.node_groups]
    if not wish.pins_system or not groups:
        return
    for one in found.kube.system:
        meta = one["metadata"]
        kind, name = one["kind"].lower(), f"{meta['namespace']}/{meta['name']}"
        was = one["spec"]["template"]["spec"].get("affinity")
        if _is_pinned(was):
            yield Step("=", kind, name, "stays on node groups")
            continue
        pinned = {"spec": {"template": {"spec": {"affinity": pin(was, groups)}}}}
        deeds = (
            Remember(_key(one), was),
            Merge(_path(one), pinned),
        )
        yield Step("~", kind, name, f"stays on node group {', '.join(groups)}", deeds)


def pin(affinity: Json | None, groups: list[str]) -> Json:
    """Give an affinity that asks for the node groups besides all that it asked for."""
    made: dict[str, Any] = copy.deepcopy(affinity or {})
    wanted = {"key": NODE_GROUP, "operator": "In", "values": groups}
    required = made.setdefault("nodeAffinity", {}).setdefault(_REQUIRED, {})
    for term in required.setdefault("nodeSelectorTerms", [{}]):
        # Terms are alternatives: the wish must stand in every one of them.
        term["matchExpressions"] = [*term.get("matchExpressions", ()), wanted]
    return made


def _is_pinned(affinity: Json | None) -> bool:
    required = ((affinity or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    terms = required.get("nodeSelectorTerms") or []
    return bool(terms) and all(
        any(one.get("key") == NODE_GROUP for one in term.get("matchExpressions") or ())
        for term in terms
    )


def undo_pins(found: Found) -> Iterator[Step]:
    """Put the affinities back as they were."""
    for one in found.kube.system:
        meta = one["metadata"]
        key = _key(one)
        if key not in found.kube.record:
            continue
        was = found.kube.record[key]["was"]
        back = None if was is None else {"nodeAffinity": None, **was}
        patch = {"spec": {"template": {"spec": {"affinity": back}}}}
        name = f"{meta['namespace']}/{meta['name']}"
        deeds = (Merge(_path(one), patch), Forget(key))
        yield Step("~", one["kind"].lower(), name, "affinity as it was", deeds)


def pin_notes(found: Found, wish: Wish) -> Iterator[str]:
    """Name the pods of the system that may come to stand on nodes which go again."""
    loose = [
        str(one["metadata"]["name"])
        for one in found.kube.system
        if not _is_pinned(one["spec"]["template"]["spec"].get("affinity"))
    ]
    if loose and not wish.pins_system and found.account.cluster.node_groups:
        yield (
            f"{', '.join(loose)} may move to nodes that Nodewright makes and removes; --pin-system "
            "keeps them on the node groups"
        )


def _key(workload: Json) -> str:
    meta = workload["metadata"]
    of_set = "set." if workload["kind"] == "StatefulSet" else ""
    return f"{_PIN}{of_set}{meta['namespace']}.{meta['name']}"


def _path(workload: Json) -> str:
    meta, plural = workload["metadata"], f"{workload['kind'].lower()}s"
    return f"/apis/apps/v1/namespaces/{meta['namespace']}/{plural}/{meta['name']}"
