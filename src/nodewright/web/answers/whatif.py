"""What-if: edited manifests in, and what they would do: differences, plan, nodes that go, and a forecast."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from nodewright.web.answers.shared import Answer, Verdict

MANIFESTS_MAX = 200_000
"""How many letters of manifests are read."""


class Manifest(Answer, frozen=True):
    """An object as it is now, in YAML, to be edited; user data is left out of it."""

    kind: str
    name: str
    text: str


class Manifests(Answer, frozen=True):
    """Every NodePool, node class and NodePolicy."""

    revision: int
    at: str
    manifests: tuple[Manifest, ...]


class WhatIfRequest(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What is asked: NodePools, node classes and NodePolicies as YAML; those that are named anew are added.

    With `simulateHours` the cluster and its pods are played in virtual time, once as it is and once with the change.
    """

    manifests: Annotated[str, msgspec.Meta(max_length=MANIFESTS_MAX)]
    simulate_hours: Annotated[int, msgspec.Meta(ge=0, le=48)] = 0
    seed: Annotated[int, msgspec.Meta(ge=0, le=2_147_483_647)] = 0


class Changed(Answer, frozen=True):
    """An object that the manifests change; no fields where it is new."""

    kind: str
    name: str
    fields: tuple[str, ...]
    is_new: bool


class PriceChange(Answer, frozen=True):
    """What all nodes cost an hour: now, while nodes are exchanged, and in the end."""

    before: float
    rolling: float
    after: float


class Difference(Answer, frozen=True):
    """What the change does to nodes that are there: which drift and why, which cannot go, and how long it takes."""

    changes: tuple[Changed, ...]
    drifts: Mapping[str, str]
    pools: Mapping[str, int]
    blocked: Mapping[str, Verdict]
    selectors_changed: tuple[str, ...]
    hours: float | None
    price: PriceChange


class PlanSide(Answer, frozen=True):
    """A plan for the pods that wait: nodes to be made, what they cost an hour, and who stays behind."""

    new_nodes: Mapping[str, int]
    placed: int
    unschedulable: Mapping[str, str]
    price_per_hour: float


class GoingSide(Answer, frozen=True):
    """Which nodes would go by themselves, and what all would cost an hour after that."""

    actions: tuple[str, ...]
    nodes: tuple[str, ...]
    price_before: float
    price_after: float


class Measure(Answer, frozen=True):
    """One measure of the forecast: as it is, with the change, and by how much that is more."""

    name: str
    title: str
    unit: str
    now: float
    changed: float
    difference: float


class Series(Answer, frozen=True):
    """A run over virtual time."""

    hours: tuple[float, ...]
    nodes: tuple[float, ...]
    pending: tuple[float, ...]
    price_per_hour: tuple[float, ...]


class Played(Answer, frozen=True):
    """Two runs side by side."""

    hours: float
    seed: int
    measures: tuple[Measure, ...]
    now: Series
    changed: Series


class WhatIf(Answer, frozen=True):
    """What a change would do; `findings` are what `nodewright lint` says of the manifests."""

    revision: int
    at: str
    difference: Difference
    plan_now: PlanSide
    plan_changed: PlanSide
    going_now: GoingSide
    going_changed: GoingSide
    findings: tuple[str, ...]
    played: Played | None
