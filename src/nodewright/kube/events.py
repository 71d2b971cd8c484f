"""Events that people see in `kubectl describe`, each said once in a while.

The same notice (object, reason and what the notice names as its identity) is suppressed for as long
as it asks to be, two minutes as a rule; reasons that come by the thousand are limited besides.
Publishing never waits: notices queue up to a limit, are written in the background with the least
urgency, and are dropped and counted where the queue is full or the server refuses.
"""

import asyncio
import hashlib
from collections import deque
from datetime import UTC, datetime
from typing import Final

import msgspec

from nodewright.kube.answers import judge
from nodewright.kube.backoff import Backoff
from nodewright.kube.client import Client, Request, Unreachable
from nodewright.kube.limiter import Limiter
from nodewright.ports.kube import Notice, Outcome, Urgency

CONTROLLER: Final = "karpenter"
QUEUE_MAX: Final = 1_000
REMEMBERED_MAX: Final = 50_000
NOTE_MAX_BYTES: Final = 1024
ATTEMPTS_MAX: Final = 3
# Reasons that are limited as a whole: how many a second, and how many at once.
_RATES: Final = {"Nominated": (5, 10)}


class Recorder:
    """Publishes notices as Events."""

    def __init__(self, client: Client, limiter: Limiter, instance: str) -> None:
        self._client = client
        self._limiter = limiter
        self._instance = instance[:128]
        self._clock = client.machine.clock
        self._quiet_until: dict[tuple[str, ...], int] = {}
        self._recent: dict[str, deque[int]] = {}
        self._queue: asyncio.Queue[dict[str, object]] = asyncio.Queue(QUEUE_MAX)
        self._number = 0
        self.dropped_count = 0
        self.published_count = 0

    def publish(self, notice: Notice) -> bool:
        """Publish an Event soon; tell whether it is new enough to be."""
        now_ms = self._clock.ticks_ms()
        about = notice.about
        key = (str(about), about.uid, notice.reason, *notice.dedupe)
        if self._quiet_until.get(key, 0) > now_ms or self._is_flood(notice.reason, now_ms):
            return False
        self._remember(key, now_ms, notice.quiet_ms)
        self._number += 1
        try:
            self._queue.put_nowait(self._write(notice))
        except asyncio.QueueFull:
            self.dropped_count += 1
            return False
        return True

    async def run(self) -> None:
        """Write what was published, until cancelled."""
        while True:
            event = await self._queue.get()
            try:
                if await self._send(event):
                    self.published_count += 1
                else:
                    self.dropped_count += 1
            finally:
                self._queue.task_done()

    async def drain(self, limit_s: float) -> bool:
        """Wait until all is written; tell whether it was, in the time given."""
        try:
            async with asyncio.timeout(limit_s):
                await self._queue.join()
        except TimeoutError:
            return False
        return True

    def _remember(self, key: tuple[str, ...], now_ms: int, quiet_ms: int) -> None:
        if len(self._quiet_until) >= REMEMBERED_MAX:
            still = {k: until for k, until in self._quiet_until.items() if until > now_ms}
            # If nothing has run out, forgetting all of it repeats some Events, and harms nobody.
            self._quiet_until = still if len(still) < REMEMBERED_MAX else {}
        self._quiet_until[key] = now_ms + quiet_ms

    def _is_flood(self, reason: str, now_ms: int) -> bool:
        if reason not in _RATES:
            return False
        rate, burst = _RATES[reason]
        recent = self._recent.setdefault(reason, deque(maxlen=burst))
        # A burst may be used up at once and is whole again after burst / rate seconds.
        if len(recent) == burst and now_ms - recent[0] < burst * 1000 // rate:
            return True
        recent.append(now_ms)
        return False

    def _write(self, notice: Notice) -> dict[str, object]:
        about = notice.about
        now_ms = self._clock.now_ms()
        named = f"{about}/{notice.reason}/{now_ms}/{self._number}/{self._instance}"
        digest = hashlib.sha256(named.encode()).hexdigest()[:16]
        namespace = about.namespace or "default"
        moment = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        regarding = {
            "apiVersion": about.resource.api_version,
            "kind": about.resource.kind,
            "name": about.name,
            "namespace": about.namespace,
            "uid": about.uid,
        }
        return {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": f"{about.name[:230]}.{digest}", "namespace": namespace},
            "eventTime": moment,
            "reportingController": CONTROLLER,
            "reportingInstance": self._instance,
            "action": (notice.action or notice.reason)[:128],
            "reason": notice.reason[:128],
            "regarding": {name: value for name, value in regarding.items() if value},
            "note": _cut(notice.note),
            "type": "Warning" if notice.is_warning else "Normal",
        }

    async def _send(self, event: dict[str, object]) -> bool:
        metadata = event["metadata"]
        assert isinstance(metadata, dict)
        path = f"/apis/events.k8s.io/v1/namespaces/{metadata['namespace']}/events"
        request = Request("POST", path, {}, msgspec.json.encode(event))
        clock, rng = self._client.machine
        backoff = Backoff(rng, 500, 5_000)
        while True:
            await self._limiter.acquire(Urgency.BACKGROUND)
            try:
                outcome = judge(await self._client.ask(request)).outcome
            except Unreachable:
                outcome = Outcome.UNREACHABLE
            if outcome in (Outcome.DONE, Outcome.EXISTS):
                return True
            if outcome not in (Outcome.BUSY, Outcome.UNREACHABLE):
                return False
            pause_ms = backoff.next_ms()
            if backoff.failure_count >= ATTEMPTS_MAX:
                return False
            await clock.sleep_ms(pause_ms)


def _cut(note: str) -> str:
    encoded = note.encode()
    if len(encoded) <= NOTE_MAX_BYTES:
        return note
    return encoded[: NOTE_MAX_BYTES - 3].decode(errors="ignore") + "…"
