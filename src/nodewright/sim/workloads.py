"""ReplicaSets and Deployments: so many pods of one template, and how one template follows another.

A controller looks at an owner after something of it has changed, compares what is there with what is
wanted, and makes or deletes the difference at once, youngest and least settled pods first. A rollout
moves replicas from old sets to the new one within its surge and its allowance of missing pods.
"""

import hashlib
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from nodewright.model.metadata import ObjectMeta, OwnerReference
from nodewright.model.pod import Pod, PodTemplate
from nodewright.model.resource import PODS, Object, Resource, key_of
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.evictions import is_ready
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.objects import (
    DEPLOYMENTS,
    PHASE_ENDED,
    REPLICA_SETS,
    Deployment,
    ReplicaSet,
    WorkloadStatus,
)

_DELAY_MS: Final = 25
_STATUS_MS: Final = 500
_HASH_LABEL: Final = "pod-template-hash"
_replace = msgspec.structs.replace


class Brood:
    """The pods of every owner of one kind, with how many are active and ready, kept up to date.

    Owners are looked at when their pods come, go or end; for those that only got ready, or no longer
    are, `later` may say that there is time.
    """

    def __init__(
        self, ground: Ground, owner_kind: str, work: Worklist, later: Worklist | None = None
    ) -> None:
        self._kind = owner_kind
        self._work = work
        self._later = later or work
        self._pods: dict[str, dict[str, Pod]] = {}
        self._counts: dict[str, list[int]] = {}
        ground.api.listen(PODS, self._changed)

    def of(self, uid: str) -> Iterable[Pod]:
        """Give the pods of an owner, oldest first."""
        return self._pods.get(uid, {}).values()

    def counts(self, uid: str) -> tuple[int, int]:
        """Tell how many pods of an owner are active, and how many of these are ready."""
        active, ready = self._counts.get(uid, (0, 0))
        return active, ready

    def _changed(self, change: Change) -> None:
        for owner in change.new.metadata.owner_references:
            if owner.kind == self._kind and owner.controller:
                key = f"{change.new.metadata.namespace}/{owner.name}"
                self._take(change, owner.uid, key)

    def _take(self, change: Change, uid: str, key: str) -> None:
        pods = self._pods.setdefault(uid, {})
        counts = self._counts.setdefault(uid, [0, 0])
        before = pods.get(change.key)
        was = _standing(before) if before is not None else (0, 0)
        if change.verb == DELETED:
            now = (0, 0)
            pods.pop(change.key, None)
            if not pods:
                del self._pods[uid], self._counts[uid]
        else:
            now = _standing(change.new)
            pods[change.key] = change.new
        counts[0] += now[0] - was[0]
        counts[1] += now[1] - was[1]
        if before is None or change.verb == DELETED or was[0] != now[0]:
            self._work.add(key)
        elif was != now:
            self._later.add(key)


def _standing(pod: Pod) -> tuple[int, int]:
    """Tell whether a pod is active, and whether it is ready besides."""
    if not is_active(pod):
        return (0, 0)
    return (1, 1 if is_ready(pod) else 0)


def is_wish(change: Change) -> bool:
    """Tell whether a change is more than a controller's own note in the status."""
    old, new = change.old, change.new
    return (
        old is None
        or change.verb == DELETED
        or old.metadata.generation != new.metadata.generation
        or old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
    )


def make_pod(
    resource: Resource[Any], owner: Object, template: PodTemplate, name: str = "", **labels: str
) -> Pod:
    """Give a pod of a template, owned; without a name it is drawn from the owner's."""
    meta = owner.metadata
    return Pod(
        metadata=ObjectMeta(
            name=name,
            generate_name="" if name else f"{meta.name}-",
            namespace=meta.namespace,
            labels={**template.metadata.labels, **labels} if labels else template.metadata.labels,
            annotations=template.metadata.annotations,
            owner_references=(controller_ref(resource, owner),),
        ),
        spec=template.spec,
    )


def controller_ref(resource: Resource[Any], owner: Object) -> OwnerReference:
    """Give the reference by which an object belongs to its controller."""
    meta = owner.metadata
    return OwnerReference(
        kind=resource.kind,
        name=meta.name,
        api_version=resource.api_version,
        uid=meta.uid,
        controller=True,
        block_owner_deletion=True,
    )


def is_active(pod: Pod) -> bool:
    """Tell whether a pod counts towards its owner's size."""
    return pod.metadata.deletion_timestamp is None and pod.status.phase not in PHASE_ENDED


def least_settled_first(pod: Pod) -> tuple[bool, bool, bool, str]:
    """Order pods by who is deleted first: not bound, pending, not ready, youngest."""
    return (
        bool(pod.spec.node_name),
        pod.status.phase == "Running",
        is_ready(pod),
        "".join(chr(0x10FFFF - ord(c)) for c in pod.metadata.creation_timestamp or ""),
    )


