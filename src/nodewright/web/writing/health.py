"""How the installation is: what doctor found where it was asked, and what the cluster itself tells."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Final

import msgspec

from nodewright.core.checkup import CHECKUP
from nodewright.doctor.report import Report, publish
from nodewright.model.instance import InstanceType
from nodewright.model.instant import print_instant
from nodewright.model.kinds import BY_STRUCT
from nodewright.model.world import World
from nodewright.view.values import View
from nodewright.web.answers.health import (
    Area,
    Finding,
    Health,
    Queue,
    Sign,
    SoldOut,
    Unknown,
    Version,
)
from nodewright.web.answers.shared import Condition

SOLD_OUT_MAX: Final = 300
_SIGNS: Final[Mapping[str, Sign]] = {"✓": "ok", "!": "warning", "✗": "problem", "?": "unknown"}


class Examined(msgspec.Struct, frozen=True):
    """What is known beside the view: doctor's report, what replicas say of themselves, and the queue."""

    report: Report | None = None
    by_whom: str = ""
    conditions: tuple[Condition, ...] = ()
    queue: Queue | None = None


def write_health(view: View, revision: int, world: World | None, known: Examined) -> Health:
    """Write the page of health."""
    report = known.report
    findings = [*_findings(report), *_remarks(world)]
    told = tuple(Condition("Seen", "False", "Problem", one) for one in view.problems)
    return Health(
        revision=revision,
        at=print_instant(view.now_ms),
        examined=known.by_whom,
        passed=len(report.passed) if report is not None else 0,
        findings=tuple(findings),
        unknown=tuple(
            Unknown(one.code, one.section, one.why.into("en"))
            for one in (report.unknown if report is not None else ())
        ),
        areas=tuple(_areas(report)),
        conditions=(*known.conditions, *told),
        sold_out=tuple(_sold_out(world)),
        queue=known.queue,
        versions=tuple(_versions(view)),
        clients=0,
    )


def _areas(report: Report | None) -> Iterator[Area]:
    if report is not None:
        for one in report.sections:
            yield Area(one, _SIGNS[report.sign(one)])


def _findings(report: Report | None) -> Iterator[Finding]:
    if report is None:
        return
    for one, found in zip(publish(report).findings, report.found, strict=True):
        yield Finding(
            code=one.code,
            severity=one.severity,
            area=found.section,
            message=one.message,
            cause=one.cause,
            objects=one.objects,
            facts=one.facts,
            fix=one.fix,
            fixable=one.fixable,
        )


def _remarks(world: World | None) -> Iterator[Finding]:
    """Give what the controller wrote on pools and classes at its checkups."""
    if world is None:
        return
    for thing in (*world.node_pools, *world.node_classes):
        for one in thing.status.conditions:
            if one.type == CHECKUP and one.status == "False":
                code = f"{one.reason[:2]}-{one.reason[2:]}"
                name = f"{BY_STRUCT[type(thing)].kind}/{thing.metadata.name}"
                yield Finding(
                    code=code,
                    severity="warning",
                    area="pools",
                    message=one.message,
                    cause="found by the controller's own checkup",
                    objects=(name,),
                    facts=(),
                    fix=(f"nodewright explain {code}",),
                    fixable=False,
                )


def _sold_out(world: World | None) -> Iterator[SoldOut]:
    """Give the offerings that cannot be had now, each once."""
    if world is None:
        return
    types = {one.name: one for many in world.instance_types.values() for one in many}
    found = [each for one in types.values() for each in _missing(one)]
    yield from sorted(found, key=lambda each: (each.instance_type, each.zone, each.capacity_type))[
        :SOLD_OUT_MAX
    ]


def _missing(one: InstanceType) -> Iterator[SoldOut]:
    for offering in one.offerings:
        if not offering.available:
            yield SoldOut(one.name, offering.zone, offering.capacity_type, None, "sold out")


def _versions(view: View) -> Iterator[Version]:
    yield Version("nodewright", version("nodewright"))
    if view.origin.kubernetes:
        yield Version("kubernetes", view.origin.kubernetes)
