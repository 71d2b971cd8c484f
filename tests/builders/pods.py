"""Pods and what owns or guards them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from builders.labels import Amount, Want, a_selector
from nodewright.model.metadata import (
    Condition,
    LabelSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    OwnerReference,
    Toleration,
)
from nodewright.model.node import Node
from nodewright.model.pdb import PodDisruptionBudget, PodDisruptionBudgetSpec
from nodewright.model.pod import (
    Affinity,
    Container,
    ContainerPort,
    DaemonSet,
    Namespace,
    NodeAffinity,
    NodeSelector,
    PersistentVolumeClaimRef,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    PodStatus,
    PodTemplate,
    PodVolume,
    PreferredSchedulingTerm,
    ResourceRequirements,
    SchedulingGate,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
    Workload,
    WorkloadSpec,
)
from nodewright.model.volume import (
    PersistentVolumeClaim,
)


def a_container(
    requests: Mapping[str, Amount] | None = None,
    *,
    ports: Sequence[int | ContainerPort] = (),
    limits: Mapping[str, Amount] | None = None,
    stays: bool = False,
) -> Container:
    """A container; `stays` makes an init container a sidecar."""
    return Container(
        resources=ResourceRequirements(requests=dict(requests or {}), limits=dict(limits or {})),
        ports=tuple(
            port if isinstance(port, ContainerPort) else ContainerPort(host_port=port)
            for port in ports
        ),
        restart_policy="Always" if stays else "",
    )


def _affinity(  # noqa: PLR0917 - one place for each part of an affinity
    terms: Sequence[Sequence[Want]],
    wishes: Sequence[tuple[int, Sequence[Want]]],
    near: Sequence[PodAffinityTerm],
    apart: Sequence[PodAffinityTerm],
    rather: Sequence[tuple[int, PodAffinityTerm]],
    rather_near: Sequence[tuple[int, PodAffinityTerm]],
) -> Affinity | None:
    if not (terms or wishes or near or apart or rather or rather_near):
        return None
    selector = NodeSelector(
        node_selector_terms=tuple(NodeSelectorTerm(match_expressions=tuple(t)) for t in terms)
    )
    return Affinity(
        node_affinity=NodeAffinity(
            required=selector if terms else None,
            preferred=tuple(
                PreferredSchedulingTerm(
                    weight=weight, preference=NodeSelectorTerm(match_expressions=tuple(term))
                )
                for weight, term in wishes
            ),
        ),
        pod_affinity=PodAffinity(
            required=tuple(near),
            preferred=tuple(
                WeightedPodAffinityTerm(weight=weight, pod_affinity_term=term)
                for weight, term in rather_near
            ),
        ),
        pod_anti_affinity=PodAffinity(
            required=tuple(apart),
            preferred=tuple(
                WeightedPodAffinityTerm(weight=weight, pod_affinity_term=term)
                for weight, term in rather
            ),
        ),
    )


def _volumes(claims: Iterable[str | PersistentVolumeClaim]) -> tuple[PodVolume, ...]:
    names = [one if isinstance(one, str) else one.metadata.name for one in claims]
    return tuple(
        PodVolume(name=name, persistent_volume_claim=PersistentVolumeClaimRef(claim_name=name))
        for name in names
    )


def a_pod(
    name: str = "pod",
    *,
    cpu: Amount | None = None,
    memory: Amount | None = None,
    requests: Mapping[str, Amount] | None = None,
    namespace: str = "default",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    node: str | Node = "",
    selector: Mapping[str, str] | None = None,
    terms: Sequence[Sequence[Want]] = (),
    wishes: Sequence[tuple[int, Sequence[Want]]] = (),
    near: Sequence[PodAffinityTerm] = (),
    apart: Sequence[PodAffinityTerm] = (),
    rather_apart: Sequence[tuple[int, PodAffinityTerm]] = (),
    rather_near: Sequence[tuple[int, PodAffinityTerm]] = (),
    spread: Sequence[TopologySpreadConstraint] = (),
    tolerations: Sequence[Toleration] = (),
    ports: Sequence[int | ContainerPort] = (),
    claims: Sequence[str | PersistentVolumeClaim] = (),
    init: Sequence[Container] = (),
    containers: Sequence[Container] = (),
    overhead: Mapping[str, Amount] | None = None,
    pod_level: Mapping[str, Amount] | None = None,
    owner: DaemonSet | Workload | tuple[str, str] | None = None,
    phase: str = "",
    created: str | None = None,
    deleted: str | None = None,
    gates: Sequence[str] = (),
    conditions: Sequence[Condition] = (),
    volumes: Sequence[PodVolume] = (),
) -> Pod:
    """A pod: pending unless `node` is given, asking for nothing unless told."""
    asked = dict(requests or {})
    if cpu is not None:
        asked["cpu"] = cpu
    if memory is not None:
        asked["memory"] = memory
    host = node if isinstance(node, str) else node.metadata.name
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace,
            uid=f"uid-{namespace}-{name}",
            labels=dict(labels or {}),
            annotations=dict(annotations or {}),
            owner_references=_owners(owner),
            creation_timestamp=created,
            deletion_timestamp=deleted,
        ),
        spec=PodSpec(
            containers=(a_container(asked, ports=ports), *containers),
            init_containers=tuple(init),
            node_name=host,
            node_selector=dict(selector or {}),
            affinity=_affinity(terms, wishes, near, apart, rather_apart, rather_near),
            tolerations=tuple(tolerations),
            topology_spread_constraints=tuple(spread),
            volumes=(*_volumes(claims), *volumes),
            overhead=dict(overhead or {}),
            resources=ResourceRequirements(requests=dict(pod_level)) if pod_level else None,
            scheduling_gates=tuple(SchedulingGate(name=gate) for gate in gates),
        ),
        status=PodStatus(
            phase=phase or ("Running" if host else "Pending"), conditions=tuple(conditions)
        ),
    )


def _owners(owner: DaemonSet | Workload | tuple[str, str] | None) -> tuple[OwnerReference, ...]:
    if owner is None:
        return ()
    if isinstance(owner, tuple):
        kind, name = owner
        uid = f"uid-{name}"
    else:
        kind = "DaemonSet" if isinstance(owner, DaemonSet) else "ReplicaSet"
        name, uid = owner.metadata.name, owner.metadata.uid
    return (OwnerReference(kind=kind, name=name, uid=uid, controller=True),)


def pods(count: int, prefix: str = "pod", **traits: object) -> tuple[Pod, ...]:
    """Several pods that differ only in name: `pod-0`, `pod-1`, …"""
    return tuple(a_pod(f"{prefix}-{index}", **traits) for index in range(count))


UNSCHEDULABLE = Condition(type="PodScheduled", status="False", reason="Unschedulable")


def a_daemon_pod(
    node: str = "n",
    name: str = "agent-x",
    *,
    conditions: Sequence[Condition] = (UNSCHEDULABLE,),
    **traits: Any,
) -> Pod:
    """A pod of daemon set `agent` that is pinned to a node and waits for room there."""
    pod = a_pod(name, owner=("DaemonSet", "agent"), conditions=conditions, **traits)
    by_name = NodeSelectorRequirement(key="metadata.name", operator="In", values=(node,))
    term = NodeSelectorTerm(match_fields=(by_name,))
    required = NodeSelector(node_selector_terms=(term,))
    pinned = Affinity(node_affinity=NodeAffinity(required=required))
    return replace(pod, spec=replace(pod.spec, affinity=pinned))


def a_daemon_set(name: str = "agent", **traits: object) -> DaemonSet:
    """A daemon set whose pods have these traits of `a_pod`."""
    pod = a_pod(name, namespace="kube-system", **traits)
    return DaemonSet(
        metadata=ObjectMeta(name=name, namespace="kube-system", uid=f"uid-{name}"),
        spec=WorkloadSpec(template=PodTemplate(metadata=pod.metadata, spec=pod.spec)),
    )


def a_namespace(name: str, **labels: str) -> Namespace:
    """A namespace with labels."""
    return Namespace(metadata=ObjectMeta(name=name, labels=labels))


def a_budget(
    name: str = "budget",
    *,
    selector: LabelSelector | None = None,
    at_most_missing: int | str | None = None,
    at_least_there: int | str | None = None,
) -> PodDisruptionBudget:
    """A PodDisruptionBudget in namespace default, for `app=web` unless told."""
    return PodDisruptionBudget(
        metadata=ObjectMeta(name=name, namespace="default"),
        spec=PodDisruptionBudgetSpec(
            selector=selector or a_selector(app="web"),
            max_unavailable=at_most_missing,
            min_available=at_least_there,
        ),
    )
