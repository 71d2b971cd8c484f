"""Admission: what the API server fills in, and what it refuses, where a controller can tell.

Pods get their priority, a grace, the two tolerations that let them sit out a short absence of their
node, and a scheduler. Claims and pools are held to the rules of their definitions. Pods made from
one template share one spec object, so the filled-in spec is remembered by the one it was made from.
"""

from typing import TYPE_CHECKING, Any, Final

import msgspec

from nodewright.model.metadata import Toleration
from nodewright.model.pod import PodSpec, PodStatus
from nodewright.model.resource import Object, Resource
from nodewright.model.validation import value_problem
from nodewright.sim.objects import PRIORITY_CLASSES
from nodewright.sim.refusals import Refused, invalid
from nodewright.sim.schema import find_violations

if TYPE_CHECKING:
    from nodewright.sim.apiserver import ApiServer

# Generic code knows its objects only as things with metadata.
_replace: Any = msgspec.structs.replace

TOLERATED_S: Final = 300
_AWAY: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SYSTEM_PRIORITIES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
_BY_DEFINITION: Final = frozenset({"NodePool", "NodeClaim", "EC2NodeClass", "NodePolicy"})
_NO_STATUS_AT_BIRTH: Final = frozenset({*_BY_DEFINITION, "PodDisruptionBudget", "NodeOverlay"})


class Admission:
    """What stands between a request and the store."""

    def __init__(self, api: "ApiServer") -> None:
        self._api = api
        self._specs: dict[int, tuple[PodSpec, PodSpec]] = {}

    def admit_new[T: Object](self, resource: Resource[T], thing: T) -> T:
        """Fill in and check an object that is to be made."""
        self._check_labels(resource, thing)
        if resource.kind == "Pod":
            pod: T = self._admit_pod(thing)
            return pod
        if resource.kind in _NO_STATUS_AT_BIRTH:
            thing = _replace(thing, status=type(thing.status)())  # type: ignore[attr-defined]
        if resource.kind == "PersistentVolumeClaim":
            status: Any = thing.status  # type: ignore[attr-defined]
            thing = _replace(thing, status=_replace(status, phase="Pending"))
        if resource.kind in _BY_DEFINITION:
            self._check_definition(resource, None, thing)
        return thing

    def admit_change[T: Object](self, resource: Resource[T], old: T, new: T) -> None:
        """Check a change of an object."""
        self._check_labels(resource, new)
        if resource.kind == "Pod":
            _check_pod_change(old, new)
        if resource.kind in _BY_DEFINITION:
            self._check_definition(resource, old, new)

    def _check_labels(self, resource: Resource[Any], thing: Object) -> None:
        for key, value in thing.metadata.labels.items():
            if problem := value_problem(value):
                raise invalid(f"{resource.kind} {thing.metadata.name}", f"label {key}: {problem}")

    def _check_definition(self, resource: Resource[Any], old: Any, new: Any) -> None:
        found = find_violations(new, old)
        if found:
            raise invalid(f"{resource.kind} {new.metadata.name}", "; ".join(found))

    def _admit_pod(self, pod: Any) -> Any:
        known = self._specs.get(id(pod.spec))
        if known is None or known[0] is not pod.spec:
            known = (pod.spec, self._fill_spec(pod.spec))
            self._specs[id(pod.spec)] = known
        if not pod.spec.containers:
            raise invalid(f"Pod {pod.metadata.name}", "spec.containers: Required value")
        return _replace(pod, spec=known[1], status=PodStatus(phase="Pending"))

    def _fill_spec(self, spec: PodSpec) -> PodSpec:
        tolerations = list(spec.tolerations)
        for key in _AWAY:
            if not any(_covers(one, key) for one in tolerations):
                tolerations.append(
                    Toleration(
                        key=key,
                        operator="Exists",
                        effect="NoExecute",
                        toleration_seconds=TOLERATED_S,
                    )
                )
        grace = spec.termination_grace_period_seconds
        return msgspec.structs.replace(
            spec,
            tolerations=tuple(tolerations),
            priority=self._priority(spec),
            scheduler_name=spec.scheduler_name or "default-scheduler",
            restart_policy=spec.restart_policy or "Always",
            termination_grace_period_seconds=30 if grace is None else grace,
        )

    def _priority(self, spec: PodSpec) -> int:
        name = spec.priority_class_name
        if name in _SYSTEM_PRIORITIES:
            return _SYSTEM_PRIORITIES[name]
        if name:
            found = self._api.get(PRIORITY_CLASSES, name)
            if found is None:
                raise Refused(403, "Forbidden", f"no PriorityClass with name {name} was found")
            return found.value
        default = [one.value for one in self._api.each(PRIORITY_CLASSES) if one.global_default]
        return min(default, default=0)


def _covers(toleration: Toleration, key: str) -> bool:
    return toleration.key in ("", key) and toleration.effect in ("", "NoExecute")


def _check_pod_change(old: Any, new: Any) -> None:
    if new.spec is old.spec:
        return
    spec = _replace(
        new.spec, tolerations=old.spec.tolerations, scheduling_gates=old.spec.scheduling_gates
    )
    if spec != old.spec:
        raise invalid(
            f"Pod {new.metadata.name}", "spec: Forbidden: pod updates may not change fields"
        )
    if set(new.spec.scheduling_gates) - set(old.spec.scheduling_gates):
        raise invalid(f"Pod {new.metadata.name}", "spec.schedulingGates: only deletion is allowed")
