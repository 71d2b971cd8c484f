"""How machines do by EC2's own checks, and which events are planned for them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import DESCRIBE_INSTANCE_STATUS
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.terms import a_filter

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


class Health(msgspec.Struct, frozen=True):
    """An instance that is unwell, or for which something is planned."""

    instance_id: str
    zone: str
    impaired_since_ms: int | None = None
    planned_event: str = ""


async def find_unwell(gateway: Gateway) -> tuple[Health, ...] | Fault:
    """Give the instances that are unwell or have an event planned, each once."""
    found: dict[str, Health] = {}
    for question in (
        a_filter("instance-status.status", "impaired"),
        a_filter("system-status.status", "impaired"),
        a_filter("event.code", *sorted(_PLANNED)),
    ):
        answer = await gateway.ask_all(
            DESCRIBE_INSTANCE_STATUS, {"Filters": [question]}, "InstanceStatuses"
        )
        if isinstance(answer, Fault):
            return answer
        for one in answer:
            health = read_health(one)
            if health.impaired_since_ms is not None or health.planned_event:
                found[health.instance_id] = health
    return tuple(found[name] for name in sorted(found))


def read_health(description: Mapping[str, Any]) -> Health:
    """Read one entry of DescribeInstanceStatus; attached volumes do not count."""
    checks = [description.get("InstanceStatus") or {}, description.get("SystemStatus") or {}]
    since = [at for one in checks for at in _impaired(one)]
    planned = sorted(
        str(one.get("Code", ""))
        for one in description.get("Events") or ()
        if one.get("Code") in _PLANNED and not str(one.get("Description", "")).startswith(_DONE)
    )
    return Health(
        instance_id=str(description["InstanceId"]),
        zone=str(description.get("AvailabilityZone", "")),
        impaired_since_ms=min(since) if since else None,
        planned_event=planned[0] if planned else "",
    )


def _impaired(check: Mapping[str, Any]) -> Iterable[int]:
    if check.get("Status") != "impaired":
        return
    for one in check.get("Details") or ():
        since = one.get("ImpairedSince")
        if since is not None:
            yield int(since.timestamp() * 1000)
