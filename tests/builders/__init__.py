"""Short builders for the values that tests talk about.

Each builder has a default for everything, so that a test writes only what it is about. Quantities
are written as Kubernetes writes them (`"500m"`, `"2Gi"`), prices in dollars per hour. `a_world`
takes objects in any order and sorts them by what they are.
"""

from builders.labels import a_selector, a_spread, a_taint, a_term, tolerating, want
from builders.nodes import a_managed_node, a_node, a_node_claim, a_pool, an_overlay
from builders.plans import a_plan, a_planned_node
from builders.pods import (
    a_budget,
    a_container,
    a_daemon_pod,
    a_daemon_set,
    a_namespace,
    a_pod,
    pods,
)
from builders.storage import DRIVER, a_csi_node, a_storage_class, a_volume, a_volume_claim
from builders.types import ZONES, a_type, an_offering
from builders.world import NOW_MS, a_world

__all__ = [
    "DRIVER",
    "NOW_MS",
    "ZONES",
    "a_budget",
    "a_container",
    "a_csi_node",
    "a_daemon_pod",
    "a_daemon_set",
    "a_managed_node",
    "a_namespace",
    "a_node",
    "a_node_claim",
    "a_plan",
    "a_planned_node",
    "a_pod",
    "a_pool",
    "a_selector",
    "a_spread",
    "a_storage_class",
    "a_taint",
    "a_term",
    "a_type",
    "a_volume",
    "a_volume_claim",
    "a_world",
    "an_offering",
    "an_overlay",
    "pods",
    "tolerating",
    "want",
]
