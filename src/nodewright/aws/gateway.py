"""The one door to AWS: boto3 on a bounded number of threads, each call with a time-out and a limit of tries.

An answer is boto3's dictionary, or a `Fault` with AWS's code: what callers must expect is a value. Who
asks too often is told to wait, and so are we all: throttled calls and those that AWS itself broke are
tried again after a pause that doubles, half of it by chance. Every try is told to the meter. A door that
is for looking only refuses every call that would change something.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from botocore import xform_name
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from nodewright.aws.calls import Call
from nodewright.aws.faults import BROKEN, GONE, THROTTLED, UNAUTHORIZED, UNREACHABLE
from nodewright.aws.session import Clients
from nodewright.aws.workers import Workers
from nodewright.ports.clock import Clock
from nodewright.ports.random import Random

WORKERS: Final = 16
TRIES_MAX: Final = 5
PAUSE_MS: Final = 200
PAUSE_MS_MAX: Final = 5_000
PAGES_MAX: Final = 500
LOOKS_ONLY: Final = "DryRun"

type Json = dict[str, Any]
type Meter = Callable[[Call, str, int], None]
"""Told of each try: the call, the error's code (nothing where it succeeded) and how long it took."""


class Fault(msgspec.Struct, frozen=True):
    """AWS did not do what it was asked, or could not be reached."""

    code: str
    message: str = ""
    status: int = 0

    @property
    def is_gone(self) -> bool:
        """Whether what was asked about is not there."""
        return self.code in GONE

    @property
    def is_passing(self) -> bool:
        """Whether the same call may succeed a little later."""
        return (
            self.code in THROTTLED
            or self.code in BROKEN
            or self.code == UNREACHABLE
            or self.status >= 500
        )

    @property
    def is_unauthorized(self) -> bool:
        """Whether a policy forbids it."""
        return self.code in UNAUTHORIZED

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.code}: {self.message}" if self.message else self.code


def _unmetered(call: Call, code: str, duration_ms: int) -> None:
    del call, code, duration_ms


class Gateway:
    """AWS as the adapter sees it."""

    def __init__(
        self, clients: Clients, clock: Clock, random: Random, meter: Meter = _unmetered
    ) -> None:
        self._clients = clients
        self._clock = clock
        self._random = random
        self._meter = meter
        self._workers = Workers(WORKERS)
        self._only_looks = False

    def only_look(self) -> None:
        """Refuse, from now on, every call that would change something."""
        self._only_looks = True

    def close(self) -> None:
        """Let the connections go; calls on their way end by themselves."""
        self._clients.close()

    async def ask(self, call: Call, params: Mapping[str, Any]) -> Json | Fault:
        """Make a call, as often as it is worth."""
        if self._only_looks and not call.is_look:
            return Fault(LOOKS_ONLY, f"dry run: {call.name} is not asked for")
        pause_ms = PAUSE_MS
        for left in reversed(range(TRIES_MAX)):
            began_ms = self._clock.now_ms()
            answer = await self._try(call, params)
            code = answer.code if isinstance(answer, Fault) else ""
            self._meter(call, code, self._clock.now_ms() - began_ms)
            if not isinstance(answer, Fault) or not _is_worth_a_retry(answer) or not left:
                return answer
            half = pause_ms // 2
            await self._clock.sleep_ms(half + self._random.integer(0, half))
            pause_ms = min(2 * pause_ms, PAUSE_MS_MAX)
        raise AssertionError("the last try has no pause after it")

    async def ask_all(self, call: Call, params: Mapping[str, Any], items: str) -> list[Any] | Fault:
        """Make a call page by page, and give the items of all pages together."""
        found: list[Any] = []
        token: Json = {}
        for _ in range(PAGES_MAX):
            answer = await self.ask(call, {**params, **token})
            if isinstance(answer, Fault):
                return answer
            found.extend(answer.get(items) or ())
            if not answer.get("NextToken"):
                return found
            token = {"NextToken": answer["NextToken"]}
        return Fault("TooManyPages", f"{call.name} had more than {PAGES_MAX} pages")

    async def _try(self, call: Call, params: Mapping[str, Any]) -> Json | Fault:
        return await self._workers.run(lambda: self._call(call, params))

    def _call(self, call: Call, params: Mapping[str, Any]) -> Json | Fault:
        try:
            client = self._clients.client(call.service)
            answer: Json = getattr(client, xform_name(call.operation))(**params)
        except ClientError as error:
            said = error.response.get("Error", {})
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            return Fault(str(said.get("Code", "")), str(said.get("Message", "")), int(status))
        except (BotoCoreError, ResponseParserError) as error:
            # What cannot be read was said by somebody in between, such as a proxy.
            return Fault(UNREACHABLE, str(error))
        return answer


def _is_worth_a_retry(fault: Fault) -> bool:
    # What could not be reached is not tried again here: the call has waited long already.
    return fault.is_passing and fault.code != UNREACHABLE
