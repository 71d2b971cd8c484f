"""NodePolicy (`nodewright.dev/v1alpha1`): what we add to Karpenter's resources, beside them.

Karpenter's own kinds stay as they are, so that its chart and ours can follow each other. A policy
selects NodePools by name or label; what it leaves out stays as Karpenter does it. Where several
policies select one pool, the stricter value of each field counts.
"""

from typing import Annotated, Final

from nodewright.model.duration import DURATION_OR_NEVER_PATTERN, DURATION_PATTERN
from nodewright.model.ec2nodeclass_terms import has
from nodewright.model.metadata import LabelSelectorRequirement, ObjectMeta, Struct
from nodewright.model.nodepool import (
    BUDGET_DURATION_PATTERN,
    BUDGET_NODES_PATTERN,
    BUDGET_SCHEDULE_PATTERN,
    BUDGETS_MAX,
    DISRUPTION_REASONS,
)
from nodewright.model.schema import Rule, about
from nodewright.model.schema_requirements import StatusCondition

MOVES: Final = ("Empty", "Delete", "Replace", "Merge")
"""Take away empty nodes; nodes whose pods fit elsewhere; one for a cheaper one; many for cheaper."""

REPLACE: Final = "Replace"
REBALANCE: Final = ("Ignore", REPLACE)
COST_PATTERN: Final = r"^[0-9]{1,9}(\.[0-9]{1,9})?$"
TIME_ZONE_PATTERN: Final = r"^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}$"


class NodePoolSelector(Struct, frozen=True):
    """Which NodePools; all that is written must hold, and nothing written selects all."""

    names: Annotated[tuple[str, ...], about("NodePools by name.", maxItems=100)] = ()
    match_labels: Annotated[
        dict[str, str], about("Labels that a NodePool must have.", maxProperties=100)
    ] = {}
    match_expressions: Annotated[
        tuple[
            Annotated[
                LabelSelectorRequirement,
                about(
                    "A condition on one label of a NodePool.",
                    needs=("key", "operator"),
                    properties={
                        "key": {"description": "The label's key."},
                        "operator": {
                            "description": "How the label's value relates to the values.",
                            "enum": ["In", "NotIn", "Exists", "DoesNotExist"],
                        },
                        "values": {"description": "The values, for In and NotIn."},
                    },
                ),
            ],
            ...,
        ],
        about("Conditions on the labels of a NodePool.", maxItems=100),
    ] = ()


class Timers(Struct, frozen=True):
    """How long a node must be quiet, by the reason that it would go for."""

    empty: Annotated[str | None, about("For empty nodes.", pattern=DURATION_OR_NEVER_PATTERN)] = (
        None
    )
    underutilized: Annotated[
        str | None,
        about("For nodes that are not worth their price.", pattern=DURATION_OR_NEVER_PATTERN),
    ] = None
    drifted: Annotated[
        str | None, about("For nodes that no longer match.", pattern=DURATION_OR_NEVER_PATTERN)
    ] = None


class Rate(Struct, frozen=True):
    """How many nodes may go in a length of time."""

    nodes: Annotated[
        str,
        about(
            "A count, or a percentage of the pool's nodes.",
            required=True,
            pattern=BUDGET_NODES_PATTERN,
        ),
    ] = ""
    per: Annotated[str, about("The length of time.", required=True, pattern=DURATION_PATTERN)] = ""


class PolicyBudget(Struct, frozen=True):
    """A budget as in a NodePool, with a time zone, dates and a rate."""

    nodes: Annotated[
        str | None,
        about("How many nodes may be disrupted at once.", pattern=BUDGET_NODES_PATTERN),
    ] = None
    rate: Annotated[Rate | None, about("How many nodes may go in a length of time.")] = None
    reasons: Annotated[
        tuple[Annotated[str, about("A reason.", enum=list(DISRUPTION_REASONS))], ...] | None,
        about("The reasons that the budget is for; unset for all.", maxItems=50),
    ] = None
    schedule: Annotated[
        str | None,
        about("When the budget begins to hold, as cron.", pattern=BUDGET_SCHEDULE_PATTERN),
    ] = None
    duration: Annotated[
        str | None, about("How long it holds after each hit.", pattern=BUDGET_DURATION_PATTERN)
    ] = None
    time_zone: Annotated[
        str | None,
        about(
            "The IANA time zone of schedule, such as Asia/Seoul; unset for UTC.",
            pattern=TIME_ZONE_PATTERN,
            maxLength=64,
        ),
    ] = None
    not_before: Annotated[
        str | None, about("The budget holds only from this time on.", format="date-time")
    ] = None
    not_after: Annotated[
        str | None, about("The budget holds only until this time.", format="date-time")
    ] = None


