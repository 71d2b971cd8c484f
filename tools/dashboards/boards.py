"""The table of the dashboards: for each panel its title, its unit and its queries with their legends."""

from typing import Final, NamedTuple


class Panel(NamedTuple):
    """One panel: queries as (expression, legend)."""

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    kind: str = "timeseries"
    about: str = ""


class Board(NamedTuple):
    """One dashboard."""

    name: str
    title: str
    panels: tuple[Panel, ...]


def _number(title: str, unit: str, query: str, about: str = "") -> Panel:
    return Panel(title, unit, ((query, ""),), "stat", about)


def _p(family: str, by: str, title: str) -> Panel:
    rate = f"rate({family}_bucket[$__rate_interval])"
    return Panel(
        title,
        "s",
        tuple(
            (
                f"histogram_quantile({q}, sum by (le, {by}) ({rate}))",
                f"p{int(q * 100)} {{{{{by}}}}}",
            )
            for q in (0.5, 0.99)
        ),
    )


OVERVIEW: Final = Board(
    "overview",
    "Nodewright / Overview",
    (
        _number("Nodes", "short", "max(karpenter_cluster_state_node_count)"),
        _number("Pods without a place", "short", "sum(nodewright_pods_unplaced) or vector(0)"),
        _number("Cost per hour", "currencyUSD", "max(nodewright_cost_per_hour)"),
        _number("Cost per month", "currencyUSD", "max(nodewright_cost_per_hour) * 730"),
        _number(
            "Idle per hour", "currencyUSD", "sum(max by (nodepool) (nodewright_idle_cost_per_hour))"
        ),
        _number(
            "Saved per hour, by the last day's moves",
            "currencyUSD",
            "sum(increase(nodewright_savings_per_hour_total[1d]))",
        ),
        _number(
            "Above the lower bound",
            "percentunit",
            "max(nodewright_cost_gap_ratio)",
            "How far what is paid is above what the same pods would cost at least; found every quarter of an hour.",
        ),
        _number("Replicas that lead", "short", "sum(nodewright_leading)"),
        Panel(
            "Cost by NodePool",
            "currencyUSD",
            (("max by (nodepool) (karpenter_nodepools_cost_total)", "{{nodepool}}"),),
        ),
        Panel(
            "Cost by namespace",
            "currencyUSD",
            (
                (
                    "topk(10, max by (namespace) (nodewright_namespace_cost_per_hour))",
                    "{{namespace}}",
                ),
            ),
        ),
        Panel(
            "Idle by NodePool",
            "currencyUSD",
            (("max by (nodepool) (nodewright_idle_cost_per_hour)", "{{nodepool}}"),),
        ),
        Panel(
            "Cost and lower bound",
            "currencyUSD",
            (
                ("max(nodewright_cost_per_hour)", "paid"),
                ("max(nodewright_lower_bound_per_hour)", "at least"),
            ),
        ),
        Panel(
            "Pods without a place, by cause",
            "short",
            (("max by (code) (nodewright_pods_unplaced)", "{{code}}"),),
            about="`nodewright explain CODE` prints what a code means.",
        ),
        _p("nodewright_pod_wait_seconds", "step", "How long pods waited"),
        Panel(
            "Decisions",
            "short",
            (
                (
                    "sum by (kind) (rate(nodewright_decisions_total[$__rate_interval])) * 60",
                    "{{kind}} a minute",
                ),
            ),
        ),
        Panel(
            "Nodes made and gone",
            "short",
            (
                ("sum(increase(karpenter_nodes_created_total[$__rate_interval]))", "made"),
                ("sum(increase(karpenter_nodes_terminated_total[$__rate_interval]))", "gone"),
            ),
        ),
    ),
)

CAPACITY: Final = Board(
    "capacity",
    "Nodewright / Capacity",
    (
        Panel(
            "Used of the limit",
            "percentunit",
            (
                (
                    (
                        "max by (nodepool, resource_type) (karpenter_nodepools_usage) / "
                        "max by (nodepool, resource_type) (karpenter_nodepools_limit)"
                    ),
                    "{{nodepool}} {{resource_type}}",
                ),
            ),
        ),
        Panel(
            "Asked for, of what nodes have",
            "percent",
            (
                (
                    'max by (resource_type) (karpenter_cluster_utilization_percent{resource_type=~"cpu|memory"})',
                    "{{resource_type}}",
                ),
            ),
        ),
        Panel(
            "Nodes by NodePool and capacity type",
            "short",
            (
                (
                    (
                        "count by (nodepool, capacity_type) "
                        "(max by (node_name, nodepool, capacity_type) (karpenter_nodes_current_lifetime_seconds))"
                    ),
                    "{{nodepool}} {{capacity_type}}",
                ),
            ),
        ),
        Panel(
            "Cores that nodes have and pods ask for",
            "short",
            (
                (
                    'sum(max by (node_name) (karpenter_nodes_allocatable{resource_type="cpu"}))',
                    "allocatable",
                ),
                (
                    'sum(max by (node_name) (karpenter_nodes_total_pod_requests{resource_type="cpu"}))',
                    "requested",
                ),
            ),
        ),
        Panel(
            "Claims made, by why",
            "short",
            (
                (
                    "sum by (reason, nodepool) (increase(karpenter_nodeclaims_created_total[$__rate_interval]))",
                    "{{nodepool}} {{reason}}",
                ),
            ),
        ),
        Panel(
            "Claims gone",
            "short",
            (
                (
                    (
                        "sum by (nodepool, capacity_type) "
                        "(increase(karpenter_nodeclaims_terminated_total[$__rate_interval]))"
                    ),
                    "{{nodepool}} {{capacity_type}}",
                ),
            ),
        ),
        Panel(
            "Pods by phase", "short", (("count by (phase) (karpenter_pods_state)", "{{phase}}"),)
        ),
        Panel(
            "Offerings that can be had",
            "short",
            (
                (
                    "sum by (zone, capacity_type) (karpenter_cloudprovider_instance_type_offering_available)",
                    "{{zone}} {{capacity_type}}",
                ),
            ),
        ),
        Panel(
            "NodePools that are not ready",
            "short",
            (
                (
                    (
                        'sum by (name) (operator_nodepool_status_condition_count{type="Ready",status!="True"}) '
                        'or sum by (name) (operator_nodepool_status_condition_count{type="Ready"}) * 0'
                    ),
                    "{{name}}",
                ),
            ),
        ),
        Panel(
            "Claims by condition",
            "short",
            (
                (
                    "sum by (type, status) (operator_nodeclaim_status_condition_count)",
                    "{{type}}={{status}}",
                ),
            ),
        ),
    ),
)

