"""The values that faces draw: a cluster at one instant, as a person looks at it.

Money is in nano-dollars, an hour where the name ends so; instants are milliseconds since the epoch and
end in `_ms`; amounts of resources are in thousandths. `None` is what nobody knows, and is drawn as `?`.
Nothing here grows old by itself: ages and waits are made from instants by whoever draws, so that a row
of a node that has not changed is the same object from one look to the next.
"""

from enum import StrEnum

import msgspec

from nodewright.model.quantity import Milli

type Nano = int
"""Thousand-millionths of the price list's currency."""


class Value(msgspec.Struct, frozen=True, rename="camel"):
    """Something that is shown."""


class Origin(Value, frozen=True):
    """What is looked at: a live cluster, a snapshot, a simulation, or a controller's own cluster."""

    kind: str
    name: str = ""
    region: str = ""
    kubernetes: str = ""
    leader: str = ""
    price_source: str = ""
    priced_at_ms: int | None = None


class Amount(Value, frozen=True):
    """How much of one resource pods ask for, how much there is for them, and how much they use."""

    requested: Milli = 0
    allocatable: Milli = 0
    used: Milli | None = None

    @property
    def share(self) -> float | None:
        """The part that is asked for; nothing where there is none."""
        return self.requested / self.allocatable if self.allocatable > 0 else None

    @property
    def used_share(self) -> float | None:
        """The part that is used; nothing where nobody measures it."""
        if self.used is None or self.allocatable <= 0:
            return None
        return self.used / self.allocatable


class Verb(StrEnum):
    """What becomes of a node next, in one word."""

    KEEP = "keep"
    GO = "go"
    WAIT = "wait"
    UNKNOWN = "?"


class Next(Value, frozen=True):
    """What becomes of a node, why (by code and in a sentence), who blocks, and when that may change."""

    verb: Verb = Verb.UNKNOWN
    code: str = ""
    reason: str = ""
    text: str = ""
    blockers: tuple[str, ...] = ()
    until_ms: int | None = None
    decision: str = ""


class NodeRow(Value, frozen=True):
    """One node, or a claim whose node has not come yet (`is_node` is false, `name` is the claim's).

    `state` is one word, `state_detail` what it waits for. `pods_expected` are planned and not there yet.
    """

    name: str
    claim: str = ""
    is_node: bool = True
    node_pool: str = ""
    instance_type: str = ""
    capacity_type: str = ""
    zone: str = ""
    cpu: Amount = Amount()
    memory: Amount = Amount()
    pods: int = 0
    pods_max: int | None = None
    pods_expected: int = 0
    price_nanousd_hour: Nano | None = None
    price_is_estimate: bool = False
    idle_nanousd_hour: Nano | None = None
    made_ms: int | None = None
    state: str = "Unknown"
    state_since_ms: int | None = None
    state_detail: str = ""
    is_fault: bool = False
    next: Next = Next()


class LimitRow(Value, frozen=True):
    """What a pool may have of a resource, and has."""

    resource: str
    limit: Milli
    used: Milli


class BudgetRow(Value, frozen=True):
    """What a pool's budgets come to now for one reason.

    `allowed` and `free` are None where nothing limits. `until_ms` is when a window opens or closes next,
    `opens_ms` when what holds at zero ends, `closed_by` what that is.
    """

    reason: str
    allowed: int | None
    free: int | None
    used: int
    total: int
    until_ms: int | None = None
    opens_ms: int | None = None
    closed_by: str = ""
    broken: str = ""


class PoolRow(Value, frozen=True):
    """One NodePool: its nodes, limits, budgets and who spends them, and its money."""

    name: str
    node_class: str = ""
    weight: int | None = None
    nodes: int = 0
    spot: int = 0
    claims: int = 0
    going: int = 0
    cpu: Amount = Amount()
    memory: Amount = Amount()
    limits: tuple[LimitRow, ...] = ()
    budgets: tuple[BudgetRow, ...] = ()
    spenders: tuple[str, ...] = ()
    paused_until_ms: int | None = None
    pause_reason: str = ""
    price_nanousd_hour: Nano = 0
    idle_nanousd_hour: Nano = 0
    unpriced: int = 0

    @property
    def tightest(self) -> BudgetRow | None:
        """The budget with the least room; nothing where none limits."""
        held = [one for one in self.budgets if one.free is not None]
        return min(held, key=lambda one: one.free or 0, default=None)


