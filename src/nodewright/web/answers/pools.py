"""NodePools: limits, room to disrupt, and drift field by field."""

from nodewright.web.answers.shared import Answer, Condition, Place, Step


class Limit(Answer, frozen=True):
    """A limit of a pool; `usedPercent` may be more than a hundred."""

    resource: str
    limit: str
    used: str
    left: str
    used_percent: float | None


class Room(Answer, frozen=True):
    """How many nodes may go now for a reason; null where nothing limits."""

    reason: str
    allowed: int | None
    used: int
    free: int | None
    closed_by: str = ""
    changes: str | None = None


class DriftField(Answer, frozen=True):
    """A field that differs: what the claim has, and what the pool or class wants."""

    field: str
    has: str
    wants: str


class Drifted(Answer, frozen=True):
    """A node that no longer is what its pool or class wants."""

    node: str
    claim: str
    reason: str
    fields: tuple[DriftField, ...]


class PoolRow(Answer, frozen=True):
    """One NodePool."""

    name: str
    node_class: str
    weight: int
    ready: bool
    code: str
    summary: str
    conditions: tuple[Condition, ...]
    nodes: int
    price_per_hour: float | None
    idle_per_hour: float | None
    nodes_without_price: int
    limits: tuple[Limit, ...]
    consolidation_policy: str
    consolidate_after: str
    expire_after: str
    budgets: tuple[str, ...]
    rooms: tuple[Room, ...]
    paused_until: str | None
    funnel: tuple[Step, ...]
    cheapest: Place | None
    taints: tuple[str, ...]
    drifted_count: int
    drifted: tuple[Drifted, ...]


class Pools(Answer, frozen=True):
    """Every NodePool; at most a hundred drifted nodes of each."""

    revision: int
    at: str
    pools: tuple[PoolRow, ...]