_BUDGET_RULES: Final = (
    Rule(
        "has(self.schedule) == has(self.duration)",
        "schedule and duration of a budget go together: set both, or neither",
        lambda budget: has(budget, "schedule") == has(budget, "duration"),
    ),
    Rule(
        "has(self.nodes) || has(self.rate)",
        "a budget needs nodes (how many at once) or rate (how many in a length of time)",
        lambda budget: has(budget, "nodes", "rate"),
    ),
    Rule(
        "!has(self.timeZone) || has(self.schedule)",
        "timeZone needs a schedule that it is for",
        lambda budget: not has(budget, "timeZone") or has(budget, "schedule"),
    ),
)


class Waves(Struct, frozen=True):
    """Drift in growing waves: 1, 2, 4 … nodes, with a look at their health in between."""

    first: Annotated[int, about("Nodes in the first wave.", minimum=1, maximum=1000, default=1)] = 1
    factor: Annotated[
        int, about("How much larger each wave is.", minimum=1, maximum=10, default=2)
    ] = 2
    soak: Annotated[
        str,
        about("How long a wave must stay healthy.", pattern=DURATION_PATTERN, default="10m"),
    ] = "10m"
    failures_max: Annotated[
        int, about("How many nodes may fail before all stops.", minimum=0, default=0)
    ] = 0


class PolicyLimits(Struct, frozen=True):
    """The most that the selected NodePools may use together."""

    cost_per_hour: Annotated[
        str | None,
        about("Money per hour, in the currency of the price list.", pattern=COST_PATTERN),
    ] = None


class Pause(Struct, frozen=True):
    """No node is taken away of our own will until the time is over."""

    until: Annotated[str, about("When it ends.", required=True, format="date-time")] = ""
    reason: Annotated[
        str, about("Why, for everybody who wonders.", required=True, minLength=1, maxLength=512)
    ] = ""


class NodePolicySpec(Struct, frozen=True):
    """What is different for the selected NodePools."""

    node_pools: Annotated[NodePoolSelector, about("Which NodePools; unset for all.")] = (
        NodePoolSelector()
    )
    min_node_age: Annotated[
        str | None,
        about("Nodes younger than this are not consolidated.", pattern=DURATION_PATTERN),
    ] = None
    payback: Annotated[
        str | None,
        about("A move must earn back its cost within this time.", pattern=DURATION_PATTERN),
    ] = None
    moves: Annotated[
        tuple[Annotated[str, about("A kind of move.", enum=list(MOVES))], ...] | None,
        about("The kinds of moves that are allowed; unset for all.", maxItems=len(MOVES)),
    ] = None
    timers: Annotated[
        Timers | None,
        about("How long a node must be quiet, by reason; unset for consolidateAfter."),
    ] = None
    budgets: Annotated[
        tuple[
            Annotated[PolicyBudget, about("How many nodes may go, and when.", *_BUDGET_RULES)], ...
        ],
        about("Budgets beside those of the NodePool; the smallest counts.", maxItems=BUDGETS_MAX),
    ] = ()
    waves: Annotated[Waves | None, about("Replace drifted nodes in growing waves.")] = None
    limits: Annotated[
        PolicyLimits | None, about("The most that the selected NodePools may use together.")
    ] = None
    initialization_timeout: Annotated[
        str | None,
        about("A node that is not ready after this time is replaced.", pattern=DURATION_PATTERN),
    ] = None
    rebalance: Annotated[
        str | None,
        about("What a rebalance recommendation of EC2 does.", enum=list(REBALANCE)),
    ] = None
    pause: Annotated[Pause | None, about("Take no node away of our own will until a time.")] = None


class NodePolicyStatus(Struct, frozen=True):
    """Whom the policy holds for."""

    node_pools: Annotated[int, about("How many NodePools it selects.", default=0)] = 0
    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()


class NodePolicy(Struct, frozen=True):
    """What is different for some NodePools."""

    metadata: ObjectMeta
    spec: Annotated[
        NodePolicySpec, about("What is different for the selected NodePools.", required=True)
    ] = NodePolicySpec()
    status: Annotated[NodePolicyStatus, about("Whom the policy holds for.")] = NodePolicyStatus()
