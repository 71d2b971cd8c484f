"""What EC2 does by itself: takes spot machines back, hints that it will, impairs, retires, forgets.

Each function is one thing that happens to a machine, with the messages that AWS sends about it. Tests call
them on the account; from another process they are doors of the stand-in.
"""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.ec2.machines import (
    BY_SPOT,
    Event,
    Machine,
    end,
    machines,
    set_state,
    vanish_now,
)
from nodewright.sandbox.aws.ec2.market import market_of
from nodewright.sandbox.aws.events import (
    HEALTH,
    REBALANCE,
    RESERVATION_WARNING,
    SPOT_WARNING,
    instance_arn,
    send,
)
from nodewright.sandbox.aws.moment import text

_DAY_MS: Final = 86_400_000
_LANGUAGE: Final = "en_US"
EVENT_CODES: Final = (
    "instance-reboot", "system-reboot", "system-maintenance", "instance-retirement", "instance-stop",
)  # fmt: skip


def machine_of(account: Account, instance_id: str) -> Machine:
    """Give a machine; an unknown one is a mistake of the test."""
    return machines(account)[instance_id]


def interrupt(account: Account, instance_id: str) -> None:
    """Take a spot machine back: warn now, end it in two minutes."""
    one = machine_of(account, instance_id)
    one.wishes = {**one.wishes, "MarkedForTermination": True}
    kind = RESERVATION_WARNING if one.capacity_reservation_id else SPOT_WARNING
    _say(account, one, kind, {"instance-id": instance_id, "instance-action": "terminate"})
    account.later(account.timing.spot_warning_ms, lambda: end(account, one, BY_SPOT))


def rebalance(account: Account, instance_id: str) -> None:
    """Hint that a spot machine is likely to be taken back."""
    one = machine_of(account, instance_id)
    _say(account, one, REBALANCE, {"instance-id": instance_id})


def impair(account: Account, instance_id: str, check: str = "instance") -> None:
    """Have a status check of a machine fail from now on: `instance`, `system` or `attached-ebs`."""
    machine_of(account, instance_id).impaired[check] = account.clock.now_ms()


def recover(account: Account, instance_id: str) -> None:
    """Have all status checks of a machine pass again."""
    machine_of(account, instance_id).impaired.clear()


def schedule(account: Account, instance_id: str, code: str) -> Event:
    """Plan an event for a machine tomorrow, and say so as AWS Health does."""
    one = machine_of(account, instance_id)
    start_ms = account.clock.now_ms() + _DAY_MS
    event = Event(
        event_id=f"instance-event-{account.number():017x}",
        code=code,
        description=f"The instance is scheduled for {code}",
        not_before_ms=start_ms,
        not_after_ms=start_ms + _DAY_MS,
    )
    one.events.append(event)
    word = code.upper().replace("-", "_")
    _tell_health(account, one, f"AWS_EC2_{word}_SCHEDULED", (start_ms, start_ms + _DAY_MS))
    return event


def vanish(account: Account, instance_id: str) -> None:
    """Have a machine end at once and without a word, as broken hardware does."""
    one = machine_of(account, instance_id)
    one.reason = ("Server.InternalError", "Internal error on launch")
    one.ended_ms = account.clock.now_ms()
    if one.state not in ("shutting-down", "terminated"):
        set_state(account, one, "shutting-down")
        vanish_now(account, one)


def print_console(account: Account, instance_id: str, line: str) -> None:
    """Add to what a machine has printed."""
    one = machine_of(account, instance_id)
    one.console += line if line.endswith("\n") else f"{line}\n"


def set_depth(account: Account, region: str, pattern: str, depth: int) -> int:
    """Say how much is left of the offerings `type/zone/capacityType` (`*` for any); count them."""
    market = market_of(account, region)
    wanted = pattern.split("/")
    count = 0
    for one in market.types.values():
        for offering in one.offerings:
            key = (one.name, offering.zone, offering.capacity_type)
            if all(want in ("*", have) for want, have in zip(wanted, key, strict=True)):
                market.set_depth(key, depth)
                count += 1
    return count


def _say(account: Account, one: Machine, kind: str, detail: dict[str, Any]) -> None:
    # The instance's ARN in these messages names the zone instead of region and account.
    arn = f"arn:{account.partition}:ec2:{one.key[1]}:instance/{one.instance_id}"
    send(account, one.region, ("aws.ec2", kind), [arn], detail)


def _tell_health(account: Account, one: Machine, code: str, span_ms: tuple[int, int]) -> None:
    number = account.number()
    detail = {
        "eventArn": f"arn:{account.partition}:health:{one.region}::event/EC2/{code}/{code}_{number}",
        "service": "EC2",
        "eventTypeCode": code,
        "eventTypeCategory": "scheduledChange",
        "startTime": text(span_ms[0]),
        "endTime": text(span_ms[1]),
        "eventDescription": [
            {
                "language": _LANGUAGE,
                "latestDescription": f"A change is scheduled for {one.instance_id}",
            }
        ],
        "affectedEntities": [{"entityValue": one.instance_id}],
    }
    resource = instance_arn(account, one.region, one.instance_id)
    send(account, one.region, ("aws.health", HEALTH), [resource], detail)
