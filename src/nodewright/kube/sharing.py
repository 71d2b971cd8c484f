"""One copy of what thousands of objects say alike.

The pods of a workload have the same labels, owner, tolerations and requests, and decoding makes each
its own copy. Equal parts are replaced by the first of them before anybody has seen the object, which
halves the memory of a large cluster. Nothing is ever changed in place after that, so sharing is safe.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from msgspec.structs import force_setattr

from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.pod import Container, Pod
from nodewright.model.resource import Object

POOL_MAX: Final = 100_000


class Pool:
    """The first of each part that was seen."""

    def __init__(self) -> None:
        self._values: dict[Any, Any] = {}
        # Mappings are known by their items; kept apart, since no items look like an empty tuple.
        self._mappings: dict[Any, dict[str, Any]] = {}

    def share(self, thing: Object) -> None:
        """Replace parts of an object that nobody has seen yet by equal ones seen before."""
        if len(self._values) + len(self._mappings) > POOL_MAX:
            self._values.clear()
            self._mappings.clear()
        self._share_metadata(thing.metadata)
        if isinstance(thing, Pod):
            self._share_pod(thing)

    def _share_metadata(self, meta: ObjectMeta) -> None:
        force_setattr(meta, "labels", self._mapping(meta.labels))
        force_setattr(meta, "annotations", self._mapping(meta.annotations))
        self._replace(meta, "namespace", meta.namespace)
        self._replace(meta, "generate_name", meta.generate_name)
        self._replace(meta, "owner_references", meta.owner_references)

    def _share_pod(self, pod: Pod) -> None:
        spec = pod.spec
        self._replace(spec, "node_name", spec.node_name)
        self._replace(spec, "tolerations", spec.tolerations)
        for container in spec.containers:
            self._share_container(container)
        for condition in pod.status.conditions:
            self._share_condition(condition)

    def _share_container(self, container: Container) -> None:
        asked = container.resources
        for name, amounts in (("requests", asked.requests), ("limits", asked.limits)):
            # 1 and 1.0 are equal and not the same, so only amounts that are texts are shared.
            if all(type(amount) is str for amount in amounts.values()):
                force_setattr(asked, name, self._mapping(amounts))
        self._replace(container, "ports", container.ports)

    def _share_condition(self, condition: Condition) -> None:
        self._replace(condition, "type", condition.type)
        self._replace(condition, "status", condition.status)

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        first = self._values.setdefault(value, value)
        if first is not value:
            force_setattr(owner, name, first)

    def _mapping(self, value: dict[str, Any]) -> dict[str, Any]:
        return self._mappings.setdefault(tuple(value.items()), value)


@contextmanager
def collecting_later() -> Iterator[None]:
    """Keep the garbage collector out while much is made and nothing is thrown away.

    Decoded objects have no cycles; looking for some after every few hundred of them takes longer
    than decoding them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