class ReplicaSetController:
    """Keeps as many pods as each ReplicaSet wants."""

    actor: Final = "replicaset-controller"

    def __init__(self, ground: Ground) -> None:
        self._api = ground.api
        self._work = Worklist(ground.loop, _DELAY_MS, self._sync)
        later = Worklist(ground.loop, _STATUS_MS, self._sync)
        self._brood = Brood(ground, "ReplicaSet", self._work, later)
        self._api.listen(REPLICA_SETS, self._changed)

    def _changed(self, change: Change) -> None:
        if is_wish(change):
            self._work.add(change.key)

    def _sync(self, key: str) -> None:
        owner = self._api.get(REPLICA_SETS, key)
        if owner is None or owner.metadata.deletion_timestamp is not None:
            return
        count, _ = self._brood.counts(owner.metadata.uid)
        wanted = 1 if owner.spec.replicas is None else owner.spec.replicas
        for _ in range(wanted - count):
            pod = make_pod(REPLICA_SETS, owner, owner.spec.template)
            self._api.create(PODS, pod, self.actor)
        if count > wanted:
            active = [pod for pod in self._brood.of(owner.metadata.uid) if is_active(pod)]
            for pod in sorted(active, key=least_settled_first)[: count - wanted]:
                self._api.delete(PODS, key_of(pod.metadata), self.actor)
        replicas, ready = self._brood.counts(owner.metadata.uid)
        status = WorkloadStatus(
            observed_generation=owner.metadata.generation,
            replicas=replicas,
            ready_replicas=ready,
        )
        self._api.change(REPLICA_SETS, key, lambda one: _replace(one, status=status), self.actor)


class DeploymentController:
    """Has one ReplicaSet for each template, and moves replicas to the newest."""

    actor: Final = "deployment-controller"

    def __init__(self, ground: Ground) -> None:
        self._api = ground.api
        self._sets: dict[str, dict[str, None]] = {}
        self._work = Worklist(ground.loop, _DELAY_MS, self._sync)
        self._api.listen(DEPLOYMENTS, self._changed)
        self._api.listen(REPLICA_SETS, self._set_changed)

    def _changed(self, change: Change) -> None:
        if is_wish(change):
            self._work.add(change.key)

    def _set_changed(self, change: Change) -> None:
        meta = change.new.metadata
        for owner in meta.owner_references:
            if owner.kind == "Deployment":
                keys = self._sets.setdefault(owner.uid, {})
                if change.verb == DELETED:
                    keys.pop(change.key, None)
                else:
                    keys[change.key] = None
                self._work.add(f"{meta.namespace}/{owner.name}")

    def _sync(self, key: str) -> None:
        owner = self._api.get(DEPLOYMENTS, key)
        if owner is None or owner.metadata.deletion_timestamp is not None:
            return
        wanted = 1 if owner.spec.replicas is None else owner.spec.replicas
        sets = [
            one
            for name in self._sets.get(owner.metadata.uid, {})
            if (one := self._api.get(REPLICA_SETS, name)) is not None
        ]
        mark = _template_hash(owner.spec.template)
        newest = next((one for one in sets if one.metadata.labels.get(_HASH_LABEL) == mark), None)
        old = [one for one in sets if one is not newest]
        if newest is None:
            first = wanted if not old else 0
            newest = self._make_set(owner, mark, first)
        self._roll(owner, newest, old, wanted)
        status = WorkloadStatus(
            observed_generation=owner.metadata.generation,
            replicas=sum(one.status.replicas for one in (*old, newest)),
            ready_replicas=sum(one.status.ready_replicas for one in (*old, newest)),
            updated_replicas=newest.status.replicas,
        )
        self._api.change(DEPLOYMENTS, key, lambda one: _replace(one, status=status), self.actor)

    def _make_set(self, owner: Deployment, mark: str, replicas: int) -> ReplicaSet:
        template = owner.spec.template
        meta = _replace(template.metadata, labels={**template.metadata.labels, _HASH_LABEL: mark})
        return self._api.create(
            REPLICA_SETS,
            ReplicaSet(
                metadata=ObjectMeta(
                    name=f"{owner.metadata.name}-{mark}",
                    namespace=owner.metadata.namespace,
                    labels=meta.labels,
                    owner_references=(controller_ref(DEPLOYMENTS, owner),),
                ),
                spec=type(ReplicaSet(metadata=ObjectMeta()).spec)(
                    template=_replace(template, metadata=meta),
                    selector=owner.spec.selector,
                    replicas=replicas,
                ),
            ),
            self.actor,
        )

    def _roll(
        self, owner: Deployment, newest: ReplicaSet, old: list[ReplicaSet], wanted: int
    ) -> None:
        old_total = sum(one.spec.replicas or 0 for one in old)
        if owner.spec.strategy.type == "Recreate":
            for one in old:
                self._scale(one, 0)
            if not any(one.status.replicas for one in old):
                self._scale(newest, wanted)
            return
        if old_total == 0:
            self._scale(newest, wanted)
            return
        rolling = owner.spec.strategy.rolling_update
        surge = _portion(rolling.max_surge, wanted, up=True)
        missing = _portion(rolling.max_unavailable, wanted, up=False)
        if surge == 0 and missing == 0:
            missing = 1
        size = newest.spec.replicas or 0
        room = wanted + surge - old_total - size
        self._scale(newest, min(wanted, max(size, size + room)))
        ready = newest.status.ready_replicas + sum(one.status.ready_replicas for one in old)
        spare = ready - (wanted - missing)
        for one in old:
            have = one.spec.replicas or 0
            sick = max(0, have - one.status.ready_replicas)
            step = min(have, sick + max(0, spare))
            spare -= max(0, step - sick)
            self._scale(one, have - step)

    def _scale(self, one: ReplicaSet, replicas: int) -> None:
        if one.spec.replicas != replicas:
            self._api.change(
                REPLICA_SETS,
                key_of(one.metadata),
                lambda now: _replace(now, spec=_replace(now.spec, replicas=replicas)),
                self.actor,
            )


def _template_hash(template: PodTemplate) -> str:
    return hashlib.sha256(msgspec.json.encode(template, order="sorted")).hexdigest()[:10]


def _portion(value: int | str, whole: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    share = int(value.removesuffix("%")) * whole
    return -(-share // 100) if up else share // 100
