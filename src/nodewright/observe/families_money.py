"""The metrics of money, and of how good our predictions are: a part of the table of metrics.

Amounts are in the currency of the price list, per hour.
"""

from typing import Final

from nodewright.observe.family import Family

COST: Final = "karpenter_nodepools_cost_total"
NAMESPACES_MAX: Final = 300
"""So many namespaces have a series of their own; the cheapest beyond that are summed as `other`."""

MONEY_COUNTERS: Final = (
    Family(
        "karpenter_nodepools_cost_tracker_errors_total",
        "Times that a machine was found without a price.",
        ("nodepool",),
    ),
    Family(
        "nodewright_savings_per_hour_total",
        "What an hour of the cluster costs less for commands that have ended.",
        ("reason", "nodepool"),
    ),
    Family(
        "nodewright_surcharges_per_hour_total",
        "What an hour of the cluster costs more for commands that have ended: drift may do that.",
        ("reason", "nodepool"),
    ),
    Family(
        "nodewright_verdicts_total",
        "Verdicts that are new, by their cause: pods without a place, nodes that are kept.",
        ("about", "code"),
    ),
    Family(
        "nodewright_placements_total",
        "Pods of which we said where they would run, by whether the scheduler put them there.",
        ("result",),
    ),
)

MONEY_HISTOGRAMS: Final = (
    Family(
        "nodewright_pod_wait_seconds",
        "How long each pod waited, from its creation: until it was decided on, bound and ready.",
        ("step",),
    ),
)

MONEY_GAUGES: Final = (
    Family(COST, "What the machines of a NodePool cost an hour, added up anew.", ("nodepool",)),
    Family("nodewright_cost_per_hour", "What all machines of NodePools cost an hour."),
    Family(
        "nodewright_idle_cost_per_hour",
        "What of that nobody asks for: the waste.",
        ("nodepool",),
    ),
    Family(
        "nodewright_namespace_cost_per_hour",
        "What the pods of a namespace cost an hour by what they ask for, half by cores and half by memory.",
        ("namespace",),
    ),
    Family(
        "nodewright_nodes_without_price",
        "Machines that no price list has, and that the costs therefore leave out.",
        ("nodepool",),
    ),
    Family(
        "nodewright_lower_bound_per_hour",
        "What the same pods would cost at least, were all nodes bought anew; no plan can go below.",
    ),
    Family(
        "nodewright_cost_gap_ratio",
        "How far what is paid was above the lower bound when that was last found: 0.1 is a tenth.",
    ),
    Family(
        "nodewright_placement_mismatch_ratio",
        "The part of the latest predicted placements that the scheduler did otherwise.",
    ),
    Family(
        "nodewright_journal_bytes",
        "How large the journal is.",
    ),
    Family(
        "nodewright_journal_writing",
        "1 while decisions are written down, 0 when the disk takes no more.",
    ),
    Family(
        "nodewright_journal_left_out", "Records that were not written, since this process began."
    ),
    Family(
        "nodewright_journal_copying",
        "1 while the journal is copied to S3, 0 when that fails; not there where no copy is wanted.",
    ),
    Family(
        "nodewright_journal_copies_waiting",
        "Closed parts of the journal that have no copy in S3 yet.",
    ),
    Family("nodewright_leading", "1 while this replica decides and acts."),
    Family(
        "leader_election_master_status",
        "1 while this replica holds the lease of that name, 0 while another does.",
        ("name",),
    ),
)
