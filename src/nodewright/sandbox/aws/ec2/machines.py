"""Instances from launch to oblivion: what moto's instance does not know, and when it changes.

pending → running → shutting-down → terminated, each after its time, each with an EventBridge message.
moto's instance carries the state for everything else that looks at it; this carries why, when it can be
seen, how it was bought and what is wrong with it. A terminated instance is listed for an hour.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.model.labels import SPOT
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Principal
from nodewright.sandbox.aws.ec2.market import market_of
from nodewright.sandbox.aws.ec2.tags import drop_tags
from nodewright.sandbox.aws.events import STATE_CHANGE, instance_arn, send
from nodewright.sim.cloud.market import OfferingKey

CODES: Final = {
    "pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopping": 64, "stopped": 80,
}  # fmt: skip
BY_USER: Final = ("Client.UserInitiatedShutdown", "User initiated shutdown")
BY_SPOT: Final = ("Server.SpotInstanceTermination", "Spot instance termination")
BY_ITSELF: Final = ("Client.InstanceInitiatedShutdown", "Instance initiated shutdown")


class Event(msgspec.Struct, frozen=True):
    """A scheduled event of an instance."""

    event_id: str
    code: str
    description: str
    not_before_ms: int
    not_after_ms: int


class Machine:
    """One instance beyond what moto knows of it."""

    def __init__(self, moto: Any, region: str, key: OfferingKey, launcher: Principal) -> None:
        self.moto = moto
        self.instance_id: str = moto.id
        self.region = region
        self.key = key
        self.launcher = launcher
        self.reservation_id = ""
        self.launched_ms = 0
        self.seen_ms = 0
        self.ended_ms = 0
        self.reason: tuple[str, str] | None = None
        self.spot_request_id = ""
        self.fleet_id = ""
        self.token = ""
        self.capacity_reservation_id = ""
        self.block_market = False
        self.placement: dict[str, Any] = {}
        self.profile: dict[str, str] | None = None
        self.interfaces: list[tuple[Any, int, str]] = []
        self.impaired: dict[str, int] = {}
        self.events: list[Event] = []
        self.console = ""
        self.boot_failure: tuple[str, str] | None = None
        self.wishes: dict[str, Any] = {}

    @property
    def state(self) -> str:
        """Its state's name."""
        return str(self.moto.state)

    @property
    def is_spot(self) -> bool:
        """Whether it was bought as spot."""
        return self.key[2] == SPOT


def machines(account: Account) -> dict[str, Machine]:
    """Give every machine of the account, by instance id, in order of launch."""
    return account.store("machines", dict[str, Machine])


def seen(account: Account, region: str, *, insider: bool = False) -> Iterator[Machine]:
    """Give the machines of a region that can be seen by now."""
    now_ms = account.clock.now_ms()
    for one in machines(account).values():
        if one.region == region and (insider or one.seen_ms <= now_ms):
            yield one


def find(account: Account, region: str, ids: list[str], *, insider: bool = False) -> list[Machine]:
    """Give machines by their ids; one that is unknown or not seen yet fails them all."""
    bad = [one for one in ids if not one.startswith("i-")]
    if bad:
        raise AwsError("InvalidInstanceID.Malformed", f'Invalid id: "{bad[0]}"')
    there = {one.instance_id: one for one in seen(account, region, insider=insider)}
    missing = [one for one in ids if one not in there]
    if missing:
        what = (
            f"The instance ID '{missing[0]}' does not exist"
            if len(missing) == 1
            else f"The instance IDs '{', '.join(missing)}' do not exist"
        )
        raise AwsError("InvalidInstanceID.NotFound", what)
    return [there[one] for one in dict.fromkeys(ids)]


def begin(account: Account, machine: Machine) -> None:
    """Let a new machine boot."""
    timing = account.timing
    machine.launched_ms = account.clock.now_ms()
    machine.seen_ms = machine.launched_ms + timing.visible_ms
    machines(account)[machine.instance_id] = machine
    set_state(account, machine, "pending")
    if timing.boot_ms:
        account.later(timing.boot_ms, lambda: _run(account, machine))
    else:
        _run(account, machine)


def end(account: Account, machine: Machine, reason: tuple[str, str] = BY_USER) -> None:
    """Begin to end a machine; one that is ending already is left alone."""
    if machine.state in ("shutting-down", "terminated"):
        return
    machine.reason = reason
    machine.ended_ms = account.clock.now_ms()
    set_state(account, machine, "shutting-down")
    if account.timing.shutdown_ms:
        account.later(account.timing.shutdown_ms, lambda: vanish_now(account, machine))
    else:
        vanish_now(account, machine)


def set_state(account: Account, machine: Machine, state: str) -> None:
    """Put a machine into a state and say so."""
    moto = machine.moto
    moto._state.name = state  # noqa: SLF001 - moto has no other way to a state between two.
    moto._state.code = CODES[state]  # noqa: SLF001 - likewise.
    detail = {"instance-id": machine.instance_id, "state": state}
    resource = instance_arn(account, machine.region, machine.instance_id)
    send(account, machine.region, ("aws.ec2", STATE_CHANGE), [resource], detail)


def _run(account: Account, machine: Machine) -> None:
    if machine.state != "pending":
        return
    if machine.boot_failure is not None:
        # EC2 accepts such a launch and ends it on its own, without ever running it.
        end(account, machine, machine.boot_failure)
        return
    set_state(account, machine, "running")


def vanish_now(account: Account, machine: Machine) -> None:
    """End a machine for good, whatever state it is in."""
    _take_apart(account, machine)
    market = market_of(account, machine.region)
    if market.has(machine.key) and not machine.capacity_reservation_id:
        market.take(machine.key, -1)
    set_state(account, machine, "terminated")
    account.later(account.timing.forget_ms, lambda: _forget(account, machine))


def _take_apart(account: Account, machine: Machine) -> None:
    """Give back interfaces and volumes; moto's own way looks at every instance for each of them."""
    moto = machine.moto
    volumes = account.inside.backend("ec2", machine.region).volumes
    for eni in list(moto.nics.values()):
        eni.stop()
        if eni.delete_on_termination:
            eni.delete()
        else:
            moto.detach_eni(eni)
    for _, device in moto.get_block_device_mapping:
        volume = volumes[device.volume_id]
        volume.attachment = None
        if device.delete_on_termination:
            del volumes[device.volume_id]
    moto.block_device_mapping.clear()


def _forget(account: Account, machine: Machine) -> None:
    machines(account).pop(machine.instance_id, None)
    backend = account.inside.backend("ec2", machine.region)
    backend.reservations.pop(machine.reservation_id, None)
    drop_tags(account, machine.region, machine.instance_id)
