"""Metrics of what is there: nodes, pods and NodePools of one World, made when the page is asked for.

Nothing is kept between two pages, so that a series goes with its object.
"""

from collections.abc import Iterable, Mapping

from nodewright.core.scheduling.requests import pod_requests
from nodewright.model.instant import read_instant
from nodewright.model.labels import ARCH, CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.quantity import MILLI, BadQuantity, Milli, Resources, add, parse_resources
from nodewright.model.world import World
from nodewright.observe.families import NODE, NODE_LABELS, snake
from nodewright.observe.page import Page, write_labels

TERMINAL = ("Succeeded", "Failed")


def fill(page: Page, world: World) -> None:
    """Write down what a World holds."""
    pods: dict[str, list[Pod]] = {}
    for pod in world.pods:
        if pod.spec.node_name and pod.status.phase not in TERMINAL:
            pods.setdefault(pod.spec.node_name, []).append(pod)
    page.set("karpenter_cluster_state_node_count", len(world.nodes))
    _fill_pools(page, world)
    _fill_nodes(page, world, pods)
    nodes = {node.metadata.name: node for node in world.nodes}
    for pod in world.pods:
        _fill_pod(page, world, pod, nodes.get(pod.spec.node_name))


def _fill_pools(page: Page, world: World) -> None:
    for pool in world.node_pools:
        written = {
            "karpenter_nodepools_limit": pool.spec.limits or {},
            "karpenter_nodepools_usage": pool.status.resources,
        }
        for name, amounts in written.items():
            for resource, amount in _read(amounts).items():
                page.set(name, amount / MILLI, (snake(resource), pool.metadata.name))


def _fill_nodes(page: Page, world: World, pods: Mapping[str, list[Pod]]) -> None:
    whole: Resources = {}
    asked: Resources = {}
    for node in world.nodes:
        here = pods.get(node.metadata.name, [])
        daemons = [pod for pod in here if is_daemon(pod)]
        allocatable, requests = _read(node.status.allocatable), _requests(here)
        capacity = _read(node.status.capacity)
        whole, asked = add(whole, allocatable), add(asked, requests)
        labels = write_labels(NODE, _node_labels(node))
        amounts = {
            "karpenter_nodes_allocatable": allocatable,
            "karpenter_nodes_total_pod_requests": requests,
            "karpenter_nodes_total_pod_limits": _limits(here),
            "karpenter_nodes_total_daemon_requests": _requests(daemons),
            "karpenter_nodes_total_daemon_limits": _limits(daemons),
            "karpenter_nodes_system_overhead": {
                name: amount - allocatable.get(name, 0) for name, amount in capacity.items()
            },
        }
        for name, many in amounts.items():
            for resource, amount in many.items():
                page.add(name, amount / MILLI, f'{labels},resource_type="{snake(resource)}"')
        born_ms = read_instant(node.metadata.creation_timestamp)
        if born_ms is not None:
            age_s = (world.now_ms - born_ms) / 1000
            page.add("karpenter_nodes_current_lifetime_seconds", age_s, labels)
    for resource, amount in sorted(whole.items()):
        if amount > 0:
            share = 100 * asked.get(resource, 0) / amount
            page.set("karpenter_cluster_utilization_percent", share, (snake(resource),))


def _node_labels(node: Node) -> tuple[str, ...]:
    labels = node.metadata.labels
    managed = "true" if NODEPOOL in labels else "false"
    return (node.metadata.name, "", managed, *(labels.get(name, "") for _, name in NODE_LABELS))


def _fill_pod(page: Page, world: World, pod: Pod, node: Node | None) -> None:
    meta, labels = pod.metadata, node.metadata.labels if node is not None else {}
    namespace = meta.namespace or "default"
    row = (
        meta.name,
        namespace,
        _owner(pod, namespace),
        pod.spec.node_name,
        "true" if pod.spec.node_name else "false",
        *(labels.get(name, "") for name in (NODEPOOL, ZONE, ARCH, CAPACITY_TYPE, INSTANCE_TYPE)),
        pod.status.phase,
        "true" if _is(pod, "Ready") else "false",
        "true" if NODEPOOL in labels else "false",
    )
    page.set("karpenter_pods_state", 1, row)
    born_ms = read_instant(meta.creation_timestamp)
    if born_ms is None or pod.status.phase in TERMINAL:
        return
    waited_s = (world.now_ms - born_ms) / 1000
    if not pod.spec.node_name:
        page.set("karpenter_pods_unbound_time_seconds", waited_s, (meta.name, namespace))
    if not _is(pod, "Ready"):
        page.set("karpenter_pods_unstarted_time_seconds", waited_s, (meta.name, namespace))


def _owner(pod: Pod, namespace: str) -> str:
    """Give the address of the first owner, as Karpenter writes it."""
    owners = pod.metadata.owner_references
    if not owners:
        return ""
    first = owners[0]
    root = "apis" if "/" in first.api_version else "api"
    return f"/{root}/{first.api_version}/namespaces/{namespace}/{first.kind.lower()}s/{first.name}"


def is_daemon(pod: Pod) -> bool:
    """Tell whether a pod belongs to a daemon set."""
    return any(owner.kind == "DaemonSet" for owner in pod.metadata.owner_references)


def _is(pod: Pod, condition: str) -> bool:
    return any(one.type == condition and one.status == "True" for one in pod.status.conditions)


def _requests(pods: Iterable[Pod]) -> dict[str, Milli]:
    total: dict[str, Milli] = {}
    for pod in pods:
        try:
            total = add(total, pod_requests(pod.spec, pod.status))
        except BadQuantity:
            continue
    return total


def _limits(pods: Iterable[Pod]) -> dict[str, Milli]:
    return add(*(_read(one.resources.limits) for pod in pods for one in pod.spec.containers))


def _read(amounts: Mapping[str, str | int | float]) -> dict[str, Milli]:
    try:
        return parse_resources(amounts)
    except BadQuantity:
        return {}
