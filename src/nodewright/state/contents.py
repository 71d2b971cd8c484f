"""What must be readable inside the objects of a snapshot: amounts, label expressions, prices.

An object with something in it that nobody can read would be left out of a decision. Written by hand
that is a mistake, told with its place; on a live cluster it is a warning, because the rest of the
cluster needs its decisions all the same. Pods have answers of their own: one that waits is told what
is wrong with it, one that runs is a warning.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from nodewright.model.metadata import NodeSelectorRequirement, NodeSelectorTerm
from nodewright.model.overlay import NodeOverlay
from nodewright.model.pod import Container, DaemonSet, Pod, PodSpec
from nodewright.model.quantity import BadQuantity, parse_amount
from nodewright.model.requirements import BadRequirement, read_requirement
from nodewright.model.volume import PersistentVolume
from nodewright.model.world import World
from nodewright.state.checks import Paths, Problem

type _Amounts = Mapping[str, str | float]


def find_unreadable(world: World, paths: Paths) -> Iterator[Problem]:
    """Give everything outside of pods that a decision would have to leave out."""
    for node, path in zip(world.nodes, paths["nodes"], strict=True):
        yield from _amounts(node.status.capacity, f"{path}.status.capacity")
        yield from _amounts(node.status.allocatable, f"{path}.status.allocatable")
    for claim, path in zip(world.node_claims, paths["node_claims"], strict=True):
        yield from _amounts(claim.status.capacity, f"{path}.status.capacity")
        yield from _amounts(claim.status.allocatable, f"{path}.status.allocatable")
    for pool, path in zip(world.node_pools, paths["node_pools"], strict=True):
        yield from _amounts(pool.spec.limits or {}, f"{path}.spec.limits")
        place = f"{path}.spec.template.spec.requirements"
        yield from _expressions(pool.spec.template.spec.requirements, place)
    for daemon_set, path in zip(world.daemon_sets, paths["daemon_sets"], strict=True):
        yield from _daemon_set(daemon_set, f"{path}.spec.template.spec")
    for volume, path in zip(world.volumes, paths["volumes"], strict=True):
        yield from _volume(volume, f"{path}.spec.nodeAffinity.required")
    for overlay, path in zip(world.node_overlays, paths["node_overlays"], strict=True):
        yield from _overlay(overlay, f"{path}.spec")


def find_odd(world: World, paths: Paths) -> Iterator[Problem]:
    """Give what is left out of a decision and yet no mistake, or not worth stopping for."""
    for daemon_set, path in zip(world.daemon_sets, paths["daemon_sets"], strict=True):
        if daemon_set.spec.template.spec.resource_claims:
            yield Problem(
                f"{path}.spec.template.spec.resourceClaims",
                "a daemon set that asks for devices by resource claim is not counted on nodes",
            )
    seen: set[int] = set()
    for pod, path in zip(world.pods, paths["pods"], strict=True):
        if pod.spec.node_name and id(pod.spec) not in seen:
            seen.add(id(pod.spec))
            yield from _running_pod(pod, path)


def _running_pod(pod: Pod, path: str) -> Iterator[Problem]:
    for problem in _spec_amounts(pod.spec, f"{path}.spec"):
        yield Problem(
            problem.path, f"{problem.sentence}; what pod {pod.key} uses of its node is not counted"
        )


def _amounts(amounts: _Amounts, path: str) -> Iterator[Problem]:
    for name, value in amounts.items():
        try:
            parse_amount(value)
        except BadQuantity as error:
            yield Problem(f"{path}.{name}", str(error))


def _spec_amounts(spec: PodSpec, path: str) -> Iterator[Problem]:
    yield from _containers(spec.containers, f"{path}.containers")
    yield from _containers(spec.init_containers, f"{path}.initContainers")
    yield from _amounts(spec.overhead, f"{path}.overhead")
    if spec.resources is not None:
        yield from _amounts(spec.resources.requests, f"{path}.resources.requests")


def _containers(containers: Sequence[Container], path: str) -> Iterator[Problem]:
    for index, container in enumerate(containers):
        yield from _amounts(container.resources.requests, f"{path}[{index}].resources.requests")


def _daemon_set(daemon_set: DaemonSet, path: str) -> Iterator[Problem]:
    spec = daemon_set.spec.template.spec
    yield from _spec_amounts(spec, path)
    for index, container in enumerate((*spec.containers, *spec.init_containers)):
        inits = index - len(spec.containers)
        place = f"containers[{index}]" if inits < 0 else f"initContainers[{inits}]"
        yield from _amounts(container.resources.limits, f"{path}.{place}.resources.limits")
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if affinity is not None and affinity.required is not None:
        place = f"{path}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
        yield from _terms(affinity.required.node_selector_terms, place)


def _volume(volume: PersistentVolume, path: str) -> Iterator[Problem]:
    affinity = volume.spec.node_affinity
    if affinity is not None and affinity.required is not None:
        yield from _terms(affinity.required.node_selector_terms, path)


def _terms(terms: Sequence[NodeSelectorTerm], path: str) -> Iterator[Problem]:
    for index, term in enumerate(terms):
        yield from _expressions(
            term.match_expressions, f"{path}.nodeSelectorTerms[{index}].matchExpressions"
        )


def _expressions(expressions: Iterable[NodeSelectorRequirement], path: str) -> Iterator[Problem]:
    for index, expression in enumerate(expressions):
        try:
            read_requirement(expression)
        except BadRequirement as error:
            yield Problem(f"{path}[{index}]", str(error))


def _overlay(overlay: NodeOverlay, path: str) -> Iterator[Problem]:
    yield from _expressions(overlay.spec.requirements, f"{path}.requirements")
    yield from _amounts(overlay.spec.capacity, f"{path}.capacity")
    written = {"price": overlay.spec.price, "priceAdjustment": overlay.spec.price_adjustment}
    for field, text in written.items():
        try:
            Decimal((text or "0").removesuffix("%"))
        except InvalidOperation:
            yield Problem(f"{path}.{field}", f"'{text}' is not a number like 0.25, +10% or -0.02")
