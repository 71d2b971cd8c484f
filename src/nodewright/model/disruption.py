"""Disruption as values: which nodes go, what replaces them, where their pods go, and who stays.

A command is one step that is taken or not taken as a whole: its replacements come up first, then its
nodes go. Commands of one answer do not touch each other: no pod is moved twice, and no node takes pods
in one and goes in another. What a process must remember between two answers is a Memory; it is part of
the World, so that every answer can be given again.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from nodewright.model.instance import NanoUSD
from nodewright.model.keeping import Keeping
from nodewright.model.plan import PlannedNode

EMPTY: Final = "Empty"
DRIFTED: Final = "Drifted"
UNDERUTILIZED: Final = "Underutilized"
EXPIRED: Final = "Expired"
UNHEALTHY: Final = "Unhealthy"


class Method(StrEnum):
    """What a command was found by, in the order in which they are asked."""

    EMPTINESS = "Emptiness"
    STATIC_DRIFT = "StaticDrift"
    DRIFT = "Drift"
    MULTI = "MultiNodeConsolidation"
    SINGLE = "SingleNodeConsolidation"


class Leaving(msgspec.Struct, frozen=True):
    """A node that goes in a command, and what it costs; pods are those that have to move."""

    node: str
    claim: str
    node_pool: str
    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""
    price: NanoUSD = NanoUSD(0)
    pods: tuple[str, ...] = ()


class Score(msgspec.Struct, frozen=True):
    """What a Balanced pool thinks of a move, in thousandths: savings over disruption, and each of them."""

    node_pool: str
    score: int
    savings: int
    cost: int
    is_enough: bool


class Command(msgspec.Struct, frozen=True):
    """Nodes that go together, the nodes that are made for them first, and where each pod goes.

    `moves` has, for every pod that moves, the name of an existing node or the index of a replacement.
    `move_cost` is the sum of the pods' eviction costs in thousandths.
    """

    reason: str
    method: Method
    nodes: tuple[Leaving, ...]
    replacements: tuple[PlannedNode, ...] = ()
    moves: Mapping[str, str | int] = {}
    savings: NanoUSD = NanoUSD(0)
    move_cost: int = 0
    detail: str = ""
    scores: tuple[Score, ...] = ()

    @property
    def is_delete(self) -> bool:
        """Whether nothing has to be made first."""
        return not self.replacements


class Kept(msgspec.Struct, frozen=True):
    """Why a node stays: the reason, its numbers, who blocks, and when the answer may change.

    `until_ms` is None where no instant is known: it changes when the cluster does.
    """

    node: str
    reason: Keeping
    values: Mapping[str, str | int] = {}
    blockers: tuple[str, ...] = ()
    until_ms: int | None = None

    @property
    def code(self) -> str:
        """The code of the reason."""
        return self.reason.code


class Forceful(msgspec.Struct, frozen=True):
    """A node that goes whatever budgets say: it is too old, or has been unhealthy for too long."""

    reason: str
    node: str
    claim: str
    node_pool: str = ""
    detail: str = ""


class Allowance(msgspec.Struct, frozen=True):
    """What the budgets of one pool come to at one instant, for one reason.

    `allowed` is None where nothing limits; `free` is what is left of it, and of rates. `until_ms` is
    when a window opens or closes next, `closed_by` names what holds at zero, and `opens_ms` is when that
    ends.
    """

    node_pool: str
    reason: str
    total: int
    used: int
    allowed: int | None
    free: int | None
    until_ms: int | None = None
    opens_ms: int | None = None
    closed_by: str = ""
    broken: str = ""


class Running(msgspec.Struct, frozen=True, rename="camel"):
    """A command that was started and is not done: its nodes are not asked again."""

    id: str
    reason: str
    nodes: tuple[str, ...]
    replacements: tuple[str, ...] = ()
    started_ms: int = 0


class Swap(msgspec.Struct, frozen=True, rename="camel"):
    """A replacement that was made: which types of a pool became which, when."""

    node_pool: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    at_ms: int


class Backoff(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How often replacements of a pool failed in a row, the last such command, and how long it waits."""

    failures: int
    until_ms: int
    last: str = ""


class Wave(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How far a drifting pool has come: the wave's size, who goes in it, and what replaces them.

    `failed` counts what went wrong, and `failures` names the latest of it, so that nothing counts twice.
    `settled_ms` is since when all of the wave are gone.
    """

    target: str
    size: int
    gone: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    failed: int = 0
    failures: tuple[str, ...] = ()
    settled_ms: int | None = None


class Memory(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What disruption knows beside the objects of a cluster.

    `nominated` has, by node, until when pods are expected there. `gone_ms` has, by pool, when nodes
    went, `moved_ms` by workload when its pods were moved, and `movers` by pool the workloads that were
    moved from its nodes. `provider_drift` is what the provider says of claims that no longer match their
    class, by name. `proposed` says of nodes since when they would go,
    for moves that are looked at twice before they are made.
    """

    running: tuple[Running, ...] = ()
    nominated: Mapping[str, int] = {}
    gone_ms: Mapping[str, tuple[int, ...]] = {}
    moved_ms: Mapping[str, tuple[int, ...]] = {}
    movers: Mapping[str, tuple[str, ...]] = {}
    swaps: tuple[Swap, ...] = ()
    backoffs: Mapping[str, Backoff] = {}
    waves: Mapping[str, Wave] = {}
    provider_drift: Mapping[str, str] = {}
    proposed: Mapping[str, int] = {}


class RepairRule(msgspec.Struct, frozen=True):
    """A node condition that means a node is broken once it has held for so long."""

    condition: str
    status: str
    after_ms: int


_MINUTE_MS: Final = 60_000
AWS_RULES: Final = (
    RepairRule("Ready", "False", 30 * _MINUTE_MS),
    RepairRule("Ready", "Unknown", 30 * _MINUTE_MS),
    RepairRule("AcceleratedHardwareReady", "False", 10 * _MINUTE_MS),
    RepairRule("StorageReady", "False", 30 * _MINUTE_MS),
    RepairRule("NetworkingReady", "False", 30 * _MINUTE_MS),
    RepairRule("KernelReady", "False", 30 * _MINUTE_MS),
    RepairRule("ContainerRuntimeReady", "False", 30 * _MINUTE_MS),
)
"""What EKS' agents and the kubelet say of a broken node, and how long it is tolerated."""


class Settings(msgspec.Struct, frozen=True):
    """What changes how disruption is decided, beside the options of the World.

    With `to_end` waits and budgets are left out, and it is decided until nothing is left to gain; with
    `anew` all nodes that may go are planned together before they are looked at one by one.
    """

    to_end: bool = False
    anew: bool = False
    repair_rules: tuple[RepairRule, ...] = ()
    payback_ms: int = 4 * 3_600_000
    pod_move_price: NanoUSD = NanoUSD(1_000_000)


class Decided(msgspec.Struct, frozen=True):
    """The answer: commands in order, who goes by force, why all others stay, and the price."""

    commands: tuple[Command, ...] = ()
    forceful: tuple[Forceful, ...] = ()
    kept: Mapping[str, Kept] = {}
    allowances: tuple[Allowance, ...] = ()
    price_before: NanoUSD = NanoUSD(0)
    price_after: NanoUSD = NanoUSD(0)
    look_again_ms: int | None = None
