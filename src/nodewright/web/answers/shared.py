"""What the answers of several routes have in common."""

from collections.abc import Mapping
from typing import Literal

import msgspec


class Answer(msgspec.Struct, frozen=True, rename="camel"):
    """Something published, with fields in Kubernetes' spelling."""


class Problem(Answer, frozen=True):
    """Why a request has no answer: one sentence, its code, and what to do."""

    message: str
    code: str = ""
    advice: str = ""


class Share(Answer, frozen=True):
    """A resource of many nodes: how much is asked for, how much there is, and what is really used."""

    requested: str
    allocatable: str
    requested_percent: float | None
    used_percent: float | None = None


type Origin = Literal["live", "snapshot", "simulation"]


class Head(Answer, frozen=True):
    """What stands above every page."""

    cluster: str
    region: str
    source: Origin
    version: str
    kubernetes: str
    leader: str
    at: str
    revision: int
    currency: str
    nodes: int
    capacity_types: Mapping[str, int]
    pods: int
    pods_pending: int
    cpu: Share
    memory: Share
    price_per_hour: float | None
    price_per_month: float | None
    price_is_estimate: bool
    nodes_without_price: int
    idle_per_hour: float | None
    saved_today: float | None


class Sentence(Answer, frozen=True):
    """One sentence about now or what comes next; `page` is where more of it stands."""

    text: str
    code: str = ""
    subject: str = ""
    page: Literal["", "nodes", "pending", "decisions", "pools", "health"] = ""
    at: str | None = None


class Condition(Answer, frozen=True):
    """A condition of an object."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: str | None = None


class Verdict(Answer, frozen=True):
    """Why something stays or goes: the code, the sentence, who blocks, and when that may change."""

    code: str
    summary: str
    blockers: tuple[str, ...] = ()
    until: str | None = None


class Place(Answer, frozen=True):
    """Where a pod goes: a node that is there, or one to be made."""

    text: str
    node: str = ""
    node_pool: str = ""
    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""
    price_per_hour: float = 0.0


class Step(Answer, frozen=True):
    """A step of a funnel: the rule, what it is about, how many types it leaves, and the words for it."""

    rule: str
    subject: str
    left: int
    title: str


class DecisionRow(Answer, frozen=True):
    """A decision in one line; `outcome` is empty while nothing came of it, `price` is what it adds an hour."""

    id: str
    at: str
    controller: str
    kind: str
    subject: str
    reason: str
    note: str = ""
    cause: str = ""
    outcome: str = ""
    message: str = ""
    node_pool: str = ""
    nodes: tuple[str, ...] = ()
    pods: int = 0
    price_per_hour: float | None = None
