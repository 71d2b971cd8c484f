"""Writing to a cluster: every act is limited, guarded and answered with a value.

Before each attempt, also the second and the third, the guard is asked whether we still lead; an act
that waited for its turn while the lease was lost is not sent. Narrow structs are never written
whole: what exists is changed by patches, which carry a version or uid where the decision relied on
one. A request that got no reply is sent again: the guards make that safe, and one that had succeeded
after all shows as `EXISTS`, `CONFLICT` or `NOT_FOUND`, which the next look at the mirror explains.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from nodewright.kube import wire
from nodewright.kube.answers import judge
from nodewright.kube.backoff import Backoff
from nodewright.kube.client import Client, Request, Unreachable
from nodewright.kube.events import Recorder
from nodewright.kube.limiter import Limiter
from nodewright.model.pod import Pod
from nodewright.model.resource import PODS, Object, Ref, Resource
from nodewright.ports.kube import Answer, Json, Notice, Options, Outcome, Urgency

MANAGER: Final = "nodewright"
ATTEMPTS_MAX: Final = 5
CREATES_AT_ONCE: Final = 32
# More at a time are not faster, and would each need a connection of their own.
WRITES_AT_ONCE: Final = 32
_RETRY_FIRST_MS: Final = 200
_RETRY_LONGEST_MS: Final = 5_000
_STARTING_MS: Final = 30_000
_MERGE: Final = "application/merge-patch+json"
_STEPS: Final = "application/json-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_PLAIN: Final = Options()
_NOT_LEADER: Final = Answer(Outcome.NOT_LEADER, "another replica leads")
_MANAGED: Final[Mapping[str, str]] = {"fieldManager": MANAGER}


class Writer:
    """Acts on a cluster; keeps the promise of `ports.kube.Kube`."""

    def __init__(
        self, client: Client, limiter: Limiter, recorder: Recorder, may_act: Callable[[], bool]
    ) -> None:
        self._client = client
        self._limiter = limiter
        self._recorder = recorder
        self._may_act = may_act
        self._room = asyncio.Semaphore(WRITES_AT_ONCE)
        self._pods = wire.Reader(PODS)

    async def create[T: Object](
        self, resource: Resource[T], thing: T, options: Options = _PLAIN
    ) -> Answer:
        """Create an object; one that is there already is `EXISTS`."""
        namespace = thing.metadata.namespace if resource.namespaced else ""
        document = {"apiVersion": resource.api_version, "kind": resource.kind}
        document |= msgspec.to_builtins(thing)
        path = resource.path(namespace=namespace)
        request = Request("POST", path, _MANAGED, msgspec.json.encode(document))
        return await self._act(request, options.urgency)

    async def create_all[T: Object](
        self, resource: Resource[T], things: Sequence[T], options: Options = _PLAIN
    ) -> tuple[Answer, ...]:
        """Create several objects, some at a time, and give their answers in order."""
        room = asyncio.Semaphore(CREATES_AT_ONCE)

        async def create_one(thing: T) -> Answer:
            async with room:
                return await self.create(resource, thing, options)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(create_one(thing)) for thing in things]
        return tuple(task.result() for task in tasks)

    async def patch(self, ref: Ref, change: Json, options: Options = _PLAIN) -> Answer:
        """Merge a change into an object (RFC 7386): lists are replaced, null removes."""
        body = msgspec.json.encode(_guarded(change, ref, options))
        request = Request("PATCH", _path(ref, options), _MANAGED, body, _MERGE)
        return await self._act(request, options.urgency)

    async def patch_list(
        self, ref: Ref, steps: Sequence[Json], options: Options = _PLAIN
    ) -> Answer:
        """Change an object by JSON patch steps (RFC 6902); a failed test is `CONFLICT`."""
        guards: list[Json] = []
        if ref.uid:
            guards.append({"op": "test", "path": "/metadata/uid", "value": ref.uid})
        if options.if_version:
            place = "/metadata/resourceVersion"
            guards.append({"op": "replace", "path": place, "value": options.if_version})
        body = msgspec.json.encode([*guards, *steps])
        request = Request("PATCH", _path(ref, options), _MANAGED, body, _STEPS)
        return await self._act(request, options.urgency)

    async def apply(self, ref: Ref, wanted: Json, options: Options = _PLAIN) -> Answer:
        """Own some fields of an object by server-side apply, and make the object if need be."""
        document = {"apiVersion": ref.resource.api_version, "kind": ref.resource.kind}
        body = msgspec.json.encode(document | _guarded(wanted, ref, options))
        params = {**_MANAGED, "force": "true"}
        request = Request("PATCH", _path(ref, options), params, body, _APPLY)
        return await self._act(request, options.urgency)

    async def delete(self, ref: Ref, options: Options = _PLAIN) -> Answer:
        """Delete an object, only while it is the one that is meant."""
        body = msgspec.json.encode(_delete_options(ref, options) | {"kind": "DeleteOptions"})
        return await self._act(Request("DELETE", ref.path, {}, body), options.urgency)

    async def evict(self, pod: Ref, options: Options = _PLAIN) -> Answer:
        """Ask a pod to leave; `BLOCKED` while a disruption budget forbids it."""
        document = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": _delete_options(pod, options),
        }
        path = f"{pod.path}/eviction"
        return await self._act(
            Request("POST", path, {}, msgspec.json.encode(document)), options.urgency
        )

    async def list_pods(self, node: str) -> tuple[Pod, ...] | Answer:
        """Give the pods that are on a node at this instant, whatever the mirror shows."""
        if not self._may_act():
            return _NOT_LEADER
        # Without a version the list is what is stored, not what a cache of the server remembers.
        request = Request("GET", PODS.path(), {"fieldSelector": f"spec.nodeName={node}"})
        try:
            reply = await self._client.ask(request)
            if not reply.is_good:
                return judge(reply)
            items = wire.read_page(reply.body).items or ()
        except (Unreachable, msgspec.DecodeError) as error:
            return Answer(Outcome.UNREACHABLE, str(error))
        # A pod that cannot be read is left out as it is from the mirror, whose reflector tells of it.
        read = (self._pods.read(one) for one in items)
        return tuple(one for one in read if isinstance(one, Pod))

    async def add_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Hold an object's deletion back until the finalizer is removed."""
        there = thing.metadata.finalizers
        if finalizer in there:
            return Answer(Outcome.NOTHING_TO_DO)
        return await self._set_finalizers(ref, thing, (*there, finalizer))

    async def remove_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Let an object's deletion go on."""
        there = thing.metadata.finalizers
        if finalizer not in there:
            return Answer(Outcome.NOTHING_TO_DO)
        return await self._set_finalizers(ref, thing, tuple(f for f in there if f != finalizer))

    async def _set_finalizers(self, ref: Ref, thing: Object, wanted: tuple[str, ...]) -> Answer:
        # A merge replaces the whole list, so it must rest on the version that the list was read at.
        version = thing.metadata.resource_version
        change = {"metadata": {"finalizers": list(wanted)}}
        return await self.patch(ref, change, Options(if_version=version))

    def publish(self, notice: Notice) -> bool:
        """Publish an Event soon; tell whether it is new enough to be."""
        return self._recorder.publish(notice)

    async def _act(self, request: Request, urgency: Urgency) -> Answer:
        clock, rng = self._client.machine
        backoff = Backoff(rng, _RETRY_FIRST_MS, _RETRY_LONGEST_MS)
        while True:
            await self._limiter.acquire(urgency)
            async with self._room:
                if not self._may_act():
                    return _NOT_LEADER
                answer = await self._attempt(request)
            if not self._is_worth_another(answer):
                return answer
            pause_ms = backoff.next_ms(answer.retry_after_ms)
            if backoff.failure_count >= ATTEMPTS_MAX or pause_ms > _RETRY_LONGEST_MS:
                return _doubt(answer)
            await clock.sleep_ms(pause_ms)

    def _is_worth_another(self, answer: Answer) -> bool:
        if answer.outcome is Outcome.FORBIDDEN:
            # A server that has just started refuses everybody until it has read its own rules.
            return self._client.was_in_trouble(_STARTING_MS)
        return answer.outcome in (Outcome.UNREACHABLE, Outcome.BUSY)

    async def _attempt(self, request: Request) -> Answer:
        try:
            return judge(await self._client.ask(request))
        except Unreachable as error:
            return Answer(Outcome.UNREACHABLE, str(error))


