"""One account's state: ours beside moto's, the clock that moves it, and the switches of a test.

moto holds networks, roles, queues, rules and the objects of instances; this holds what moto lacks:
when a machine is seen, boots and ends, what is on sale, what is to happen later. Nothing here runs by
itself: `advance` brings the state up to the clock, before each call and by the server's ticker.
"""

import heapq
import itertools
import threading
from collections.abc import Callable
from typing import Any, Final

import msgspec

from nodewright.sandbox.aws.call import Call, Principal
from nodewright.sandbox.aws.calllog import CallLog
from nodewright.sandbox.aws.clock import Clock
from nodewright.sandbox.aws.faults import Faults
from nodewright.sandbox.aws.inside import ACCOUNT_ID, Inside

# Calls with this access key are the stand-in's own: neither logged, refused nor disturbed.
INSIDER_KEY: Final = "AKIASTANDININSIDER00"

type Authorize = Callable[["Account", Call], None]
"""Raises `AwsError` where a call is not allowed."""


type May = Callable[["Account", Principal, str, str, dict[str, str]], bool]
"""Tells whether a principal may do an action on a resource, given condition keys."""


type Trust = Callable[["Account", str, str, str, dict[str, str]], bool]
"""Tells whether the role of an ARN lets a principal (ARN or service) do an STS action."""


class Timing(msgspec.Struct, frozen=True, rename="camel"):
    """How long things take: until an instance is seen, runs, is gone, and is forgotten."""

    visible_ms: int = 0
    boot_ms: int = 1_000
    shutdown_ms: int = 1_000
    forget_ms: int = 3_600_000
    spot_warning_ms: int = 120_000


class Account:
    """An AWS account."""

    def __init__(self, region: str = "us-west-2", timing: Timing = Timing()) -> None:  # noqa: B008
        self.account_id = ACCOUNT_ID
        self.region = region
        self.timing = timing
        self.clock = Clock()
        self.calls = CallLog()
        self.faults = Faults()
        self.inside = Inside()
        self.lock = threading.RLock()
        self.authorize: Authorize | None = None
        self.may: May | None = None
        self.trust: Trust | None = None
        self.stores: dict[str, Any] = {}
        self._later: list[tuple[int, int, Callable[[], None]]] = []
        self._number = itertools.count(1)

    @property
    def partition(self) -> str:
        """The partition of the home region."""
        if self.region.startswith("cn-"):
            return "aws-cn"
        return "aws-us-gov" if self.region.startswith("us-gov-") else "aws"

    def store[T](self, name: str, make: Callable[[], T]) -> T:
        """Give a service's own state, made when it is first asked for."""
        if name not in self.stores:
            self.stores[name] = make()
        found: T = self.stores[name]
        return found

    def number(self) -> int:
        """Give the next number, for identifiers that repeat from run to run."""
        return next(self._number)

    def later(self, delay_ms: int, act: Callable[[], None]) -> None:
        """Have something happen after a while."""
        due_ms = self.clock.now_ms() + delay_ms
        heapq.heappush(self._later, (due_ms, self.number(), act))

    def advance(self) -> None:
        """Let everything happen that is due by now."""
        with self.lock:
            while self._later and self._later[0][0] <= self.clock.now_ms():
                _, _, act = heapq.heappop(self._later)
                act()

    def dump(self, region: str = "") -> dict[str, dict[str, Any]]:
        """Give everything that the account has in a region, by kind and name."""
        from nodewright.sandbox.aws.dump import dump

        return dump(self, region)

    def identify(self, access_key: str) -> Principal:
        """Tell whose access key this is; an unknown one is the account's root."""
        from nodewright.sandbox.aws.credentials import identify

        return identify(self, access_key)
