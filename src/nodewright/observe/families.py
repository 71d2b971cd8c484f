"""The table of metrics: every family with its labels and what it tells.

Families that Karpenter has too keep its names, labels and units, so that dashboards and alerts made for
it go on working; ours begin with `nodewright_`. Label values come from closed lists or from what lives
on the cluster: a series goes when its object does.
"""

from typing import Final

from nodewright.model.labels import WELL_KNOWN
from nodewright.observe.families_disruption import (
    DISRUPTION_COUNTERS,
    DISRUPTION_GAUGES,
    DISRUPTION_HISTOGRAMS,
)
from nodewright.observe.families_money import MONEY_COUNTERS, MONEY_GAUGES, MONEY_HISTOGRAMS
from nodewright.observe.families_objects import OBJECT_COUNTERS, OBJECT_GAUGES, OBJECT_HISTOGRAMS
from nodewright.observe.family import Family

_POWERS: Final = tuple(float(2**power) for power in range(12))
_LIVES: Final = (
    900.0, 1800.0, 3600.0, 7200.0, 14400.0, 28800.0, 43200.0, 86400.0, 172800.0, 432000.0, 864000.0,
    1296000.0, 2592000.0,
)  # fmt: skip


def snake(name: str) -> str:
    """Write a label key or a resource as metrics do: its last part, with underscores."""
    return name.rpartition("/")[2].replace("-", "_").replace(".", "_").lower()


NODE_LABELS: Final = tuple(sorted({snake(name): name for name in sorted(WELL_KNOWN)}.items()))
"""Labels of nodes that split the metrics of nodes, as (metric's name, node's name)."""

NODE: Final = ("node_name", "phase", "managed", *(name for name, _ in NODE_LABELS))
_NODE_AMOUNT: Final = (*NODE, "resource_type")
_POD: Final = (
    "name", "namespace", "owner", "node", "scheduled", "nodepool", "zone", "arch", "capacity_type",
    "instance_type", "phase", "ready", "managed",
)  # fmt: skip
_OFFERING: Final = ("instance_type", "capacity_type", "zone")
_CALL: Final = ("controller", "method", "provider")

COUNTERS: Final = (
    *DISRUPTION_COUNTERS,
    *MONEY_COUNTERS,
    *OBJECT_COUNTERS,
    Family(
        "karpenter_nodeclaims_created_total",
        "NodeClaims that were written, by why and for which NodePool.",
        ("reason", "nodepool", "min_values_relaxed"),
    ),
    Family(
        "karpenter_nodeclaims_terminated_total",
        "NodeClaims of which nothing is left.",
        ("nodepool", "capacity_type", "zone"),
    ),
    Family("karpenter_nodes_created_total", "Nodes that joined the cluster.", ("nodepool", "zone")),
    Family("karpenter_nodes_terminated_total", "Nodes that went.", ("nodepool", "zone")),
    Family("karpenter_nodes_drained_total", "Nodes that were drained.", ("nodepool",)),
    Family("karpenter_pods_eviction_requests_total", "Evictions that were asked for.", ("code",)),
    Family("karpenter_pods_drained_total", "Pods that were evicted.", ("reason",)),
    Family(
        "karpenter_cloudprovider_errors_total",
        "Questions to the cloud that it answered with an error.",
        (*_CALL, "error"),
    ),
    Family(
        "karpenter_cloudprovider_instance_launch_failures_total",
        "Ways to have a machine that a launch tried in vain, by the cloud's code for why.",
        ("zone", "zone_id", "capacity_type", "reason"),
    ),
    Family(
        "karpenter_cloudprovider_instance_termination_failures_total",
        "Machines that could not be given back at once, and are tried again.",
        ("zone", "zone_id"),
    ),
    Family(
        "karpenter_interruption_received_messages_total",
        "Messages about machines.",
        ("message_type",),
    ),
    Family("karpenter_interruption_deleted_messages_total", "Messages that were dealt with.", ()),
    Family(
        "karpenter_interruption_instance_status_unhealthy_total",
        "NodeClaims that were ended for what the cloud's checks and plans say of their machines.",
        ("category",),
    ),
    Family(
        "nodewright_interruption_queue_errors_total",
        "Times that the queue of messages could not be heard: missing, forbidden or unreachable.",
        ("reason",),
    ),
    Family(
        "nodewright_decisions_total",
        "Decisions that were carried out, and what was newly told.",
        ("controller", "kind", "reason"),
    ),
    Family(
        "nodewright_aws_requests_total",
        "Requests to AWS, by the error's code; the code is empty where it did what was asked.",
        ("service", "operation", "code"),
    ),
    Family(
        "nodewright_acts_total", "Acts by what came of them.", ("controller", "kind", "outcome")
    ),
    Family(
        "controller_runtime_reconcile_total",
        "Looks of a controller, and acts of it that failed, as controller-runtime counts them.",
        ("controller", "result"),
    ),
    Family(
        "controller_runtime_reconcile_errors_total",
        "Acts of a controller that failed and are tried again; conflicts and what a budget holds back do not count.",
        ("controller",),
    ),
)

