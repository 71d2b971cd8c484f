"""What can be wrong with a scenario that reads well: every mistake is found before the run begins.

Each is one sentence with the place in the file, in the words of the file.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nodewright.model.cron import BadSchedule, parse_schedule
from nodewright.model.duration import BadDuration, parse_duration
from nodewright.model.quantity import BadQuantity, parse_resources
from nodewright.sim.faults import FAULT_KINDS
from nodewright.sim.objects import RESOURCES

if TYPE_CHECKING:
    from nodewright.sim.scenario import EventWords, FaultWords, Scenario, WorkloadWords

_DAY_MS: Final = 24 * 3_600_000
_WORKLOADS: Final = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob")
_SCALED: Final = ("Deployment", "ReplicaSet", "StatefulSet")


class Mistake(NamedTuple):
    """What is wrong, where, and what to write instead."""

    place: str
    sentence: str
    advice: str = ""


def read_length(text: str) -> int:
    """Read a length of time in milliseconds; `d` counts days."""
    if text.endswith("d") and text[:-1].isdecimal():
        return int(text[:-1]) * _DAY_MS
    return parse_duration(text)


def find_mistakes(scenario: "Scenario") -> Iterator[Mistake]:
    """Give everything that is wrong with a scenario, in the order of its parts."""
    yield from _check_length("duration", scenario.duration, least_ms=1)
    yield from _check_length("settle", scenario.settle)
    if scenario.calm:
        yield from _check_length("calm", scenario.calm, least_ms=1)
    if not scenario.catalog.zones:
        yield Mistake("catalog.zones", "there must be at least one zone")
    for index, text in enumerate(scenario.cloud.boot):
        yield from _check_length(f"cloud.boot[{index}]", text)
    for name in scenario.cloud.depths:
        yield from _check_offering("cloud.depths", name)
    for index, node in enumerate(scenario.nodes):
        amounts = {"cpu": node.cpu, "memory": node.memory, "pods": node.pods}
        yield from _check_amounts(f"nodes[{index}]", amounts)
    for index, workload in enumerate(scenario.workloads):
        yield from _check_workload(f"workloads[{index}]", workload)
    for index, manifest in enumerate(scenario.objects):
        yield from _check_manifest(f"objects[{index}]", manifest)
    for index, event in enumerate(scenario.events):
        yield from _check_event(f"events[{index}]", event)
    for index, fault in enumerate(scenario.faults):
        yield from _check_fault(f"faults[{index}]", fault)


def _check_workload(place: str, workload: "WorkloadWords") -> Iterator[Mistake]:
    if workload.kind not in _WORKLOADS:
        known = ", ".join(_WORKLOADS)
        yield Mistake(f"{place}.kind", f"{workload.kind!r} is no workload", f"known are {known}")
    yield from _check_amounts(place, {"cpu": workload.cpu, "memory": workload.memory})
    if workload.replicas < 0:
        yield Mistake(f"{place}.replicas", "there cannot be fewer than none")
    if workload.kind == "CronJob":
        try:
            parse_schedule(workload.schedule)
        except BadSchedule as error:
            yield Mistake(f"{place}.schedule", str(error), "write five fields such as */5 * * * *")
    if workload.runs_for:
        yield from _check_length(f"{place}.runsFor", workload.runs_for)
    if workload.curve is not None:
        yield from _check_length(f"{place}.curve.every", workload.curve.every, least_ms=1)
        for index, (at, _) in enumerate(workload.curve.points):
            yield from _check_length(f"{place}.curve.points[{index}]", at)


def _check_manifest(place: str, manifest: Mapping[str, Any]) -> Iterator[Mistake]:
    kind = manifest.get("kind")
    if kind not in RESOURCES:
        yield Mistake(f"{place}.kind", f"the simulator knows no kind {kind!r}")
    if not isinstance(manifest.get("metadata"), dict):
        yield Mistake(f"{place}.metadata", "an object needs metadata with a name")


def _check_event(place: str, event: "EventWords") -> Iterator[Mistake]:
    yield from _check_length(f"{place}.at", event.at)
    if event.scale:
        yield from _check_target(f"{place}.scale", event.scale, _SCALED)
    if event.delete:
        yield from _check_target(f"{place}.delete", event.delete, tuple(RESOURCES))
    if event.create:
        yield from _check_manifest(f"{place}.create", event.create)
    if event.edit:
        yield from _check_manifest(f"{place}.edit", event.edit)
    if not 0 <= event.interrupt <= 1:
        yield Mistake(f"{place}.interrupt", f"{event.interrupt} is no share between 0 and 1")
    for name in event.depth:
        yield from _check_offering(f"{place}.depth", name)


def _check_target(place: str, target: str, kinds: tuple[str, ...]) -> Iterator[Mistake]:
    kind, _, key = target.partition("/")
    if kind not in kinds or not key:
        advice = "write it as Kind/namespace/name, or Kind/name where there are no namespaces"
        yield Mistake(place, f"{target!r} names nothing that this can be done to", advice)


def _check_offering(place: str, name: str) -> Iterator[Mistake]:
    if len(name.split("/")) != 3:
        advice = "write it as type/zone/capacity-type, like m6i.large/us-east-1a/spot"
        yield Mistake(place, f"{name!r} names no offering", advice)


def _check_fault(place: str, fault: "FaultWords") -> Iterator[Mistake]:
    if fault.kind not in FAULT_KINDS:
        known = ", ".join(FAULT_KINDS)
        yield Mistake(f"{place}.kind", f"{fault.kind!r} is no kind of fault", f"known are {known}")
    if fault.rate < 0:
        yield Mistake(f"{place}.rate", f"{fault.rate} is less than never")
    yield from _check_length(f"{place}.from", fault.from_)
    if fault.until:
        yield from _check_length(f"{place}.until", fault.until)
    for index, at in enumerate(fault.at):
        yield from _check_length(f"{place}.at[{index}]", at)


def _check_amounts(place: str, amounts: dict[str, str]) -> Iterator[Mistake]:
    for name, amount in amounts.items():
        try:
            parse_resources({name: amount})
        except BadQuantity as error:
            yield Mistake(place, str(error))


def _check_length(place: str, text: str, least_ms: int = 0) -> Iterator[Mistake]:
    try:
        if read_length(text) < least_ms:
            yield Mistake(place, f"{text!r} is no time at all")
    except BadDuration as error:
        yield Mistake(place, str(error))