def _doubt(answer: Answer) -> Answer:
    # Some ask no more after a refusal, so one that nobody should believe yet is none.
    if answer.outcome is not Outcome.FORBIDDEN:
        return answer
    return Answer(Outcome.BUSY, f"the server is starting and refuses everybody: {answer.message}")


def _path(ref: Ref, options: Options) -> str:
    return f"{ref.path}/{options.subresource}" if options.subresource else ref.path


def _guarded(change: Json, ref: Ref, options: Options) -> dict[str, Any]:
    guards: dict[str, str] = {}
    if ref.uid:
        guards["uid"] = ref.uid
    if options.if_version:
        guards["resourceVersion"] = options.if_version
    if not guards:
        return dict(change)
    metadata: Any = change.get("metadata", {})
    return {**change, "metadata": {**metadata, **guards}}


def _delete_options(ref: Ref, options: Options) -> dict[str, Any]:
    preconditions: dict[str, str] = {}
    if ref.uid:
        preconditions["uid"] = ref.uid
    if options.if_version:
        preconditions["resourceVersion"] = options.if_version
    chosen: dict[str, Any] = {"apiVersion": "v1"}
    if preconditions:
        chosen["preconditions"] = preconditions
    if options.grace_s is not None:
        chosen["gracePeriodSeconds"] = options.grace_s
    return chosen
