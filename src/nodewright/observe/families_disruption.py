"""The metrics of disruption, a part of the table of metrics."""

from typing import Final

from nodewright.observe.family import Family

PREFIX: Final = "karpenter_voluntary_disruption"
_COMMAND: Final = ("decision", "reason", "consolidation_type")
_WHO: Final = (
    "reason", "nodepool", "capacity_type", "consolidation_policy", "termination_mode",
)  # fmt: skip
_MOVE: Final = ("decision", "nodepool", "policy")
_SCORES: Final = (0.1, 0.25, 0.33, 0.5, 1.0, 2.0, 5.0, 10.0)

DISRUPTION_COUNTERS: Final = (
    Family(
        "karpenter_nodeclaims_disrupted_total",
        "NodeClaims that were deleted, by why and how their pods are drained.",
        _WHO,
    ),
    Family(
        "karpenter_nodeclaims_unhealthy_disrupted_total",
        "NodeClaims that were deleted because their node was broken, by the condition that says so.",
        ("condition", "nodepool", "capacity_type", "image_id"),
    ),
    Family(
        "karpenter_pods_disruption_initiated_total",
        "Pods that have to move because their NodeClaim was deleted.",
        _WHO,
    ),
    Family(
        f"{PREFIX}_decisions_total",
        "Commands that were begun, by whether something replaces the nodes and why.",
        _COMMAND,
    ),
    Family(
        f"{PREFIX}_decisions_by_nodepool_total",
        "The same for each NodePool.",
        (*_COMMAND, "nodepool"),
    ),
    Family(
        f"{PREFIX}_failed_validations_total",
        "Nodes that were to go, and were not when they were looked at again.",
        ("consolidation_type",),
    ),
    Family(
        f"{PREFIX}_queue_failures_total",
        "Nodes that stayed because what was to replace them did not come.",
        _COMMAND,
    ),
    Family(
        f"{PREFIX}_consolidation_timeouts_total",
        "Looks that ended before every group of nodes was tried; by tries, not by time.",
        ("consolidation_type",),
    ),
    Family(
        "karpenter_consolidation_moves_total",
        "Moves for money that were made, and that Balanced NodePools refused.",
        _MOVE,
    ),
)

DISRUPTION_HISTOGRAMS: Final = (
    Family(
        f"{PREFIX}_decision_evaluation_duration_seconds",
        "How long deciding which nodes go took; all methods are asked in one look.",
        ("reason", "consolidation_type"),
    ),
    Family(
        "karpenter_consolidation_score",
        "What Balanced NodePools thought of moves: savings over what is moved.",
        _MOVE,
        _SCORES,
    ),
)

DISRUPTION_GAUGES: Final = (
    Family(
        "karpenter_nodepools_allowed_disruptions",
        "How many nodes may go at once by the budgets, before those that are going.",
        ("nodepool", "reason"),
    ),
    Family(
        "karpenter_nodepools_nodes_consuming_budgets",
        "Nodes that are going or not ready.",
        ("nodepool", "reason"),
    ),
    Family(f"{PREFIX}_eligible_nodes", "Nodes that would go now.", ("reason",)),
)
