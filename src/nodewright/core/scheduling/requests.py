"""What a pod asks for: containers, init containers, sidecars, overhead, pod-level resources.

Per resource the larger of what runs in the end and what any init container needs while the
sidecars started before it run; then the overhead of the runtime class. Pod-level resources
replace the sum for what they name. Each pod also takes one of the node's `pods`.
"""

from collections.abc import Iterable, Mapping

from nodewright.model.pod import Amounts, Container, PodSpec, PodStatus
from nodewright.model.quantity import MILLI, Milli, add, largest, parse_resources

_POD_LEVEL = ("cpu", "memory")


def pod_requests(spec: PodSpec, status: PodStatus | None = None) -> dict[str, Milli]:
    """Sum what a pod asks for, in thousandths; a bad amount raises `BadQuantity`."""
    allocated = _allocated(status)
    if len(spec.containers) == 1 and not (
        allocated or spec.init_containers or spec.overhead or spec.resources
    ):
        # Most pods are like this, and a plan reads every pod of a cluster.
        only = {**_container_requests(spec.containers[0]), "pods": MILLI}
        return {name: amount for name, amount in only.items() if amount}
    running: dict[str, Milli] = {}
    for position, container in enumerate(spec.containers):
        asked = _container_requests(container)
        held = allocated[position] if position < len(allocated) else {}
        running = add(running, largest((asked, held)))
    sidecars: dict[str, Milli] = {}
    peaks: list[Mapping[str, Milli]] = []
    for container in spec.init_containers:
        asked = _container_requests(container)
        if container.restart_policy == "Always":
            sidecars = add(sidecars, asked)
            peaks.append(sidecars)
        else:
            peaks.append(add(sidecars, asked))
    total = largest([add(running, sidecars), *peaks])
    _apply_pod_level(spec, total)
    total = add(total, parse_resources(spec.overhead))
    total["pods"] = MILLI
    return {name: amount for name, amount in total.items() if amount}


def _apply_pod_level(spec: PodSpec, total: dict[str, Milli]) -> None:
    if spec.resources is None:
        return
    asked = parse_resources(spec.resources.requests)
    # A limit of the whole pod stands in for a request that neither pod nor container makes.
    limits = parse_resources(spec.resources.limits)
    for name in {*asked, *(limits.keys() - total.keys())}:
        if name in _POD_LEVEL or name.startswith("hugepages-"):
            total[name] = asked.get(name, limits.get(name, 0))


def _container_requests(container: Container) -> dict[str, Milli]:
    return parse_resources(container.resources.requests)


def _allocated(status: PodStatus | None) -> list[dict[str, Milli]]:
    if status is None:
        return []
    return [parse_resources(one.allocated_resources) for one in status.container_statuses]


def daemon_requests(spec: PodSpec) -> dict[str, Milli]:
    """Sum what a daemon pod will ask for, with limits standing in for missing requests."""
    return pod_requests(_with_limits(spec))


def _with_limits(spec: PodSpec) -> PodSpec:
    return PodSpec(
        containers=tuple(_filled(spec.containers)),
        init_containers=tuple(_filled(spec.init_containers)),
        overhead=spec.overhead,
        resources=spec.resources,
    )


def _filled(containers: Iterable[Container]) -> Iterable[Container]:
    for container in containers:
        merged: Amounts = {**container.resources.limits, **container.resources.requests}
        yield Container(
            resources=type(container.resources)(requests=merged),
            ports=container.ports,
            restart_policy=container.restart_policy,
        )