DISRUPTION: Final = Board(
    "disruption",
    "Nodewright / Disruption",
    (
        Panel(
            "Nodes that would go now",
            "short",
            (("max by (reason) (karpenter_voluntary_disruption_eligible_nodes)", "{{reason}}"),),
        ),
        Panel(
            "Allowed by budgets",
            "short",
            (
                (
                    "max by (nodepool, reason) (clamp_max(karpenter_nodepools_allowed_disruptions, 1000))",
                    "{{nodepool}} {{reason}}",
                ),
            ),
        ),
        Panel(
            "Going or not ready",
            "short",
            (
                (
                    "max by (nodepool, reason) (karpenter_nodepools_nodes_consuming_budgets)",
                    "{{nodepool}} {{reason}}",
                ),
            ),
        ),
        Panel(
            "Commands begun",
            "short",
            (
                (
                    (
                        "sum by (decision, reason) "
                        "(increase(karpenter_voluntary_disruption_decisions_total[$__rate_interval]))"
                    ),
                    "{{decision}} {{reason}}",
                ),
            ),
        ),
        Panel(
            "Claims disrupted, by why",
            "short",
            (
                (
                    "sum by (reason) (increase(karpenter_nodeclaims_disrupted_total[$__rate_interval]))",
                    "{{reason}}",
                ),
            ),
        ),
        Panel(
            "Why nodes are kept",
            "short",
            (
                (
                    'sum by (code) (increase(nodewright_verdicts_total{about="node"}[$__rate_interval]))',
                    "{{code}}",
                ),
            ),
        ),
        Panel(
            "What ended commands saved, per hour",
            "currencyUSD",
            (
                (
                    "sum by (reason) (increase(nodewright_savings_per_hour_total[$__rate_interval]))",
                    "{{reason}}",
                ),
            ),
        ),
        Panel(
            "How long deciding took",
            "s",
            (
                (
                    (
                        "histogram_quantile(0.99, sum by (le) (rate("
                        "karpenter_voluntary_disruption_decision_evaluation_duration_seconds_bucket[$__rate_interval])))"
                    ),
                    "p99",
                ),
            ),
        ),
        Panel(
            "How old nodes became",
            "s",
            (
                (
                    (
                        "histogram_quantile(0.5, sum by (le, nodepool) "
                        "(rate(karpenter_nodes_lifetime_duration_seconds_bucket[$__rate_interval])))"
                    ),
                    "{{nodepool}}",
                ),
            ),
        ),
        Panel(
            "Warnings from the cloud",
            "short",
            (
                (
                    (
                        "sum by (message_type) "
                        "(increase(karpenter_interruption_received_messages_total[$__rate_interval]))"
                    ),
                    "{{message_type}}",
                ),
            ),
        ),
    ),
)

CONTROLLER: Final = Board(
    "controller",
    "Nodewright / Controller",
    (
        _p("nodewright_decide_duration_seconds", "controller", "How long deciding took"),
        _p("nodewright_act_duration_seconds", "kind", "How long acting took"),
        Panel(
            "Acts, by what came of them",
            "short",
            (
                (
                    "sum by (outcome) (rate(nodewright_acts_total[$__rate_interval])) * 60",
                    "{{outcome}} a minute",
                ),
            ),
        ),
        _p("karpenter_cloudprovider_duration_seconds", "method", "How long the cloud took"),
        Panel(
            "Errors of the cloud",
            "short",
            (
                (
                    "sum by (method, error) (increase(karpenter_cloudprovider_errors_total[$__rate_interval]))",
                    "{{method}} {{error}}",
                ),
            ),
        ),
        Panel(
            "Predicted placements, by what the scheduler did",
            "short",
            (
                (
                    "sum by (result) (increase(nodewright_placements_total[$__rate_interval]))",
                    "{{result}}",
                ),
            ),
        ),
        Panel(
            "Placements that were not as predicted",
            "percentunit",
            (("max(nodewright_placement_mismatch_ratio)", "of the latest thousand"),),
        ),
        Panel("Journal", "bytes", (("max by (pod) (nodewright_journal_bytes)", "{{pod}}"),)),
        Panel(
            "Journal is written",
            "short",
            (("min(nodewright_journal_writing)", "1 while it is"),),
        ),
        Panel(
            "Time that the cluster was not known",
            "s",
            (("max(karpenter_cluster_state_unsynced_time_seconds)", ""),),
        ),
        Panel(
            "Looks of controllers",
            "short",
            (
                (
                    "sum by (controller) (rate(controller_runtime_reconcile_total[$__rate_interval])) * 60",
                    "{{controller}} a minute",
                ),
            ),
        ),
    ),
)

BOARDS: Final = (OVERVIEW, CAPACITY, DISRUPTION, CONTROLLER)