HISTOGRAMS: Final = (
    *DISRUPTION_HISTOGRAMS,
    *MONEY_HISTOGRAMS,
    *OBJECT_HISTOGRAMS,
    Family(
        "karpenter_nodeclaims_instance_termination_duration_seconds",
        "From the order to end a machine until it was gone.",
        ("nodepool",),
        _POWERS[:11],
    ),
    Family(
        "karpenter_pods_provisioning_bound_duration_seconds",
        "From the first known place for a pod until it has a node.",
    ),
    Family(
        "karpenter_pods_provisioning_startup_duration_seconds",
        "From the first known place for a pod until it runs.",
    ),
    Family(
        "controller_runtime_reconcile_time_seconds",
        "How long one look of a controller took.",
        ("controller",),
    ),
    Family(
        "karpenter_nodeclaims_termination_duration_seconds",
        "From a NodeClaim's deletion until nothing is left of it.",
        ("nodepool",),
        _POWERS,
    ),
    Family(
        "karpenter_nodes_lifetime_duration_seconds", "How old nodes became.", ("nodepool",), _LIVES
    ),
    Family(
        "karpenter_scheduler_scheduling_duration_seconds",
        "How long deciding for all waiting pods took.",
        ("controller",),
    ),
    Family("karpenter_pods_bound_duration_seconds", "From a pod's creation until it has a node."),
    Family(
        "karpenter_pods_scheduling_decision_duration_seconds",
        "From a pod's creation until it was first decided on.",
    ),
    Family("karpenter_cloudprovider_duration_seconds", "How long the cloud took to answer.", _CALL),
    Family(
        "karpenter_interruption_message_queue_duration_seconds",
        "How old messages about machines were when they were received.",
    ),
    Family("nodewright_decide_duration_seconds", "How long deciding took.", ("controller",)),
    Family(
        "nodewright_aws_request_duration_seconds",
        "How long AWS took to answer one request.",
        ("service", "operation"),
    ),
    Family("nodewright_act_duration_seconds", "How long acting took.", ("controller", "kind")),
)

SUMMARIES: Final = (
    Family("karpenter_pods_startup_duration_seconds", "From a pod's creation until it is ready."),
    Family(
        "karpenter_nodes_termination_duration_seconds",
        "From a node's deletion until it is gone.",
        ("nodepool",),
    ),
)

GAUGES: Final = (
    *DISRUPTION_GAUGES,
    *MONEY_GAUGES,
    *OBJECT_GAUGES,
    Family("karpenter_build_info", "What runs.", ("version", "goversion", "goarch", "commit")),
    Family(
        "karpenter_cloudprovider_instance_type_cpu_cores",
        "Cores of instance types.",
        ("instance_type",),
    ),
    Family(
        "karpenter_cloudprovider_instance_type_memory_bytes",
        "Memory of instance types.",
        ("instance_type",),
    ),
    Family(
        "karpenter_cloudprovider_instance_type_offering_price_estimate",
        "What an hour of a machine costs, by how and where it is bought.",
        _OFFERING,
    ),
    Family(
        "karpenter_cloudprovider_instance_type_offering_available",
        "1 for what can be had now.",
        _OFFERING,
    ),
    Family("karpenter_cluster_state_node_count", "Nodes that are known."),
    Family("karpenter_cluster_state_synced", "1 when the cluster is known."),
    Family(
        "karpenter_cluster_state_unsynced_time_seconds",
        "How long the cluster has not been known; 0 while it is.",
    ),
    Family(
        "karpenter_cluster_utilization_percent",
        "What pods ask for of what nodes have.",
        ("resource_type",),
    ),
    Family("karpenter_nodepools_limit", "Limits of NodePools.", ("resource_type", "nodepool")),
    Family("karpenter_nodepools_usage", "What NodePools use.", ("resource_type", "nodepool")),
    Family("karpenter_nodes_allocatable", "What pods can use of nodes.", _NODE_AMOUNT),
    Family("karpenter_nodes_total_pod_requests", "What pods on nodes ask for.", _NODE_AMOUNT),
    Family("karpenter_nodes_total_pod_limits", "What pods on nodes may use.", _NODE_AMOUNT),
    Family("karpenter_nodes_total_daemon_requests", "The same of daemon pods.", _NODE_AMOUNT),
    Family("karpenter_nodes_total_daemon_limits", "The same of daemon pods.", _NODE_AMOUNT),
    Family("karpenter_nodes_system_overhead", "What nodes keep for themselves.", _NODE_AMOUNT),
    Family("karpenter_nodes_current_lifetime_seconds", "How old nodes are.", NODE),
    Family("karpenter_pods_state", "1 for each pod.", _POD),
    Family(
        "karpenter_pods_unbound_time_seconds",
        "How long pods have waited for a node.",
        ("name", "namespace"),
    ),
    Family(
        "karpenter_pods_unstarted_time_seconds",
        "How long pods have waited to be ready.",
        ("name", "namespace"),
    ),
    Family(
        "karpenter_pods_provisioning_unbound_time_seconds",
        "How long pods with a known place have waited for their node.",
        ("name", "namespace"),
    ),
    Family(
        "karpenter_pods_provisioning_unstarted_time_seconds",
        "How long pods with a known place have waited to run.",
        ("name", "namespace"),
    ),
    Family(
        "karpenter_pods_provisioning_scheduling_undecided_time_seconds",
        "How long pods that were seen to wait have not been decided on.",
        ("name", "namespace"),
    ),
    Family(
        "karpenter_scheduler_pending_pods_by_effective_zone_count",
        "Pods that wait, by the one zone in which they can run: `flexible` where there are more, `none` where there is none.",
        ("controller", "zone"),
    ),
    Family(
        "karpenter_scheduler_unschedulable_pods_count",
        "Pods that found no place when they were last decided on.",
        ("controller",),
    ),
    Family(
        "karpenter_scheduler_queue_depth",
        "Pods that the last decision was about.",
        ("controller", "scheduling_id"),
    ),
    Family("karpenter_scheduler_ignored_pods_count", "Pods that cannot be planned for at all."),
    Family(
        "nodewright_pods_unplaced",
        "Pods that wait and cannot be placed, by the code that explain prints the page of.",
        ("code",),
    ),
)
