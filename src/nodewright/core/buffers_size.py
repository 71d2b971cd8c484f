"""The size of a CapacityBuffer: how many pieces it has, and of what shape.

The shape is a PodTemplate's, or that of a workload's pods. The number is the larger of `replicas` and
`percentage` of the workload (rounded up, at least one), cut to what `limits` allow; limits alone say
it too. What cannot be found or counted is told by the reason that users look for.
"""

from typing import Final

import msgspec

from nodewright.core.scheduling.requests import pod_requests
from nodewright.model.capacitybuffer import CapacityBuffer, CapacityBufferSpec
from nodewright.model.pod import PodTemplate, Workload
from nodewright.model.quantity import BadQuantity, parse_resources
from nodewright.model.world import World

PIECES_MAX: Final = 10_000


class Resolved(msgspec.Struct, frozen=True):
    """A buffer whose shape and number are known."""

    buffer: CapacityBuffer
    template: PodTemplate
    count: int
    template_name: str = ""
    template_generation: int | None = None


class BadBuffer(msgspec.Struct, frozen=True):
    """Why a buffer cannot be filled."""

    reason: str
    message: str


def resolve(buffer: CapacityBuffer, world: World) -> Resolved | BadBuffer:
    """Find a buffer's shape and number."""
    spec, namespace = buffer.spec, buffer.metadata.namespace
    if spec.pod_template_ref is not None:
        name = spec.pod_template_ref.name
        for one in world.pod_templates:
            if (one.metadata.namespace, one.metadata.name) == (namespace, name):
                count = count_pieces(spec, one.template, None)
                if isinstance(count, BadBuffer):
                    return count
                return Resolved(buffer, one.template, count, name, one.metadata.generation)
        return BadBuffer("PodTemplateNotFound", f"there is no PodTemplate {namespace}/{name}")
    if spec.scalable_ref is None:
        return BadBuffer("ResolutionFailed", "set podTemplateRef or scalableRef")
    workload = _find_workload(buffer, world)
    if workload is None:
        kind, name = spec.scalable_ref.kind, spec.scalable_ref.name
        return BadBuffer("ScalableRefNotFound", f"there is no {kind} {namespace}/{name}")
    replicas = 1 if workload.spec.replicas is None else workload.spec.replicas
    count = count_pieces(spec, workload.spec.template, replicas)
    if isinstance(count, BadBuffer):
        return count
    return Resolved(buffer, workload.spec.template, count)


def _find_workload(buffer: CapacityBuffer, world: World) -> Workload | None:
    reference = buffer.spec.scalable_ref
    assert reference is not None
    kinds = {
        "Deployment": world.deployments,
        "StatefulSet": world.stateful_sets,
        "ReplicaSet": world.replica_sets,
    }
    wanted = (buffer.metadata.namespace, reference.name)
    for one in kinds.get(reference.kind, ()):
        if (one.metadata.namespace, one.metadata.name) == wanted:
            return one
    return None


def count_pieces(
    spec: CapacityBufferSpec, template: PodTemplate, replicas: int | None
) -> int | BadBuffer:
    """Tell how many pieces a buffer has; `replicas` are those of its workload."""
    wanted = [] if spec.replicas is None else [spec.replicas]
    if spec.percentage is not None:
        if replicas is None:
            return BadBuffer("ResolutionFailed", "percentage needs a scalableRef")
        wanted.append(max(1, -(-spec.percentage * replicas // 100)))
    try:
        most = _most(spec, template)
    except BadQuantity as error:
        return BadBuffer("ResolutionFailed", f"an amount cannot be read: {error}")
    if not wanted and most is None:
        note = "set replicas, percentage, or limits on a resource that a piece asks for"
        return BadBuffer("ResolutionFailed", note)
    bounds = [PIECES_MAX] if most is None else [PIECES_MAX, most]
    return min(max(wanted, default=PIECES_MAX), *bounds)


def _most(spec: CapacityBufferSpec, template: PodTemplate) -> int | None:
    """Tell how many pieces the limits allow, where they limit what a piece asks for."""
    limits = parse_resources(spec.limits)
    asked = pod_requests(template.spec)
    fitting = [limits[name] // asked[name] for name in limits if asked.get(name)]
    return min(fitting, default=None)
