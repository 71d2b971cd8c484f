"""NodePool (`karpenter.sh/v1`): what nodes may be made, and how they may be taken away."""

from typing import Annotated, Any, Final

from nodewright.model.duration import DURATION_OR_NEVER_PATTERN, DURATION_PATTERN
from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.pod import Amounts
from nodewright.model.schema import (
    LABEL_VALUE_LENGTH_MAX,
    LABEL_VALUE_PATTERN,
    ChangeRule,
    Rule,
    about,
)
from nodewright.model.schema_requirements import (
    LABEL_RULES,
    REQUIREMENTS_MAX,
    PoolRequirement,
    ResourceTaint,
    StatusCondition,
)

CONSOLIDATION_POLICIES: Final = ("WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced")
DISRUPTION_REASONS: Final = ("Underutilized", "Empty", "Drifted")
EXPIRE_AFTER_DEFAULT: Final = "720h"
BUDGETS_MAX: Final = 50
BUDGET_NODES_PATTERN: Final = r"^((100|[0-9]{1,2})%|[0-9]+)$"
BUDGET_SCHEDULE_PATTERN: Final = (
    r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|\S+(\s+\S+){4,})$"
)
BUDGET_DURATION_PATTERN: Final = r"^([0-9]+h([0-9]+m)?|[0-9]+m)(0s)?$"

type NodeLabels = Annotated[
    dict[
        str,
        Annotated[str, about("", maxLength=LABEL_VALUE_LENGTH_MAX, pattern=LABEL_VALUE_PATTERN)],
    ],
    about("Labels that every node of the pool gets.", *LABEL_RULES, maxProperties=100),
]


def _present(what: str) -> Rule:
    return Rule("self != ''", f"{what} may not be empty", lambda value: value != "")


def _unchanged(part: str) -> ChangeRule:
    return ChangeRule(
        f"self.{part} == oldSelf.{part}",
        f"nodeClassRef.{part} cannot be changed: make a new NodePool for the other {part}",
        lambda new, old: new.get(part) == old.get(part),
    )


class NodeClassRef(Struct, frozen=True):
    """The provider's class that a pool or claim is made with."""

    group: Annotated[
        str,
        about(
            "The API group of the class, such as karpenter.k8s.aws.",
            _present("nodeClassRef.group"),
            required=True,
            pattern=r"^[^/]*$",
        ),
    ] = ""
    kind: Annotated[
        str,
        about(
            "The class's kind, such as EC2NodeClass.", _present("nodeClassRef.kind"), required=True
        ),
    ] = ""
    name: Annotated[
        str, about("The class's name.", _present("nodeClassRef.name"), required=True)
    ] = ""


class NodeClaimTemplateMetadata(Struct, frozen=True):
    """Labels and annotations that every node of the pool gets."""

    labels: NodeLabels = {}
    annotations: Annotated[
        dict[str, str], about("Annotations that every node of the pool gets.")
    ] = {}


class NodeClaimTemplateSpec(Struct, frozen=True):
    """What every claim of the pool is made with."""

    node_class_ref: Annotated[
        NodeClassRef,
        about(
            "The provider's class that nodes are made with.",
            _unchanged("group"),
            _unchanged("kind"),
            required=True,
        ),
    ] = NodeClassRef()
    requirements: Annotated[
        tuple[PoolRequirement, ...],
        about(
            "What a node must be; all must hold. May be empty, not absent.",
            required=True,
            maxItems=REQUIREMENTS_MAX,
        ),
    ] = ()
    taints: Annotated[
        tuple[ResourceTaint, ...], about("Taints that keep pods away that do not tolerate them.")
    ] = ()
    startup_taints: Annotated[
        tuple[ResourceTaint, ...],
        about(
            "Taints that something else removes once the node is ready for pods; pods need not "
            "tolerate them."
        ),
    ] = ()
    expire_after: Annotated[
        str,
        about(
            "How long a node may live; Never for no end.",
            pattern=DURATION_OR_NEVER_PATTERN,
            default=EXPIRE_AFTER_DEFAULT,
        ),
    ] = EXPIRE_AFTER_DEFAULT
    termination_grace_period: Annotated[
        str | None,
        about(
            "How long a node may drain before its remaining pods are ended by force; unset for "
            "no limit.",
            pattern=DURATION_PATTERN,
        ),
    ] = None


class NodeClaimTemplate(Struct, frozen=True):
    """The claim that the pool makes."""

    metadata: Annotated[
        NodeClaimTemplateMetadata, about("Labels and annotations of the nodes.")
    ] = NodeClaimTemplateMetadata()
    spec: Annotated[
        NodeClaimTemplateSpec, about("What the nodes are made with.", required=True)
    ] = NodeClaimTemplateSpec()


