"""The Kube port over the model: each act takes a moment, may fail, and is answered with a value.

Answers are those that the adapter of a real cluster would give for the same status codes. After a
lost answer the act has happened, and nobody knows.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import Pod
from nodewright.model.resource import PODS, Object, Ref, Resource
from nodewright.ports.kube import Answer, Json, Notice, Options, Outcome
from nodewright.sim.faults import Faults
from nodewright.sim.ground import Ground
from nodewright.sim.objects import RESOURCES, Event, Regarding
from nodewright.sim.refusals import Refused
from nodewright.sim.requests import Requests
from nodewright.sim.session import Session

_PLAIN: Final = Options()
_LATENCY_MS: Final = (2, 25)
_SLOW_MS: Final = (1_000, 20_000)
_OUTCOMES: Final = {
    400: Outcome.INVALID,
    403: Outcome.FORBIDDEN,
    404: Outcome.NOT_FOUND,
    409: Outcome.CONFLICT,
    410: Outcome.CONFLICT,
    422: Outcome.INVALID,
    429: Outcome.BUSY,
}


class SimKube:
    """The cluster as one process of the controller acts on it."""

    def __init__(
        self, ground: Ground, requests: Requests, faults: Faults, session: Session
    ) -> None:
        self._ground = ground
        self._loop = ground.loop
        self._chance = ground.chance.stream("kube-calls")
        self._requests = requests
        self._faults = faults
        self._session = session
        self._published: dict[tuple[object, ...], int] = {}

    async def create[T: Object](
        self, resource: Resource[T], thing: T, options: Options = _PLAIN
    ) -> Answer:
        """Create an object; one that is there already is `EXISTS`."""
        del options
        name = self._session.name
        what = f"create {resource.plural}/{thing.metadata.name or thing.metadata.generate_name}"
        return await self._act(
            what, lambda: self._requests.api.create(RESOURCES[resource.kind], thing, name)
        )

    async def create_all[T: Object](
        self, resource: Resource[T], things: Sequence[T], options: Options = _PLAIN
    ) -> tuple[Answer, ...]:
        """Create several objects and give their answers in order."""
        return tuple([await self.create(resource, thing, options) for thing in things])

    async def patch(self, ref: Ref, change: Json, options: Options = _PLAIN) -> Answer:
        """Merge a change into an object (RFC 7386)."""
        name = self._session.name
        return await self._act(
            f"patch {ref}", lambda: self._requests.patch(ref, change, options, name)
        )

    async def patch_list(
        self, ref: Ref, steps: Sequence[Json], options: Options = _PLAIN
    ) -> Answer:
        """Change an object by JSON patch steps (RFC 6902); a failed test is `CONFLICT`."""
        name = self._session.name
        return await self._act(
            f"patch {ref}", lambda: self._requests.patch_list(ref, steps, options, name)
        )

    async def apply(self, ref: Ref, wanted: Json, options: Options = _PLAIN) -> Answer:
        """Own some fields of an object by server-side apply."""
        name = self._session.name
        return await self._act(
            f"apply {ref}", lambda: self._requests.apply(ref, wanted, options, name)
        )

    async def delete(self, ref: Ref, options: Options = _PLAIN) -> Answer:
        """Delete an object, only while it is the one that is meant."""
        name = self._session.name
        return await self._act(f"delete {ref}", lambda: self._requests.delete(ref, options, name))

    async def evict(self, pod: Ref, options: Options = _PLAIN) -> Answer:
        """Ask a pod to leave; `BLOCKED` while a disruption budget forbids it."""
        name = self._session.name
        return await self._act(f"evict {pod}", lambda: self._requests.evict(pod, options, name))

    async def list_pods(self, node: str) -> tuple[Pod, ...] | Answer:
        """Give the pods that are on a node at this instant, whatever the mirror shows."""
        found: list[Pod] = []

        def look() -> None:
            found.extend(pod for pod in self._requests.api.each(PODS) if pod.spec.node_name == node)

        answer = await self._act(f"list pods of {node}", look)
        return tuple(found) if answer.is_done else answer

    async def add_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Hold an object's deletion back until the finalizer is removed."""
        there = thing.metadata.finalizers
        if finalizer in there:
            return Answer(Outcome.NOTHING_TO_DO)
        return await self._patch_finalizers(ref, thing, [*there, finalizer])

    async def remove_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Let an object's deletion go on."""
        there = thing.metadata.finalizers
        if finalizer not in there:
            return Answer(Outcome.NOTHING_TO_DO)
        return await self._patch_finalizers(ref, thing, [one for one in there if one != finalizer])

    async def _patch_finalizers(self, ref: Ref, thing: Object, wanted: list[str]) -> Answer:
        guard = Options(if_version=thing.metadata.resource_version)
        return await self.patch(ref, {"metadata": {"finalizers": wanted or None}}, guard)

    def publish(self, notice: Notice) -> bool:
        """Publish an Event soon; tell whether it is new enough to be."""
        now_ms = self._loop.now_ms()
        key = (str(notice.about), notice.reason, *notice.dedupe)
        if now_ms < self._published.get(key, 0):
            return False
        self._published[key] = now_ms + notice.quiet_ms
        self._loop.after_ms(self._chance.integer(*_LATENCY_MS), self._write_event, notice)
        return True

    def _write_event(self, notice: Notice) -> None:
        if self._session.is_dead:
            return
        about = notice.about
        event = Event(
            metadata=ObjectMeta(
                generate_name=f"{about.name}.", namespace=about.namespace or "default"
            ),
            regarding=Regarding(
                kind=about.resource.kind, namespace=about.namespace, name=about.name, uid=about.uid
            ),
            reason=notice.reason,
            note=notice.note,
            type="Warning" if notice.is_warning else "Normal",
        )
        self._requests.record_event(event, self._session.name)

    async def _act(self, what: str, do: Callable[[], Any]) -> Answer:
        latency_ms = self._chance.integer(*_LATENCY_MS)
        if self._faults.happens("api.slow", what):
            latency_ms += self._chance.integer(*_SLOW_MS)
        await self._session.call(latency_ms, what)
        trouble = self._trouble(what)
        if trouble is not None:
            return trouble
        try:
            done = do()
        except Refused as refusal:
            return answer_of(refusal)
        await self._session.answered()
        if self._faults.happens("api.lost", what):
            return Answer(Outcome.UNREACHABLE, "the answer was lost")
        if done is None:
            return Answer(Outcome.DONE)
        meta = done.metadata
        return Answer(Outcome.DONE, version=meta.resource_version, uid=meta.uid)

    def _trouble(self, what: str) -> Answer | None:
        if not self._session.is_leader:
            return Answer(Outcome.NOT_LEADER, "another replica leads")
        if self._faults.happens("api.error", what):
            return Answer(Outcome.UNREACHABLE, "status 500")
        if self._faults.happens("api.throttle", what):
            return Answer(Outcome.BUSY, "too many requests", retry_after_ms=1_000)
        if self._faults.happens("api.conflict", what):
            return Answer(Outcome.CONFLICT, "the object has been modified")
        return None


def answer_of(refusal: Refused) -> Answer:
    """Give the outcome that a refusal of the API server means."""
    outcome = _OUTCOMES.get(refusal.status, Outcome.UNREACHABLE)
    if refusal.reason == "AlreadyExists":
        outcome = Outcome.EXISTS
    elif "disruption budget" in refusal.message or "PodDisruptionBudget" in refusal.message:
        outcome = Outcome.BLOCKED
    elif refusal.status == 422 and "test of" in refusal.message:
        outcome = Outcome.CONFLICT
    return Answer(outcome, refusal.message, retry_after_ms=refusal.retry_after_ms)
