"""Requests on single objects: patches of three kinds, deletion and eviction, as HTTP clients know them.

A patch works on the object as JSON, is read back into its struct, and stored like any other write.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from nodewright.model.resource import Ref, key_of
from nodewright.ports.kube import Json, Options
from nodewright.sim.apiserver import DELETED, ApiServer, Change
from nodewright.sim.evictions import Evictions
from nodewright.sim.objects import EVENTS, RESOURCES, Event
from nodewright.sim.ownership import Ownership
from nodewright.sim.patches import apply_steps, merge
from nodewright.sim.refusals import Preconditions, Refused, conflict, invalid, not_found

EVENTS_MAX: Final = 5_000


class Requests:
    """What clients ask of single objects."""

    def __init__(self, api: ApiServer, evictions: Evictions) -> None:
        self.api = api
        self._evictions = evictions
        self._owners: dict[str, Ownership] = {}
        self._events: deque[str] = deque()
        for resource in RESOURCES.values():
            api.listen(resource, self._forget)

    def patch(self, ref: Ref, change: Json, options: Options, actor: str) -> Any:
        """Merge a change into an object; of one that nobody owns parts of, only what it names."""
        resource = RESOURCES[ref.resource.kind]
        old = self._find(ref, options)
        if old.metadata.uid in self._owners:
            return self._write(ref, options, actor, lambda now: merge(now, change))
        try:
            new = _merge_parts(old, change)
        except msgspec.ValidationError:
            # Read as a whole, it names the place of the mistake as a client knows it.
            new = _read(resource.struct, merge(msgspec.to_builtins(old), change), str(ref))
        return self._store(ref, old, new, options, actor)

    def patch_list(self, ref: Ref, steps: Sequence[Json], options: Options, actor: str) -> Any:
        """Take JSON patch steps on an object."""
        return self._write(ref, options, actor, lambda now: apply_steps(now, steps))

    def apply(
        self, ref: Ref, wanted: Json, options: Options, actor: str, *, force: bool = True
    ) -> Any:
        """Apply a manager's wishes; an object that is not there is made."""
        resource = RESOURCES[ref.resource.kind]
        if self.api.get(resource, _key(ref)) is None:
            if ref.uid or options.subresource:
                raise not_found(str(ref))
            made = _read(resource.struct, wanted, str(ref))
            if made.metadata.name != ref.name:
                raise Refused(400, "BadRequest", f"the name of {ref} must be provided")
            if ref.namespace:
                meta = msgspec.structs.replace(made.metadata, namespace=ref.namespace)
                made = msgspec.structs.replace(made, metadata=meta)
            made = self.api.create(resource, made, actor)
            owners = self._owners.setdefault(made.metadata.uid, Ownership())
            owners.apply(msgspec.to_builtins(made), wanted, actor, force=True)
            return made
        uid = self.api.need(resource, _key(ref)).metadata.uid
        owners = self._owners.setdefault(uid, Ownership())
        return self._write(
            ref,
            options,
            "",
            lambda now: owners.apply(now, wanted, actor, force=force),
            by=actor,
        )

    def delete(self, ref: Ref, options: Options, actor: str) -> Any:
        """Delete an object, only while it is the one that is meant."""
        wanted = Preconditions(uid=ref.uid, version=options.if_version)
        return self.api.delete(
            RESOURCES[ref.resource.kind], _key(ref), actor, wanted, options.grace_s
        )

    def evict(self, pod: Ref, options: Options, actor: str) -> None:
        """Evict a pod within its budgets."""
        self._evictions.evict(_key(pod), f"{actor}/evict", pod.uid, options.grace_s)

    def record_event(self, event: Event, actor: str) -> None:
        """Write an Event; the oldest go when there are too many."""
        made = self.api.create(EVENTS, event, actor)
        self._events.append(key_of(made.metadata))
        if len(self._events) > EVENTS_MAX:
            self.api.delete(EVENTS, self._events.popleft(), "ttl")

    def _write(
        self,
        ref: Ref,
        options: Options,
        actor: str,
        how: Callable[[Any], Any],
        by: str = "",
    ) -> Any:
        old = self._find(ref, options)
        before = msgspec.to_builtins(old)
        after = how(before)
        new = _read(RESOURCES[ref.resource.kind].struct, after, str(ref))
        owners = self._owners.get(old.metadata.uid)
        if owners is not None and actor and new.metadata.name == old.metadata.name:
            owners.take(before, after, actor)
        return self._store(ref, old, new, options, actor or by)

    def _find(self, ref: Ref, options: Options) -> Any:
        """Give the object that is meant, if it still is."""
        old = self.api.need(RESOURCES[ref.resource.kind], _key(ref))
        if ref.uid and ref.uid != old.metadata.uid:
            raise conflict(str(ref), "it is another object of the same name")
        if options.if_version and options.if_version != old.metadata.resource_version:
            raise conflict(str(ref))
        return old

    def _store(self, ref: Ref, old: Any, new: Any, options: Options, actor: str) -> Any:
        if new.metadata.name != old.metadata.name:
            raise invalid(str(ref), "metadata.name: a name cannot change")
        resource = RESOURCES[ref.resource.kind]
        return self.api.update(resource, new, actor, status=options.subresource == "status")

    def _forget(self, change: Change) -> None:
        if change.verb == DELETED and self._owners:
            self._owners.pop(change.new.metadata.uid, None)


def _key(ref: Ref) -> str:
    return f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name


def _merge_parts(old: msgspec.Struct, change: Json) -> Any:
    """Merge a change into the parts of an object that it names."""
    types = _part_types(type(old))
    parts = {
        name: msgspec.convert(
            merge(msgspec.to_builtins(getattr(old, name)), patch), types[name], strict=False
        )
        for name, patch in change.items()
        if name in types
    }
    return msgspec.structs.replace(old, **parts)


@cache
def _part_types(struct: type[msgspec.Struct]) -> dict[str, Any]:
    return {
        one.name: one.type
        for one in msgspec.structs.fields(struct)
        if one.name in ("metadata", "spec", "status")
    }


def _read(struct: type[Any], value: Any, subject: str) -> Any:
    try:
        return msgspec.convert(value, struct, strict=False)
    except msgspec.ValidationError as error:
        raise invalid(subject, str(error)) from None
