"""Daemon pods: which of them come to a node, and what they take of it."""

from collections.abc import Iterable, Mapping

import msgspec

from nodewright.model.pod import Affinity, Container, DaemonSet, Pod, PodSpec
from nodewright.model.world import World
from referee.amounts import Amounts, requests_of, total, untolerated
from referee.labels import keys_of, pod_accepts
from referee.places import Launch, NewPlace, OldPlace


def daemon_pods(world: World) -> list[Pod]:
    """One pod for each DaemonSet: its newest live one, else what its template would make."""
    return [_representative(one, world) for one in world.daemon_sets]


def _representative(daemon_set: DaemonSet, world: World) -> Pod:
    template = daemon_set.spec.template
    live = [pod for pod in world.pods if is_pod_of(pod, daemon_set)]
    if not live:
        spec = msgspec.structs.replace(
            template.spec,
            containers=tuple(map(_with_limits, template.spec.containers)),
            init_containers=tuple(map(_with_limits, template.spec.init_containers)),
        )
        return Pod(metadata=daemon_set.metadata, spec=spec)
    newest = max(live, key=lambda pod: pod.metadata.creation_timestamp or "")
    return msgspec.structs.replace(newest, spec=_unpinned(newest.spec, template.spec))


def _unpinned(live: PodSpec, template: PodSpec) -> PodSpec:
    wanted = template.affinity.node_affinity if template.affinity else None
    mine = live.affinity or Affinity()
    return msgspec.structs.replace(
        live, affinity=msgspec.structs.replace(mine, node_affinity=wanted)
    )


def _with_limits(container: Container) -> Container:
    resources = container.resources
    return msgspec.structs.replace(
        container,
        resources=msgspec.structs.replace(
            resources, requests={**resources.limits, **resources.requests}
        ),
    )


def is_pod_of(pod: Pod, daemon_set: DaemonSet) -> bool:
    """Whether the daemon set made this pod."""
    return (pod.metadata.namespace or "default") == (
        daemon_set.metadata.namespace or "default"
    ) and any(
        owner.kind == "DaemonSet" and owner.name == daemon_set.metadata.name
        for owner in pod.metadata.owner_references
    )


def is_daemon_pod(pod: Pod) -> bool:
    """Whether some daemon set made this pod."""
    return any(owner.kind == "DaemonSet" for owner in pod.metadata.owner_references)


def daemons_on_launch(place: NewPlace, launch: Launch, daemons: Iterable[Pod]) -> list[Pod]:
    """The daemon pods that come to a planned node if it is launched this way."""
    return [
        pod
        for pod in daemons
        if not untolerated(pod, place.taints)
        and any(pod_accepts(pod, labels) for labels in place.label_sets(keys_of(pod), launch))
    ]


def daemons_still_to_come(place: OldPlace, daemons: Iterable[Pod]) -> Amounts:
    """What must be kept free on a node for daemon pods that are not there yet."""
    expected = total(
        requests_of(pod)
        for pod in daemons
        if not untolerated(pod, place.taints) and pod_accepts(pod, place.labels, place.name)
    )
    there = total(requests_of(pod) for pod in place.bound if is_daemon_pod(pod))
    return {name: max(0, amount - there.get(name, 0)) for name, amount in expected.items()}


def sum_of(pods: Iterable[Pod]) -> Mapping[str, int]:
    """What these pods take together."""
    return total(requests_of(pod) for pod in pods)
