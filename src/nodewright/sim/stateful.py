"""StatefulSets: numbered pods, made in order and taken away in reverse, each with its own volumes."""

from typing import Final

import msgspec

from nodewright.model.pod import PersistentVolumeClaimRef, Pod, PodTemplate, PodVolume
from nodewright.model.resource import PODS, VOLUME_CLAIMS, key_of
from nodewright.sim.evictions import is_ready
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.objects import PHASE_ENDED, STATEFUL_SETS, StatefulSet, WorkloadStatus
from nodewright.sim.workloads import Brood, make_pod

_DELAY_MS: Final = 25
_INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"
_replace = msgspec.structs.replace


class StatefulSetController:
    """Keeps the numbered pods of each StatefulSet."""

    actor: Final = "statefulset-controller"

    def __init__(self, ground: Ground) -> None:
        self._api = ground.api
        self._work = Worklist(ground.loop, _DELAY_MS, self._sync)
        self._brood = Brood(ground, "StatefulSet", self._work)
        self._api.listen(STATEFUL_SETS, lambda change: self._work.add(change.key))

    def _sync(self, key: str) -> None:
        owner = self._api.get(STATEFUL_SETS, key)
        if owner is None or owner.metadata.deletion_timestamp is not None:
            return
        wanted = 1 if owner.spec.replicas is None else owner.spec.replicas
        pods = {_ordinal(pod): pod for pod in self._brood.of(owner.metadata.uid)}
        in_order = owner.spec.pod_management_policy != "Parallel"
        self._grow(owner, pods, wanted, in_order=in_order)
        self._shrink(pods, wanted, in_order=in_order)
        status = WorkloadStatus(
            observed_generation=owner.metadata.generation,
            replicas=len(pods),
            ready_replicas=sum(is_ready(pod) for pod in pods.values()),
        )
        self._api.change(STATEFUL_SETS, key, lambda one: _replace(one, status=status), self.actor)

    def _grow(
        self, owner: StatefulSet, pods: dict[int, Pod], wanted: int, *, in_order: bool
    ) -> None:
        for ordinal in range(wanted):
            pod = pods.get(ordinal)
            if pod is None:
                self._make(owner, ordinal)
                if in_order:
                    return
            elif pod.status.phase in PHASE_ENDED and pod.metadata.deletion_timestamp is None:
                self._api.delete(PODS, key_of(pod.metadata), self.actor)
                return
            elif in_order and (not is_ready(pod) or pod.metadata.deletion_timestamp is not None):
                return

    def _shrink(self, pods: dict[int, Pod], wanted: int, *, in_order: bool) -> None:
        for ordinal in sorted((one for one in pods if one >= wanted), reverse=True):
            if pods[ordinal].metadata.deletion_timestamp is None:
                self._api.delete(PODS, key_of(pods[ordinal].metadata), self.actor)
            if in_order:
                return

    def _make(self, owner: StatefulSet, ordinal: int) -> None:
        name = f"{owner.metadata.name}-{ordinal}"
        volumes: list[PodVolume] = []
        for template in owner.spec.volume_claim_templates:
            claim = f"{template.metadata.name}-{name}"
            volumes.append(
                PodVolume(
                    name=template.metadata.name,
                    persistent_volume_claim=PersistentVolumeClaimRef(claim_name=claim),
                )
            )
            if self._api.get(VOLUME_CLAIMS, f"{owner.metadata.namespace}/{claim}") is None:
                meta = _replace(template.metadata, name=claim, namespace=owner.metadata.namespace)
                self._api.create(VOLUME_CLAIMS, _replace(template, metadata=meta), self.actor)
        pod_template: PodTemplate = owner.spec.template
        if volumes:
            spec = pod_template.spec
            spec = _replace(spec, volumes=(*spec.volumes, *volumes))
            pod_template = _replace(pod_template, spec=spec)
        labels = {_INDEX_LABEL: str(ordinal), "statefulset.kubernetes.io/pod-name": name}
        pod = make_pod(STATEFUL_SETS, owner, pod_template, name, **labels)
        self._api.create(PODS, pod, self.actor)


def _ordinal(pod: Pod) -> int:
    return int(pod.metadata.name.rsplit("-", 1)[1])
