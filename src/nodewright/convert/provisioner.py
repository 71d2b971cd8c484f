"""Provisioner and `v1beta1` NodePool as NodePool of today.

The webhooks of that time added requirements (linux, amd64, on-demand, families c, m and r of the
third generation and later) that v1 does not add, so they are written out: a pool must not begin to
buy other machines only because it was converted. The same goes for times: nodes never expired and
never consolidated unless it was said.
"""

from typing import Any, Final

from nodewright.convert.notes import ADDED, CHANGED, CHECK, LOST, REFUSED, Notebook
from nodewright.convert.renames import (
    rename_annotations,
    rename_label,
    rename_labels,
    rename_metadata,
    rename_requirement,
)
from nodewright.model.duration import NEVER
from nodewright.model.labels import (
    ARCH,
    AWS_GROUP,
    CAPACITY_TYPE,
    INSTANCE_TYPE,
    ON_DEMAND,
    OS,
    is_restricted,
)
from nodewright.model.legacy import PROVISIONER_NAME, Provisioner, ProvisionerSpec
from nodewright.model.legacy_beta import BetaNodePool
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.nodepool import (
    Disruption,
    NodeClaimTemplate,
    NodeClaimTemplateMetadata,
    NodeClaimTemplateSpec,
    NodeClassRef,
    NodePool,
    NodePoolSpec,
    NodePoolStatus,
)
from nodewright.model.path import Path

_CATEGORY: Final = f"{AWS_GROUP}/instance-category"
_GENERATION: Final = f"{AWS_GROUP}/instance-generation"
_FAMILY: Final = f"{AWS_GROUP}/instance-family"
_SINGLE_DEFAULTS: Final = ((OS, "linux"), (ARCH, "amd64"), (CAPACITY_TYPE, ON_DEMAND))
_MACHINE_KEYS: Final = (INSTANCE_TYPE, _FAMILY, _CATEGORY, _GENERATION)
_TEMPLATE: Final = ("spec", "template", "spec")


def class_ref(name: str) -> NodeClassRef:
    """Refer to an EC2NodeClass."""
    return NodeClassRef(group=AWS_GROUP, kind="EC2NodeClass", name=name)


def convert_provisioner(provisioner: Provisioner, node_class: str, book: Notebook) -> NodePool:
    """Give the NodePool that a Provisioner was; what cannot be said today is in the notebook."""
    spec = provisioner.spec
    _check_provisioner(spec, book)
    kept = _requirements(spec, book)
    requirements = (*kept, *_added_requirements(spec, len(kept), book))
    template = NodeClaimTemplateSpec(
        node_class_ref=class_ref(node_class),
        requirements=requirements,
        taints=spec.taints,
        startup_taints=spec.startup_taints,
        expire_after=_expire_after(spec, book),
    )
    labels = {key: value for key, value in spec.labels.items() if key != PROVISIONER_NAME}
    metadata = NodeClaimTemplateMetadata(
        labels=rename_labels(labels), annotations=rename_annotations(spec.annotations)
    )
    return NodePool(
        metadata=rename_metadata(provisioner.metadata),
        spec=NodePoolSpec(
            template=NodeClaimTemplate(metadata=metadata, spec=template),
            disruption=_disruption(spec, book),
            limits=spec.limits.resources if spec.limits is not None else None,
            weight=spec.weight or None,
        ),
        status=NodePoolStatus(
            resources=provisioner.status.resources, conditions=provisioner.status.conditions
        ),
    )


def _check_provisioner(spec: ProvisionerSpec, book: Notebook) -> None:
    if (spec.provider is None) == (spec.provider_ref is None):
        sentence = "exactly one of provider and providerRef must be set"
        book.add(REFUSED, sentence, ("spec", "providerRef"))
    if spec.ttl_seconds_after_empty is not None and _consolidates(spec):
        sentence = "ttlSecondsAfterEmpty and consolidation.enabled exclude each other: keep one"
        book.add(REFUSED, sentence, ("spec", "ttlSecondsAfterEmpty"))
    if PROVISIONER_NAME in spec.labels:
        sentence = f"{PROVISIONER_NAME} is set by the autoscaler: remove it"
        book.add(REFUSED, sentence, ("spec", "labels", PROVISIONER_NAME))
    taints = [(taint.key, taint.effect) for taint in (*spec.taints, *spec.startup_taints)]
    if len(taints) > len(set(taints)):
        sentence = "a taint (key and effect) occurs twice in taints and startupTaints: keep one"
        book.add(REFUSED, sentence, ("spec", "taints"))


def _consolidates(spec: ProvisionerSpec) -> bool:
    return spec.consolidation is not None and spec.consolidation.enabled is True


def _requirements(spec: ProvisionerSpec, book: Notebook) -> list[NodeSelectorRequirement]:
    kept: list[NodeSelectorRequirement] = []
    for index, requirement in enumerate(spec.requirements):
        path: Path = ("spec", "requirements", index, "key")
        if requirement.key == PROVISIONER_NAME:
            book.add(REFUSED, f"{PROVISIONER_NAME} cannot be a requirement: remove it", path)
            continue
        renamed = rename_requirement(requirement)
        if is_restricted(renamed.key):
            sentence = f"{renamed.key} is no label today and its requirement was removed"
            book.add(LOST, sentence, path, (*_TEMPLATE, "requirements"))
            continue
        if renamed.key != requirement.key:
            sentence = f"today's name of {requirement.key}"
            book.add(CHANGED, sentence, path, (*_TEMPLATE, "requirements", len(kept), "key"))
        kept.append(renamed)
    return kept


