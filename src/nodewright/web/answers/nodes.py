"""Nodes: the long table, and one of them in full."""

from collections.abc import Mapping

from nodewright.web.answers.shared import Answer, Condition, DecisionRow, Verdict


class Nodes(Answer, frozen=True):
    """Every node and every claim that has no node yet, as columns of one length.

    With `?since=REVISION` only rows that changed since then, and in `gone` the names of those that are no
    more; `whole` says that these are all rows all the same, since it is too long ago. `labels` has a column for
    each `?label=KEY`; `labelKeys` are those that could be asked for.
    """

    revision: int
    at: str
    whole: bool
    name: tuple[str, ...]
    node_pool: tuple[str, ...]
    instance_type: tuple[str, ...]
    capacity_type: tuple[str, ...]
    zone: tuple[str, ...]
    price_per_hour: tuple[float | None, ...]
    cpu_percent: tuple[float | None, ...]
    memory_percent: tuple[float | None, ...]
    cpu_used_percent: tuple[float | None, ...]
    memory_used_percent: tuple[float | None, ...]
    pods: tuple[int, ...]
    pods_max: tuple[int | None, ...]
    state: tuple[str, ...]
    since: tuple[str | None, ...]
    code: tuple[str, ...]
    reason: tuple[str, ...]
    next: tuple[str, ...]
    idle_per_hour: tuple[float | None, ...]
    created: tuple[str | None, ...]
    labels: Mapping[str, tuple[str, ...]] = {}
    label_keys: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class Amount(Answer, frozen=True):
    """One resource of a node."""

    resource: str
    allocatable: str
    requested: str
    free: str
    requested_percent: float | None
    used_percent: float | None = None


class NodePod(Answer, frozen=True):
    """A pod of a node: what it asks for, and whether it may be moved; `blockers` are what holds it there."""

    namespace: str
    name: str
    owner: str
    phase: str
    requests: Mapping[str, str]
    cpu_percent: float | None
    memory_percent: float | None
    is_daemon: bool
    is_evictable: bool
    code: str = ""
    reason: str = ""
    blockers: tuple[str, ...] = ()
    cpu_used_percent: float | None = None
    memory_used_percent: float | None = None


class Rule(Answer, frozen=True):
    """A rule that was asked: its name, the words for it, whether it applies, and why it says no."""

    name: str
    title: str
    applies: bool
    verdict: Verdict | None = None


class Action(Answer, frozen=True):
    """What would be done with a node now: who goes with it, what replaces them, where its pods go."""

    reason: str
    nodes: tuple[str, ...]
    replacements: tuple[str, ...]
    moves: Mapping[str, str]
    savings_per_hour: float


class Staying(Answer, frozen=True):
    """Whether a node goes, and what every rule says to that."""

    goes: bool
    verdict: Verdict | None
    price_per_day: float | None
    drift: str
    checks: tuple[Rule, ...] = ()
    reasons: tuple[Rule, ...] = ()
    action: Action | None = None


class Refused(Answer, frozen=True):
    """Waiting pods that a rule keeps off a node."""

    code: str
    reason: str
    pods: tuple[str, ...]


class NodePage(Answer, frozen=True):
    """One node: what it is, its pods, why it stays or goes, and its decisions."""

    revision: int
    at: str
    name: str
    claim: str
    node_pool: str
    node_class: str
    instance_type: str
    capacity_type: str
    zone: str
    price_per_hour: float | None
    state: str
    code: str
    reason: str
    next: str
    created: str | None
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    resources: tuple[Amount, ...]
    conditions: tuple[Condition, ...]
    pods: tuple[NodePod, ...]
    staying: Staying
    takes: tuple[str, ...] = ()
    refuses: tuple[Refused, ...] = ()
    decisions: tuple[DecisionRow, ...] = ()
