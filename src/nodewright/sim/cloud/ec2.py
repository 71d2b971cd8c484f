"""EC2: machines from their launch to their end, what is said of them, and when it can be seen.

A launch with a known token gives the machine that it gave before. A new machine is invisible for a
moment, pending for some seconds, then runs. Spot machines may be taken back: perhaps a hint, then a
warning two minutes before. Everything that is said goes to a queue that repeats itself until it is
acknowledged.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from nodewright.model.instance import InstanceType
from nodewright.model.labels import SPOT
from nodewright.ports.cloud import Machine, MachineStatus, Notice
from nodewright.sim.cloud.fleet import FleetError, FleetRequest, choose_override
from nodewright.sim.cloud.market import Market, OfferingKey
from nodewright.sim.cloud.throttle import Throttle
from nodewright.sim.faults import HOUR_MS, Faults
from nodewright.sim.ground import Ground

WARNING_MS: Final = 120_000
_REPEAT_MS: Final = 20_000
_LATE_MS: Final = (1_000, 60_000)
_ACTOR: Final = "ec2"
_OURS: Final = "aws:///"

SPOT_WARNING: Final = "spot_interrupted"
REBALANCE: Final = "rebalance_recommendation"
STATE_CHANGE: Final = "instance_state"
BY_SPOT: Final = "spot"
"""Why a machine ended that was taken back."""


class Ec2Settings(msgspec.Struct, frozen=True):
    """How EC2 behaves where it is not in the catalog."""

    visible_ms: tuple[int, int] = (0, 3_000)
    boot_ms: tuple[int, int] = (10_000, 35_000)
    shutdown_ms: tuple[int, int] = (5_000, 40_000)
    spot_interruptions_per_hour: float = 0.0
    rebalance_share: float = 0.5


class Instance:
    """One machine."""

    __slots__ = (
        "_said", "ended_by", "impaired_ms", "instance_id", "is_taken_back", "key", "launched_ms",
        "provider_id", "seen_ms", "state", "tags", "token", "type",
    )  # fmt: skip

    def __init__(self, number: int, key: OfferingKey, kind: InstanceType, now_ms: int) -> None:
        self.instance_id = f"i-{number:017x}"
        self.key = key
        self.type = kind
        self.provider_id = f"{_OURS}{key[1]}/{self.instance_id}"
        self.state = "pending"
        self.launched_ms = now_ms
        self.seen_ms = now_ms
        self.impaired_ms: int | None = None
        self.is_taken_back = False
        self.ended_by = ""
        self.tags: dict[str, str] = {}
        self.token = ""
        self._said: Machine | None = None

    def describe(self) -> Machine:
        """Give the machine as the cloud describes it."""
        said = self._said
        if said is None or said.state != self.state or said.tags is not self.tags:
            said = self._said = Machine(
                provider_id=self.provider_id,
                state=self.state,
                instance_type=self.key[0],
                zone=self.key[1],
                capacity_type=self.key[2],
                launched_ms=self.launched_ms,
                tags=self.tags,
                image_id="ami-0123456789abcdef0",
            )
        return said


type Watcher = Callable[[Instance], None]


class Ec2:
    """All machines of an account."""

    def __init__(
        self, ground: Ground, market: Market, faults: Faults, settings: Ec2Settings
    ) -> None:
        self._ground = ground
        self._loop = ground.loop
        self._chance = ground.chance.stream("ec2")
        self._faults = faults
        self._settings = settings
        self.market = market
        self.throttle = Throttle(ground.loop)
        self.instances: dict[str, Instance] = {}
        self.on_running: list[Watcher] = []
        self.on_launch: list[Watcher] = []
        self.on_warning: list[Watcher] = []
        self.on_end: list[Watcher] = []
        self._tokens: dict[str, Instance] = {}
        self._notices: dict[str, tuple[Notice, int]] = {}
        self._arrival: asyncio.Future[None] | None = None
        self._number = 0
        self._notice_number = 0

    def create_fleet(self, request: FleetRequest) -> tuple[Instance | None, list[FleetError]]:
        """Launch one machine, or give the one that the token has launched before."""
        known = self._tokens.get(request.token)
        if known is not None:
            return known, []
        now_ms = self._loop.now_ms()
        key, errors = choose_override(request, self.market, now_ms)
        if key is None:
            return None, errors
        self.market.take(key)
        self._number += 1
        instance = Instance(self._number, key, self.market.types[key[0]], now_ms)
        instance.tags = dict(request.tags)
        instance.token = request.token
        instance.seen_ms = now_ms + self._chance.integer(*self._settings.visible_ms)
        self.instances[instance.provider_id] = instance
        self._tokens[request.token] = instance
        self._ground.note(_ACTOR, "LAUNCHED", instance.provider_id, "/".join(key))
        self._loop.after_ms(self._chance.integer(*self._settings.boot_ms), self._run, instance)
        for watcher in self.on_launch:
            watcher(instance)
        return instance, errors

    def terminate(self, provider_id: str, why: str = "") -> bool:
        """Begin to end a machine; tell whether it is still known."""
        instance = self.instances.get(provider_id)
        if instance is None or instance.state == "terminated":
            return False
        if instance.state != "shutting-down":
            instance.state = "shutting-down"
            instance.ended_by = why
            self._ground.note(_ACTOR, "SHUTTING-DOWN", provider_id, why)
            self.say(STATE_CHANGE, instance, {"state": "shutting-down"})
            for watcher in self.on_end:
                watcher(instance)
            delay_ms = self._chance.integer(*self._settings.shutdown_ms)
            self._loop.after_ms(delay_ms, self._end, instance)
        return True

    def vanish(self, provider_id: str) -> None:
        """Have a machine disappear without a word."""
        instance = self.instances.get(provider_id)
        if instance is not None and instance.state in ("pending", "running"):
            self._faults.strike("machine.vanish", provider_id)
            instance.state = "shutting-down"
            for watcher in self.on_end:
                watcher(instance)
            self._end(instance)

    def interrupt(self, provider_id: str) -> None:
        """Take a spot machine back: warn now, end it in two minutes."""
        instance = self.instances.get(provider_id)
        if instance is not None and instance.state in ("pending", "running"):
            self._ground.note(_ACTOR, "INTERRUPTED", provider_id)
            instance.is_taken_back = True
            for watcher in self.on_warning:
                watcher(instance)
            self.say(SPOT_WARNING, instance, {"instance-action": "terminate"})
            self._loop.after_ms(WARNING_MS, self.terminate, provider_id, BY_SPOT)

    def find(self, provider_id: str) -> Instance | None:
        """Give a machine that can be seen by now."""
        instance = self.instances.get(provider_id)
        if instance is None or instance.seen_ms > self._loop.now_ms():
            return None
        return instance

    def visible(self) -> Iterable[Instance]:
        """Give every machine that can be seen and is not gone."""
        now_ms = self._loop.now_ms()
        return [
            one
            for one in self.instances.values()
            if one.seen_ms <= now_ms and one.state != "terminated"
        ]

    def is_gone(self, provider_id: str) -> bool:
        """Tell whether a machine of ours does not exist any more."""
        if not provider_id.startswith(_OURS):
            return False
        instance = self.instances.get(provider_id)
        return instance is None or instance.state == "terminated"

    def say(self, kind: str, instance: Instance, detail: dict[str, str]) -> None:
        """Put a message into the queue, where it may get lost, come twice, or come late."""
        if self._faults.happens("queue.lost", instance.provider_id):
            return
        count = 2 if self._faults.happens("queue.twice", instance.provider_id) else 1
        now_ms = self._loop.now_ms()
        for _ in range(count):
            self._notice_number += 1
            receipt = f"m-{self._notice_number}"
            delay_ms = 0
            if self._faults.happens("queue.late", instance.provider_id):
                delay_ms = self._chance.integer(*_LATE_MS)
            notice = Notice(receipt, kind, (instance.instance_id,), now_ms, detail)
            self._notices[receipt] = (notice, now_ms + delay_ms)
            self._loop.after_ms(delay_ms, self._announce)

    def next_notice(self) -> "asyncio.Future[None]":
        """Give what is done when the next message has come into the queue."""
        if self._arrival is None or self._arrival.done():
            self._arrival = self._loop.create_future()
        return self._arrival

    def _announce(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def receive(self, most: int = 10) -> tuple[Notice, ...]:
        """Take messages out of the queue for a while; they come back unless acknowledged."""
        now_ms = self._loop.now_ms()
        due = [one for one, ready_ms in self._notices.values() if ready_ms <= now_ms][:most]
        for one in due:
            self._notices[one.receipt] = (one, now_ms + _REPEAT_MS)
        return tuple(due)

    def acknowledge(self, receipt: str) -> None:
        """Take a message out for good."""
        self._notices.pop(receipt, None)

    def statuses(self) -> tuple[MachineStatus, ...]:
        """Give the machines that are unwell, do not run, or are taken back."""
        now_ms = self._loop.now_ms()
        found = (_status(one) for one in self.instances.values() if one.seen_ms <= now_ms)
        return tuple(one for one in found if one is not None)

    def _run(self, instance: Instance) -> None:
        if instance.state != "pending":
            return
        instance.state = "running"
        self._ground.note(_ACTOR, "RUNNING", instance.provider_id)
        self._plan_trouble(instance)
        for watcher in self.on_running:
            watcher(instance)

    def _plan_trouble(self, instance: Instance) -> None:
        rate = self._settings.spot_interruptions_per_hour
        if instance.key[2] == SPOT and rate > 0:
            wait_ms = int(HOUR_MS / rate * (0.1 + 1.8 * self._chance.fraction()))
            if self._chance.happens(self._settings.rebalance_share):
                hint_ms = max(0, wait_ms - 600_000)
                self._loop.after_ms(hint_ms, self._hint, instance)
            self._loop.after_ms(wait_ms, self.interrupt, instance.provider_id)
        stream = self._faults.stream("machine.vanish")
        due_ms = self._faults.next_ms("machine.vanish", stream)
        if due_ms is not None:
            self._loop.at_ms(due_ms, self.vanish, instance.provider_id)
        stream = self._faults.stream("machine.impaired")
        due_ms = self._faults.next_ms("machine.impaired", stream)
        if due_ms is not None:
            self._loop.at_ms(due_ms, self._impair, instance)

    def _hint(self, instance: Instance) -> None:
        if instance.state == "running":
            self.say(REBALANCE, instance, {})

    def _impair(self, instance: Instance) -> None:
        if instance.state == "running":
            self._faults.strike("machine.impaired", instance.provider_id)
            instance.impaired_ms = self._loop.now_ms()

    def _end(self, instance: Instance) -> None:
        if instance.state != "terminated":
            instance.state = "terminated"
            self.market.take(instance.key, -1)
            self._ground.note(_ACTOR, "TERMINATED", instance.provider_id)
            self._loop.after_ms(HOUR_MS, self.instances.pop, instance.provider_id, None)


def _status(one: Instance) -> MachineStatus | None:
    if one.state == "pending":
        return None
    if one.state != "running":
        return MachineStatus(one.instance_id, state=one.state)
    if one.impaired_ms is None and not one.is_taken_back:
        return None
    check = "instance_status" if one.impaired_ms is not None else ""
    return MachineStatus(one.instance_id, one.impaired_ms, check, is_taken_back=one.is_taken_back)