class PodRow(Value, frozen=True):
    """One pod of a node: what it asks for and uses, whether it may be moved, and what stands against it."""

    key: str
    workload: str = ""
    phase: str = ""
    cpu: Milli = 0
    memory: Milli = 0
    cpu_used: Milli | None = None
    memory_used: Milli | None = None
    is_daemon: bool = False
    eviction: str = ""
    code: str = ""
    blockers: tuple[str, ...] = ()
    until_ms: int | None = None
    since_ms: int | None = None
    price_nanousd_hour: Nano | None = None


class PoolWord(Value, frozen=True):
    """Why one pool can make no node for a pod."""

    name: str
    code: str
    reason: str


class PendingPod(Value, frozen=True):
    """A pod that waits, and since when."""

    key: str
    since_ms: int | None = None


class PendingCause(Value, frozen=True):
    """Pods that wait for the same cause: the most are listed, all are counted.

    `is_refused` tells those that nothing can be made for from those that only have to wait a little.
    """

    code: str
    title: str
    summary: str
    is_refused: bool
    count: int
    pods: tuple[PendingPod, ...]
    node_pools: tuple[PoolWord, ...] = ()
    since_ms: int | None = None
    decision: str = ""


class DecisionRow(Value, frozen=True):
    """One decision: when, what in one word, one line, what it costs or saves an hour, and its id."""

    id: str
    at_ms: int
    verb: str
    text: str
    code: str = ""
    reason: str = ""
    subject: str = ""
    price_nanousd_hour: Nano | None = None
    outcome: str = ""
    until_ms: int | None = None


class SpendRow(Value, frozen=True):
    """What one pool, namespace or workload costs an hour, and the part of it that is idle."""

    name: str
    price_nanousd_hour: Nano
    idle_nanousd_hour: Nano | None = None
    nodes: int = 0
    pods: int = 0
    unpriced: int = 0


class MoneyView(Value, frozen=True):
    """Where the money goes: by pool, namespace and workload, dearest first.

    What a node costs is shared out by what pods ask for; `infra_idle` is paid and not asked for,
    `workload_idle` asked for and not used (None where nobody measures use). `saved_today` is what
    commands of today have saved so far, `saved_unknown` how many of them have no known price.
    """

    pools: tuple[SpendRow, ...] = ()
    namespaces: tuple[SpendRow, ...] = ()
    workloads: tuple[SpendRow, ...] = ()
    total_nanousd_hour: Nano = 0
    infra_idle_nanousd_hour: Nano = 0
    workload_idle_nanousd_hour: Nano | None = None
    unpriced: int = 0
    estimated: int = 0
    saved_today_nanousd: Nano | None = None
    saved_nanousd_hour: Nano = 0
    saved_unknown: int = 0


class Head(Value, frozen=True):
    """The cluster at a glance; pods are those that have not ended, pending ones have no node."""

    nodes: int = 0
    spot: int = 0
    on_demand: int = 0
    reserved: int = 0
    claims: int = 0
    faults: int = 0
    pods: int = 0
    pods_running: int = 0
    pods_pending: int = 0
    pods_refused: int = 0
    cpu: Amount = Amount()
    memory: Amount = Amount()


class View(Value, frozen=True):
    """A cluster at one instant.

    `is_complete` tells whether everything was judged; before that, what nobody judged is a `?`.
    `problems` are what could not be had, each in one sentence.
    """

    now_ms: int
    origin: Origin
    head: Head = Head()
    money: MoneyView = MoneyView()
    pools: tuple[PoolRow, ...] = ()
    nodes: tuple[NodeRow, ...] = ()
    pending: tuple[PendingCause, ...] = ()
    decisions: tuple[DecisionRow, ...] = ()
    is_complete: bool = True
    problems: tuple[str, ...] = ()
