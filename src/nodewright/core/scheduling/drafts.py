"""Drafts: nodes in the making.

A draft knows its pool, what labels it may still have (a `State`, shared by all drafts that agree),
what has been put on it, and, as bits, all the ways in which it may still be bought. Everything only
ever narrows, which is why most refusals stay true.
"""

from collections.abc import Mapping

from nodewright.core.scheduling.rules.ports import HostPort
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.topology import Domain, Group
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.reason import Reason
from nodewright.model.requirements import Requirement, Requirements


class State:
    """What the labels of a draft may still be, and the ways to buy that agree with it."""

    __slots__ = ("_merged", "_pinned", "_values", "bits", "requirements", "table")

    def __init__(self, table: "StateTable", requirements: Requirements, bits: Bits) -> None:
        self.table = table
        self.requirements = requirements
        self.bits = bits
        self._merged: dict[tuple[int, int], State | Reason] = {}
        self._values: dict[str, str | None] = {}
        self._pinned: dict[tuple[str, tuple[str, ...]], State] = {}

    def merge(self, wish: Wish, alternative: int) -> "State | Reason":
        """Give the state with a wish and one alternative of its volumes added, or why not."""
        key = (wish.number, alternative)
        known = self._merged.get(key)
        if known is None:
            known = self._merged[key] = self._merge(wish, alternative)
        return known

    def _merge(self, wish: Wish, alternative: int) -> "State | Reason":
        if wish.impossible:
            return Reason.LABELS_CLASH
        well_known = self.table.supply.settings.well_known
        # A label is defined by the pool, or by a pod that rules out values of it: a node gets every
        # label that its claim speaks of.
        for key, wanted in wish.requirements.items():
            if not (key in self.requirements or key in well_known or wanted.is_negative):
                return Reason.LABEL_UNDEFINED
        if self.requirements.conflict(wish.requirements) is not None:
            return Reason.LABELS_CLASH
        merged = self.requirements
        if wish.requirements:
            merged = merged.with_all(wish.requirements.values())
        volumes = wish.alternatives[alternative]
        if volumes:
            if merged.clash(volumes, well_known) is not None:
                return Reason.VOLUME_ELSEWHERE
            merged = merged.with_all(volumes.values())
        return self.table.intern(merged, self)

    def pin(self, key: str, *values: str) -> "State":
        """Give the state with one label held to one value, or to a few."""
        known = self._pinned.get((key, values))
        if known is None:
            fixed = Requirement(key, False, frozenset(values))
            known = self.table.intern(self.requirements.with_all((fixed,)), self)
            self._pinned[(key, values)] = known
        return known

    def value(self, key: str) -> str | None:
        """Give the one value that a label has, if it is down to one."""
        values = self._values
        if key in values:
            return values[key]
        requirement = self.requirements.get(key)
        single = (
            requirement is not None and not requirement.complement and len(requirement.values) == 1
        )
        value = values[key] = min(requirement.values) if requirement and single else None
        return value


class StateTable:
    """All states of one pool's drafts; equal ones are the same object."""

    def __init__(self, supply: Supply) -> None:
        self.supply = supply
        self._states: dict[Requirements, State] = {}
        bits = supply.everything
        for requirement in supply.requirements.values():
            bits &= supply.meeting(requirement)
        self.start = State(self, supply.requirements, bits)
        self._states[supply.requirements] = self.start

    def intern(self, requirements: Requirements, parent: State) -> State:
        """Give the one state with these requirements, made from its parent if it is new."""
        known = self._states.get(requirements)
        if known is None:
            bits = parent.bits
            for key, requirement in requirements.items():
                if parent.requirements.get(key) != requirement:
                    bits &= self.supply.meeting(requirement)
            known = self._states[requirements] = State(self, requirements, bits)
        return known


class Draft:
    """A node in the making."""

    __slots__ = (
        "anchor",
        "bits",
        "held",
        "loads",
        "min_values",
        "min_values_relaxed",
        "number",
        "pod_count",
        "ports",
        "spots",
        "stale",
        "state",
        "supply",
        "tally",
        "totals",
        "unsure",
    )

    def __init__(self, number: int, state: State, resources: int) -> None:
        self.number = number
        self.supply = state.table.supply
        self.state = state
        self.bits: Bits = state.bits
        self.totals = [0] * resources
        self.loads: dict[tuple[Shape, int], int] = {}
        self.pod_count = 0
        self.ports: list[HostPort] = []
        self.held: frozenset[str] = frozenset()
        self.anchor: Mapping[str, int] = {}
        self.min_values: Mapping[str, int] = {}
        self.min_values_relaxed = False
        self.stale = False
        # How many of its pods each group counts, in which domains they were counted, and for which
        # groups it is open whether the node takes part.
        self.tally: dict[Group, int] = {}
        self.spots: dict[Group, tuple[Domain, ...]] = {}
        self.unsure: set[Group] = set()

    def copy(self) -> "Draft":
        """Give a copy that shares nothing that changes."""
        other = Draft(self.number, self.state, 0)
        other.restore(self)
        return other

    def restore(self, other: "Draft") -> None:
        """Take over everything from another draft."""
        self.state = other.state
        self.bits = other.bits
        self.totals = list(other.totals)
        self.loads = dict(other.loads)
        self.pod_count = other.pod_count
        self.ports = list(other.ports)
        self.held = other.held
        self.anchor = other.anchor
        self.min_values = other.min_values
        self.min_values_relaxed = other.min_values_relaxed
        self.stale = other.stale
        self.tally = dict(other.tally)
        self.spots = dict(other.spots)
        self.unsure = set(other.unsure)

    def empty(self, start: State, min_values: Mapping[str, int]) -> None:
        """Begin again with nothing on it."""
        fresh = Draft(self.number, start, len(self.totals))
        fresh.min_values = min_values
        self.restore(fresh)
