"""How machines do by EC2's own word: checks that fail, events that are planned, ends that have begun.

Everything is asked for by filter, so that the answers are as short as there is trouble, however many
machines there are. Where EC2 cannot filter by tag, other clusters' machines are among the answers; who
knows ours passes over them. A question that is not answered leaves the others standing.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import (
    DESCRIBE_INSTANCE_STATUS,
    DESCRIBE_INSTANCES,
    DESCRIBE_SPOT_REQUESTS,
    Call,
)
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.tags import CLUSTER_NAME
from nodewright.aws.terms import a_filter
from nodewright.ports.cloud import MachineStatus

INSTANCE_CHECK: Final = "instance_status"
SYSTEM_CHECK: Final = "system_status"
_PLANNED: Final = frozenset(
    {
        "instance-reboot",
        "system-reboot",
        "system-maintenance",
        "instance-retirement",
        "instance-stop",
    }
)
_DONE: Final = ("[Completed]", "[Canceled]")
_ENDING: Final = ("shutting-down", "stopped", "stopping", "terminated")
_TAKEN_BACK: Final = ("marked-for-stop", "marked-for-termination")


class Question(msgspec.Struct, frozen=True):
    """One call with its parameters, and the part of the answer that holds the items."""

    call: Call
    params: Mapping[str, Any]
    items: str


class Unwell(msgspec.Struct, frozen=True):
    """The machines that are unwell, each once, and the questions that were not answered."""

    machines: tuple[MachineStatus, ...] = ()
    faults: tuple[tuple[Call, Fault], ...] = ()


def _statuses(one: dict[str, Any]) -> Question:
    return Question(DESCRIBE_INSTANCE_STATUS, {"Filters": [one]}, "InstanceStatuses")


_QUESTIONS: Final = (
    _statuses(a_filter("instance-status.status", "impaired")),
    _statuses(a_filter("system-status.status", "impaired")),
    _statuses(a_filter("event.code", *sorted(_PLANNED))),
    Question(
        DESCRIBE_SPOT_REQUESTS,
        {"Filters": [a_filter("status-code", *_TAKEN_BACK)]},
        "SpotInstanceRequests",
    ),
)


def _questions(cluster: str) -> tuple[Question, ...]:
    filters = [
        a_filter(f"tag:{CLUSTER_NAME}", cluster),
        a_filter("instance-state-name", *_ENDING),
    ]
    return (*_QUESTIONS, Question(DESCRIBE_INSTANCES, {"Filters": filters}, "Reservations"))


async def find_unwell(gateway: Gateway, cluster: str) -> Unwell:
    """Ask for all machines of which messages may have told something, or should have."""
    found: dict[str, MachineStatus] = {}
    faults: dict[str, tuple[Call, Fault]] = {}
    for one in _questions(cluster):
        answer = await gateway.ask_all(one.call, one.params, one.items)
        if isinstance(answer, Fault):
            faults[one.call.name] = (one.call, answer)
            continue
        for status in _read(one, answer):
            known = found.get(status.machine)
            found[status.machine] = status if known is None else _merge(known, status)
    return Unwell(tuple(found[name] for name in sorted(found)), tuple(faults.values()))


def _read(question: Question, answer: Iterable[Mapping[str, Any]]) -> Iterator[MachineStatus]:
    for one in answer:
        if question.call is DESCRIBE_SPOT_REQUESTS:
            if one.get("InstanceId"):
                yield MachineStatus(str(one["InstanceId"]), is_taken_back=True)
        elif question.call is DESCRIBE_INSTANCES:
            for each in one.get("Instances") or ():
                yield MachineStatus(str(each["InstanceId"]), state=str(each["State"]["Name"]))
        else:
            status = read_status(one)
            if status != MachineStatus(status.machine):
                yield status


def _merge(known: MachineStatus, other: MachineStatus) -> MachineStatus:
    is_sick = known.impaired_since_ms is not None
    return MachineStatus(
        machine=known.machine,
        impaired_since_ms=known.impaired_since_ms if is_sick else other.impaired_since_ms,
        impaired_check=known.impaired_check if is_sick else other.impaired_check,
        planned_event=known.planned_event or other.planned_event,
        state=known.state or other.state,
        is_taken_back=known.is_taken_back or other.is_taken_back,
    )


def read_status(description: Mapping[str, Any]) -> MachineStatus:
    """Read one entry of DescribeInstanceStatus; attached volumes do not count."""
    checks = {INSTANCE_CHECK: "InstanceStatus", SYSTEM_CHECK: "SystemStatus"}
    failing = sorted(
        (since_ms, kind)
        for kind, name in checks.items()
        for since_ms in _impaired(description.get(name) or {})
    )
    planned = sorted(
        str(one.get("Code", ""))
        for one in description.get("Events") or ()
        if one.get("Code") in _PLANNED and not str(one.get("Description", "")).startswith(_DONE)
    )
    return MachineStatus(
        machine=str(description["InstanceId"]),
        impaired_since_ms=failing[0][0] if failing else None,
        impaired_check=failing[0][1] if failing else "",
        planned_event=planned[0] if planned else "",
    )


def _impaired(check: Mapping[str, Any]) -> Iterator[int]:
    if check.get("Status") != "impaired":
        return
    for one in check.get("Details") or ():
        since = one.get("ImpairedSince")
        if since is not None:
            yield int(since.timestamp() * 1000)
