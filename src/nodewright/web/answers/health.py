"""Health: what doctor finds, what is sold out, how far the queue is behind, and who runs which version."""

from typing import Literal

from nodewright.web.answers.shared import Answer, Condition


class Finding(Answer, frozen=True):
    """One thing that is wrong, and the commands that mend it."""

    code: str
    severity: Literal["error", "warning", "info"]
    area: str
    message: str
    cause: str
    objects: tuple[str, ...]
    facts: tuple[str, ...]
    fix: tuple[str, ...]
    fixable: bool


class Unknown(Answer, frozen=True):
    """A check that could not be made, and why."""

    code: str
    area: str
    why: str


type Sign = Literal["ok", "warning", "problem", "unknown"]


class Area(Answer, frozen=True):
    """A part of the installation and its sign."""

    name: str
    sign: Sign


class SoldOut(Answer, frozen=True):
    """An offering that is not asked for until then."""

    instance_type: str
    zone: str
    capacity_type: str
    until: str | None
    reason: str


class Queue(Answer, frozen=True):
    """The queue of interruptions: how long its latest message had waited, and why nothing can be heard."""

    name: str
    lag_seconds: float | None
    fault: str = ""


class Version(Answer, frozen=True):
    """Who runs which version."""

    name: str
    version: str


class Health(Answer, frozen=True):
    """The state of the installation; `examined` says when and by whom it was looked at, empty where by nobody."""

    revision: int
    at: str
    examined: str
    passed: int
    findings: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]
    areas: tuple[Area, ...]
    conditions: tuple[Condition, ...]
    sold_out: tuple[SoldOut, ...]
    queue: Queue | None
    versions: tuple[Version, ...]
    clients: int