class Budget(Struct, frozen=True):
    """How many nodes may be disrupted at once, when, and for which reasons."""

    nodes: Annotated[
        str,
        about(
            "How many nodes may be disrupted at once: a count, or a percentage of the pool's "
            "nodes (rounded up).",
            required=True,
            pattern=BUDGET_NODES_PATTERN,
            default="10%",
        ),
    ] = "10%"
    reasons: Annotated[
        tuple[Annotated[str, about("A reason.", enum=list(DISRUPTION_REASONS))], ...] | None,
        about("The reasons that the budget is for; unset for all.", maxItems=50),
    ] = None
    schedule: Annotated[
        str | None,
        about(
            "When the budget begins to hold: cron with five fields, or a macro such as @daily; "
            "always UTC. Needs duration.",
            pattern=BUDGET_SCHEDULE_PATTERN,
        ),
    ] = None
    duration: Annotated[
        str | None,
        about(
            "How long the budget holds after each hit of schedule, in hours and minutes. Needs "
            "schedule.",
            pattern=BUDGET_DURATION_PATTERN,
        ),
    ] = None


_BUDGET_RULE: Final = Rule(
    "has(self.schedule) == has(self.duration)",
    "schedule and duration of a budget go together: set both, or neither",
    lambda budget: (budget.get("schedule") is None) == (budget.get("duration") is None),
)
type PoolBudget = Annotated[
    Budget, about("How many nodes may be disrupted at once, and when.", _BUDGET_RULE)
]


class Disruption(Struct, frozen=True):
    """How nodes of the pool may be taken away."""

    consolidate_after: Annotated[
        str,
        about(
            "How long a node must be without pods coming or going before it may be "
            "consolidated; Never to switch consolidation off.",
            required=True,
            pattern=DURATION_OR_NEVER_PATTERN,
            default="0s",
        ),
    ] = "0s"
    consolidation_policy: Annotated[
        str,
        about(
            "Which nodes may be consolidated.",
            enum=list(CONSOLIDATION_POLICIES),
            default="WhenEmptyOrUnderutilized",
        ),
    ] = "WhenEmptyOrUnderutilized"
    budgets: Annotated[
        tuple[PoolBudget, ...],
        about(
            "How many nodes may be disrupted at once; of several that hold, the smallest counts.",
            maxItems=BUDGETS_MAX,
            default=[{"nodes": "10%"}],
        ),
    ] = (Budget(),)


class NodePoolSpec(Struct, frozen=True):
    """The wishes of a pool's owner."""

    template: Annotated[
        NodeClaimTemplate, about("What the pool's nodes are made from.", required=True)
    ] = NodeClaimTemplate()
    disruption: Annotated[
        Disruption,
        about("How nodes may be taken away.", default={"consolidateAfter": "0s"}),
    ] = Disruption()
    limits: Annotated[
        Amounts | None,
        about("The most that all nodes of the pool may have together; unset for no limit."),
    ] = None
    weight: Annotated[
        int | None,
        about(
            "Pools of greater weight are tried first; unset counts as 0.",
            minimum=1,
            maximum=100,
            format="int32",
        ),
    ] = None
    replicas: Annotated[
        int | None,
        about("Keep this many nodes whatever the pods need (a static pool).", minimum=0),
    ] = None


def _only_nodes(spec: Any) -> bool:
    return spec.get("replicas") is None or set(spec.get("limits") or ()) <= {"nodes"}


_SPEC_RULES: Final = (
    Rule(
        "!has(self.replicas) || !has(self.limits) || "
        "self.limits.size() == ('nodes' in self.limits ? 1 : 0)",
        "a NodePool with replicas may only limit nodes: remove the other limits or replicas",
        _only_nodes,
    ),
    Rule(
        "!has(self.replicas) || !has(self.weight)",
        "weight has no effect on a NodePool with replicas: remove one of the two",
        lambda spec: spec.get("replicas") is None or spec.get("weight") is None,
    ),
    ChangeRule(
        "has(self.replicas) == has(oldSelf.replicas)",
        "replicas cannot be added to or removed from an existing NodePool: make a new one",
        lambda new, old: (new.get("replicas") is None) == (old.get("replicas") is None),
    ),
)


class NodePoolStatus(Struct, frozen=True):
    """What the controllers say of the pool."""

    resources: Annotated[Amounts, about("What the pool's nodes have together.")] = {}
    nodes: Annotated[int, about("How many nodes the pool has.", default=0)] = 0
    node_class_observed_generation: Annotated[
        int | None, about("The generation of the class that was last looked at.")
    ] = None
    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()


class NodePool(Struct, frozen=True):
    """A pool of nodes that can be made on demand."""

    metadata: ObjectMeta
    spec: Annotated[
        NodePoolSpec, about("The wishes of the pool's owner.", *_SPEC_RULES, required=True)
    ] = NodePoolSpec()
    status: Annotated[NodePoolStatus, about("What the controllers say of the pool.")] = (
        NodePoolStatus()
    )
