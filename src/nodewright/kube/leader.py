"""Lead or stand by: holds the lease, and knows at every moment whether it may still act.

`may_act` rests on our own counter alone: the last renewal that succeeded must have been *sent* less
than the renew deadline ago, which is well before anybody else may take the lease. A process that was
stopped and wakes up finds that too much time has passed, and does nothing until it has renewed. After
taking a lease we look around once more before acting, so that two who took leases in two namespaces
at the same moment see each other.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from nodewright.kube.answers import judge
from nodewright.kube.client import Client, Request, Unreachable
from nodewright.kube.election import (
    Lease,
    LeaseSpec,
    Seen,
    Sight,
    Step,
    Terms,
    choose,
    find_rival,
    look,
)
from nodewright.ports.kube import Answer, Outcome

_ROOT: Final = "/apis/coordination.k8s.io/v1"
_MERGE: Final = "application/merge-patch+json"
_CONFIRM_MS: Final = 50


class _Leases(msgspec.Struct, frozen=True):
    items: tuple[Lease, ...] | None = None


class Leader:
    """A candidate for the lease, and its holder once it has it."""

    def __init__(
        self, client: Client, terms: Terms, on_change: Callable[[bool], None] = lambda _: None
    ) -> None:
        self.terms = terms
        self.problem = "the lease was not looked at yet"
        self.leading = asyncio.Event()
        self._client = client
        self._clock, self._rng = client.machine
        self._on_change = on_change
        self._sight: Sight = {}
        self._renewed_ticks_ms: int | None = None
        self._confirmed = False
        self._just_took = False

    def may_act(self) -> bool:
        """Tell whether the lease is surely ours at this very moment."""
        renewed_ms = self._renewed_ticks_ms
        return (
            self._confirmed
            and renewed_ms is not None
            and self._clock.ticks_ms() - renewed_ms < self.terms.renew_ms
        )

    async def run(self) -> None:
        """Take the lease when it is free and renew it while it is ours, until cancelled."""
        try:
            while True:
                await self._turn()
                self._settle()
                await self._clock.sleep_ms(self._pause_ms())
        finally:
            self._confirmed = False
            self._settle()

    def _pause_ms(self) -> int:
        """Tell how long to wait: not at all after taking the lease, and not past another's end."""
        if self._just_took:
            return _CONFIRM_MS
        pause_ms = self.terms.retry_ms
        ours = self._sight.get(self.terms.namespace)
        if ours is not None and ours.holder != self.terms.identity:
            ends_ms = ours.ends_ticks_ms(self.terms.lease_ms) - self._clock.ticks_ms()
            pause_ms = min(pause_ms, max(_CONFIRM_MS, ends_ms))
        # Jitter keeps two candidates from stepping on each other for ever.
        return pause_ms + self._rng.integer(0, self.terms.retry_ms // 5)

    async def release(self) -> None:
        """Give the lease back, if it is ours, so that the next one need not wait.

        A write that was cut off may have been done all the same, so the lease is looked at once more.
        """
        self._confirmed = False
        self._renewed_ticks_ms = None
        self._settle()
        await self._look()
        ours = self._sight.get(self.terms.namespace)
        if ours is None or ours.holder != self.terms.identity:
            return
        await self._write(ours.lease, {"holderIdentity": "", "leaseDurationSeconds": 1})

    async def _turn(self) -> None:
        self._just_took = False
        try:
            # One turn may not eat up the time in which the next could still renew.
            async with asyncio.timeout(self.terms.renew_ms / 2000):
                await self._look()
                await self._step()
        except (Unreachable, TimeoutError) as error:
            self.problem = f"the lease cannot be reached: {str(error) or 'no answer'}"

    async def _look(self) -> None:
        params = {"fieldSelector": f"metadata.name={self.terms.name}"}
        reply = await self._client.ask(Request("GET", f"{_ROOT}/leases", params))
        if not reply.is_good:
            raise Unreachable(judge(reply).message)
        try:
            found = msgspec.json.decode(reply.body, type=_Leases)
        except msgspec.DecodeError as error:
            raise Unreachable(f"the leases cannot be read: {error}") from None
        self._sight = look(self._sight, found.items or (), self._clock.ticks_ms())

    async def _step(self) -> None:
        step = choose(self._sight, self.terms, self._clock.ticks_ms())
        ours = self._sight.get(self.terms.namespace)
        sent_ms = self._clock.ticks_ms()
        now = _micro(self._clock.now_ms())
        match step:
            case Step.WAIT:
                self._lose(self._whose())
            case Step.STEP_DOWN:
                reason = self._whose()
                await self.release()
                self._lose(reason)
            case Step.CREATE:
                self._took(await self._create(now), sent_ms)
            case Step.TAKE:
                assert ours is not None
                spec = self._spec(now) | {"acquireTime": now}
                spec["leaseTransitions"] = (ours.lease.spec.lease_transitions or 0) + 1
                self._took(await self._write(ours.lease, spec), sent_ms)
            case Step.RENEW:
                assert ours is not None
                self._renewed(await self._write(ours.lease, self._spec(now)), sent_ms)

    def _whose(self) -> str:
        rival = find_rival(self._sight, self.terms, self._clock.ticks_ms())
        if rival is not None:
            place = rival.lease.metadata.namespace
            return (
                f"another autoscaler ({rival.holder}) renews the lease {self.terms.name} in "
                f"namespace {place}; scale it to 0 or uninstall it"
            )
        ours = self._sight.get(self.terms.namespace)
        return f"{ours.holder} leads" if ours is not None else "nobody leads"

    def _took(self, answer: Answer, sent_ms: int) -> None:
        # Acting waits for the next turn, which renews after one more look around.
        if answer.outcome is Outcome.DONE:
            self._renewed_ticks_ms = sent_ms
            self._just_took = True
            self.problem = "the lease was just taken"
        else:
            self.problem = f"the lease cannot be taken: {answer.message}"

    def _renewed(self, answer: Answer, sent_ms: int) -> None:
        if answer.outcome is Outcome.DONE:
            self._renewed_ticks_ms = sent_ms
            self._confirmed = True
            self.problem = ""
        else:
            self.problem = f"the lease cannot be renewed: {answer.message}"

    def _lose(self, problem: str) -> None:
        self._confirmed = False
        self._renewed_ticks_ms = None
        self.problem = problem

    def _settle(self) -> None:
        leads = self.may_act()
        if not leads:
            # What was lost by time alone must be confirmed anew by a look around.
            self._confirmed = False
        if leads == self.leading.is_set():
            return
        if leads:
            self.leading.set()
        else:
            self.leading.clear()
        self._on_change(leads)

    def _spec(self, now: str) -> dict[str, Any]:
        return {
            "holderIdentity": self.terms.identity,
            "leaseDurationSeconds": max(1, self.terms.lease_ms // 1000),
            "renewTime": now,
        }

    async def _create(self, now: str) -> Answer:
        place = f"{_ROOT}/namespaces/{self.terms.namespace}/leases"
        spec = self._spec(now) | {"acquireTime": now, "leaseTransitions": 0}
        document = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self.terms.name, "namespace": self.terms.namespace},
            "spec": spec,
        }
        return judge(await self._client.ask(Request("POST", place, {}, _encode(document))))

    async def _write(self, lease: Lease, spec: dict[str, Any]) -> Answer:
        """Change our lease, and remember it as it is now, since the next write rests on that."""
        place = f"{_ROOT}/namespaces/{self.terms.namespace}/leases/{self.terms.name}"
        guard = {"resourceVersion": lease.metadata.resource_version}
        body = _encode({"metadata": guard, "spec": spec})
        answer = judge(await self._client.ask(Request("PATCH", place, {}, body, _MERGE)))
        if answer.outcome is Outcome.DONE:
            changed = Lease(
                msgspec.structs.replace(lease.metadata, resource_version=answer.version),
                msgspec.convert(msgspec.to_builtins(lease.spec) | spec, LeaseSpec),
            )
            self._sight[self.terms.namespace] = Seen(changed, self._clock.ticks_ms())
        return answer


def _encode(document: object) -> bytes:
    return msgspec.json.encode(document)


def _micro(instant_ms: int) -> str:
    return datetime.fromtimestamp(instant_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