def _added_requirements(
    spec: ProvisionerSpec, first: int, book: Notebook
) -> list[NodeSelectorRequirement]:
    known = {rename_label(requirement.key) for requirement in spec.requirements}
    known |= {rename_label(key) for key in spec.labels}
    added = [
        NodeSelectorRequirement(key=key, operator="In", values=(value,))
        for key, value in _SINGLE_DEFAULTS
        if key not in known
    ]
    if not known & set(_MACHINE_KEYS):
        added += [
            NodeSelectorRequirement(key=_CATEGORY, operator="In", values=("c", "m", "r")),
            NodeSelectorRequirement(key=_GENERATION, operator="Gt", values=("2",)),
        ]
    for offset, requirement in enumerate(added):
        values = ", ".join(requirement.values)
        sentence = (
            f"Karpenter added {requirement.key} {requirement.operator} [{values}] to Provisioners "
            "that did not say; v1 does not"
        )
        target = (*_TEMPLATE, "requirements", first + offset)
        book.add(ADDED, sentence, ("spec", "requirements"), target)
    return added


def _expire_after(spec: ProvisionerSpec, book: Notebook) -> str:
    target = (*_TEMPLATE, "expireAfter")
    if spec.ttl_seconds_until_expired is None:
        sentence = "nodes never expired unless it was said; v1 would expire them after 720h"
        book.add(ADDED, sentence, ("spec", "ttlSecondsUntilExpired"), target)
        return NEVER
    sentence = "was ttlSecondsUntilExpired; v1 does not wait for a replacement before it drains"
    book.add(CHANGED, sentence, ("spec", "ttlSecondsUntilExpired"), target)
    return f"{spec.ttl_seconds_until_expired}s"


def _disruption(spec: ProvisionerSpec, book: Notebook) -> Disruption:
    policy: Path = ("spec", "disruption", "consolidationPolicy")
    after: Path = ("spec", "disruption", "consolidateAfter")
    if spec.ttl_seconds_after_empty is not None:
        book.add(CHANGED, "was ttlSecondsAfterEmpty", ("spec", "ttlSecondsAfterEmpty"), after)
        return Disruption(
            consolidation_policy="WhenEmpty", consolidate_after=f"{spec.ttl_seconds_after_empty}s"
        )
    if _consolidates(spec):
        book.add(CHANGED, "was consolidation.enabled", ("spec", "consolidation"), policy)
        return Disruption()
    sentence = "nodes never went unless it was said; v1 would consolidate them at once"
    book.add(ADDED, sentence, ("spec", "consolidation"), after)
    return Disruption(consolidate_after=NEVER)


def convert_beta_pool(pool: BetaNodePool, node_class: str | None, book: Notebook) -> NodePool:
    """Give today's NodePool for one of `v1beta1`; `node_class` is its class after splitting."""
    spec, inner = pool.spec, pool.spec.template.spec
    disruption, after = spec.disruption, spec.disruption.consolidate_after
    at: Path = ("spec", "disruption")
    policy = disruption.consolidation_policy
    if policy == "WhenUnderutilized":
        policy = "WhenEmptyOrUnderutilized"
        sentence = "today's name of WhenUnderutilized"
        book.add(CHANGED, sentence, (*at, "consolidationPolicy"), (*at, "consolidationPolicy"))
    if after is None:
        sentence = "required today; 0s keeps the behaviour"
        book.add(ADDED, sentence, (*at, "consolidateAfter"), (*at, "consolidateAfter"))
    sentence = "was spec.disruption.expireAfter; v1 does not wait for a replacement"
    book.add(CHANGED, sentence, (*at, "expireAfter"), (*_TEMPLATE, "expireAfter"))
    ref = inner.node_class_ref
    group = ref.api_version.partition("/")[0] if "/" in ref.api_version else AWS_GROUP
    if not ref.name:
        book.add(CHECK, "nodeClassRef has no name", (*_TEMPLATE, "nodeClassRef"))
    template = NodeClaimTemplateSpec(
        node_class_ref=NodeClassRef(
            group=group, kind=ref.kind or "EC2NodeClass", name=node_class or ref.name
        ),
        requirements=inner.requirements,
        taints=inner.taints,
        startup_taints=inner.startup_taints,
        expire_after=disruption.expire_after,
    )
    return NodePool(
        metadata=pool.metadata,
        spec=NodePoolSpec(
            template=NodeClaimTemplate(metadata=spec.template.metadata, spec=template),
            disruption=Disruption(
                consolidate_after=after or "0s",
                consolidation_policy=policy,
                budgets=disruption.budgets,
            ),
            limits=spec.limits,
            weight=spec.weight,
        ),
        status=pool.status,
    )


def split_kubelet(kubelet: dict[str, Any], path: Path, book: Notebook) -> dict[str, object]:
    """Give kubelet settings without the one that no kubelet has today."""
    if "containerRuntime" in kubelet:
        runtime = kubelet["containerRuntime"]
        sentence = "containerRuntime is containerd everywhere today and was removed"
        kind = CHANGED if runtime == "containerd" else LOST
        book.add(kind, sentence, (*path, "containerRuntime"))
    return {name: value for name, value in kubelet.items() if name != "containerRuntime"}


def with_expiry(pool: NodePool | None) -> str:
    """Give the lifetime that claims of a pool had: they did not carry one of their own."""
    return pool.spec.template.spec.expire_after if pool is not None else NEVER
