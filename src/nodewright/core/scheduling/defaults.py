"""Default spread: constraints that the cluster's scheduler adds to pods that have none of their own.

The selector is deduced as kube-scheduler does it: from the Services that select the pod and from the
ReplicaSet or StatefulSet that owns it. Where nothing can be deduced, nothing is added.
"""

from collections.abc import Iterable, Mapping

import msgspec

from nodewright.core.scheduling.selectors import read_selector
from nodewright.model.metadata import LabelSelector
from nodewright.model.pod import Pod, PodSpec, Service, Workload
from nodewright.model.world import World


class DefaultSpread:
    """Gives pods without constraints those of the cluster."""

    def __init__(self, world: World) -> None:
        self._constraints = world.options.default_constraints
        self.are_set = bool(self._constraints)
        self._services = world.services
        self._owners = _selectors_by_owner(
            (("ReplicaSet", world.replica_sets), ("StatefulSet", world.stateful_sets))
        )

    def spec_of(self, pod: Pod) -> PodSpec:
        """Give a pod's spec, with the default constraints where they apply."""
        if not self._constraints or pod.spec.topology_spread_constraints:
            return pod.spec
        selector = self._deduce(pod)
        if selector is None:
            return pod.spec
        return msgspec.structs.replace(
            pod.spec,
            topology_spread_constraints=tuple(
                msgspec.structs.replace(one, label_selector=selector) for one in self._constraints
            ),
        )

    def _deduce(self, pod: Pod) -> LabelSelector | None:
        namespace = pod.metadata.namespace or "default"
        labels: dict[str, str] = {}
        for service in self._services:
            if (service.metadata.namespace or "default") == namespace and _serves(service, pod):
                labels.update(service.spec.selector)
        owned = LabelSelector()
        for owner in pod.metadata.owner_references:
            found = self._owners.get((owner.kind, namespace, owner.name))
            if owner.controller and found is not None:
                owned = found
        combined = LabelSelector(
            match_labels={**labels, **owned.match_labels},
            match_expressions=owned.match_expressions,
        )
        is_empty = not combined.match_labels and not combined.match_expressions
        return None if is_empty or read_selector(combined).nothing else combined


def _serves(service: Service, pod: Pod) -> bool:
    selector = service.spec.selector
    return bool(selector) and selector.items() <= pod.metadata.labels.items()


def _selectors_by_owner(
    kinds: Iterable[tuple[str, Iterable[Workload]]],
) -> Mapping[tuple[str, str, str], LabelSelector]:
    return {
        (kind, one.metadata.namespace or "default", one.metadata.name): one.spec.selector
        for kind, workloads in kinds
        for one in workloads
        if one.spec.selector is not None
    }
